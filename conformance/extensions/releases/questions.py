"""What two releases are asked: every vector, every job that is played back, then random inputs."""

import itertools
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.fuzz.inputs import Inputs
from conformance.registry.op import Op
from conformance.registry.ops import OPS
from conformance.suite.vectors import Vector
from conformance.wire import messages
from conformance.wire.messages import Request
from conformance.wire.numbers import spell_at

__all__ = ["Question", "questions", "request_for"]

CHANGED = 0.5
"""The share of random inputs that are a vector with small changes: what only a whole random input shows, and
what only a near miss of a vector does, come equally often."""


@dataclass(frozen=True, slots=True)
class Question:
    """One input, which both sides get."""

    number: int
    """Its place in the stream, from 1."""
    name: str
    """What the runners call the operation."""
    op: Op
    """How the answers are compared."""
    input: Any
    vector: Vector | None = None
    """The vector that asks just this; None for a random input."""
    base: Vector | None = None
    """The vector that was changed; None for an input made from nothing."""

    @property
    def kind(self) -> str:
        """``vectors``, ``played`` or ``random``."""
        if self.vector is None:
            return "random"
        return "vectors" if self.name == self.op.name else "played"

    @property
    def clause(self) -> str:
        """The clause that a difference is most likely about."""
        near = self.vector or self.base
        return near.clause if near else self.op.fallback_clause


def questions(
    vectors: Sequence[Vector], seed: int, inputs: int, ops: frozenset[str] | None = None
) -> Iterator[Question]:
    """The stream: what it holds depends on the arguments alone.

    ``ops`` are those that random inputs are drawn for, all that the vectors have where it is None; two
    vectors of different specs that ask the same are one question.
    """
    number = itertools.count(1)
    asked: set[tuple[str, str]] = set()
    by_id: dict[str, Vector] = {}
    for vector in vectors:
        for name, given in _asked_by(vector):
            text = json.dumps(given)
            if (name, text) not in asked:
                asked.add((name, text))
                by_id[vector.id] = vector
                yield Question(next(number), name, vector.op, given, vector)
    drawable = {vector.op.name for vector in vectors if ops is None or vector.op.name in ops}
    if not drawable:
        return
    bases = list(by_id.values())
    for drawn in itertools.islice(Inputs(seed, sorted(drawable), bases, changed=CHANGED), inputs):
        base = by_id[drawn.base] if drawn.base else None
        yield Question(next(number), drawn.op, OPS[drawn.op], drawn.input, None, base)


def _asked_by(vector: Vector) -> Iterator[tuple[str, Any]]:
    yield vector.op.name, vector.input
    if vector.played is not None and vector.op.playing is not None:
        yield vector.op.playing.op, vector.played


def compared_as(question: Question) -> Op:
    """How answers to a question are compared: what a played job leaves behind is its files."""
    if question.name == question.op.name:
        return question.op
    no_paths = dict.fromkeys(("ok_lines", "ok_json_lines", "ok_parsed", "ok_numbers", "ok_free_order"), ())
    return replace(question.op, ok_files=(("result.json",),), **no_paths)  # type: ignore[arg-type]


def request_for(question: Question, given: Any, *, numbers_as_strings: bool) -> Request:
    """The request for a question, or for a smaller input in its place."""
    op, key = question.op, str(question.number)
    if question.vector is not None and given is question.input and question.name == op.name:
        return replace(question.vector.request(numbers_as_strings=numbers_as_strings), key=key)
    if numbers_as_strings and op.input_numbers and question.name == op.name:
        given = spell_at(given, op.input_numbers, everything=True)
    return Request(key, messages.encode_tail(question.name, given))
