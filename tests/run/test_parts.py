"""A member that a runner need not give: a harbor's `pipeline` has no outcome line."""

import shlex
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import asdict

import pytest

from conformance.diagnosis.evidence import answer_from_text, answer_text
from conformance.fuzz.engine import Fuzz, Plan
from conformance.judging.comparison import Level, differences_of
from conformance.judging.verdict import Outcome
from conformance.paths import DEFAULT_SPEC
from conformance.properties.asking import Asker, BrokenError
from conformance.properties.differential import reference
from conformance.registry.ops import OPS
from conformance.outcomes.document import as_json
from conformance.outcomes.records import Part, Record
from conformance.outcomes.report import Report
from conformance.console.account import lines
from conformance.rephrasing.choosing import AskingAgain
from conformance.run.dispatcher import Dispatcher
from conformance.oracle.commands import settings_of
from conformance.run.options import RunOptions
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
    report = Report(DEFAULT_SPEC, Level.BYTES, "partial", vectors)
    with asked() as dispatcher:
        report.hello = dispatcher.hello
        for vector in vectors:
            record = Record.of(dispatcher.verdict(vector))
            report.add(Record(**asdict(record)))  # as it comes from another process
    values = sum("ok" in (vector.expected or {}) for vector in vectors)
    assert report.parts == [Part("pipeline", "line", values)]
    assert as_json(report)["parts"] == [{"op": "pipeline", "left_out": "line", "vectors": values}]
    [account] = [account for account in report.classes() if account.totals]
    assert (account.name, account.claimed) == ("job", "bytes")
    assert f"in part: {values} answers to pipeline without line" in "\n".join(lines(report, 100))


def test_asked_again_a_part_is_enough(vectors) -> None:
    again = AskingAgain(1, vectors, all_of_them=True)
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
            asker.alike("pipeline", reference().answer("pipeline", given), actual, "differs")
        else:
            with pytest.raises(BrokenError, match="/line"):
                asker.alike("pipeline", reference().answer("pipeline", given), actual, "differs")


@pytest.mark.parametrize(("how", "agreed"), [("", True), ("owing", False)])
def test_fuzz_compares_the_part(how, agreed) -> None:
    command = shlex.join([sys.executable, str(TESTS / "runners" / "partial.py"), how])
    options = RunOptions(command=command, timeout=60.0, max_failures=1)
    fuzz = Fuzz(Plan(options, settings_of(options), 1, ("pipeline",), (), None, 40))
    fuzz.run()
    assert (not fuzz.causes.found) == agreed
    if agreed:
        assert fuzz.agreed["pipeline"] == 40


def test_what_may_be_left_out_crosses_processes() -> None:
    part = Ok({"result.json": {"text": "{}"}}, "line")
    assert answer_from_text(answer_text(part)) == part
    whole = Ok({"result.json": {"text": "{}"}, "line": "A={}"})
    assert answer_from_text(answer_text(whole)) == whole
    assert differences_of(PIPELINE, whole, part) == []
    assert [one.path for one in differences_of(PIPELINE, whole, Ok(part.value))] == ["/line"]
