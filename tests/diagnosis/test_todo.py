"""The to-do list: which lines there are, in which order, and how they read on a terminal."""

import json
from dataclasses import replace
from typing import Any

import click
import pytest

from conformance.console.todo import todo_lines
from conformance.diagnosis.account import Kind
from conformance.diagnosis.case import Case
from conformance.diagnosis.diagnose import diagnose
from conformance.diagnosis.evidence import Evidence, expected_answer
from conformance.diagnosis.findings import Findings
from conformance.diagnosis.symptoms import symptom
from conformance.diagnosis.wording import Wording
from conformance.judging.comparison import Level
from conformance.runner.reply_errors import too_late
from conformance.wire.messages import Ok, Refused
from tests.diagnosis import runs

ID = "harbor-0.13.1/aggregation"
Change = Any


def aggregated(change: Change, every: int = 1) -> list[Evidence]:
    """A runner that changes the right answers to ``aggregate``, knowing the input."""
    return runs.evidence_where(runs.of_ops("aggregate")[::every], change)


def covers_all(heard: list[Evidence], diagnosis: Any) -> None:
    failures = {item.key for item in heard if not item.passed}
    assert {key for line in diagnosis.lines for key in line.keys} == failures
    assert len(diagnosis.lines) <= 10
    assert diagnosis.total == len(failures)


def odd(answer: Any, given: Any) -> Any:
    """Wrong in a way of its own each time."""
    if not isinstance(answer, Ok):
        return answer
    return Ok({key: f"odd-{len(json.dumps(given))}" for key in answer.value})


def test_an_error_that_no_rule_gives_is_an_exception_that_escapes() -> None:
    def failing(answer: Any, given: Any) -> Any:
        deep = len(json.dumps(given)) % 17 == 0
        return Refused("IndexOutOfBounds", None) if deep else answer

    heard = aggregated(failing)
    diagnosis = diagnose(heard, Level.BYTES)
    covers_all(heard, diagnosis)
    assert diagnosis.lines[0].says.startswith("an exception escapes: IndexOutOfBounds, which no rule of ")
    assert diagnosis.lines[0].do.startswith("catch it")


def test_a_layout_of_its_own_is_said_to_be_one() -> None:
    """Whatever it is, once it is none that is known."""

    def spaced(answer: Any, given: Any) -> Any:
        if not isinstance(answer, Ok) or "result.json" not in answer.value:
            return answer
        text = answer.value["result.json"]["text"].replace('": ', '" :  ')
        return Ok({**answer.value, "result.json": {"text": text}})

    heard = runs.evidence_where(runs.of_ops("job_result")[::6], spaced)
    line = diagnose(heard, Level.BYTES).lines[0]
    assert line.says == "the output of job_result differs only in its layout; the values are right"


def test_last_bits_that_nothing_gives_are_said_to_be_tried() -> None:
    def shaken(answer: Any, given: Any) -> Any:
        if not isinstance(answer, Ok):
            return answer
        up = len(json.dumps(given)) % 3 - 1
        return Ok(
            {
                key: value * (1 + up * 2.3e-16) if isinstance(value, float) else value
                for key, value in answer.value.items()
            }
        )

    lines = diagnose(aggregated(shaken), Level.BYTES).lines
    assert any(line.says.startswith("aggregate uses other arithmetic operations") for line in lines)


def test_an_error_of_a_rule_whose_vector_was_not_asked_does_not_escape() -> None:
    [asked] = [one for one in runs.of_ops("parse_reward") if one.id.endswith("/txt-only-space")]
    heard = runs.evidence_where([asked], lambda *_: Refused("RewardFileEmptyError", None))
    [line] = diagnose(heard, Level.BYTES, mistakes={}).lines
    assert line.says == "parse_reward wrongly fails with RewardFileEmptyError"


def test_a_refuted_mistake_is_named_where_only_the_last_bits_differ() -> None:
    [heard] = [one for one in runs.of_ops("aggregate") if one.id.endswith("/sum-ten-tenths")]
    case = Case(runs.evidence_where([heard], lambda *_: Ok({"sum": 0.9999999999999999})), Level.BYTES)
    [(what, shown)] = Wording(Findings([case], {})).clusters({"aggregate": [0]})
    assert "only the last bits differ, as with " in what.says
    assert what.says.endswith(" or naive-sum, but other answers contradict that")
    assert shown == [(case, 0)]


