"""Chooses and rephrases vectors, to detect runners that look up published answers.

The vectors are public, and a runner may contain their answers. So some correctly answered vectors are asked
again with other names, slightly different numbers and another spelling of the request (``rewording``). The
expected answer is the reference's; only vectors that the reference answers correctly are used. A seed decides
which vectors are chosen and how they change, so nobody knows them before the run.
"""

import functools
import hashlib
import math
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.diagnosis.environments import variant_answers
from conformance.diagnosis.evidence import agree, expected_answer
from conformance.drawing.source import Seeded
from conformance.judging.comparison import Level
from conformance.judging.known_failures import KnownFailures, KnownFailuresError
from conformance.mistakes.plain import reference_answer
from conformance.rephrasing.rewording import Rewording, spelled
from conformance.run.options import REPHRASED_SUFFIX, RunOptions, base_id
from conformance.suite.choosing import select
from conformance.suite.counterexamples import expected_of
from conformance.suite.vectors import Vector, is_of_kit
from conformance.wire.messages import Ok, Refused, Request
from conformance.wire.numbers import spell_at

__all__ = [
    "RECORDED_SEED",
    "SHARE",
    "RephrasedVector",
    "RephrasedVectors",
    "listed_seed",
    "rephrasing",
    "seed_of",
]

RECORDED_SEED = 1
"""The seed for recording and gating, where a commit must always give the same result."""
SHARE = 0.05
"""The share of an op's vectors that is rephrased."""
LEAST = 3
"""The least number of rephrased vectors per op."""
OF_PARTS = 0
"""The default seed of sharded runs, which all shards must share."""
_OVERSAMPLING = 4
"""The number of vectors examined per chosen one, to find some with names and numbers to change."""
_ALIKE = 3
"""At most one in this many rephrased vectors differs only in the spelling of the request."""
_MOST_BYTES = 16_384
"""Longer requests are not rephrased."""
_MOST_SKIPPED_IDS = 1000
"""The most request ids that are skipped before a request."""
_WAYS = ((True, True), (True, False), (False, True))
"""(names, numbers) to change: the first combination that keeps the kind of answer is used."""


def seed_of(options: RunOptions) -> int:
    """The seed of the rephrased vectors: the user's, or a random one; the shards of a run share one.

    A list of known failures may name its seed: with other seeds, a runner with known failures would fail
    differently, and a gate must not fail at random.
    """
    if options.again_seed is not None:
        return options.again_seed
    if options.known_failures is not None and (listed := listed_seed(options.known_failures)) is not None:
        return listed
    return random.SystemRandom().randrange(1, 10**6) if options.shard is None else OF_PARTS


def listed_seed(path: Path) -> int | None:
    """The seed in a list of known failures, from its comment ``# again-seed: 4711``."""
    try:
        return KnownFailures.read(path).seed
    except KnownFailuresError:  # the list's reader reports it
        return None


_SAME = ("op", "rule", "clause", "also", "flags", "since", "file")
"""The fields that a rephrased vector shares with its vector."""


@dataclass(frozen=True)
class RephrasedVector(Vector):
    """A rephrased vector."""

    seed: str = ""
    """The seed of the request's spelling."""
    other_input: bool = True
    """Whether more than the spelling differs from the vector."""
    changes: str = ""
    """The changes, in words."""

    def request(self, *, numbers_as_strings: bool = False) -> Request:
        """The request with its spelling."""
        input_ = self.input
        if numbers_as_strings and self.op.input_numbers:
            input_ = spell_at(input_, self.op.input_numbers, everything=True)
        source = Seeded(self.seed)
        skip = 1 + source.below(_MOST_SKIPPED_IDS)
        return Request(self.id, self.op.name, spelled(self.op.name, input_, source), skip=skip)


