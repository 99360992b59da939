"""Numbers in messages: JSON numbers, or strings that spell one (PROTOCOL.md, "Numbers")."""

import functools
import math
import operator
import re
import sys
import threading
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

__all__ = ["MAX_INT_DIGITS", "Path", "any_digits", "decode_at", "map_at", "meant_at", "spell", "spell_at"]

Path = tuple[str, ...]
"""Keys from the root of a message; ``"*"`` stands for every key or index."""

MAX_INT_DIGITS = 4300
"""The most digits an int may have in a message: CPython's own limit for reading one."""

_lock = threading.Lock()
_lifted: list[int] = []
"""Python's original limit, once for each thread that has lifted it."""


class any_digits:  # noqa: N801 - used like a function; no generator, since every answer of a copy enters it
    """Lifts Python's limit on the digits of an int, since the kit counts digits itself.

    The limit applies to the whole process, so the last of several threads restores the original one.
    """

    def __enter__(self) -> None:
        if hasattr(sys, "set_int_max_str_digits"):  # not in 3.10.0 to 3.10.6
            with _lock:
                _lifted.append(_lifted[0] if _lifted else sys.get_int_max_str_digits())
                sys.set_int_max_str_digits(0)

    def __exit__(self, *_: object) -> None:
        if hasattr(sys, "set_int_max_str_digits"):
            with _lock:
                limit = _lifted.pop()
                if not _lifted:
                    sys.set_int_max_str_digits(limit)


_SPELLING = re.compile(r"-?(?:0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?", re.ASCII)
_NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def decode(value: Any) -> Any:
    """The number that a string spells; other strings and values unchanged."""
    if not isinstance(value, str):
        return value
    if value in _NON_FINITE:
        return _NON_FINITE[value]
    match = _SPELLING.fullmatch(value)
    if match is None:
        return value
    if match[1] is None and match[2] is None:
        return int(value) if len(value.lstrip("-")) <= MAX_INT_DIGITS else value
    number = float(value)
    return number if math.isfinite(number) else value


def spell(value: Any) -> Any:
    """A number as the string that spells it; other values unchanged."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(value, int) or math.isfinite(value):
        return repr(value)
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def _spell_non_finite(value: Any) -> Any:
    return spell(value) if isinstance(value, float) and not math.isfinite(value) else value


def map_at(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """``value`` with ``change`` applied to every scalar at ``path``; missing members are ignored.

    A string that is marked as one is a scalar too. Where nothing changes, the value is the same object.
    """
    return _map(value, _tree((path,)), change)


_HOLDING = (dict, list)


class _Tree(NamedTuple):
    """Paths by their first keys."""

    ends: bool
    """Whether a path ends here."""
    inner: "Mapping[str, _Tree]"


@functools.cache
def _tree(paths: tuple[Path, ...]) -> _Tree:
    inner: dict[str, list[Path]] = {}
    for path in filter(None, paths):
        inner.setdefault(path[0], []).append(path[1:])
    return _Tree(() in paths, {name: _tree(tuple(rests)) for name, rests in inner.items()})


def _map(value: Any, tree: _Tree, change: Callable[[Any], Any]) -> Any:
    if tree.ends and (not isinstance(value, _HOLDING) or _is_marked(value)):
        value = change(value)
    if isinstance(value, dict):
        new = value
        for name, subtree in tree.inner.items():
            for key in value if name == "*" else (name,) if name in value else ():
                item = new[key]
                changed = _map(item, subtree, change)
                if changed is not item:
                    new = dict(value) if new is value else new
                    new[key] = changed
        return new
    if isinstance(value, list) and (item_tree := tree.inner.get("*")) is not None:
        items = [_map(item, item_tree, change) for item in value]
        return items if any(map(operator.is_not, items, value)) else value
    return value


def _is_marked(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"string"}


def decode_at(value: Any, paths: tuple[Path, ...]) -> Any:
    """``value`` with the spelled numbers at ``paths`` as numbers."""
    return _map(value, _tree(paths), decode)


def spell_at(value: Any, paths: tuple[Path, ...], *, everything: bool) -> Any:
    """``value`` with numbers at ``paths`` spelled: all of them, or only the non-finite ones."""
    return _map(value, _tree(paths), spell if everything else _spell_non_finite)


def meant_at(value: Any, paths: tuple[Path, ...], *, numbers_as_strings: bool = False) -> Any:
    """``value`` as its runner means it, according to its hello.

    Finite numbers become numbers and non-finite ones strings, whatever the runner sent: equal answers look
    equal, and other strings stay strings. From a runner that does not spell numbers as strings, a string that
    spells a finite number is just a string, marked as one: ``{"string":"1.5"}``. The non-finite have no other
    spelling, so ``"NaN"`` stays a NaN.
    """
    return _map(value, _tree(paths), _decode_finite if numbers_as_strings else _kept)


def _decode_finite(value: Any) -> Any:
    return _spell_non_finite(decode(_unmarked(value)))


def _kept(value: Any) -> Any:
    value = _unmarked(value)
    return {"string": value} if isinstance(value, str) and _SPELLING.fullmatch(value) else value


def _unmarked(value: Any) -> Any:
    """A string without its mark if it spells no number; other values unchanged."""
    text = value.get("string") if isinstance(value, dict) else None
    return text if isinstance(text, str) and decode(text) is text else value
