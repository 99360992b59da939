"""Values prepared for comparison: the JSON in their files and lines is parsed.

An op declares where its values hold such content (``registry.op``); below level ``bytes`` it is compared as
JSON.
"""

import base64
import contextlib
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Any

from conformance.registry.op import Op
from conformance.wire.numbers import Path, decode_at, map_at
from conformance.wire.pointers import pointer
from conformance.wire.text import decoded, encodable

__all__ = ["Content", "Form", "Members", "nodes", "parse", "plain", "prepare", "show"]


class Form(Enum):
    """How content is compared."""

    JSON = "JSON"
    """As JSON below level ``bytes``."""
    JSON_LINES = "JSON lines"
    """Line by line as JSON below level ``bytes``."""
    PARSED = "parsed"
    """As the value that Python's json parses, at every level: the last of duplicate keys counts."""


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes that hold JSON: a file's, or those of a ``PREFIX=json`` line."""

    content: bytes
    prefix: str = ""
    form: Form = Form.JSON


class Members(list[tuple[str, Any]]):
    """A parsed object in order, with possible duplicate keys."""


def nodes(op: Op, value: Any) -> Iterator[tuple[str, Any]]:
    """Every value within an ``ok`` value of ``op``, files' content included, each with its path.

    The paths are those of ``differences``; an object comes before its members.
    """
    yield from _nodes("", prepare(op, value))


def _nodes(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Content):
        try:
            value = parse(value) if value.form is not Form.PARSED else json.loads(value.content)
        except (ValueError, RecursionError):
            yield path, decoded(value.content)
            return
    yield path, plain(value)
    items: Iterable[tuple[str | int, Any]] = ()
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in value if isinstance(value, Members) else items:
        yield from _nodes(path + pointer(key), item)


def prepare(op: Op, value: Any) -> Any:
    """A value with its numbers read and its content marked as such."""
    value = decode_at(value, op.ok_numbers)
    for form, paths in (
        (Form.JSON, op.ok_files),
        (Form.JSON_LINES, op.ok_json_lines),
        (Form.PARSED, op.ok_parsed),
    ):
        for path in paths:
            value = _change_at(value, path, partial(_file_content, form=form))
    for path in op.ok_lines:
        value = map_at(value, path, _line_content)
    for path in op.ok_free_order:
        value = _change_at(value, path, _in_one_order)
    return value


def _change_at(value: Any, path: Path, change: Callable[[Any], Any]) -> Any:
    """The value with each part at ``path`` changed, objects included."""
    if not path:
        return change(value)
    first, deeper = path[0], path[1:]
    if isinstance(value, list):
        return [_change_at(item, deeper, change) for item in value] if first == "*" else value
    if not isinstance(value, dict):
        return value
    changed = value if first == "*" else value.keys() & {first}
    return value | {key: _change_at(value[key], deeper, change) for key in changed}


def _in_one_order(value: Any) -> Any:
    """An object with its members sorted."""
    return dict(sorted(value.items())) if isinstance(value, dict) else value


def _file_content(value: Any, form: Form) -> Any:
    match value:
        case {"text": str(text), **others} if not others:
            return Content(text.encode("utf-8", "surrogatepass"), form=form)
        case {"base64": str(text), **others} if not others:
            with contextlib.suppress(ValueError):
                return Content(base64.b64decode(text, validate=True), form=form)
    return value


def _line_content(value: Any) -> Any:
    if not isinstance(value, str) or "=" not in value:
        return value
    prefix, _, text = value.partition("=")
    return Content(text.encode("utf-8", "surrogatepass"), prefix)


def parse(content: Content) -> Any:
    """The JSON that content holds, equal keys and all.

    Raises:
        ValueError: it is not JSON.
        RecursionError: it is nested too deeply.
    """
    text = content.content.decode("utf-8")
    if content.form is Form.JSON_LINES:  # a final line feed ends the last line and starts no other
        lines = text.removesuffix("\n").split("\n") if text else []
        return [json.loads(line, object_pairs_hook=Members) for line in lines]
    return json.loads(text, object_pairs_hook=Members)


def plain(value: Any) -> Any:
    """A compared value as plain JSON."""
    try:
        return _stripped(value)
    except RecursionError:
        return f"a {type(value).__name__} nested too deeply"


def _stripped(value: Any) -> Any:
    if isinstance(value, Content):
        return decoded(value.content)
    if isinstance(value, Members):
        return {key: _stripped(item) for key, item in value}
    if isinstance(value, list):
        return [_stripped(item) for item in value]
    if isinstance(value, dict):
        return {key: _stripped(item) for key, item in value.items()}
    return value


def show(value: Any) -> str:
    """A value as JSON for people, cut to 200 characters."""
    if isinstance(value, Content):
        text = decoded(value.content)
        value = f"{value.prefix}={text}" if value.prefix else text
    elif isinstance(value, Members):
        value = dict(value)
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (ValueError, RecursionError):
        text = repr(type(value))
    text = encodable(text)
    return text if len(text) <= 200 else f"{text[:197]}..."
