"""Compares an answer with the expected one at the levels value, exact and bytes (PROTOCOL.md, "Levels")."""

import json
import marshal
import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any

from conformance.judging.content import Content, Form, Members, nodes, parse, plain, prepare, show
from conformance.judging.key_order import pointers_into, sorted_text
from conformance.judging.levels import Level
from conformance.registry.op import Op
from conformance.wire.messages import Ok
from conformance.wire.pointers import pointer

__all__ = ["ABSENT", "Difference", "Level", "Nature", "differences", "differences_of", "nodes", "reached"]


class Nature(Enum):
    """The sort of difference, without values."""

    VALUE = "another value"
    MISSING = "the key is missing"
    EXTRA = "the key is not expected"
    TIMES = "a key occurs another number of times"
    LENGTH = "items expected"
    ORDER = "the keys' order"
    CONTENT = "other content"
    BYTES = "other bytes"


_SCALARS = {str, int, float, bool, type(None)}


class _Absent(Enum):
    ABSENT = "absent"


ABSENT = _Absent.ABSENT
"""Stands for a missing value."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two answers differ."""

    path: str
    """A JSON pointer."""
    breaks: Level
    """The lowest level at which this counts."""
    what: str
    expected: Any
    """Each side's value, its keys if their order differs, or ``ABSENT``."""
    actual: Any
    nature: Nature = Nature.VALUE


def differences(
    op: Op, expected: Any, actual: Any, unordered: frozenset[str] = frozenset()
) -> list[Difference]:
    """All differences between two ``ok`` values of ``op``.

    ``unordered`` holds JSON pointers to objects whose key order is free; one with a ``#`` points into a file.
    """
    if _look_alike(expected, actual):  # the same JSON, key order and kinds of number included
        return []
    return list(_walk("", prepare(op, expected), prepare(op, actual), unordered))


def differences_of(
    op: Op, expected: Ok, actual: Ok, unordered: frozenset[str] = frozenset()
) -> list[Difference]:
    """All differences between two answers; optional members that either omits are not compared."""
    left, right = expected.value, actual.value
    for member in {expected.left_out, actual.left_out} - {""}:
        left, right = ({key: side[key] for key in side if key != member} for side in (left, right))
    return differences(op, left, right, unordered)


def _look_alike(expected: Any, actual: Any) -> bool:
    try:  # version 2 has no references, so equal values have equal bytes; it is faster than repr
        return marshal.dumps(expected, 2) == marshal.dumps(actual, 2)
    except ValueError:  # too deep for it, but not to compare
        return False


def reached(differing: list[Difference]) -> Level:
    """The highest level at which an answer with these differences still equals the expected one."""
    return Level(min((difference.breaks for difference in differing), default=Level.BYTES + 1) - 1)


def _walk(path: str, expected: Any, actual: Any, unordered: frozenset[str]) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        yield from _objects(path, expected, actual, unordered)
    elif isinstance(expected, Members) and isinstance(actual, Members):
        yield from _members(path, expected, actual)
    elif isinstance(expected, list) and isinstance(actual, list) and type(expected) is type(actual):
        if len(expected) != len(actual):
            sentence = f"expected {len(expected)} items, got {len(actual)}"
            yield Difference(path, Level.VALUE, sentence, plain(expected), plain(actual), Nature.LENGTH)
        for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
            if not _equal_scalars(left, right):
                yield from _walk(path + pointer(index), left, right, unordered)
    elif _is_number(expected) and _is_number(actual):
        yield from _numbers(path, expected, actual)
    elif isinstance(expected, Content) and isinstance(actual, Content):
        if expected.form is Form.PARSED:
            yield from _parsed(path, expected, actual, unordered)
        else:
            yield from _contents(path, expected, actual, pointers_into(path, unordered))
    elif type(expected) is not type(actual) or expected != actual:
        yield _unlike(path, expected, actual, Nature.VALUE)


def _equal_scalars(expected: Any, actual: Any) -> bool:
    """Return whether a quick check finds two scalars equal."""
    kind = type(expected)
    return kind is type(actual) and kind in _SCALARS and bool(expected == actual) and expected != 0.0


