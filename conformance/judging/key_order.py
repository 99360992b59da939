"""Ignores the order of an object's members in JSON text where harbor takes it from a set.

A pointer to such an object has two parts, ``/result.json#/stats/evals/nop__d/reward_stats``: the file in
``ok``, and after the ``#`` the object in the file's JSON.
"""

import json
import re
from collections.abc import Iterable, Iterator

from conformance.wire.pointers import keys_of

__all__ = ["pointers_into", "sorted_text"]

_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = json.JSONDecoder()


def pointers_into(file: str, unordered: Iterable[str]) -> list[str]:
    """Return the parts after ``#`` of the pointers into ``file``, which is itself a pointer."""
    split = (pointer.partition("#") for pointer in sorted(unordered))
    return [inside for path, mark, inside in split if mark and path == file]


def sorted_text(text: str, pointers: Iterable[str]) -> str:
    """Return the text with the members of the objects at ``pointers`` sorted by key.

    Members are moved with their own text; white space and commas between them stay. Missing values and other
    types are ignored.

    Raises:
        ValueError: the text is not JSON.
    """
    for pointer in pointers:
        text = _sorted_at(text, keys_of(pointer))
    return text


def _sorted_at(text: str, keys: list[str]) -> str:
    offset = _skip(text, 0)
    for key in keys:
        offset = next((value for name, _, value, _ in _members(text, offset) if name == key), len(text))
    members = list(_members(text, offset))
    pieces = []
    end = offset
    for (_, begin, _, after), (_, start, _, stop) in zip(members, sorted(members), strict=True):
        pieces += [text[end:begin], text[start:stop]]
        end = after
    return text[:offset] + "".join(pieces) + text[end:]


def _members(text: str, offset: int) -> Iterator[tuple[str, int, int, int]]:
    """Yield each member of the object at ``offset``: its key, and the offsets of member, value and end."""
    if text[offset : offset + 1] != "{":
        return
    offset = _skip(text, offset + 1)
    while text[offset : offset + 1] not in ("}", ""):
        key, colon = _DECODER.raw_decode(text, offset)
        value = _skip(text, _skip(text, colon) + 1)
        _, end = _DECODER.raw_decode(text, value)
        yield key, offset, value, end
        offset = _skip(text, end)
        if text[offset : offset + 1] == ",":
            offset = _skip(text, offset + 1)


def _skip(text: str, offset: int) -> int:
    match = _SPACE.match(text, offset)
    assert match is not None
    return match.end()
