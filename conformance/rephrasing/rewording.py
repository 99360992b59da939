"""Rephrases a vector: other names, slightly different numbers, another spelling of the request.

Names are changed letter by letter, everywhere in the same way, so that equal names stay equal and different
ones different; empty, unusual and long names stay unchanged. Of numbers only the last digit changes, and only
of ordinary ones: 0, 1, -0.0, 1e308 and the like may be the point of a vector.
"""

import functools
import json
import re
import string
from typing import Any

from conformance.drawing.source import Source
from conformance.registry.ops import OPS
from conformance.suite import schemas
from conformance.suite.shapes import (
    AnyOf,
    Content,
    ListOf,
    MapOf,
    Number,
    Pair,
    Record,
    Shape,
    Text,
    fits,
    shape_of,
    takes,
)
from conformance.wire.text import is_json

__all__ = ["Rewording", "spelled"]

_LONGEST_NAME = 200
"""The longest name, in characters; longer texts are not names."""
_NO_NAME = re.compile(r'[\n={}"<>]')
"""Matches a character that names do not contain."""
_DECIMAL = re.compile(r"(?<![\w.+-])-?[0-9]{1,6}\.[0-9]{1,6}(?![\w.])", re.ASCII)
_INT = re.compile(r"-?[1-9][0-9]{1,5}", re.ASCII)
_KEY = re.compile(r'(?<=")[A-Za-z_]{2,}(?="\s*:)')
_NUMBER = re.compile(r"\s*-?[0-9]+(?:\.[0-9]+)?\s*", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_LETTER = re.compile(r"\\u[0-9a-f]{4}|\\.|[^\\]")
_SPACES = ("", "", " ", "  ", "\t")
_ESCAPED = 12
"""One in this many letters and digits is written as an escape."""


class Rewording:
    """Changes the inputs of one op, each name and number consistently."""

    def __init__(self, source: Source, *, names: bool, numbers: bool) -> None:
        self._draw = source
        self._names, self._numbers = names, numbers
        letters = source.shuffled(string.ascii_lowercase)
        shuffled = "".join(letters)
        self._letters = str.maketrans(string.ascii_letters, shuffled + shuffled.upper())
        self._known: dict[str, str] = {}

    def reworded(self, op: str, input_: Any) -> Any:
        """The rephrased input; the same input if nothing in it can be changed."""
        changed = self._changed(shape_of(op), input_)
        return OPS[op].changing.repair(changed if OPS[op].changing.sensible(changed, input_) else input_)

    def _changed(self, shape: Shape, value: Any) -> Any:
        match shape:
            case AnyOf():
                inner = _shape_in(shape, value)
                return value if inner is None else self._changed(inner, value)
            case Number(whole, low, high):
                return self._number(value, whole, low, high)
            case Text(_, pattern, kept):
                return value if kept or pattern is not None else self._name(value)
            case Content():
                return self._content(value)
            case ListOf(item):
                return [self._changed(item, element) for element in value]
            case Pair(items):
                return [self._changed(item, element) for item, element in zip(items, value, strict=True)]
            case MapOf(inner):
                return {self._name(key): self._changed(inner, member) for key, member in value.items()}
            case Record(members, _):
                return {key: self._changed(members[key], member) for key, member in value.items()}
        return value

    def _name(self, value: str) -> str:
        if not self._names or len(value) > _LONGEST_NAME or _NO_NAME.search(value):
            return value
        return value.translate(self._letters)

    def _number(self, value: Any, whole: bool, low: int | None, high: int | None) -> Any:
        if not self._numbers or isinstance(value, bool):
            return value
        text = value if isinstance(value, str) else repr(value)
        if _DECIMAL.fullmatch(text):
            changed: Any = self._digits(text)
            return changed if isinstance(value, str) else float(changed)
        if not _INT.fullmatch(text):
            return value
        near = int(self._digits(text))
        if whole and ((low is not None and near < low) or (high is not None and near > high)):
            return value
        return str(near) if isinstance(value, str) else near

    def _digits(self, text: str) -> str:
        """The number with another last digit, never 0; unchanged if the result would be a round number."""
        if text not in self._known:
            last = text[-1]
            digits = [digit for digit in "123456789" if digit != last]
            round_one = "." in text and not text.partition(".")[2].strip("0")
            self._known[text] = text if round_one else text[:-1] + self._draw.pick(digits)
        return self._known[text]

    def _content(self, value: dict[str, str]) -> dict[str, str]:
        """A file with a number or JSON, with other numbers and free keys; other files stay unchanged."""
        text = value.get("text")
        if text is None or not (_NUMBER.fullmatch(text) or is_json(text)):
            return value
        if self._numbers and _INT.fullmatch(text.strip()):
            return {"text": text.replace(text.strip(), self._digits(text.strip()))}
        if self._numbers:
            text = _DECIMAL.sub(lambda match: self._digits(match[0]), text)
        return {"text": _KEY.sub(lambda match: self._key(match[0]), text)}

    def _key(self, key: str) -> str:
        """The key of an object in a file; keys named in a schema stay."""
        return key if key in _members_of_files() else self._name(key)


@functools.cache
def _members_of_files() -> frozenset[str]:
    """The members named in the schemas of files."""
    names: set[str] = set()
    left: list[Any] = [
        schemas.schema(name) for name in {name for op in OPS.values() for name in op.content_schemas}
    ]
    while left:
        schema = left.pop()
        if isinstance(schema, dict):
            properties = schema.get("properties")
            names |= properties.keys() if isinstance(properties, dict) else set()
            left += schema.values()
        elif isinstance(schema, list):
            left += schema
    return frozenset(names)


def spelled(op: str, input_: Any, source: Source) -> bytes:
    """A request, from after its id, in an unusual JSON spelling, with its members in random order.

    The members of objects with free keys stay in order, which may matter.
    """
    members = source.shuffled([("op", op), ("input", _shuffled(shape_of(op), input_, source))])
    gap = source.pick(_SPACES)
    text = f",{gap}".join(f'{gap}"{name}"{gap}:{gap}{_write_json(value, source)}' for name, value in members)
    return f"{text}{gap}}}\n".encode("ascii")


def _write_json(value: Any, source: Source) -> str:
    gap = source.pick(_SPACES)
    text = json.dumps(value, separators=(f",{gap}", f"{gap}:{gap}"), allow_nan=False)
    return _STRING.sub(lambda match: _escape(match[0], source), text)


def _shuffled(shape: Shape | None, value: Any, source: Source) -> Any:
    """The value with the members of its records in random order."""
    match _shape_in(shape, value):
        case Record(members, _):
            return {key: _shuffled(members[key], value[key], source) for key in source.shuffled(list(value))}
        case MapOf(inner):
            return {key: _shuffled(inner, member, source) for key, member in value.items()}
        case ListOf(item):
            return [_shuffled(item, element, source) for element in value]
        case Pair(items):
            return [_shuffled(item, element, source) for item, element in zip(items, value, strict=True)]
    return value


def _shape_in(shape: Shape | None, value: Any) -> Shape | None:
    if isinstance(shape, AnyOf):
        held = [option for option in shape.options if takes(option, value)]
        if len(held) < 2:
            return held[0] if held else None
        return next((option for option in held if fits(option, value)), held[0])
    return shape


def _escape(text: str, source: Source) -> str:
    """A JSON string with each slash and, from a random one on, every twelfth letter as an escape."""
    if len(text) > _LONGEST_NAME:
        return text
    letters = _LETTER.findall(text) if "\\" in text else list(text)
    for index in range(source.below(_ESCAPED), len(letters), _ESCAPED):
        if letters[index].isalnum():
            letters[index] = f"\\u{ord(letters[index]):04X}"
    return "".join(letters).replace("/", "\\u002F")
