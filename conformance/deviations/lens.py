"""Reads and changes values by path: in a message, in the text of its files, and in JSON within text.

A path is a tuple of keys. ``"*"`` matches every key or index, ``"**"`` the value and everything in it.
``"@text"`` is a file's content as text, ``"@json"`` the JSON of a text or file, ``"@lines"`` the list of a
file's JSON lines, ``"@line"`` the object of the last ``PREFIX={...}`` line of a text.

``change_at`` returns the same object if nothing changes. JSON within text is written again only if it
contains a change, in its own layout: other numbers keep their spelling, and other objects their repeated
keys.
"""

import base64
import functools
import itertools
import json
import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from json.encoder import encode_basestring, encode_basestring_ascii
from typing import Any

from conformance.judging.comparison import ABSENT
from conformance.wire.messages import Refused
from conformance.wire.numbers import Path, any_digits

__all__ = [
    "ABSENT",
    "Change",
    "RefuseError",
    "Row",
    "change_at",
    "content_of",
    "is_deep",
    "json_in",
    "line_in",
    "text_of",
    "values_at",
    "write_like",
]

Change = Callable[[Any], Any]
"""Maps a value, or ``ABSENT``, to another; returns the same object if there is nothing to change."""

Row = tuple[str, int, str, Change]
"""A row of a table of changes (``deviations.changes``)."""


class RefuseError(Exception):
    """Raised by a change whose result is an error."""

    def __init__(self, refused: Refused) -> None:
        super().__init__(refused.type)
        self.refused = refused


_LINE = re.compile(r"^([ \t]*[A-Z][A-Z_]*=)(\{.*)$", re.M)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACKET = re.compile(r"[\[\]{}]")
_CONTAINERS = (dict, list)
_DEEPEST = 100
"""JSON with more levels of lists and objects is not changed."""
_INDENTED = re.compile(r"[\[{]\r?\n( +|\t+)")


class _Float(float):
    """A float whose ``text`` is not Python's spelling; an empty text means Python's."""

    text = ""


class _RepeatedKeys(dict[str, Any]):
    """An object with repeated keys; as a dict it has the last value of each."""

    pairs: list[tuple[str, Any]]


def _parse_float(text: str) -> float:
    value = float(text)
    if repr(value) == text:
        return value
    spelled = _Float(value)
    spelled.text = text
    return spelled


