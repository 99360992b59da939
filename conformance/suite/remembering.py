"""Caches vector files per process, since comparing and merging load a spec's vectors repeatedly."""

import time
from collections.abc import Callable
from functools import lru_cache, wraps
from pathlib import Path
from typing import TYPE_CHECKING

from conformance.registry.ops import SPEC_TABLE

if TYPE_CHECKING:
    from conformance.suite.vectors import Vector

__all__ = ["remembered"]

_SETTLED_SECONDS = 2.0
"""A younger file could be rewritten without a new modification time."""


def remembered(read: "Callable[[Path], list[Vector]]") -> "Callable[[Path], list[Vector]]":
    """Caches what a reader of vector files has read, until the file changes."""

    @lru_cache(100)
    def kept(path: Path, *_: int) -> "tuple[Vector, ...]":
        return tuple(read(path))

    @wraps(read)
    def reader(path: Path) -> "list[Vector]":
        spec = SPEC_TABLE.get(path.parent.name)
        if spec is None or spec.base is not None:  # an overlay's vectors depend on its base's files, too
            return read(path)
        try:
            now = path.stat()
        except (OSError, ValueError):
            return read(path)
        if now.st_mtime > time.time() - _SETTLED_SECONDS:
            return read(path)
        return [*kept(path, now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns)]

    return reader