def test_an_answer_for_an_error_names_all_errors_that_are_expected() -> None:
    refused = [one for one in runs.of_ops("parse_reward") if "error" in one.expected]
    by_type = {one.expected["error"]["type"]: one for one in refused}
    refusing = list(by_type.values())[:3]
    heard = runs.evidence_where(
        refusing, lambda _, given: Ok({"rewards": {"reward": len(json.dumps(given))}})
    )
    case = Case(heard, Level.BYTES)
    [(what, _)] = Wording(Findings([case], {})).clusters({"parse_reward": range(len(refusing))})
    errors = ", ".join([*by_type][:3])
    assert what.says == f"parse_reward returns a value where an error is expected: {errors}"


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (float, "returns a float instead of an int"),
        (lambda value: -value if value == 0 else value, "returns the wrong sign of zero"),
    ],
)
def test_a_number_of_another_kind_is_described(change: Any, says: str) -> None:
    def changed(answer: Any, given: Any) -> Any:
        if not isinstance(answer, Ok):
            return answer
        kinds = int if change is float else float
        small = [key for key, one in answer.value.items() if type(one) is kinds and abs(one) < 2**53]
        return Ok(answer.value | {key: change(answer.value[key]) for key in small})

    case = Case(aggregated(changed), Level.BYTES)
    wrong = [
        index for index in case.wrong if all(one.breaks is Level.EXACT for one in case.departures[index])
    ]
    assert {symptom(case, index).says for index in wrong} == {f"aggregate {says}"}


def test_the_same_answer_to_everything_is_one_line() -> None:
    heard = runs.evidence_where(runs.of_ops("evals_key"), lambda *_: Refused("ValueError", None))
    [line] = diagnose(heard, Level.BYTES).lines
    assert line.says == "evals_key gives the same answer to every input"


def test_everything_at_once_stays_within_ten_lines() -> None:
    heard = aggregated(odd, 3)
    heard += runs.evidence_where(runs.of_ops("pass_at_k")[::4], lambda *_: None)
    diagnosis = diagnose(heard, Level.BYTES)
    covers_all(heard, diagnosis)
    assert diagnosis.lines[-1].kind is Kind.SILENT
    assert diagnosis.lines[-1].trust == "no answer"
    assert set(diagnosis.unanswered) == {
        item.key for item in heard if not item.passed and item.actual is None
    }
    assert len(diagnose(heard, Level.BYTES, most=2).lines) == 2


@pytest.mark.parametrize("width", [80, 120])
def test_the_list_on_a_terminal(width: int) -> None:
    heard = runs.evidence_of_mistakes("naive-sum", asked=runs.of_ops("aggregate"))
    diagnosis = diagnose(heard, Level.BYTES)
    shown = todo_lines(diagnosis, "python first.py", width)
    assert shown[0] == f"To fix ({diagnosis.total} failures, explained ones first):"
    assert shown[2] == f"1  {diagnosis.total} failures   likely, not tested"
    assert "naive-sum" in shown[3]
    labels = [line.split()[0] for line in shown[4:] if line[:3] == "   " and line[3:4].strip()]
    assert labels == ["input", "expected", "got", "passes", "Fix:", "Try:"]
    [got] = [number for number, line in enumerate(shown) if line.startswith("   got ")]
    marked = shown[got + 1].index("^")
    assert shown[got][:marked] == shown[got - 1][:marked].replace("expected", "got     ")
    assert shown[got][marked] != shown[got - 1][marked]
    assert shown[-1].startswith("   Try:      harbor-conformance run --runner 'python first.py' ")
    assert all(len(line) <= width for line in shown[:-1])


def test_colours_change_no_word() -> None:
    diagnosis = diagnose(runs.evidence_of_mistakes("naive-sum", asked=runs.of_ops("aggregate")), Level.BYTES)
    plain, styled = (todo_lines(diagnosis, None, 80, styled=one) for one in (False, True))
    assert [click.unstyle(line) for line in styled] == plain != styled


def test_nothing_is_said_of_a_run_without_failures() -> None:
    heard = [runs.piece(vector, expected_answer(vector)) for vector in runs.of_ops("evals_key")]
    diagnosis = diagnose(heard, Level.BYTES)
    assert (diagnosis.lines, diagnosis.total, todo_lines(diagnosis, None, 80)) == ((), 0, [])


def test_the_list_as_json_keeps_to_the_schema(faults: Any) -> None:
    heard = runs.evidence_of_mistakes("naive-sum", asked=runs.of_ops("aggregate"))
    heard[0] = replace(heard[0], passed=False, actual=None)
    document = diagnose(heard, Level.BYTES, ask=runs.asking("naive-sum")).as_json()
    assert json.loads(json.dumps(document)) == document
    assert faults("run-report#/$defs/diagnosis", document) == []
    first, silent = document["todo"]
    assert (first["kind"], first["mistakes"], first["certain"]) == ("mistake", [["naive-sum"]], True)
    assert all(one["foretold"] for one in first["experiments"])
    assert (silent["kind"], silent["failures"]) == ("silent", [heard[0].key])


def test_time_outs_are_one_reason_whatever_their_limits() -> None:
    heard = runs.evidence_where(runs.of_ops("evals_key")[:2], lambda *_: None)
    late = [replace(item, why=too_late(limit)) for item, limit in zip(heard, (60.0, 10.0), strict=True)]
    [line] = diagnose(late, Level.BYTES).lines
    assert line.says.startswith("no usable answer: no reply in time: did you flush stdout after each reply")
    assert "cut" not in line.says
