"""The tools of a property's check: asks the runner, reads answers, and reports violations."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from typing import Any, NoReturn

from conformance.judging.comparison import Level, differences_of
from conformance.registry.ops import OPS
from conformance.wire.messages import Failed, Ok, Refused, Reply, Unsupported
from conformance.wire.numbers import decode_at
from conformance.wire.pointers import shown
from conformance.wire.text import shortened

__all__ = ["Ask", "Asker", "BrokenError", "Exchange", "NotOfferedError", "SilentError"]

Ask = Callable[[str, Any], Reply]
"""Asks the runner; the arguments are the op and its input, as in the protocol."""
_LONGEST = 400
"""The most characters of a violation's sentence."""


class BrokenError(Exception):
    """The property does not hold; the message is one sentence."""


class SilentError(Exception):
    """The runner gave no answer, or had already stopped; ``args`` are the outcome and a sentence."""


class NotOfferedError(Exception):
    """The runner does not offer this; ``args`` are the op and the reason."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and its reply."""

    op: str
    input: Any
    reply: Reply


@dataclass(slots=True)
class Asker:
    """Asks for one trial of one property; records the exchanges."""

    ask: Ask
    level: Level = Level.BYTES
    exchanges: list[Exchange] = field(default_factory=list)
    environments: frozenset[str] | None = None
    """The environments in which all answers are right; None if they do not differ."""

    def right_in(self, environments: frozenset[str]) -> None:
        """Records in which environments an answer is right."""
        before = self.environments
        self.environments = environments if before is None else before & environments

    def answer(self, op: str, input_: Any) -> Ok | Refused:
        """The runner's answer, a value or an error.

        Raises:
            SilentError: there is none.
            NotOfferedError: it was unsupported.
        """
        reply = self.ask(op, input_)
        self.exchanges.append(Exchange(op, input_, reply))
        match reply.answer:
            case Failed(outcome, sentence):
                raise SilentError(outcome, sentence)
            case Unsupported(reason):
                raise NotOfferedError(op, reason)
            case Ok() | Refused() as answer:
                return answer

    def ok(self, op: str, input_: Any) -> dict[str, Any]:
        """The runner's value, with numbers decoded.

        Raises:
            BrokenError: the answer is an error.
        """
        answer = self.answer(op, input_)
        if isinstance(answer, Refused):
            fail(f"{op} gives the error {answer.type} where a value is expected")
        decoded: dict[str, Any] = decode_at(answer.value, OPS[op].ok_numbers)
        return decoded

    def same(
        self, op: str, first: Any, second: Any, why: str, unordered: frozenset[str] = frozenset()
    ) -> Ok | Refused:
        """Asks about two inputs and requires the same answer, at the run's level; returns it.

        Raises:
            BrokenError: the answers differ.
        """
        left, right = self.answer(op, first), self.answer(op, second)
        self.alike(op, left, right, why, unordered)
        return left

    def alike(
        self,
        op: str,
        left: Ok | Refused,
        right: Ok | Refused,
        why: str,
        unordered: frozenset[str] = frozenset(),
    ) -> None:
        """Requires two answers of one op to be equal at the run's level.

        Raises:
            BrokenError: they differ.
        """
        if isinstance(left, Ok) and isinstance(right, Ok):
            differing = differences_of(OPS[op], left, right, unordered)
            first = next((difference for difference in differing if difference.breaks <= self.level), None)
            if first is not None:
                fail(f"{why}: the answers differ at {shown(first.path)}: {first.what}")
        elif isinstance(left, Refused) and isinstance(right, Refused):
            if (left.type, left.reason_code) != (right.type, right.reason_code):
                fail(f"{why}: one answer is the error {left.type}, the other {right.type}")
        else:
            refused = left if isinstance(left, Refused) else right
            assert isinstance(refused, Refused)
            fail(f"{why}: one answer is a value, the other the error {refused.type}")

    def equal(self, expected: Any, actual: Any, subject: str) -> None:
        """Requires two parts of answers to be equal: as values below level ``exact``, otherwise with types.

        Raises:
            BrokenError: they differ.
        """
        if _form(expected, self.level) != _form(actual, self.level):
            fail(f"{subject} is {_shown(actual)}, not {_shown(expected)}")

    def refused(self, op: str, input_: Any, error: str) -> None:
        """Requires an error of this type.

        Raises:
            BrokenError: the answer is a value, or another error.
        """
        answer = self.answer(op, input_)
        if isinstance(answer, Ok) or answer.type != error:
            got = "a value" if isinstance(answer, Ok) else f"the error {answer.type}"
            fail(f"{op} gives {got} where {error} is expected")

    def holds(self, condition: bool, otherwise: str) -> None:
        """Requires the condition to be true.

        Raises:
            BrokenError: it is not; the message is ``otherwise``.
        """
        if not condition:
            fail(otherwise)


def fail(sentence: str) -> NoReturn:
    """Reports that the property does not hold."""
    raise BrokenError(shortened(sentence, _LONGEST))


def _shown(value: Any) -> str:
    """A part of an answer as text; sets are sorted, so that equal failures have equal texts."""
    if isinstance(value, set | frozenset) and value:
        return f"{{{', '.join(sorted(map(repr, value)))}}}"
    return repr(value)


def _form(value: Any, level: Level) -> Hashable:
    """A form for comparison; from level ``exact`` on, number types and signs of zero count."""
    if isinstance(value, dict):
        members = [(key, _form(item, level)) for key, item in value.items()]
        return ("object", tuple(members) if level is Level.BYTES else frozenset(members))
    if isinstance(value, list | tuple):
        return ("array", tuple(_form(item, level) for item in value))
    if isinstance(value, bool) or not isinstance(value, int | float):
        return (type(value).__name__, value)
    if level >= Level.EXACT or value != value:
        return ("number", repr(value))
    try:
        return ("number", float(value))
    except OverflowError:
        return ("number", value)
