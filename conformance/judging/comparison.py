"""How alike an answer and the expected one are: the levels value, exact and bytes (PROTOCOL.md, "Levels")."""

import base64
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from functools import partial
from typing import Any

from conformance.judging.key_order import pointers_into, sorted_text
from conformance.registry.op import Op
from conformance.wire.numbers import decode_at, map_at
from conformance.wire.text import decoded, encodable

__all__ = ["ABSENT", "Difference", "Level", "Nature", "differences", "nodes", "reached"]


class Level(IntEnum):
    """How strictly answers are compared; each level includes those before it."""

    NONE = 0
    VALUE = 1
    EXACT = 2
    BYTES = 3

    def __str__(self) -> str:
        return self.name.lower()


class Nature(Enum):
    """What sort of difference it is, without its values."""

    VALUE = "another value"
    MISSING = "the key is missing"
    EXTRA = "the key is not expected"
    TIMES = "a key stands another number of times"
    LENGTH = "items expected"
    ORDER = "the keys' order"
    CONTENT = "other content"
    BYTES = "other bytes"


class _Absent(Enum):
    ABSENT = "absent"


ABSENT = _Absent.ABSENT
"""In the place of a value where there is none."""


@dataclass(frozen=True, slots=True)
class Difference:
    """One place where two answers differ."""

    path: str
    breaks: Level
    """The lowest level at which this counts."""
    what: str
    expected: Any
    """What stands there on either side: a value, the keys where it is about their order, or ``ABSENT``."""
    actual: Any
    nature: Nature = Nature.VALUE


class _Form(Enum):
    """How content is compared."""

    JSON = "JSON"
    """As JSON below level ``bytes``."""
    JSON_LINES = "JSON lines"
    """Line by line as JSON below level ``bytes``."""
    PARSED = "parsed"
    """As the value that Python's json makes of it, at every level: of equal keys the last counts."""


@dataclass(frozen=True, slots=True)
class _Content:
    """Bytes that hold JSON: a file's, or those of a ``PREFIX=json`` line."""

    content: bytes
    prefix: str = ""
    form: _Form = _Form.JSON


class _Members(list[tuple[str, Any]]):
    """A parsed object whose keys may occur more than once, in their order."""


def differences(
    op: Op, expected: Any, actual: Any, unordered: frozenset[str] = frozenset()
) -> list[Difference]:
    """All differences between two ``ok`` values of ``op``.

    ``unordered`` holds JSON pointers to objects whose key order is free; one with a ``#`` leads into a file.
    """
    if _look_alike(expected, actual):  # the same JSON, key order and kinds of number included
        return []
    return list(_walk("", _prepare(op, expected), _prepare(op, actual), unordered))


def nodes(op: Op, value: Any) -> Iterator[tuple[str, Any]]:
    """Every value within an ``ok`` value of ``op``, files' content included, each with its path.

    The paths are those of ``differences``; an object comes before its members.
    """
    yield from _nodes("", _prepare(op, value))


