"""A place that is not a folder of this machine, as the audit enters it: names in memory, one file.

Nothing that a stranger named is ever made a path: a name leads to an offset.
"""

import os
import re
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Union

from conformance.extensions.audit.sources.locations import PlaceError
from conformance.wire.text import shortened
from conformance.wire.untrusted_files import (
    MIB,
    Folder,
    Refused,
    TooManyEntriesError,
    allowed,
    quantity,
    refusal,
)

__all__ = ["Entry", "Leaf", "Names", "Tree", "checked_path", "nested"]

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


@dataclass(frozen=True, slots=True)
class Leaf:
    """Anything but a folder."""

    mode: int
    size: int = 0
    offset: int | None = None
    """Where its content begins in the file of contents; None if the audit does not read it."""


Names = dict[str, Union["Names", Entry, Leaf]]
"""A folder: each name with a folder, or with what it stands for."""


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


def nested(entries: Iterable[Entry], where: str, most: int) -> Names:
    """The entries in their folders; each name stands for one thing.

    Raises:
        PlaceError: there are more than `most`, or two things have one name.
    """
    top: Names = {}
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


@dataclass(frozen=True, slots=True)
class Tree:
    """A folder of a place. It can be sent to another process of this machine."""

    contents: str
    """The file that has the contents."""
    names: Names

    def top(self) -> Folder:
        """The folder, opened.

        Raises:
            OSError: the contents are gone.
        """
        return _Packed(os.open(self.contents, os.O_RDONLY | os.O_CLOEXEC), self.names)

    def below(self, parts: Iterable[str]) -> "Tree":
        """A folder in it."""
        names = self.names
        for part in parts:
            child = names[part]
            assert isinstance(child, dict)
            names = child
        return Tree(self.contents, names)


class _Packed(Folder):
    """A folder of a tree; its descriptor is that of the contents."""

    __slots__ = ("names",)

    def __init__(self, descriptor: int, names: Names) -> None:
        super().__init__(descriptor)
        self.names = names

    def enter(self, name: str) -> Folder | None:
        found = self.names.get(name)
        if found is None:
            return None
        if not isinstance(found, dict):
            raise refusal(found.mode, "a directory")
        return _Packed(os.dup(self.descriptor), found)

    def read(self, name: str, limit: int) -> bytes | None:
        leaf = self._leaf(name, limit)
        return None if leaf is None else self._part(leaf, 0, leaf.size)

    def open(self, name: str, limit: int) -> tuple[int, int] | None:
        leaf = self._leaf(name, limit)
        if leaf is None:
            return None
        import tempfile  # slow to load, and logs are rare

        with tempfile.TemporaryFile() as file:
            for at in range(0, leaf.size, MIB):
                file.write(self._part(leaf, at, min(MIB, leaf.size - at)))
            file.seek(0)
            return os.dup(file.fileno()), leaf.size

    def entries(self, limit: int) -> Iterator[tuple[str, int]]:
        if len(self.names) > limit:
            raise TooManyEntriesError
        for name, of in self.names.items():
            yield name, stat.S_IFDIR if isinstance(of, dict) else of.mode

    def _leaf(self, name: str, limit: int) -> Leaf | None:
        found = self.names.get(name)
        if found is None:
            return None
        mode = stat.S_IFDIR if isinstance(found, dict) else found.mode
        if mode != stat.S_IFREG or not isinstance(found, Leaf):
            raise refusal(mode, "a file")
        if found.size > limit:
            raise Refused("too-large", quantity(found.size, "bytes"), allowed(limit, "bytes", found.size))
        return found

    def _part(self, leaf: Leaf, at: int, size: int) -> bytes:
        content = b"" if leaf.offset is None else os.pread(self.descriptor, size, leaf.offset + at)
        if len(content) != size:
            raise Refused("unreadable", "a file that was not fetched", "a file that the audit reads")
        return content
