"""What a listing has: names that a stranger chose, checked, and put into their folders."""

import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Union

from conformance.extensions.audit.sources.locations import PlaceError
from conformance.wire.text import shortened

_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_LONGEST_NAME, _LONGEST_PATH = 255, 3000
"""Bytes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a listing."""

    path: str
    """Below the location, with slashes between the names."""
    mode: int = stat.S_IFREG
    """What it is, without permissions."""
    size: int | None = None
    """Bytes of a file; None if that is not known before it is fetched."""
    version: str | None = ""
    """Changes with the content; None if it is not known before the file is asked for."""
    source: Any = None
    """What its source needs to fetch it."""


_Listed = dict[str, Union["_Listed", Entry]]


def checked_path(name: str, where: str) -> str:
    """A name of a listing as a path below the location; empty for the location itself.

    Raises:
        PlaceError: it leads out of the location, or no file can have it.
    """
    shown = shortened(repr(name), 200)
    if name.startswith("/") or _DRIVE.match(name):
        raise PlaceError(f"{where}: the name {shown} begins at the root of a file system; nothing is read")
    names = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in names:
        raise PlaceError(f"{where}: the name {shown} leads out of it; nothing is read")
    try:
        lengths = [len(part.encode("utf-8", "surrogateescape")) for part in names]
    except UnicodeEncodeError:
        lengths = [_LONGEST_NAME + 1]
    if "\0" in name or max(lengths, default=0) > _LONGEST_NAME or sum(lengths) + len(names) > _LONGEST_PATH:
        raise PlaceError(f"{where}: no file can have the name {shown}; nothing is read")
    return "/".join(names)


def nested(entries: Iterable[Entry], where: str, most: int) -> _Listed:
    """The entries in their folders; each name stands for one thing.

    Raises:
        PlaceError: there are more than `most`, or two things have one name.
    """
    top: _Listed = {}
    for count, entry in enumerate(entries, start=1):
        if count > most:
            raise PlaceError(f"{where}: more than {most} names (--max-entries raises the limit)")
        if not entry.path:
            continue
        *above, name = entry.path.split("/")
        folder = top
        for part in above:
            child = folder.setdefault(part, {})
            if _is_marker(child):
                child = folder[part] = {}
            if not isinstance(child, dict):
                what = "a symbolic link" if child.mode == stat.S_IFLNK else "a file"
                raise PlaceError(f"{where}: {part!r} is {what} and a folder; nothing is read")
            folder = child
        known = folder.get(name)
        if known is None:
            folder[name] = {} if entry.mode == stat.S_IFDIR else entry
        elif not isinstance(known, dict) or not (entry.mode == stat.S_IFDIR or _is_marker(entry)):
            shown = shortened(repr(entry.path), 200)
            raise PlaceError(f"{where}: two things have the name {shown}; nothing is read")
    return top


def _is_marker(of: object) -> bool:
    """Whether it is an empty object that stands for a folder, as buckets have them."""
    return isinstance(of, Entry) and of.mode == stat.S_IFREG and of.size == 0 and bool(of.version)
