"""Caches vector files per process, since comparing and merging load a spec's vectors repeatedly."""

import contextlib
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
    kept = lru_cache(100)(lambda path, *_: tuple(read(path)))

    @wraps(read)
    def reader(path: Path) -> "list[Vector]":
        spec = SPEC_TABLE.get(path.parent.name)
        with contextlib.suppress(OSError, ValueError):
            now = path.stat()
            settled = now.st_mtime < time.time() - _SETTLED_SECONDS
            if settled and spec is not None and spec.base is None:  # an overlay depends on its base's files
                return [*kept(path, now.st_dev, now.st_ino, now.st_size, now.st_mtime_ns)]
        return read(path)

    return reader
