"""The stream of inputs: generated ones and vectors with small changes, the same for the same seed."""

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from conformance.drawing.source import Seeded
from conformance.fuzz.changes import Changer
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS, ops_of
from conformance.suite.vectors import Vector

__all__ = ["Drawn", "Inputs", "all_ops"]

_CHANGED = 0.4
"""The share of inputs that are a vector with small changes."""
_MOST_BYTES = 16_384
"""Vectors with longer requests are not used: each would take the time of many others."""
_BLOCK = 256


def all_ops(spec: str = DEFAULT_SPEC) -> tuple[str, ...]:
    """The ops of a spec for which inputs can be drawn."""
    return tuple(op.name for op in ops_of(spec))


class Drawn(NamedTuple):
    """One input of the stream."""

    number: int
    """Its position in the stream, from 1."""
    op: str
    input: Any
    base: str | None
    """The vector that it derives from; None for a generated input."""


class Inputs:
    """Draws an endless stream of inputs, which depends only on its arguments, not on time or replies."""

    def __init__(
        self, seed: int, ops: Sequence[str], vectors: Sequence[Vector] = (), spec: str = DEFAULT_SPEC
    ) -> None:
        """``vectors`` are those to change; without any, all inputs are generated."""
        self._source = Seeded(seed)
        self._changer = Changer(self._source)
        self._random = random.Random(f"{seed} inputs")  # noqa: S311 - nothing secret here
        self._known = OPS | {op.name: op for op in ops_of(spec)}
        self._ops = [op for op in self._known if op in ops]
        self._bases: dict[str, list[Vector]] = {op: [] for op in self._ops}
        for vector in sorted(vectors, key=lambda vector: vector.id):
            if vector.op.name in self._bases and len(vector.request().tail) <= _MOST_BYTES:
                self._bases[vector.op.name].append(vector)

    def __iter__(self) -> Iterator[Drawn]:
        """The stream; an Inputs is iterated once."""
        weights = list(itertools.accumulate(self._known[op].weight for op in self._ops))
        number = 0
        while True:
            for op in self._random.choices(self._ops, cum_weights=weights, k=_BLOCK):
                number += 1
                bases = self._bases[op]
                if bases and self._random.random() < _CHANGED:
                    base = self._random.choice(bases)
                    yield Drawn(number, op, self._changer.change(op, base.input), base.id)
                else:
                    yield Drawn(number, op, self._known[op].draw(self._source), None)
