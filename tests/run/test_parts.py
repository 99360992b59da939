"""A member that a runner need not give: a harbor's `pipeline` has no outcome line."""

import shlex
import sys
from collections import Counter
from contextlib import contextmanager

import pytest

from conformance.console.account import account
from conformance.fuzz.engine import Fuzz, Plan
from conformance.judging.comparison import differences_of
from conformance.judging.verdict import Outcome
from conformance.mistakes.plain import reference_answer
from conformance.oracle.commands import settings_of
from conformance.outcomes.claims import classes
from conformance.outcomes.document import as_json
from conformance.outcomes.running import report_on
from conformance.paths import DEFAULT_SPEC
from conformance.properties.asking import Asker, BrokenError
from conformance.registry.ops import OPS
from conformance.rephrasing.choosing import RephrasedVectors
from conformance.run.dispatcher import Dispatcher
from conformance.run.options import RunOptions
from conformance.run.transcript import Replay, heard
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Ok
from tests.conftest import TESTS

pytestmark = pytest.mark.slow

PIPELINE = OPS["pipeline"]


@contextmanager
def asked(how=""):
    command = shlex.join([sys.executable, str(TESTS / "runners" / "partial.py"), how])
    options = RunOptions(command=command, timeout=60.0)
    dispatcher = Dispatcher(options, settings_of(options))
    dispatcher.start()
    try:
        yield dispatcher
    finally:
        dispatcher.kill()


@pytest.fixture(scope="module")
def vectors():
    return [vector for vector in load_spec(DEFAULT_SPEC) if vector.op is PIPELINE][:12]


@pytest.mark.parametrize(
    ("how", "outcome"), [("", Outcome.PASSED), ("owing", Outcome.MISMATCH), ("wrong", Outcome.MISMATCH)]
)
def test_the_line_is_due_where_hello_names_outcome(vectors, how, outcome) -> None:
    values = [vector for vector in vectors if "ok" in (vector.expected or {})]
    with asked(how) as dispatcher:
        verdicts = [dispatcher.verdict(vector) for vector in values]
    assert {verdict.outcome for verdict in verdicts} == {outcome}
    places = {difference.path for verdict in verdicts for difference in verdict.differences}
    assert ("/line" in places) == (how == "owing")


def test_the_report_counts_the_parts(vectors) -> None:
    report = report_on(RunOptions(command="partial"), vectors)
    with asked() as dispatcher:
        lines = []
        dispatcher.hear = lambda reply, verdict: lines.append(heard(reply, verdict))
        report.session.hello = dispatcher.hello
        replay = Replay(report.options, dispatcher.settings, hello=dispatcher.hello)
        for vector in vectors:
            dispatcher.verdict(vector)
            report.take(replay.judged(vector, lines[-1]))  # as it comes from another process
    values = sum("ok" in (vector.expected or {}) for vector in vectors)
    document = as_json(report)
    assert document["left_out"] == [{"op": "pipeline", "member": "line", "vectors": values}]
    [one] = [one for one in classes(document) if one.totals]
    assert (one.name, one.claimed) == ("job", "bytes")
    assert f"in part: {values} answers to pipeline without line" in "\n".join(account(document, None, 100))


def test_asked_again_a_part_is_enough(vectors) -> None:
    again = RephrasedVectors(1, vectors, all_of_them=True)
    with asked() as dispatcher:
        outcomes = Counter(dispatcher.verdict(one).outcome for one in again.chosen.values())
    assert set(outcomes) == {Outcome.PASSED}
    assert outcomes.total() > 5


@pytest.mark.parametrize("how", ["", "owing"])
def test_a_property_compares_the_part(vectors, how) -> None:
    given = next(vector.input for vector in vectors if "ok" in (vector.expected or {}))
    with asked(how) as dispatcher:
        asker = Asker(dispatcher.ask)
        actual = asker.answer("pipeline", given)
        if not how:
            asker.alike("pipeline", reference_answer(DEFAULT_SPEC, "pipeline", given), actual, "differs")
        else:
            with pytest.raises(BrokenError, match="/line"):
                asker.alike("pipeline", reference_answer(DEFAULT_SPEC, "pipeline", given), actual, "differs")


@pytest.mark.parametrize(("how", "agreed"), [("", True), ("owing", False)])
def test_fuzz_compares_the_part(how, agreed) -> None:
    command = shlex.join([sys.executable, str(TESTS / "runners" / "partial.py"), how])
    options = RunOptions(command=command, timeout=60.0, max_failures=1)
    fuzz = Fuzz(Plan(options, settings_of(options), 1, ("pipeline",), (), None, 40))
    fuzz.run()
    assert (not fuzz.causes.found) == agreed
    if agreed:
        assert fuzz.agreed["pipeline"] == 40


def test_what_may_be_left_out_is_no_difference() -> None:
    part = Ok({"result.json": {"text": "{}"}}, "line")
    whole = Ok({"result.json": {"text": "{}"}, "line": "A={}"})
    assert differences_of(PIPELINE, whole, part) == []
    assert [one.path for one in differences_of(PIPELINE, whole, Ok(part.value))] == ["/line"]
