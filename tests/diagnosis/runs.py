"""Runs made up in this process: the evidence that runners would leave behind."""

import functools
import itertools
import random
from collections.abc import Callable, Iterable, Sequence

from conformance.diagnosis import Diagnosis, Evidence, Kind
from conformance.diagnosis.evidence import agree, expected_answer
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import all_mistakes, made
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import Ok, Refused

Answering = Callable[[str, object], Ok | Refused | None]


@functools.cache
def vectors() -> tuple[Vector, ...]:
    return tuple(load_spec(DEFAULT_SPEC))


def of_ops(*ops: str) -> list[Vector]:
    return [vector for vector in vectors() if vector.op.name in ops]


def piece(vector: Vector, answer: Ok | Refused | None, level: Level = Level.BYTES) -> Evidence:
    """What one answer leaves behind; None is a crash."""
    expected = expected_answer(vector)
    if answer is not None and not agree(vector.op, answer, answer, level):
        answer = None  # no reply may hold it, such as an int of more than 4300 digits
    passed = answer is not None and agree(vector.op, expected, answer, level, vector.unordered)
    kept = None if passed else answer
    return Evidence(
        vector.id,
        vector.op,
        vector.input,
        expected,
        kept,
        vector.unordered,
        passed,
        vector.clause,
        vector.rule,
    )


def evidence_of(
    answering: Answering, asked: Iterable[Vector] | None = None, level: Level = Level.BYTES
) -> list[Evidence]:
    """The evidence that a runner would leave behind."""
    return [
        piece(vector, answering(vector.op.name, vector.input), level)
        for vector in (vectors() if asked is None else asked)
    ]


def evidence_where(
    asked: Iterable[Vector], change: Callable[[Ok | Refused, object], Ok | Refused | None]
) -> list[Evidence]:
    """The same of a runner that changes the answer due, knowing the input."""
    return [piece(vector, change(expected_answer(vector), vector.input)) for vector in asked]


def evidence_of_mistakes(*names: str, asked: Iterable[Vector] | None = None) -> list[Evidence]:
    return evidence_of(made(*(all_mistakes()[name] for name in names)).answer, asked)


def named(diagnosis: Diagnosis) -> set[str]:
    return {one.name for explanation in diagnosis.explanations for one in explanation.mistakes}


def covered(diagnosis: Diagnosis, *kinds: Kind) -> set[str]:
    """The failures in the lines of some kinds, of all where none is given."""
    return {key for line in diagnosis.lines if line.kind in (kinds or Kind) for key in line.keys}


def draws(count: int, seed: int, names: Sequence[str]) -> list[tuple[str, ...]]:
    """Sets of one, two and three mistakes by turns."""
    chance = random.Random(seed)
    return [tuple(chance.sample(names, size)) for size in itertools.islice(itertools.cycle((1, 2, 3)), count)]
