"""What a listing has: names that a stranger chose, made paths that can stand in a folder, or refused."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

from conformance.check.places.locations import PlaceError
from conformance.check.reading.json_files import show

__all__ = ["Entry", "Kind", "checked_entries", "checked_path"]

_DRIVE = re.compile(r"[A-Za-z]:[/\\]")
_PLAIN = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]*([./][A-Za-z0-9_-]+)*", re.ASCII)
_LONGEST_NAME = 255
_LONGEST_PATH = 3000
"""Bytes; systems allow 4096 with the folder of the cache before it."""


class Kind(Enum):
    """What a name stands for."""

    FILE = "a file"
    FOLDER = "a folder"
    LINK = "a symbolic link"
    FIFO = "a FIFO"
    DEVICE = "a device"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a listing."""

    path: str
    """Below the location, with slashes between the names."""
    kind: Kind
    size: int | None = None
    """Bytes of a file, None if that is not known before it is fetched."""
    version: str | None = ""
    """Another one when the content is another; None if that is not known before it is asked for."""
    source: object = None
    """What its source needs to fetch it."""
    position: int = 0
    """Files are fetched by ascending positions; in a compressed archive going back means starting anew."""


def checked_path(name: str, where: str) -> str:
    """A name of a listing as a path below the location; empty for the location itself.

    Raises:
        PlaceError: it leads out of the location, or no file can have it.
    """
    if len(name) <= _LONGEST_NAME and _PLAIN.fullmatch(name):
        return name  # as nearly all are
    if name.startswith("/") or _DRIVE.match(name):
        raise PlaceError(
            f"{where}: the name {show(name)} begins at the root of a file system; nothing is read"
        )
    names = [part for part in name.split("/") if part not in ("", ".")]
    if ".." in names:
        raise PlaceError(f"{where}: the name {show(name)} leads out of it; nothing is read")
    try:
        lengths = [len(part.encode("utf-8", "surrogateescape")) for part in names]
    except UnicodeEncodeError:
        lengths = [_LONGEST_NAME + 1]
    if "\0" in name or max(lengths, default=0) > _LONGEST_NAME or sum(lengths) + len(names) > _LONGEST_PATH:
        raise PlaceError(f"{where}: no file can have the name {show(name)}; nothing is read")
    return "/".join(names)


def checked_entries(found: Iterable[Entry], where: str, most: int, exact_case: bool) -> dict[str, Entry]:
    """The entries by path, the folders above them too; each path stands for one thing.

    With `exact_case` false, the file system holds `A` and `a` for one name.

    Raises:
        PlaceError: there are more than `most`, or two things have one name.
    """
    entries: dict[str, Entry] = {}
    for count, entry in enumerate(found, start=1):
        if count > most:
            raise PlaceError(f"{where}: more than {most} names (--max-entries raises the limit)")
        path = entry.path
        if not path:
            continue
        known = entries.get(path)
        if known is None or (known.kind is Kind.FOLDER and entry.kind is Kind.FOLDER):
            entries[path] = entry
        else:
            raise PlaceError(f"{where}: two things have the name {show(path)}; nothing is read")
    for path in list(entries):
        above = path
        while "/" in above:
            above = above.rpartition("/")[0]
            known = entries.get(above)
            if known is None or (known.kind is Kind.FILE and known.size == 0 and known.version):
                entries[above] = Entry(above, Kind.FOLDER)  # an empty object that stands for a folder
            elif known.kind is not Kind.FOLDER:
                what = known.kind.value
                raise PlaceError(f"{where}: {show(above)} is {what} and a folder; nothing is read")
            else:
                break
    if not exact_case:
        folded: dict[str, str] = {}
        for path in entries:
            other = folded.setdefault(path.casefold(), path)
            if other != path:
                both = f"{show(other)} and {show(path)}"
                raise PlaceError(f"{where}: {both} are one name on this machine; nothing is read")
    return entries