def _to_dict(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    plain = dict(pairs)
    if len(plain) == len(pairs):
        return plain
    repeated = _RepeatedKeys(plain)
    repeated.pairs = pairs
    return repeated


@functools.lru_cache(maxsize=8192)
def json_in(text: str) -> tuple[Any, ...]:
    """The value of a JSON text, in a tuple; an empty tuple if the text is not JSON or nests too deeply."""
    if is_deep(text):
        return ()
    try:
        return (json.loads(text, parse_float=_parse_float, object_pairs_hook=_to_dict),)
    except (ValueError, RecursionError):
        return ()


def is_deep(text: str) -> bool:
    """Whether a JSON text nests too deeply; brackets within its strings count too."""
    if text.count("[") + text.count("{") <= _DEEPEST:
        return False
    depths = itertools.accumulate(1 if bracket in "[{" else -1 for bracket in _BRACKET.findall(text))
    return max(depths) > _DEEPEST


def text_of(content: Any) -> str | None:
    """The text of a file's content, or a string itself; None for anything else, or if it is not UTF-8."""
    if isinstance(content, str):
        return content
    if not isinstance(content, dict) or len(content) != 1:
        return None
    if isinstance(text := content.get("text"), str):
        return text
    try:
        return base64.b64decode(content["base64"]).decode("utf-8")
    except (KeyError, TypeError, ValueError):
        return None


def content_of(text: str) -> dict[str, str]:
    """A file's content with this text."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return {"base64": base64.b64encode(text.encode("utf-8", "surrogatepass")).decode("ascii")}
    return {"text": text}


def line_in(text: str) -> re.Match[str] | None:
    """The last line of the form ``PREFIX={...}``: groups are the prefix and the object."""
    match = None
    for match in _LINE.finditer(text):  # noqa: B007 - the last one
        pass
    return match


def write_like(value: Any, like: str) -> str:
    """A value as JSON, in the layout of another text."""
    indented = _INDENTED.match(like)
    bare = _STRING.sub('""', like) if ", " in like or '": ' in like else like
    spaced = ", " in bare or '": ' in bare or ":" not in bare
    quoted = encode_basestring_ascii if like.isascii() and "\\u" in like else encode_basestring
    layout = _Layout(indented[1] if indented else None, ": " if spaced or indented else ":", spaced, quoted)
    with any_digits():
        return layout.text(value, "\n") + "\n" * like.endswith("\n")


@dataclass(frozen=True, slots=True)
class _Layout:
    """The layout of a JSON text."""

    indent: str | None
    colon: str
    spaced: bool
    quoted: Callable[[str], str]

    def text(self, value: Any, line: str) -> str:
        """A value's text; ``line`` is a newline and the indent around the value."""
        if isinstance(value, str):
            return self.quoted(value)
        if isinstance(value, _Float):
            return value.text or json.dumps(float(value))
        inner = line if self.indent is None else line + self.indent
        if isinstance(value, dict):
            pairs = value.pairs if isinstance(value, _RepeatedKeys) else value.items()
            items = [self.quoted(key) + self.colon + self.text(item, inner) for key, item in pairs]
        elif isinstance(value, list):
            items = [self.text(item, inner) for item in value]
        else:
            return json.dumps(value)
        open_, close = ("{", "}") if isinstance(value, dict) else ("[", "]")
        if not items or self.indent is None:
            return open_ + (", " if self.spaced else ",").join(items) + close
        return f"{open_}{inner}{f',{inner}'.join(items)}{line}{close}"


def change_at(value: Any, path: Path, change: Change) -> Any:
    """Applies a change to every value at ``path``; returns the same object if nothing changes.

    A change that returns ``ABSENT`` removes the member or item. A missing member is passed as ``ABSENT``.
    """
    if not path:
        return change(value)
    step, inner = path[0], path[1:]
    if step[:1] == "@":
        return _change_text(value, step, inner, change)
    if step == "**":
        return _change_everywhere(value, change)
    if step == "*" and isinstance(value, _CONTAINERS):
        return _change_items(value, (lambda item: change_at(item, inner, change)) if inner else change)
    if isinstance(value, dict):
        if step in value:
            old = value[step]
            new = change_at(old, inner, change) if inner else change(old)
            return value if new is old else _with_member(value, step, new)
        if not inner and (new := change(ABSENT)) is not ABSENT:
            return {**value, step: new}
    return value


def _with_member(value: dict[str, Any], key: str, new: Any) -> dict[str, Any]:
    """An object with another value for an existing key, or without that key."""
    if new is ABSENT:
        return {name: item for name, item in value.items() if name != key}
    if not isinstance(value, _RepeatedKeys):
        return {**value, key: new}
    last = max(number for number, (name, _) in enumerate(value.pairs) if name == key)
    return _to_dict(
        [(name, new if number == last else item) for number, (name, item) in enumerate(value.pairs)]
    )


def _change_items(value: Any, change: Change) -> Any:
    """A list or object with each item changed."""
    old = value if isinstance(value, list) else value.values()
    new = list(map(change, old))
    if all(map(operator.is_, new, old)):
        return value
    if isinstance(value, list):
        return [item for item in new if item is not ABSENT]
    return {key: item for key, item in zip(value, new, strict=True) if item is not ABSENT}


def _change_everywhere(value: Any, change: Change, levels: int = _DEEPEST) -> Any:
    """Changes a value, then everything in it, including JSON files and lines, down to so many levels."""
    new = change(value)
    if isinstance(new, str):
        return _change_text(new, "@line", ("**",), change) if "={" in new else new
    if not isinstance(new, _CONTAINERS) or not levels:
        return new
    if isinstance(new, dict) and text_of(new) is not None:
        return _change_text(new, "@json", ("**",), change)
    return _change_items(new, lambda item: _change_everywhere(item, change, levels - 1))


def _change_text(value: Any, step: str, inner: Path, change: Change) -> Any:
    """Applies a change within the text of a file's content, or within a string."""
    text = text_of(value)
    new: Any = text
    if text is None:
        return value
    if step == "@text":
        new = change_at(text, inner, change)
    elif step == "@json":
        new = _change_json(text, inner, change)
    elif step == "@lines":
        new = _change_lines(text, inner, change)
    elif (match := line_in(text)) is not None:
        line = _change_json(match[2], inner, change)
        new = text[: match.start(2)] + line + text[match.end(2) :] if isinstance(line, str) else line
    if new == text and isinstance(new, str):
        return value
    return content_of(new) if isinstance(new, str) and isinstance(value, dict) else new


def _change_json(text: str, inner: Path, change: Change) -> Any:
    tree = json_in(text)
    if not tree:
        return text
    new = change_at(tree[0], inner, change)
    return text if new is tree[0] else "" if new is ABSENT else write_like(new, text)


def _change_lines(text: str, inner: Path, change: Change) -> str:
    lines = text.splitlines(keepends=True)
    trees = [json_in(line) for line in lines]
    if not all(trees):
        return text
    values = [tree[0] for tree in trees]
    new = change_at(values, inner, change)
    if new is values or not isinstance(new, list):
        return text
    known = {id(value): line for value, line in zip(values, lines, strict=True)}
    return "".join(known.get(id(value)) or write_like(value, lines[0]) for value in new)


def values_at(value: Any, path: Path) -> list[Any]:
    """Every value at a path; ``ABSENT`` for a missing member."""
    values: list[Any] = []

    def keep_value(item: Any) -> Any:
        values.append(item)
        return item

    change_at(value, path, keep_value)
    return values
