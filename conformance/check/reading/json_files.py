"""JSON as it stands in a file: keys that repeat, their order, and numbers with their spelling are kept."""

import json
import math
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from conformance.check.reading.limits import DEEPEST, TooLargeError, allowed, quantity
from conformance.check.reading.weight import Weight, is_light, weigh
from conformance.wire import pointers
from conformance.wire.text import shortened
from reference_impl.cpython312.parsing import MAX_INT_DIGITS

__all__ = [
    "Members",
    "NotJsonError",
    "Number",
    "parse",
    "plain",
    "pointer",
    "repeated",
    "show",
    "too_large",
    "walk",
]

MOST_SHOWN = 160
_LONGEST_KEY = 1000
_MOST_REPEATED = 10_000


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


def parse(content: bytes, room: int | None = None) -> Any:
    """The value that a file holds: Members, lists, strings, Numbers, booleans and None.

    Raises:
        NotJsonError: it is not UTF-8 or not JSON, is nested too deeply, or holds a lone surrogate.
        TooLargeError: it would take more than `room` bytes of memory.
    """
    if not is_light(content):
        weight = weigh(content, sys.maxsize if room is None else room)
        if weight.depth > DEEPEST:
            raise NotJsonError(f"nested too deeply: {DEEPEST} levels are the most that harbor writes")
        if room is not None and weight.parsed > room:
            raise too_large(weight, weight.parsed, room)
    try:
        value = _decoder.decode(content.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise NotJsonError(f"byte {error.start} is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise NotJsonError(_trouble(error)) from None
    if b"\\ud" in content or b"\\uD" in content:
        for place, text in texts(value):
            if not _is_text(text):
                raise NotJsonError(f"a lone surrogate at {pointer(*place) or 'the top'}")
    return value


def _trouble(error: json.JSONDecodeError) -> str:
    """What is the matter with a text that is no JSON."""
    text = error.doc.rstrip()
    if not text:
        return "the file is empty"
    if text.startswith("\ufeff"):
        return "a byte order mark comes first, which JSON has not"
    told = f"{error.msg} at line {error.lineno}, column {error.colno}"
    cut = error.pos >= len(text) or error.msg.startswith("Unterminated string")
    return f"the text ends in the middle: {told}" if cut else told


def too_large(weight: Weight, takes: int, room: int) -> TooLargeError:
    """What is said of a file that would take so many bytes of memory, and may take `room`."""
    most = "" if weight.whole else "more than "
    what = f"{most}{weight.values} values in {quantity(weight.length, 'bytes')}"
    room_for = f"values that take in memory {allowed(room, 'bytes', takes if weight.whole else None)}"
    due = f"{room_for}; these take {most or 'about '}{quantity(takes, 'bytes')}"
    return TooLargeError(what, due)


def _is_text(text: str) -> bool:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def pointer(*keys: str | int) -> str:
    """A JSON pointer, RFC 6901; a key beyond all measure is cut."""
    return pointers.pointer(*(_cut(str(key)) for key in keys))


def _cut(key: str) -> str:
    return key if len(key) <= _LONGEST_KEY else shortened(key, _LONGEST_KEY)


def _entries(value: Any) -> Iterator[tuple[str | int, Any]]:
    return iter(value) if isinstance(value, Members) else enumerate(value)


def walk(value: Any) -> Iterator[tuple[list[str | int], Any]]:
    """Every value in `value`, itself too, in the order of the file, with the keys that lead to it.

    The list of keys is the same one each time: what is kept of it has to be copied.
    """
    path: list[str | int] = []
    stack: list[Iterator[tuple[str | int, Any]]] = [iter([("", value)])]
    while stack:
        entry = next(stack[-1], None)
        if entry is None:
            stack.pop()
            if path:
                path.pop()
            continue
        if len(stack) > 1:
            path.append(entry[0])
        yield path, entry[1]
        if isinstance(entry[1], list):
            stack.append(_entries(entry[1]))
        elif path:
            path.pop()


def texts(value: Any) -> Iterator[tuple[list[str | int], str]]:
    """Every string and every key in `value`, with the keys that lead to it."""
    for path, item in walk(value):
        if isinstance(item, str):
            yield path, item
        elif isinstance(item, Members):
            for key, _ in item:
                yield path, key


def repeated(value: Any) -> list[str]:
    """The places of members whose key stands in their object already; of many the first."""
    found: list[str] = []
    for path, item in walk(value):
        if isinstance(item, Members) and len(item) > 1 and len(item) != len({key for key, _ in item}):
            seen: set[str] = set()
            for key, _ in item:
                if key in seen:
                    found.append(pointer(*path, key))
                    if len(found) == _MOST_REPEATED:
                        return found
                seen.add(key)
    return sorted(found)


def plain(value: Any, finite: bool = False) -> Any:
    """The value as Python's json would give it; with `finite`, NaN and infinities become None."""
    if isinstance(value, Members):
        members = {}
        for key, member in value:  # no comprehension: it would take a second frame for each level
            members[key] = plain(member, finite)
        return members
    if isinstance(value, list):
        items = []
        for member in value:
            items.append(plain(member, finite))
        return items
    if isinstance(value, Number):
        return None if finite and value.text.endswith(("N", "y")) else value.value
    return value


def show(value: Any) -> str:
    """The value for people, on one line, cut where it is long."""
    return shortened(_text(value, MOST_SHOWN * 2), MOST_SHOWN)


def _text(value: Any, room: int) -> str:
    """JSON, at least `room` characters of it if there are so many."""
    if isinstance(value, Number):
        return value.text
    if isinstance(value, Members):
        value = dict(value if len(value) <= room else value[:room])  # more would not be shown
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
