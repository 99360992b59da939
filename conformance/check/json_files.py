"""JSON as it stands in a file: keys that repeat, their order, and numbers with their spelling are kept."""

import json
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformance.wire.text import shortened
from reference_impl.cpython312.parsing import MAX_INT_DIGITS

__all__ = ["Members", "NotJsonError", "Number", "leaves", "parse", "plain", "pointer", "repeated", "show"]

MOST_SHOWN = 160


class NotJsonError(ValueError):
    """The content is not JSON that harbor could have written or would read; the message says why."""


class Members(list[tuple[str, Any]]):
    """An object: its members as they stand."""

    __slots__ = ()

    def get(self, name: str) -> Any:
        """The value of the last member of that name, as Python's json takes it; None if there is none."""
        for key, value in reversed(self):
            if key == name:
                return value
        return None

    def last(self) -> dict[str, Any]:
        """The last member of each name, in the order of the first."""
        return dict(self)

    def repeats(self) -> list[str]:
        """The names that come more than once, sorted."""
        return sorted(name for name, count in Counter(key for key, _ in self).items() if count > 1)

    def has(self, name: str) -> bool:
        """Whether there is a member of that name."""
        return any(key == name for key, _ in self)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is spelled; `value` is an int without fraction and exponent, else a double."""

    text: str
    value: int | float


def _int(text: str) -> Number:
    if len(text) - text.startswith("-") > MAX_INT_DIGITS:
        raise NotJsonError(f"an int of more than {MAX_INT_DIGITS} digits")
    return Number(text, int(text))


_CONSTANTS = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
_decoder = json.JSONDecoder(
    object_pairs_hook=Members,
    parse_int=_int,
    parse_float=lambda text: Number(text, float(text)),
    parse_constant=lambda text: Number(text, _CONSTANTS[text]),
)


def parse(content: bytes) -> Any:
    """The value that a file holds: Members, lists, strings, Numbers, booleans and None.

    Raises:
        NotJsonError: it is not UTF-8 or not JSON, is nested too deeply, or holds a lone surrogate.
    """
    try:
        value = _decoder.decode(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NotJsonError(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotJsonError(f"{error.msg} at line {error.lineno}, column {error.colno}") from None
    except RecursionError:
        raise NotJsonError("nested too deeply") from None
    if b"\\ud" in content or b"\\uD" in content:
        for place, text in leaves(value):
            if isinstance(text, str) and not _is_text(text):
                raise NotJsonError(f"a lone surrogate at {place or 'the top'}")
    return value


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def pointer(*keys: str | int) -> str:
    """A JSON pointer, RFC 6901."""
    return "".join(f"/{str(key).replace('~', '~0').replace('/', '~1')}" for key in keys)


def leaves(value: Any) -> Iterator[tuple[str, Any]]:
    """Every scalar and every key in `value`, with the place; the order is not that of the file."""
    todo: list[tuple[str, Any]] = [("", value)]
    while todo:
        place, item = todo.pop()
        if isinstance(item, Members):
            for key, member in item:
                yield place, key
                todo.append((place + pointer(key), member))
        elif isinstance(item, list):
            todo.extend((f"{place}/{index}", member) for index, member in enumerate(item))
        else:
            yield place, item


def repeated(value: Any) -> list[str]:
    """The places of members whose key stands in their object already."""
    found = []
    todo: list[tuple[str, Any]] = [("", value)]
    while todo:
        place, item = todo.pop()
        if isinstance(item, Members):
            seen: set[str] = set()
            for key, member in item:
                if key in seen:
                    found.append(place + pointer(key))
                seen.add(key)
                todo.append((place + pointer(key), member))
        elif isinstance(item, list):
            todo.extend((f"{place}/{index}", member) for index, member in enumerate(item))
    return sorted(found)


def plain(value: Any) -> Any:
    """The value as Python's json would give it."""
    if isinstance(value, Members):
        return {key: plain(member) for key, member in value}
    if isinstance(value, list):
        return [plain(member) for member in value]
    return value.value if isinstance(value, Number) else value


def show(value: Any) -> str:
    """The value for people, on one line, cut where it is long."""
    return shortened(_text(value, MOST_SHOWN * 2), MOST_SHOWN)


def _text(value: Any, room: int) -> str:
    """JSON, at least `room` characters of it if there are so many."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, Members):
        value = dict(value)
    if isinstance(value, dict):
        opening, closing, parts = "{", "}", ((_text(k, room) + ": ", v) for k, v in value.items())
    elif isinstance(value, list):
        opening, closing, parts = "[", "]", (("", v) for v in value)
    elif isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    else:
        return json.dumps(value[:room] if isinstance(value, str) else value, ensure_ascii=False)
    text = opening
    for number, (label, part) in enumerate(parts):
        if len(text) > room:
            return text
        text += (", " if number else "") + label + _text(part, room - len(text))
    return text + closing
