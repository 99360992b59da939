"""What is asked again in other words, and how; who is found out by it, tests/contract has."""

import json

import pytest

from conformance.drawing.source import Seeded
from conformance.judging.comparison import Level
from conformance.judging.verdict import Outcome, Verdict
from conformance.outcomes.running import report_on
from conformance.paths import DEFAULT_SPEC
from conformance.rephrasing.choosing import RephrasedVectors
from conformance.rephrasing.rewording import Rewording, spelled
from conformance.run.options import RunOptions
from conformance.suite.vectors import load_spec

OPS = {"aggregate", "evals_key", "parse_reward"}


@pytest.fixture(scope="module")
def some():
    return [vector for vector in load_spec(DEFAULT_SPEC) if vector.op.name in OPS][::4]


def test_who_supports_an_op_in_part_may_say_unsupported_again() -> None:
    one, other = (vector for vector in load_spec(DEFAULT_SPEC)[:2])
    again = RephrasedVectors(1, [one]).chosen[one.id]
    for outcome, failed in ((Outcome.PASSED, True), (Outcome.UNSUPPORTED, False)):
        report = report_on(RunOptions(command="fake", again_seed=1), [one, other])
        report.session.record(Verdict(one, Outcome.PASSED, Level.BYTES, 0.0))
        report.session.record(Verdict(other, outcome, None, 0.0))
        report.session.record(Verdict(again, Outcome.UNSUPPORTED, None, 0.0, "it says unsupported: no"))
        report.session.close()
        assert report.again[one.id].failed == failed


def test_every_op_is_asked_again_mostly_with_another_input_and_in_another_spelling(some) -> None:
    chosen = RephrasedVectors(3, some).chosen.values()
    assert {asked.op.name for asked in chosen} == OPS
    assert sum(asked.other_input for asked in chosen) > len(chosen) / 2
    for vector in some[::10]:
        line = b'{"id":5,' + spelled(vector.op.name, vector.input, Seeded(vector.id))
        assert line.count(b"\n") == 1
        assert json.loads(line) == {"id": 5, "op": vector.op.name, "input": vector.input}


def test_names_change_alike_and_edges_stay() -> None:
    given = {"metric": "mean", "rewards": [{"reward": 0.25, "b": 1}, {"reward": 0.25, "b": 1e308}, None]}
    changed = Rewording(Seeded(1), names=True, numbers=True).reworded("aggregate", given)
    [first, second, nothing] = changed["rewards"]
    assert list(first) == list(second) != ["reward", "b"]
    assert list(first.values()) == [next(iter(second.values())), 1]
    assert 0.2 <= next(iter(first.values())) < 0.3
    assert list(second.values())[1] == 1e308
    assert (nothing, changed["metric"]) == (None, "mean")
