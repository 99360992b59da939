"""The stream of inputs: generated ones and vectors with small changes, the same for the same seed."""

import itertools
import random
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from conformance.fuzz.changes import Changer
from conformance.ops import OPS
from conformance.paths import DEFAULT_SPEC
from conformance.random_harness import HarnessGenerator
from conformance.random_inputs import InputGenerator
from conformance.random_metrics import MetricGenerator
from conformance.vectors import Vector

__all__ = ["WEIGHTS", "Drawn", "Inputs", "all_ops"]

WEIGHTS: dict[str, float] = {
    "parse_reward": 8,
    "terminal_bench_reward": 0.05,
    "aggregate": 6,
    "evals_key": 1,
    "pass_at_k": 3,
    "multi_step_reward": 4,
    "plan_trials": 1,
    "resolve_metrics": 1,
    "job_result": 4,
    "pipeline": 3,
    "outcome": 4,
    "reason_code": 3,
    "read_outcome": 3,
    "rewards_jsonl": 4,
    "metric_script": 0.004,  # each starts two processes
    "evsys.compute": 2,
    "evsys.registry": 2,
    "harness.score": 2,
    "harness.metric": 1,
    "harness.evaluate": 4,
    "harness.reliability": 2,
    "harness.operational": 3,
    "harness.dimensions": 2,
    "harness.json": 2,
    "harness.template": 2,
}
"""How often each op is drawn, beside the others."""
_CHANGED = 0.4
"""The share of inputs that are a vector with small changes."""
_MOST_BYTES = 16_384
"""Vectors with longer requests are not changed: they would take the time of many others."""
_BLOCK = 256


def all_ops(spec: str = DEFAULT_SPEC) -> tuple[str, ...]:
    """The ops of a spec that inputs can be drawn for."""
    return tuple(op for op in WEIGHTS if OPS[op].spec == spec)


class Drawn(NamedTuple):
    """One input of the stream."""

    number: int
    """Its place in the stream, from 1."""
    op: str
    input: Any
    base: str | None
    """The vector that was changed; None for an input made from nothing."""


class Inputs:
    """Draws inputs without end. What it draws depends on its arguments alone, not on time or replies."""

    def __init__(self, seed: int, ops: Sequence[str], vectors: Sequence[Vector] = ()) -> None:
        """``vectors`` are those to change; without any, all inputs are made from nothing."""
        values = InputGenerator(seed)
        self._changer = Changer(values)
        generators = (values, MetricGenerator(seed), HarnessGenerator(seed))
        self._generators = {op: generator for generator in generators for op in generator.ops}
        self._random = random.Random(f"{seed} inputs")  # noqa: S311 - nothing secret here
        self._ops = [op for op in WEIGHTS if op in ops]
        self._bases: dict[str, list[Vector]] = {op: [] for op in self._ops}
        for vector in sorted(vectors, key=lambda vector: vector.id):
            if vector.op.name in self._bases and len(vector.request().tail) <= _MOST_BYTES:
                self._bases[vector.op.name].append(vector)

    def __iter__(self) -> Iterator[Drawn]:
        """The stream; an Inputs is iterated once."""
        weights = list(itertools.accumulate(WEIGHTS[op] for op in self._ops))
        number = 0
        while True:
            for op in self._random.choices(self._ops, cum_weights=weights, k=_BLOCK):
                number += 1
                bases = self._bases[op]
                if bases and self._random.random() < _CHANGED:
                    base = self._random.choice(bases)
                    yield Drawn(number, op, self._changer.change(op, base.input), base.id)
                else:
                    yield Drawn(number, op, self._generators[op].draw(op), None)
