"""The actual and the expected answer to one input."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from conformance.judging.comparison import Level, differences_of, reached
from conformance.judging.verdict import Outcome, Verdict
from conformance.registry.op import Op
from conformance.registry.spec import MAIN
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused

__all__ = ["Evidence", "TestInput", "agree", "evidence_of_outcome", "evidence_of_verdict", "expected_answer"]

_WRONG = frozenset({Outcome.MISMATCH, Outcome.WRONG_ERROR})
_SILENT = frozenset({Outcome.CRASH, Outcome.TIMEOUT, Outcome.PROTOCOL_ERROR})
_RIGHT = frozenset({Outcome.PASSED, Outcome.UNEXPECTED_PASS})


@dataclass(frozen=True, slots=True)
class Evidence:
    """A runner's answer to one input."""

    key: str
    """A name for people: the id of a vector or of a fuzz input."""
    op: Op
    input: Any
    expected: Ok | Refused
    actual: Ok | Refused | None
    """None if it passed or there was no answer (a crash, a time-out, a protocol error)."""
    unordered: frozenset[str]
    passed: bool
    clause: str = ""
    """For a vector, the id of the clause that it tests."""
    rule: str = ""
    """For a vector, its rule in a sentence."""
    why: str = ""
    """If there was no answer, the reason in a sentence."""


class TestInput(NamedTuple):
    """A new input that tests a finding."""

    evidence: Evidence
    shows: bool
    """Whether the finding shows in the answer."""
    as_predicted: bool
    """Whether the runner answered as the finding predicts."""
    refutes: bool = False
    """Whether it answered as without the finding; otherwise another mistake may have changed the answer."""


def agree(
    op: Op, first: Ok | Refused, second: Ok | Refused, level: Level, unordered: frozenset[str] = frozenset()
) -> bool:
    """Whether two answers are equal at ``level``; messages of errors are not compared."""
    if isinstance(first, Ok) and isinstance(second, Ok):
        try:
            return reached(differences_of(op, first, second, unordered)) >= level
        except (ValueError, RecursionError):  # an int of more digits, or deeper, than any runner may answer
            return False
    if isinstance(first, Refused) and isinstance(second, Refused):
        return (first.type, first.reason_code) == (second.type, second.reason_code)
    return False


def expected_answer(vector: Vector) -> Ok | Refused:
    """The expected answer of a vector."""
    assert vector.expected is not None
    if "error" in vector.expected:
        return Refused(vector.expected["error"]["type"], vector.expected["error"]["reason_code"])
    return Ok(vector.expected["ok"])


def evidence_of_outcome(
    vector: Vector, outcome: Outcome, actual: Ok | Refused | None, why: str = ""
) -> Evidence | None:
    """The evidence of an outcome; None if nothing was asked. ``outcome`` ignores lists of expected failures.

    An expected failure is a failure here: the list excuses the runner but does not make the answer right.
    """
    if outcome not in _WRONG | _SILENT | _RIGHT:
        return None
    if outcome in _RIGHT and vector.environment != MAIN:  # known mistakes answer as the main one
        return None
    expected = expected_answer(vector)
    if isinstance(expected, Ok) and isinstance(actual, Ok) and actual.left_out:
        expected = replace(expected, left_out=actual.left_out)  # mistakes are not checked for it either
    return Evidence(
        vector.id,
        vector.op,
        vector.input,
        expected,
        actual if outcome in _WRONG else None,
        vector.unordered,
        outcome in _RIGHT,
        vector.clause,
        vector.rule,
        why if outcome in _SILENT else "",
    )


def evidence_of_verdict(verdict: Verdict) -> Evidence | None:
    """The evidence of a verdict; None if nothing was asked, or if the answers are inconclusive."""
    if verdict.outcome is Outcome.FLAKY:
        return None
    return evidence_of_outcome(
        verdict.vector, verdict.actual or verdict.outcome, verdict.answer, verdict.sentence
    )
