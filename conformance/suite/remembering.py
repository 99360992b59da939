"""Vector files are read once per process: comparing and merging ask for a spec's vectors again and again."""

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
"""A file that was written later could be written again without another time."""
_MANY = 100


def remembered(read: "Callable[[Path], list[Vector]]") -> "Callable[[Path], list[Vector]]":
    """A reader of vector files that remembers them as long as they stay as they are."""
    known: dict[_Stamp, tuple[Vector, ...]] = {}

    @wraps(read)
    def reader(path: Path) -> "list[Vector]":
        stamp = _stamp(path)
        if stamp is not None and stamp in known:
            return [*known[stamp]]
        found = read(path)
        # What is said of a spec that is a difference depends on its base's files as well.
        if stamp is not None and found and SPEC_TABLE[found[0].op.spec].base is None:
            if len(known) >= _MANY:
                known.clear()
            known[stamp] = tuple(found)
        return found

    return reader


def _stamp(path: Path) -> _Stamp | None:
    """What changes with a file; None where that can't be known."""
    try:
        now = path.stat()
    except (OSError, ValueError):
        return None
    if now.st_mtime > time.time() - _SETTLED_SECONDS:
        return None
    return (path, now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns)