class RephrasedVectors:
    """The rephrased vectors of a run."""

    def __init__(self, seed: int, all_vectors: Sequence[Vector], *, all_of_them: bool = False) -> None:
        """``all_vectors`` is the whole set to choose from; only the spec's own vectors are used.

        With ``all_of_them``, all are rephrased.
        """
        self.seed = seed
        self._all_vectors = all_vectors
        self._all = all_of_them
        self._chosen: dict[str, dict[str, RephrasedVector]] = {}

    @property
    def chosen(self) -> dict[str, RephrasedVector]:
        """The rephrased vectors by their vectors' ids."""
        return {key: rephrased for op in self._by_op for key, rephrased in self._choose_for_op(op).items()}

    @staticmethod
    def remark(vector: Vector) -> str:
        """The explanation of a rephrased vector, for people."""
        assert isinstance(vector, RephrasedVector)
        return (
            f"{base_id(vector.id)}, which it answers correctly; the same with {vector.changes}, "
            "and the reference says what is expected: compute each answer from the input"
        )

    def rephrased(self, vector: Vector) -> RephrasedVector | None:
        """The rephrased vector; None if it is not chosen."""
        return self._choose_for_op(vector.op.name).get(vector.id)

    @functools.cached_property
    def _by_op(self) -> dict[str, list[Vector]]:
        by_op: dict[str, list[Vector]] = {}
        for vector in self._all_vectors:
            if is_of_kit(vector) and vector.expected is not None and not vector.op.package_only:
                by_op.setdefault(vector.op.name, []).append(vector)
        return by_op

    def _choose_for_op(self, op: str) -> dict[str, RephrasedVector]:
        if op not in self._chosen:
            vectors = self._by_op.get(op, [])
            wanted = len(vectors) if self._all else max(LEAST, math.ceil(SHARE * len(vectors)))
            self._chosen[op] = {base_id(changed.id): changed for changed in self._sample(vectors, wanted)}
        return self._chosen[op]

    def _sample(self, vectors: Sequence[Vector], wanted: int) -> list[RephrasedVector]:
        """A sample of an op's rephrased vectors; if possible, few of them differ only in spelling."""
        reworded: list[RephrasedVector] = []
        respelled: list[RephrasedVector] = []
        fewest = wanted if self._all else wanted - wanted // _ALIKE
        for vector in sorted(vectors, key=self._sort_key)[: _OVERSAMPLING * wanted]:
            if len(reworded) >= fewest and len(reworded) + len(respelled) >= wanted:
                break
            rephrased = self._rephrase(vector)
            if rephrased is not None:
                (reworded if rephrased.other_input else respelled).append(rephrased)
        return (reworded[:fewest] + respelled + reworded[fewest:])[:wanted]

    def _sort_key(self, vector: Vector) -> bytes:
        return hashlib.sha256(f"{self.seed} {vector.id}".encode()).digest()

    def _rephrase(self, vector: Vector) -> RephrasedVector | None:
        """The rephrased vector; None if the reference can't give the expected answer."""
        if len(vector.tail) > _MOST_BYTES:
            return None
        answer = functools.partial(reference_answer, vector.op.spec, vector.op.name)
        expected = expected_answer(vector)
        if not agree(vector.op, expected, answer(vector.input), Level.BYTES, vector.unordered):
            return None
        for names, numbers in _WAYS:
            source = Seeded(f"{self.seed} {vector.id} {names} {numbers}")
            input_ = Rewording(source, names=names, numbers=numbers).reworded(vector.op.name, vector.input)
            if input_ == vector.input:
                continue
            changed = answer(input_)
            if _kind(changed) == _kind(expected):
                kinds = " and ".join(["names"] * names + ["numbers"] * numbers)
                return self._build(
                    vector, input_, changed, f"other {kinds}, and another spelling of the request"
                )
        return self._build(vector, vector.input, expected, "another spelling of the request")

    def _build(self, vector: Vector, input_: Any, expected: Ok | Refused, changes: str) -> RephrasedVector:
        unordered = vector.unordered
        if isinstance(expected, Ok):
            unordered |= vector.op.free_key_order(input_, expected.value)
        different = variant_answers(vector.op.name, input_, expected, vector.op.spec)
        same = {name: getattr(vector, name) for name in _SAME}
        return RephrasedVector(
            **same,
            id=vector.id + REPHRASED_SUFFIX,
            input=input_,
            expected=expected_of(expected),
            variants={name: expected_of(answer) for name, answer in different.items()},
            provenance="reference",
            unordered=unordered,
            seed=f"{self.seed} {vector.id} spelling",
            other_input=input_ is not vector.input,
            changes=changes,
        )


def rephrasing(options: RunOptions, all_vectors: Sequence[Vector]) -> RephrasedVectors | None:
    """The rephrased vectors of a run: a sample. If vectors are selected, none, or all if a seed is given.

    A gate always rephrases a vector in the same way, since its list of known failures covers a whole run.
    """
    single = bool(options.patterns) and not options.again_as_of_all
    if not single:
        return RephrasedVectors(seed_of(options), all_vectors)
    if options.again_seed is None:
        return None
    return RephrasedVectors(options.again_seed, select(all_vectors, options.patterns), all_of_them=True)


def _kind(answer: Ok | Refused) -> str | None:
    return None if isinstance(answer, Ok) else answer.type
