"""Making a counterexample small: fewer items and members, plainer numbers, shorter texts.

Candidates are made by what a value is and kept where they fit the op's shape; which of them still disagree in
the same way only the runner can tell, so they are handed out in batches. Of two inputs the one with fewer
values is the smaller, then the one whose JSON is shorter, then the one that sorts first: it comes to an end.
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
"""How many candidates are tried at a time: few while they tend to succeed, more as they fail."""
_PLAIN_INTS = (0, 1, 2, 3)
_FEW = 20
_PLAIN_FLOATS = (0.0, 1.0, 0.1, 0.5, 0.2, 0.3)
_FORMAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T|[0-9a-f]{8}(-[0-9a-f]{4}){3}-")
_PLAIN_FORMAL = ("00000000-0000-0000-0000-000000000000", "2000-01-01T00:00:00", "2000-01-01T00:00:00Z")
_SHORT = "abcdefgh"
_READABLE = 8
"""Names of so many small letters, or fewer, are left as they are; "reward" counts as shorter than none."""

Path = tuple[str | int, ...]
Still = Callable[[list[Any]], int | None]
"""Tries candidates; the index of the first that still disagrees in the same way, or None."""


class OutOfBudgetError(Exception):
    """Time or requests are used up; what was found until then is the result."""


def weight(value: Any) -> tuple[int, int, str]:
    """How large a value is, for comparing."""
    text = json.dumps(value, separators=(",", ":"))
    length = len(text) - _READABLE * (text.count('"reward"') + text.count('\\"reward\\"'))
    return sum(1 for _ in _sites(value)), length, text


def shrink(op: str, given: Any, still: Still) -> Any:
    """The smallest input found that still disagrees in the same way.

    Ends early where ``still`` raises OutOfBudgetError.
    """
    shape = shape_of(op)
    best, tried = given, {weight(given)[2]}
    try:
        while True:
            smaller = _round(op, shape, best, still, tried)
            if smaller is None:
                return best
            best = smaller
    except _EarlyEnd as end:
        return best if end.best is None else end.best


class _EarlyEnd(Exception):  # noqa: N818 - no error
    """Carries the best so far out of a round."""

    def __init__(self, best: Any) -> None:
        super().__init__()
        self.best = best


def _round(op: str, shape: Shape, given: Any, still: Still, tried: set[str]) -> Any | None:
    """Every pass until it gains nothing more; None where no pass gained anything."""
    best = None
    for candidates_of in (_without_parts, _with_less, _with_plain_numbers, _with_short_texts, _renamed):
        while True:
            current = given if best is None else best
            try:
                smaller = _first_smaller(op, shape, current, candidates_of(current), still, tried)
            except OutOfBudgetError:
                raise _EarlyEnd(best) from None
            if smaller is None:
                break
            best = smaller
    return best


def _first_smaller(
    op: str, shape: Shape, current: Any, candidates: Iterator[Any], still: Still, tried: set[str]
) -> Any | None:
    limit = weight(current)

    def fitting() -> Iterator[Any]:
        for candidate in candidates:
            if not fits(shape, candidate) or not OPS[op].changing.sensible(candidate, current):
                continue
            candidate = OPS[op].changing.mended(candidate)
            heavy = weight(candidate)
            if heavy < limit and heavy[2] not in tried:
                tried.add(heavy[2])
                yield candidate

    supply = fitting()
    for size in itertools.chain(_BATCHES, itertools.repeat(_BATCHES[-1])):
        batch = list(itertools.islice(supply, size))
        if not batch:
            return None
        found = still(batch)
        if found is not None:
            return batch[found]
    return None


def _sites(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Every value within a value, and where it stands, containers before what they hold."""
    yield path, value
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _sites(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _sites(item, (*path, index))


def _with(value: Any, path: Path, new: Any) -> Any:
    """A copy of the value with ``new`` at ``path``."""
    if not path:
        return new
    head, rest = path[0], path[1:]
    if isinstance(value, dict):
        return {key: _with(item, rest, new) if key == head else item for key, item in value.items()}
    return [_with(item, rest, new) if index == head else item for index, item in enumerate(value)]


def _windows(count: int) -> Iterator[tuple[int, int]]:
    """Parts to leave out: everything, then halves, quarters, down to single ones, the last ones first."""
    size = count
    while size:
        for end in range(count, 0, -size):
            yield max(0, end - size), end
        size //= 2


def _without_parts(value: Any) -> Iterator[Any]:
    """Lists and objects with some of their items left out, the longest first."""
    holders = [(path, held) for path, held in _sites(value) if isinstance(held, list | dict) and held]
    for path, held in sorted(holders, key=lambda site: -len(site[1])):
        items = list(held.items()) if isinstance(held, dict) else held
        for begin, end in _windows(len(items)):
            left = items[:begin] + items[end:]
            yield _with(value, path, dict(left) if isinstance(held, dict) else left)


def _with_less(value: Any) -> Iterator[Any]:
    """Null for an object, an item for the list of it, false for true."""
    for path, held in _sites(value):
        if isinstance(held, list | dict | str):
            yield _with(value, path, None)
        elif held is True:
            yield _with(value, path, False)


def _plainer(number: int | float) -> Iterator[int | float]:
    if isinstance(number, int):
        yield from _PLAIN_INTS
        for power in (10, 2**32):
            yield from (number // power, number // power * power)
        yield from (abs(number), number // 2)
        if abs(number) <= _FEW:  # one by one from a large number would take for ever
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
                yield _with(value, path, plain)
        elif held in ("NaN", "Infinity", "-Infinity"):
            yield from (_with(value, path, plain) for plain in (0, 1, 0.0))


def _with_short_texts(value: Any) -> Iterator[Any]:
    """Texts as smaller JSON where they are JSON, then with parts left out, then with plain letters."""
    for path, held in _sites(value):
        if not isinstance(held, str) or not held:
            continue
        if _FORMAL.match(held):  # a part of a date is none
            yield from (_with(value, path, plain) for plain in _PLAIN_FORMAL)
            continue
        for text in _shorter(held):
            yield _with(value, path, text)


def _shorter(text: str) -> Iterator[str]:
    prefix, mark, rest = text.rpartition("=") if "={" in text else ("", "", text)
    document = _json(rest)
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
    """The JSON object or list that the text is, where it is one."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _renamed(value: Any) -> Iterator[Any]:
    """Every long or strange name replaced by a short one, wherever it is."""
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
