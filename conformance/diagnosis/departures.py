"""The departures of an answer from the expected one, path by path, so that each can be explained.

A runner may make one mistake in an answer's first member and another in its second; as a whole, the answer
would match neither. Two answers depart in the same way at a path if their marks are equal.
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from conformance.judging.comparison import ABSENT, Level, Nature, differences_of
from conformance.registry.op import Op
from conformance.wire.messages import Ok, Refused

__all__ = ["NOTHING", "Departure", "Marks", "departures", "mark_of", "marks", "related"]

Marks: TypeAlias = dict[str, str]
"""An answer's departures: a digest of the actual value by path. Empty for a right answer."""

NOTHING: Marks = {}
"""The marks of a right answer."""

_DIGEST = 5
"""Bytes of a mark: a vector has about ten marks, so none is equal by chance."""

_MOST = 2000
"""With more departures an answer counts as entirely different: only hostile runners have so many."""


@dataclass(frozen=True, slots=True)
class Departure:
    """One difference between an answer and the expected one."""

    path: str
    """A JSON pointer; empty if the answer as a whole differs."""
    breaks: Level
    nature: Nature | None
    """None if either answer is an error."""
    expected: Any
    """A value, ``ABSENT``, or a ``Refused``."""
    actual: Any
    mark: str


def departures(
    op: Op,
    expected: Ok | Refused,
    actual: Ok | Refused,
    level: Level,
    unordered: frozenset[str] = frozenset(),
) -> tuple[Departure, ...]:
    """All departures that count at ``level``; none if the answers are equal at it."""
    if isinstance(expected, Ok) and isinstance(actual, Ok):
        try:
            differences = differences_of(op, expected, actual, unordered)
        except (ValueError, RecursionError):  # an int of more digits, or deeper, than any runner may answer
            return (_whole_departure(expected, Refused("no answer", None)),)
        counting = [difference for difference in differences if difference.breaks <= level]
        if len(counting) > _MOST:
            return (_whole_departure(expected, actual),)
        return tuple(
            Departure(
                difference.path,
                difference.breaks,
                difference.nature,
                difference.expected,
                difference.actual,
                mark_of(difference.nature.name, difference.actual, level),
            )
            for difference in counting
        )
    if isinstance(expected, Refused) and isinstance(actual, Refused):
        same = (expected.type, expected.reason_code) == (actual.type, actual.reason_code)
        return () if same else (_whole_departure(expected, actual),)
    return (_whole_departure(expected, actual),)


def marks(departed: tuple[Departure, ...]) -> Marks:
    """The marks by path; several at one path are joined."""
    by_path: Marks = {}
    for departure in departed:
        by_path[departure.path] = by_path.get(departure.path, "") + departure.mark
    return by_path


def related(path: str, paths: Marks) -> bool:
    """Whether one of the other paths contains a path, or is contained in it."""
    if path in paths or "" in paths:
        return True
    return any(path == "" or entry.startswith(f"{path}/") or path.startswith(f"{entry}/") for entry in paths)


def _whole_departure(expected: Ok | Refused, actual: Ok | Refused) -> Departure:
    if isinstance(actual, Refused):
        mark = _digest(f"error {actual.type} {actual.reason_code}")
        return Departure("", Level.VALUE, None, _content(expected), actual, mark)
    return Departure(
        "", Level.VALUE, None, _content(expected), actual.value, mark_of("", actual.value, Level.BYTES)
    )


def _content(answer: Ok | Refused) -> Any:
    return answer.value if isinstance(answer, Ok) else answer


def mark_of(nature: str, value: Any, level: Level) -> str:
    """A digest of a value, equal for values that are equal at ``level``."""
    if value is ABSENT:
        return _digest(nature)
    try:
        if level is Level.VALUE:
            value = _as_doubles(value)
        text = (_in_order if level is Level.BYTES else _sorted)(value)
    except (ValueError, RecursionError):
        text = f"{type(value).__name__} beyond showing"
    return _digest(nature + text)


_in_order, _sorted = (
    json.JSONEncoder(sort_keys=sort, separators=(",", ":"), default=repr).encode for sort in (False, True)
)


def _as_doubles(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_doubles(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_as_doubles(item) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        try:
            return float(value)
        except OverflowError:
            return value
    return 0.0 if value == 0 and isinstance(value, float) else value


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_DIGEST).hexdigest()