def _objects(
    path: str, expected: dict[str, Any], actual: dict[str, Any], unordered: frozenset[str]
) -> Iterator[Difference]:
    for key in expected | actual:
        left, right = expected.get(key, ABSENT), actual.get(key, ABSENT)
        if left is ABSENT or right is ABSENT:
            nature = Nature.EXTRA if left is ABSENT else Nature.MISSING
            sides = plain(left), plain(right)
            yield Difference(path + pointer(key), Level.VALUE, nature.value, *sides, nature)
        elif not _equal_scalars(left, right):
            yield from _walk(path + pointer(key), left, right, unordered)
    if expected.keys() == actual.keys() and path not in unordered and list(expected) != list(actual):
        sentence = f"the keys' order is {list(actual)}, not {list(expected)}"
        yield Difference(path, Level.BYTES, sentence, list(expected), list(actual), Nature.ORDER)


def _members(path: str, expected: Members, actual: Members) -> Iterator[Difference]:
    """Objects inside a file: duplicate keys are matched in order; key order counts only at level bytes."""
    left, right = _grouped(expected), _grouped(actual)
    for key in left | right:
        mine, theirs = left.get(key, []), right.get(key, [])
        if len(mine) != len(theirs):
            sentence = f"the key occurs {len(theirs)} times, not {len(mine)}"
            nature = Nature.TIMES if mine and theirs else Nature.MISSING if mine else Nature.EXTRA
            first, second = (plain(side[0]) if side else ABSENT for side in (mine, theirs))
            yield Difference(path + pointer(key), Level.VALUE, sentence, first, second, nature)
        for first, second in zip(mine, theirs, strict=False):
            if not _equal_scalars(first, second):
                yield from _walk(path + pointer(key), first, second, frozenset())


def _grouped(members: Members) -> dict[str, list[Any]]:
    groups: dict[str, list[Any]] = {}
    for key, value in members:
        groups.setdefault(key, []).append(value)
    return groups


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _as_double(number: int | float) -> int | float:
    try:
        return float(number)
    except OverflowError:
        return number


def _numbers(path: str, expected: int | float, actual: int | float) -> Iterator[Difference]:
    left, right = _as_double(expected), _as_double(actual)
    if left != right and not (left != left and right != right):  # NaN equals itself
        breaks, why = Level.VALUE, ""
    elif type(expected) is not type(actual):
        breaks, why = Level.EXACT, " (int and float differ)"
    elif (expected != actual and left == right) or _sign_of_zero(expected) != _sign_of_zero(actual):
        breaks, why = Level.EXACT, ""
    else:
        return
    yield Difference(path, breaks, f"expected {show(expected)}, got {show(actual)}{why}", expected, actual)


def _sign_of_zero(number: int | float) -> float:
    return math.copysign(1.0, number) if number == 0 else 0.0


def _contents(path: str, expected: Content, actual: Content, unordered: list[str]) -> Iterator[Difference]:
    if expected == actual:
        return
    try:
        differing = list(_walk(path, parse(expected), parse(actual), frozenset()))
    except (ValueError, RecursionError):
        differing = [_unlike(path, expected, actual, Nature.CONTENT)]
    if expected.prefix != actual.prefix:
        differing = [_unlike(path, expected, actual, Nature.CONTENT)]
    if differing:
        yield from differing
    elif not unordered or _sorted_content(expected, unordered) != _sorted_content(actual, unordered):
        sentence = f"the bytes differ: expected {show(expected)}, got {show(actual)}"
        yield Difference(path, Level.BYTES, sentence, plain(expected), plain(actual), Nature.BYTES)


def _parsed(path: str, expected: Content, actual: Content, unordered: frozenset[str]) -> Iterator[Difference]:
    """Content whose parsed value counts: white space is free, the order of keys is not."""
    if expected == actual:
        return
    try:
        left, right = (json.loads(side.content.decode("utf-8")) for side in (expected, actual))
        free = frozenset(path + inside for inside in pointers_into(path, unordered))
        differing = list(_walk(path, left, right, free))
    except (ValueError, RecursionError):
        differing = [_unlike(path, expected, actual, Nature.CONTENT)]
    yield from differing


def _unlike(path: str, expected: Any, actual: Any, nature: Nature) -> Difference:
    sentence = f"expected {show(expected)}, got {show(actual)}"
    return Difference(path, Level.VALUE, sentence, plain(expected), plain(actual), nature)


def _sorted_content(content: Content, unordered: list[str]) -> str:
    return sorted_text(content.content.decode("utf-8"), unordered)
