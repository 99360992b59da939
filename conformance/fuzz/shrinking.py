"""Shrinks a counterexample: fewer items and members, plainer numbers, shorter texts.

Candidates are derived from a value's type and kept if they fit the op's shape. Only the runner shows which of
them still disagree in the same way, so they are tried in batches. Of two inputs, the smaller has fewer
values, or else shorter JSON, or else sorts first, so shrinking terminates.
"""

import itertools
import json
import math
import re
from collections.abc import Callable, Iterator
from typing import Any

from conformance.registry.ops import OPS
from conformance.suite.shapes import Shape, fits, shape_of

__all__ = ["OutOfBudgetError", "shrink", "weight"]

_BATCHES = (1, 2, 4, 8, 16)
"""The number of candidates tried at a time: few while they succeed, more as they fail."""
_PLAIN_INTS = (0, 1, 2, 3)
_FEW = 20
_PLAIN_FLOATS = (0.0, 1.0, 0.1, 0.5, 0.2, 0.3)
_FORMAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T|[0-9a-f]{8}(-[0-9a-f]{4}){3}-")
_PLAIN_FORMAL = ("00000000-0000-0000-0000-000000000000", "2000-01-01T00:00:00", "2000-01-01T00:00:00Z")
_SHORT = "abcdefgh"
_READABLE = 8
"""Names of at most this many lower-case letters are not shortened; neither is "reward"."""

Path = tuple[str | int, ...]
Still = Callable[[list[Any]], int | None]
"""Tries candidates; returns the index of the first that still disagrees in the same way, or None."""


class OutOfBudgetError(Exception):
    """Time or requests ran out; the best result so far counts."""


def weight(value: Any) -> tuple[int, int, str]:
    """The size of a value, for comparison."""
    text = json.dumps(value, separators=(",", ":"))
    length = len(text) - _READABLE * (text.count('"reward"') + text.count('\\"reward\\"'))
    return sum(1 for _ in _sites(value)), length, text


def shrink(op: str, input_: Any, still: Still) -> Any:
    """The smallest input found that still disagrees in the same way.

    Ends early if ``still`` raises OutOfBudgetError.
    """
    shape = shape_of(op)
    best, tried = input_, {weight(input_)[2]}
    passes = (_without_parts, _with_less, _with_plain_numbers, _with_short_texts, _renamed)
    gained = True
    try:
        while gained:
            gained = False
            for candidates_of in passes:
                while smaller := _first_smaller(op, shape, best, candidates_of(best), still, tried):
                    best, gained = smaller[0], True
    except OutOfBudgetError:
        pass
    return best


def _first_smaller(
    op: str, shape: Shape, current: Any, candidates: Iterator[Any], still: Still, tried: set[str]
) -> tuple[Any, ...]:
    """The first candidate that is smaller and still disagrees, as a tuple of one; empty if none does."""
    limit = weight(current)

    def smaller_that_fit() -> Iterator[Any]:
        for candidate in candidates:
            if not fits(shape, candidate) or not OPS[op].changing.sensible(candidate, current):
                continue
            candidate = OPS[op].changing.repair(candidate)
            heavy = weight(candidate)
            if heavy < limit and heavy[2] not in tried:
                tried.add(heavy[2])
                yield candidate

    supply = smaller_that_fit()
    sizes = itertools.chain(_BATCHES, itertools.repeat(_BATCHES[-1]))
    while batch := list(itertools.islice(supply, next(sizes))):
        if (index := still(batch)) is not None:
            return (batch[index],)
    return ()


