"""Shared code of the two faces: options, output, progress, and the garbage collector."""

__all__ = ["RARELY"]

RARELY = (50_000, 20, 100)
"""Thresholds of the garbage collector. A run keeps nearly all its objects, and with Python's own thresholds
collecting takes a fifth of the time."""
