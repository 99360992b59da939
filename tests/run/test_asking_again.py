"""Vectors asked again in other words: who looks answers up is told so, and nobody else is."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from conformance.drawing.source import Seeded
from conformance.judging.verdict import Outcome, Verdict
from conformance.paths import DEFAULT_SPEC, vectors_dir
from conformance.rephrasing.choosing import AskedAgain, AskingAgain
from conformance.run.engine import open_run, run_vectors
from conformance.run.options import RunOptions
from conformance.rephrasing.rewording import Rewording, spelled
from conformance.suite.vectors import load_spec

pytestmark = pytest.mark.usefixtures("played")

HOSTILE = Path(__file__).parents[1] / "runners" / "hostile.py"
OPS = {"aggregate", "evals_key", "parse_reward"}


def command(behaviour):
    return shlex.join([sys.executable, str(HOSTILE), str(vectors_dir(DEFAULT_SPEC)), behaviour])


@pytest.fixture(scope="module")
def some():
    return [vector for vector in load_spec(DEFAULT_SPEC) if vector.op.name in OPS][::4]


def report_of(runner, vectors, seed=1):
    dispatcher, report = open_run(RunOptions(command=runner), vectors)
    report.again_seed = seed
    verdicts = []
    try:
        run_vectors(dispatcher, report, vectors, verdicts.append, AskingAgain(seed, vectors))
    finally:
        dispatcher.kill()
    return report, verdicts


@pytest.mark.parametrize("behaviour", ["lookup", "lookup-guessing"])
def test_a_runner_that_looks_answers_up_is_told_so(some, behaviour) -> None:
    report, verdicts = report_of(command(behaviour), some)
    assert report.totals() == {"passed": len(some)}
    assert len(report.again_wrong) > len(report.again) / 2
    assert report.exit_code() == 1
    claimed = {account.name: account.claimed for account in report.classes() if account.totals}
    assert set(claimed.values()) == {None}
    asked = [one for one in verdicts if isinstance(one.vector, AskedAgain)]
    assert all(one.failed for one in asked if one.outcome is not Outcome.PASSED)


def test_the_reference_is_right_in_other_words_too(some) -> None:
    report, _ = report_of("reference", some)
    assert report.again_wrong == []
    assert len(report.again) >= 0.05 * len(some)
    assert report.exit_code() == 0


def test_who_supports_an_op_in_part_may_say_unsupported_again() -> None:
    [vector, *_] = load_spec(DEFAULT_SPEC)
    [asked] = AskingAgain(1, [vector]).chosen.values()
    unsupported = Verdict(asked, Outcome.UNSUPPORTED, None, 0.0, "the runner says unsupported: no")
    assert asked.settled(unsupported, ()).failed
    assert not asked.settled(unsupported, {vector.op.name}).failed


def test_a_seed_decides_which_and_how(some) -> None:
    one, same, other = (AskingAgain(seed, some).chosen for seed in (1, 1, 2))
    assert {key: asked.request().tail for key, asked in one.items()} == {
        key: asked.request().tail for key, asked in same.items()
    }
    assert one.keys() != other.keys()


def test_every_op_is_asked_again_and_mostly_with_another_input(some) -> None:
    chosen = AskingAgain(3, some).chosen.values()
    assert {asked.op.name for asked in chosen} == OPS
    assert sum(asked.other_input for asked in chosen) > len(chosen) / 2


def test_names_change_alike_and_edges_stay() -> None:
    given = {"metric": "mean", "rewards": [{"reward": 0.25, "b": 1}, {"reward": 0.25, "b": 1e308}, None]}
    changed = Rewording(Seeded(1), names=True, numbers=True).of("aggregate", given)
    [first, second, nothing] = changed["rewards"]
    assert list(first) == list(second) != ["reward", "b"]
    assert list(first.values()) == [next(iter(second.values())), 1]
    assert 0.2 <= next(iter(first.values())) < 0.3
    assert list(second.values())[1] == 1e308
    assert (nothing, changed["metric"]) == (None, "mean")


def test_another_spelling_says_the_same(some) -> None:
    for vector in some[::10]:
        line = b'{"id":5,' + spelled(vector.op.name, vector.input, Seeded(vector.id))
        assert line.count(b"\n") == 1
        assert json.loads(line) == {"id": 5, "op": vector.op.name, "input": vector.input}
