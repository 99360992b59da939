"""Judges an answer: one of twelve outcomes, never mixed (PROTOCOL.md, "Outcomes")."""

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

from conformance.judging import comparison
from conformance.judging.comparison import Difference, Level
from conformance.judging.known_failures import FINGERPRINTED, KnownFailures
from conformance.suite.vectors import Vector
from conformance.wire.messages import Failed, Ok, Refused, Reply, Unsupported
from conformance.wire.pointers import shown
from conformance.wire.text import shortened

__all__ = ["UNEXPECTED", "Outcome", "Verdict", "considered", "fingerprint_of", "judge"]


class Outcome(str, Enum):
    """The outcome of one vector."""

    PASSED = "passed"
    MISMATCH = "mismatch"
    WRONG_ERROR = "wrong-error"
    CRASH = "crash"
    TIMEOUT = "timeout"
    PROTOCOL_ERROR = "protocol-error"
    UNSUPPORTED = "unsupported"
    NOT_RUN = "not-run"
    EXPECTED_FAILURE = "expected-failure"
    UNEXPECTED_PASS = "unexpected-pass"  # noqa: S105 - no password
    FLAKY = "flaky"
    """The answers differ when it is asked again."""
    NOT_COUNTED = "not-counted"
    """It did not pass, and is newer than the list of known failures."""

    def __str__(self) -> str:
        return self.value


UNEXPECTED = frozenset(Outcome) - {
    *(Outcome.PASSED, Outcome.UNSUPPORTED, Outcome.EXPECTED_FAILURE, Outcome.NOT_COUNTED)
}
"""Outcomes that make a run fail. (An unsupported vector of a required class is judged separately.)"""


_LONGEST_SENTENCE = 500
"""The most characters of a sentence, which may quote the runner."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The judgement on one vector."""

    vector: Vector
    outcome: Outcome
    level: Level | None
    """The highest level that an ``ok`` answer or the right error reached; None if there was neither."""
    seconds: float
    sentence: str = ""
    """Why it did not pass, in one sentence."""
    answer: Ok | Refused | None = None
    differences: tuple[Difference, ...] = ()
    stderr: str = ""
    expected_by: str | None = None
    """The known-failures entry that expects this outcome."""
    actual: Outcome | None = None
    """The original outcome of an expected failure, one that does not count, or a flaky one."""
    demanded: bool = False
    """Unsupported, although ``--classes`` requires its class or the known failures expect another outcome."""
    kept: bool = True
    """Whether the run stores the answer; otherwise only its beginning is reported."""
    each: Mapping[str, "Verdict"] = field(default_factory=dict)
    """The verdict in each environment, if they differ (``judging.environments``)."""

    @property
    def failed(self) -> bool:
        """Whether the run fails because of it."""
        return self.outcome in UNEXPECTED or self.demanded

    @property
    def fingerprint(self) -> str:
        """The fingerprint of this wrong answer; empty if there is none."""
        if str(self.outcome) not in FINGERPRINTED:
            return ""
        match self.answer:
            case Ok(value):
                return fingerprint_of({"ok": value})
            case Refused(error_type, reason_code):
                return fingerprint_of({"error": {"type": error_type, "reason_code": reason_code}})
        return ""


def fingerprint_of(answer: Mapping[str, Any]) -> str:
    """A short hash of an answer as in reports; an error's message and the order of keys don't count."""
    if "error" in answer:
        answer = {"error": {name: answer["error"][name] for name in ("type", "reason_code")}}
    try:
        text = json.dumps(answer, sort_keys=True, separators=(",", ":"))
    except (ValueError, RecursionError):  # deeper than Python can write
        return ""
    text = text.replace(r"\\u", r"\u")  # a lone surrogate, which reports escape
    return hashlib.sha256(text.encode()).hexdigest()[:8]


def judge(
    vector: Vector,
    reply: Reply,
    level: Level,
    known: KnownFailures | None = None,
    demanded_classes: Collection[str] = (),
) -> Verdict:
    """The verdict on a reply at the required ``level``, with known failures applied."""
    return considered(_judge(vector, reply, level), known, demanded_classes)


