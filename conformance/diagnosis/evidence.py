"""What a runner answered to one input, and what it should have."""

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from conformance.judging.comparison import Level, differences_of, reached
from conformance.judging.verdict import Outcome, Verdict
from conformance.registry.op import Op
from conformance.registry.spec import MAIN
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused

__all__ = [
    "Evidence",
    "TriedInput",
    "agree",
    "evidence_of_outcome",
    "evidence_of_verdict",
    "expected_answer",
]

_WRONG = frozenset({Outcome.MISMATCH, Outcome.WRONG_ERROR})
_SILENT = frozenset({Outcome.CRASH, Outcome.TIMEOUT, Outcome.PROTOCOL_ERROR})
_RIGHT = frozenset({Outcome.PASSED, Outcome.UNEXPECTED_PASS})


@dataclass(frozen=True, slots=True)
class Evidence:
    """One input put to a runner."""

    key: str
    """A name for people: a vector's id, or what distinguishes fuzz inputs."""
    op: Op
    input: Any
    expected: Ok | Refused
    actual: Ok | Refused | None
    """None where there was no answer (a crash, a time-out, a protocol error), or where it passed."""
    unordered: frozenset[str]
    passed: bool
    clause: str = ""
    """The id of the rule that the input is there for, where it is a vector."""
    rule: str = ""
    """What the vector shows, in a sentence."""
    why: str = ""
    """Where there was no answer, the sentence that says so."""


class TriedInput(NamedTuple):
    """A new input that was asked to try a finding."""

    evidence: Evidence
    shows: bool
    """Whether the finding shows in the answer."""
    as_predicted: bool
    """Whether the runner answered as the finding foretells."""
    refutes: bool = False
    """Whether it answered as without the finding; else another mistake may be what spoils the answer."""


def agree(
    op: Op, one: Ok | Refused, other: Ok | Refused, level: Level, unordered: frozenset[str] = frozenset()
) -> bool:
    """Whether two answers are equal at ``level``; messages of errors are not compared."""
    if isinstance(one, Ok) and isinstance(other, Ok):
        try:
            return reached(differences_of(op, one, other, unordered)) >= level
        except (ValueError, RecursionError):  # an int of more digits, or deeper, than any runner may answer
            return False
    if isinstance(one, Refused) and isinstance(other, Refused):
        return (one.type, one.reason_code) == (other.type, other.reason_code)
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
    """The evidence in an outcome, an expected failure's own one taken; None where nothing was asked.

    An expected failure is a failure here: a list of them excuses a runner, it does not make it right.
    """
    if outcome not in _WRONG | _SILENT | _RIGHT:
        return None
    if outcome in _RIGHT and vector.environment != MAIN:  # known mistakes get the main one's answers
        return None
    expected = expected_answer(vector)
    if isinstance(expected, Ok) and isinstance(actual, Ok) and actual.left_out:
        expected = replace(expected, left_out=actual.left_out)  # of mistakes it is not asked either
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
    """The evidence in a verdict; None where nothing was asked, or nothing follows from the answers."""
    if verdict.outcome is Outcome.FLAKY:
        return None
    return evidence_of_outcome(
        verdict.vector, verdict.actual or verdict.outcome, verdict.answer, verdict.sentence
    )
