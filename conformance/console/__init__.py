"""Shared code of the two faces: options, output, progress, and the garbage collector."""

import gc

__all__ = ["RARELY", "collect_rarely"]

RARELY = (50_000, 20, 100)
"""Thresholds of the garbage collector. A run keeps nearly all its objects, and with Python's own thresholds
collecting takes a fifth of the time."""


def collect_rarely() -> None:
    """Makes the garbage collector run rarely in this process."""
    gc.set_threshold(*RARELY)
