"""Caches vector files per process, since comparing and merging load a spec's vectors repeatedly."""

import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from conformance.registry.ops import SPEC_TABLE

if TYPE_CHECKING:
    from conformance.suite.vectors import Vector

__all__ = ["remembered"]

_Stamp: TypeAlias = tuple[Path, int, int, int, int]
_SETTLED_SECONDS = 2.0
"""A younger file could be rewritten without a new modification time."""
_MANY = 100


def remembered(read: "Callable[[Path], list[Vector]]") -> "Callable[[Path], list[Vector]]":
    """Caches a reader of vector files until a file changes."""
    known: dict[_Stamp, tuple[Vector, ...]] = {}

    @wraps(read)
    def reader(path: Path) -> "list[Vector]":
        stamp = _stamp(path)
        if stamp is not None and stamp in known:
            return [*known[stamp]]
        found = read(path)
        # An overlay's vectors depend on its base's files, too.
        if stamp is not None and found and SPEC_TABLE[found[0].op.spec].base is None:
            if len(known) >= _MANY:
                known.clear()
            known[stamp] = tuple(found)
        return found

    return reader


def _stamp(path: Path) -> _Stamp | None:
    """A stamp that changes with the file; None if unknown."""
    try:
        now = path.stat()
    except (OSError, ValueError):
        return None
    if now.st_mtime > time.time() - _SETTLED_SECONDS:
        return None
    return (path, now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns)