def considered(
    verdict: Verdict, known: KnownFailures | None, demanded_classes: Collection[str] = ()
) -> Verdict:
    """Applies known failures and ``--classes`` to a verdict."""
    vector = verdict.vector
    if verdict.sentence:  # it may quote the runner
        verdict = replace(verdict, sentence=shortened(verdict.sentence, _LONGEST_SENTENCE))
    if known is not None:
        entry = known.expecting(vector.id, str(verdict.outcome), verdict.fingerprint)
        if entry is not None:
            return replace(
                verdict, outcome=Outcome.EXPECTED_FAILURE, actual=verdict.outcome, expected_by=entry.text
            )
        named = known.naming(vector.id)
        if named is None and vector.id in known.newer and verdict.outcome is not Outcome.PASSED:
            return replace(verdict, outcome=Outcome.NOT_COUNTED, actual=verdict.outcome)
        if named is not None:
            expects = f"but line {named.line} of the known failures expects {named.outcome}"
            if verdict.outcome is Outcome.PASSED:
                sentence = f"it passed, {expects}: remove that line"
                return replace(
                    verdict, outcome=Outcome.UNEXPECTED_PASS, sentence=sentence, expected_by=named.text
                )
            if verdict.outcome is Outcome.UNSUPPORTED:
                return replace(verdict, sentence=f"{verdict.sentence}, {expects}", demanded=True)
            if str(verdict.outcome) == named.outcome:
                sentence = f"its wrong answer is not the one on line {named.line} of the known failures"
                fingerprints = f"#{verdict.fingerprint} now, #{named.fingerprint} there"
                return replace(verdict, sentence=f"{sentence} ({fingerprints}): {verdict.sentence}")
    if verdict.outcome is Outcome.UNSUPPORTED and vector.conformance_class in demanded_classes:
        return replace(verdict, demanded=True)
    return verdict


def _judge(vector: Vector, reply: Reply, level: Level) -> Verdict:
    answer, expected = reply.answer, vector.expected
    assert expected is not None
    match answer:
        case Failed(outcome, sentence):
            return Verdict(vector, Outcome(outcome), None, reply.seconds, sentence, stderr=reply.stderr)
        case Unsupported(reason):
            sentence = f"the runner says unsupported: {reason}"
            return Verdict(vector, Outcome.UNSUPPORTED, None, reply.seconds, sentence)
        case Refused():
            return _judge_error(vector, expected, answer, reply.seconds)
    if "error" in expected:
        sentence = f"the runner accepted what must be refused as {expected['error']['type']}"
        return Verdict(vector, Outcome.MISMATCH, Level.NONE, reply.seconds, sentence, answer)
    differences = comparison.differences_of(vector.op, Ok(expected["ok"]), answer, vector.unordered)
    reached = comparison.reached(differences)
    if reached >= level:
        return Verdict(vector, Outcome.PASSED, reached, reply.seconds, answer=answer)
    first = next(difference for difference in differences if difference.breaks <= level)
    sentence = f"at {shown(first.path)}: {first.what}"
    if reached > Level.NONE:
        sentence += f" (equal at level {reached}; level {level} is required)"
    return Verdict(vector, Outcome.MISMATCH, reached, reply.seconds, sentence, answer, tuple(differences))


def _judge_error(
    vector: Vector, expected: dict[str, dict[str, str | None]], answer: Refused, seconds: float
) -> Verdict:
    if "ok" in expected:
        sentence = f"the runner answered with the error {answer.type} where a value is expected"
        return Verdict(vector, Outcome.WRONG_ERROR, Level.NONE, seconds, sentence, answer)
    error = expected["error"]
    if answer.type == error["type"] and answer.reason_code == error["reason_code"]:
        return Verdict(vector, Outcome.PASSED, Level.BYTES, seconds, answer=answer)
    if answer.type != error["type"]:
        sentence = f"the error's type is {answer.type}, not {error['type']}"
    else:
        sentence = f"the error's reason_code is {answer.reason_code}, not {error['reason_code']}"
    return Verdict(vector, Outcome.WRONG_ERROR, Level.NONE, seconds, sentence, answer)