def _sites(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every nested value with its path, containers before their contents."""
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _sites(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _sites(item, (*path, index))


def _with_value(value: Any, path: Path, new: Any) -> Any:
    """A copy of the value with ``new`` at ``path``."""
    if not path:
        return new
    step, inner = path[0], path[1:]
    if isinstance(value, dict):
        return {key: _with_value(item, inner, new) if key == step else item for key, item in value.items()}
    return [_with_value(item, inner, new) if index == step else item for index, item in enumerate(value)]


def _windows(count: int) -> Iterator[tuple[int, int]]:
    """Ranges to remove: everything, then halves, quarters, down to single items, the last ones first."""
    size = count
    while size:
        for end in range(count, 0, -size):
            yield max(0, end - size), end
        size //= 2


def _without_parts(value: Any) -> Iterator[Any]:
    """Lists and objects with some items removed, the longest first."""
    holders = [(path, held) for path, held in _sites(value) if isinstance(held, list | dict) and held]
    for path, held in sorted(holders, key=lambda site: -len(site[1])):
        items = list(held.items()) if isinstance(held, dict) else held
        for begin, end in _windows(len(items)):
            left = items[:begin] + items[end:]
            yield _with_value(value, path, dict(left) if isinstance(held, dict) else left)


def _with_less(value: Any) -> Iterator[Any]:
    """Null in place of an object, list or text; false in place of true."""
    for path, held in _sites(value):
        if isinstance(held, list | dict | str):
            yield _with_value(value, path, None)
        elif held is True:
            yield _with_value(value, path, False)


def _plainer(number: int | float) -> Iterator[int | float]:
    if isinstance(number, int):
        yield from _PLAIN_INTS
        for power in (10, 2**32):
            yield from (number // power, number // power * power)
        yield from (abs(number), number // 2)
        if abs(number) <= _FEW:  # stepping down from a large number would take forever
            yield number - 1
        return
    yield from _PLAIN_INTS
    yield from _PLAIN_FLOATS
    if math.isfinite(number):
        if abs(number) < 10**15:
            yield from (int(number), float(int(number)))
        rounded = (float(f"{number:.{digits}g}") for digits in (1, 2, 3, 5, 8, 12, 15))
        yield from (short for short in rounded if math.isfinite(short))
        yield abs(number)


def _with_plain_numbers(value: Any) -> Iterator[Any]:
    for path, held in _sites(value):
        if isinstance(held, int | float) and not isinstance(held, bool):
            for plain in _plainer(held):
                yield _with_value(value, path, plain)
        elif held in ("NaN", "Infinity", "-Infinity"):
            yield from (_with_value(value, path, plain) for plain in (0, 1, 0.0))


def _with_short_texts(value: Any) -> Iterator[Any]:
    """JSON texts with smaller values, then texts without some parts, then texts with plain letters."""
    for path, held in _sites(value):
        if not isinstance(held, str) or not held:
            continue
        if _FORMAL.match(held):  # part of a date is not a date
            yield from (_with_value(value, path, plain) for plain in _PLAIN_FORMAL)
            continue
        for text in _shorter(held):
            yield _with_value(value, path, text)


def _shorter(text: str) -> Iterator[str]:
    prefix, mark, body = text.rpartition("=") if "={" in text else ("", "", text)
    document = _json(body)
    if document is not None:
        steps = (_without_parts, _with_less, _with_plain_numbers, _renamed)
        for smaller in itertools.chain.from_iterable(step(document) for step in steps):
            yield prefix + mark + json.dumps(smaller)
        yield prefix + mark + json.dumps(document)
    for begin, end in _windows(len(text)):
        yield text[:begin] + text[end:]
    if len(text) <= 40:
        for index, letter in enumerate(text):
            for plain in "10a":
                if letter.isalnum() and letter not in "01a":
                    yield text[:index] + plain + text[index + 1 :]


def _json(text: str) -> Any | None:
    """The JSON object or list in the text, if it is one."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _renamed(value: Any) -> Iterator[Any]:
    """Replaces every long or unusual name by a short one, everywhere."""
    names = dict.fromkeys(
        name
        for _, held in _sites(value)
        for name in (held if isinstance(held, dict) else [held] if isinstance(held, str) else [])
        if isinstance(name, str) and not (name.isascii() and name.islower() and len(name) <= _READABLE)
    )
    free = [letter for letter in _SHORT if letter not in names]
    for name in names:
        if "reward" not in names:
            yield _replaced(value, name, "reward")
        if free and name:
            yield _replaced(value, name, free[0])


def _replaced(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {new if key == old else key: _replaced(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [_replaced(item, old, new) for item in value]
    return new if value == old and isinstance(value, str) else value