def _nodes(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, _Content):
        try:
            value = _parse(value) if value.form is not _Form.PARSED else json.loads(value.content)
        except (ValueError, RecursionError):
            yield path, decoded(value.content)
            return
    yield path, _plain(value)
    if isinstance(value, _Members):
        for key, item in value:
            yield from _nodes(f"{path}/{key}", item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _nodes(f"{path}/{key}", item)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _nodes(f"{path}/{index}", item)


def _look_alike(expected: Any, actual: Any) -> bool:
    try:
        return repr(expected) == repr(actual)
    except (RecursionError, ValueError):  # nested too deeply or too long to be shown, yet not to be compared
        return False


def reached(found: list[Difference]) -> Level:
    """The highest level at which an answer with these differences still equals the expected one."""
    return Level(min((difference.breaks for difference in found), default=Level.BYTES + 1) - 1)


def _prepare(op: Op, value: Any) -> Any:
    value = decode_at(value, op.ok_numbers)
    for form, paths in (
        (_Form.JSON, op.ok_files),
        (_Form.JSON_LINES, op.ok_json_lines),
        (_Form.PARSED, op.ok_parsed),
    ):
        for path in paths:
            value = _change_dict(value, path, partial(_file_content, form=form))
    for path in op.ok_lines:
        value = map_at(value, path, _line_content)
    for path in op.ok_free_order:
        value = _in_one_order(value, path)
    return value


def _in_one_order(value: Any, path: tuple[str, ...]) -> Any:
    """The value with the members of the objects at ``path`` sorted."""
    if not path:
        return {key: value[key] for key in sorted(value)} if isinstance(value, dict) else value
    head, rest = path[0], path[1:]
    if isinstance(value, list):
        return [_in_one_order(item, rest) for item in value] if head == "*" else value
    if not isinstance(value, dict):
        return value
    return {key: _in_one_order(item, rest) if head in ("*", key) else item for key, item in value.items()}


def _change_dict(value: Any, path: tuple[str, ...], change: Any) -> Any:
    if not path:
        return change(value)
    if isinstance(value, dict) and path[0] in value:
        return value | {path[0]: _change_dict(value[path[0]], path[1:], change)}
    return value


def _file_content(value: Any, form: _Form) -> Any:
    if not isinstance(value, dict) or len(value) != 1:
        return value
    (kind, content), *_ = value.items()
    if isinstance(content, str):
        if kind == "text":
            return _Content(content.encode("utf-8", "surrogatepass"), form=form)
        if kind == "base64":
            try:
                return _Content(base64.b64decode(content, validate=True), form=form)
            except ValueError:
                return value
    return value


def _line_content(value: Any) -> Any:
    if not isinstance(value, str) or "=" not in value:
        return value
    prefix, _, rest = value.partition("=")
    return _Content(rest.encode("utf-8", "surrogatepass"), prefix)


def _walk(path: str, expected: Any, actual: Any, unordered: frozenset[str]) -> Iterator[Difference]:
    if isinstance(expected, dict) and isinstance(actual, dict):
        yield from _objects(path, expected, actual, unordered)
    elif isinstance(expected, _Members) and isinstance(actual, _Members):
        yield from _members(path, expected, actual)
    elif isinstance(expected, list) and isinstance(actual, list) and type(expected) is type(actual):
        if len(expected) != len(actual):
            what = f"{len(expected)} items expected, {len(actual)} came"
            yield Difference(path, Level.VALUE, what, _plain(expected), _plain(actual), Nature.LENGTH)
        for index, (left, right) in enumerate(zip(expected, actual, strict=False)):
            yield from _walk(f"{path}/{index}", left, right, unordered)
    elif _is_number(expected) and _is_number(actual):
        yield from _numbers(path, expected, actual)
    elif isinstance(expected, _Content) and isinstance(actual, _Content):
        if expected.form is _Form.PARSED:
            yield from _parsed(path, expected, actual, unordered)
        else:
            yield from _contents(path, expected, actual, pointers_into(path, unordered))
    elif type(expected) is not type(actual) or expected != actual:
        what = f"{show(expected)} expected, {show(actual)} came"
        yield Difference(path, Level.VALUE, what, _plain(expected), _plain(actual))


def _objects(
    path: str, expected: dict[str, Any], actual: dict[str, Any], unordered: frozenset[str]
) -> Iterator[Difference]:
    for key in expected:
        if key not in actual:
            left_out = _plain(expected[key])
            yield Difference(
                f"{path}/{key}", Level.VALUE, Nature.MISSING.value, left_out, ABSENT, Nature.MISSING
            )
        else:
            yield from _walk(f"{path}/{key}", expected[key], actual[key], unordered)
    for key in actual:
        if key not in expected:
            what = Nature.EXTRA.value
            yield Difference(f"{path}/{key}", Level.VALUE, what, ABSENT, _plain(actual[key]), Nature.EXTRA)
    if expected.keys() == actual.keys() and path not in unordered and list(expected) != list(actual):
        what = f"the keys' order is {list(actual)}, not {list(expected)}"
        yield Difference(path, Level.BYTES, what, list(expected), list(actual), Nature.ORDER)


def _members(path: str, expected: _Members, actual: _Members) -> Iterator[Difference]:
    """Objects inside a file: duplicate keys are matched in their order; key order is the bytes' affair."""
    left, right = _grouped(expected), _grouped(actual)
    for key in left | right:
        mine, theirs = left.get(key, []), right.get(key, [])
        if len(mine) != len(theirs):
            what = f"the key stands {len(theirs)} times, not {len(mine)}"
            left_out = mine[0] if mine else ABSENT
            yield Difference(
                f"{path}/{key}",
                Level.VALUE,
                what,
                _plain(left_out),
                _plain(theirs[0]) if theirs else ABSENT,
                Nature.TIMES if mine and theirs else Nature.MISSING if mine else Nature.EXTRA,
            )
        for one, other in zip(mine, theirs, strict=False):
            yield from _walk(f"{path}/{key}", one, other, frozenset())


def _grouped(members: _Members) -> dict[str, list[Any]]:
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
    if isinstance(expected, float) and isinstance(actual, float) and math.isnan(expected):
        if not math.isnan(actual):
            what = f"{show(expected)} expected, {show(actual)} came"
            yield Difference(path, Level.VALUE, what, expected, actual)
        return
    what = f"{show(expected)} expected, {show(actual)} came"
    if _as_double(expected) != _as_double(actual):
        yield Difference(path, Level.VALUE, what, expected, actual)
    elif type(expected) is not type(actual):
        yield Difference(path, Level.EXACT, what + " (int and float differ)", expected, actual)
    elif expected != actual or _sign_of_zero(expected) != _sign_of_zero(actual):
        yield Difference(path, Level.EXACT, what, expected, actual)


def _sign_of_zero(number: int | float) -> float:
    return math.copysign(1.0, number) if number == 0 else 0.0


def _contents(path: str, expected: _Content, actual: _Content, unordered: list[str]) -> Iterator[Difference]:
    if expected == actual:
        return
    found: list[Difference] | None = None
    if expected.prefix == actual.prefix:
        try:
            left, right = _parse(expected), _parse(actual)
            found = list(_walk(path, left, right, frozenset()))
        except (ValueError, RecursionError):
            pass
    if found is None:
        yield _other_content(path, expected, actual)
    elif found:
        yield from found
    elif not unordered or _sorted_content(expected, unordered) != _sorted_content(actual, unordered):
        what = f"the bytes differ: {_show_content(expected)} expected, {_show_content(actual)} came"
        yield Difference(path, Level.BYTES, what, _plain(expected), _plain(actual), Nature.BYTES)


def _parsed(
    path: str, expected: _Content, actual: _Content, unordered: frozenset[str]
) -> Iterator[Difference]:
    """Content of which only the value counts: white space is free, the order of the parsed keys is not."""
    if expected == actual:
        return
    try:
        left, right = (json.loads(one.content.decode("utf-8")) for one in (expected, actual))
        free = frozenset(path + inside for inside in pointers_into(path, unordered))
        found = list(_walk(path, left, right, free))
    except (ValueError, RecursionError):
        found = [_other_content(path, expected, actual)]
    yield from found


def _other_content(path: str, expected: _Content, actual: _Content) -> Difference:
    what = f"{_show_content(expected)} expected, {_show_content(actual)} came"
    return Difference(path, Level.VALUE, what, _plain(expected), _plain(actual), Nature.CONTENT)


def _sorted_content(content: _Content, unordered: list[str]) -> str:
    return sorted_text(content.content.decode("utf-8"), unordered)


def _parse(content: _Content) -> Any:
    text = content.content.decode("utf-8")
    if content.form is _Form.JSON_LINES:  # a final line feed ends the last line, it begins none
        lines = text.removesuffix("\n").split("\n") if text else []
        return [json.loads(line, object_pairs_hook=_Members) for line in lines]
    return json.loads(text, object_pairs_hook=_Members)


def _plain(value: Any) -> Any:
    """A compared value without what comparing added to it."""
    try:
        return _stripped(value)
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply"


def _stripped(value: Any) -> Any:
    if isinstance(value, _Content):
        return decoded(value.content)
    if isinstance(value, _Members):
        return {key: _stripped(item) for key, item in value}
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    if isinstance(value, dict):
        return {key: _stripped(item) for key, item in value.items()}
    return value


def _show_content(content: _Content) -> str:
    text = decoded(content.content)
    return show(f"{content.prefix}={text}" if content.prefix else text)


def show(value: Any) -> str:
    """A value as JSON for people, cut to 200 characters."""
    if isinstance(value, _Content):
        return _show_content(value)
    if isinstance(value, _Members):
        value = dict(value)
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, RecursionError):
        text = repr(type(value))
    text = encodable(text)
    return text if len(text) <= 200 else f"{text[:197]}..."
