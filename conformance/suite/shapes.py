"""The shape of an op's input, derived from its schema, in a form that is fast to use for changing values.

Code that changes an input, at random or to shrink a counterexample, uses the shape to see what is allowed.
"""

import functools
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from conformance.registry.ops import OPS
from conformance.suite import schemas
from conformance.wire.numbers import Path

__all__ = [
    "AnyOf",
    "Content",
    "Fixed",
    "ListOf",
    "MapOf",
    "Number",
    "Pair",
    "Record",
    "Shape",
    "Text",
    "fits",
    "shape_of",
    "takes",
]


@dataclass(frozen=True, slots=True)
class Fixed:
    """One of a fixed set of values."""

    options: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A number or its spelling; optionally a whole number within limits."""

    whole: bool
    low: int | None = None
    high: int | None = None


@dataclass(frozen=True, slots=True)
class Text:
    """A string. With ``kept``, only strings seen elsewhere are used, since not every string makes sense."""

    min_length: int = 0
    pattern: re.Pattern[str] | None = None
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Content:
    """A file's content: ``{"text": …}`` or ``{"base64": …}``."""


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list of any length."""

    item: "Shape"


@dataclass(frozen=True, slots=True)
class Pair:
    """A list of fixed length, with a shape for each item."""

    items: "tuple[Shape, ...]"


@dataclass(frozen=True, slots=True)
class MapOf:
    """An object with free keys."""

    value: "Shape"


@dataclass(frozen=True, slots=True, eq=False)
class Record:
    """An object with known members, some of them ``optional``."""

    members: "dict[str, Shape]"
    optional: frozenset[str]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """A choice."""

    options: "tuple[Shape, ...]"


Shape = Fixed | Number | Text | Content | ListOf | Pair | MapOf | Record | AnyOf

_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|NaN|-?Infinity", re.ASCII)
_WHOLE = re.compile(r"-?(?:0|[1-9][0-9]*)", re.ASCII)


@functools.cache
def shape_of(op: str) -> Shape:
    """The shape of an op's input."""
    file = f"op-{op}"
    return _shape(schemas.schema(file)["$defs"]["input"], file, op, ())


def _shape(schema: Any, file: str, op: str, path: Path) -> Shape:
    name = path[-1] if path else ""
    if "$ref" in schema:
        target, _, definition = schema["$ref"].partition("#/$defs/")
        if definition in ("number", "integer"):
            return Number(definition == "integer", *OPS[op].changing.limits.get(name, (None, None)))
        if definition == "content":
            return Content()
        file = schemas.name_of(target) if target else file
        return _shape(schemas.schema(file)["$defs"][definition], file, op, path)
    if "enum" in schema or "const" in schema:
        return Fixed(tuple(schema.get("enum", [schema.get("const")])))
    if "anyOf" in schema:
        return AnyOf(tuple(_shape(inner, file, op, path) for inner in schema["anyOf"]))
    kind = schema["type"]
    if isinstance(kind, list):
        return AnyOf(tuple(_shape({**schema, "type": type_}, file, op, path) for type_ in kind))
    return _typed(kind, schema, file, op, path)


def _typed(kind: str, schema: Any, file: str, op: str, path: Path) -> Shape:
    if kind == "null":
        return Fixed((None,))
    if kind == "boolean":
        return Fixed((False, True))
    if kind == "string":
        pattern = re.compile(schema["pattern"]) if "pattern" in schema else None
        return Text(schema.get("minLength", 0), pattern, path[-1] in OPS[op].changing.kept)
    if kind == "array" and "prefixItems" in schema:
        return Pair(tuple(_shape(inner, file, op, path) for inner in schema["prefixItems"]))
    if kind == "array":
        return ListOf(_shape(schema["items"], file, op, path))
    assert kind == "object", f"{op}: {path} has type {kind}, for which there is no shape"
    if schema.get("additionalProperties"):
        return MapOf(_shape(schema["additionalProperties"], file, op, (*path, "*")))
    members = {key: _shape(part, file, op, (*path, key)) for key, part in schema["properties"].items()}
    return Record(members, frozenset(members) - set(schema["required"]))


def takes(shape: Shape, value: Any) -> bool:
    """Return whether the value has the shape's type, ignoring its contents."""
    match shape:
        case Fixed(options):
            return any(
                value is option or (type(value) is type(option) and value == option) for option in options
            )
        case Number():
            return isinstance(value, int | float | str) and not isinstance(value, bool)
        case Text():
            return isinstance(value, str)
        case ListOf() | Pair():
            return isinstance(value, list)
        case AnyOf(options):
            return any(takes(option, value) for option in options)
        case _:
            return isinstance(value, dict)


def fits(shape: Shape, value: Any) -> bool:
    """Return whether the value has the shape, including its contents."""
    return _check(shape)(value)


@functools.cache
def _check(shape: Shape) -> Callable[[Any], bool]:
    """``fits`` for one shape."""
    match shape:
        case Record(members, optional):
            parts, required = {key: _check(part) for key, part in members.items()}, members.keys() - optional
            return lambda value: (
                isinstance(value, dict)
                and required <= value.keys() <= parts.keys()
                and all(parts[key](member) for key, member in value.items())
            )
        case Number(whole, low, high):
            spelling = (_WHOLE if whole else _NUMBER).fullmatch
            return lambda value: (
                bool(spelling(value))
                if isinstance(value, str)
                else takes(shape, value)
                and (not whole or isinstance(value, int))
                and (low is None or value >= low)
                and (high is None or value <= high)
            )
        case Text(min_length, pattern, _):
            search = pattern.search if pattern is not None else lambda _: True
            return lambda value: isinstance(value, str) and len(value) >= min_length and bool(search(value))
        case Content():
            return lambda value: (
                isinstance(value, dict)
                and len(value) == 1
                and isinstance(value.get("text", value.get("base64")), str)
            )
        case ListOf(item):
            is_valid = _check(item)
            return lambda value: isinstance(value, list) and all(map(is_valid, value))
        case MapOf(inner):
            is_valid = _check(inner)
            return lambda value: isinstance(value, dict) and all(map(is_valid, value.values()))
        case Pair(items):
            checks = list(map(_check, items))
            return lambda value: (
                isinstance(value, list)
                and len(value) == len(checks)
                and all(check(element) for check, element in zip(checks, value, strict=True))
            )
        case AnyOf(options):
            checks = list(map(_check, options))
            return lambda value: any(check(value) for check in checks)
    return functools.partial(takes, shape)
