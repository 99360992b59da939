"""Choosing among vectors."""

import fnmatch
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conformance.suite.vectors import Vector

__all__ = ["select", "with_preceding"]


def select(vectors: "Iterable[Vector]", patterns: Iterable[str]) -> "list[Vector]":
    """The vectors whose id equals or matches (as fnmatch) one of ``patterns``; all where there is none."""
    wanted = list(patterns)
    if not wanted:
        return list(vectors)
    return [
        vector
        for vector in vectors
        if any(vector.id == pattern or fnmatch.fnmatchcase(vector.id, pattern) for pattern in wanted)
    ]


def with_preceding(vectors: "Sequence[Vector]", chosen: "Sequence[Vector]", count: int) -> "list[Vector]":
    """The chosen ones, and before each the ``count`` that stand before it among ``vectors``, each once."""
    ids = {vector.id for vector in chosen}
    wanted: set[int] = set()
    for place, vector in enumerate(vectors):
        if vector.id in ids:
            wanted.update(range(max(0, place - count), place + 1))
    return [vectors[place] for place in sorted(wanted)]
