"""Finds the vectors that catch a known mistake: from the memo, or else by asking the mistake."""

from collections.abc import Iterable, Iterator
from functools import cache

from conformance.diagnosis.evidence import agree, expected_answer
from conformance.diagnosis.known_answers import known_answers, question_digest
from conformance.diagnosis.scratch import scratch
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake
from conformance.suite.vectors import Vector

__all__ = ["Catching"]


class Catching:
    """Tests vectors of one spec on known mistakes."""

    def __init__(self, vectors: Iterable[Vector], level: Level = Level.BYTES) -> None:
        """All vectors are of one spec."""
        vectors = list(vectors)
        self._level = level
        self._scratch = scratch(vectors[0].op.spec) if vectors else scratch()
        self._by_class: dict[str, list[Vector]] = {}
        self._by_op: dict[str, list[Vector]] = {}
        for vector in vectors:
            self._by_class.setdefault(vector.conformance_class, []).append(vector)
            self._by_op.setdefault(vector.op.name, []).append(vector)
        self._called = cache(lambda vector_id: self._scratch.called(*self._asked[vector_id]))
        self._catching: dict[str, frozenset[str] | None] = {}
        self._asked = {
            vector.id: (vector.op.name, vector.input) for alike in self._by_class.values() for vector in alike
        }

    def caught_by(self, mistake: Mistake) -> list[Vector]:
        """The vectors of the mistake's class that it answers wrongly, in order."""
        return list(self.catching(mistake))

    def catching(self, mistake: Mistake) -> Iterator[Vector]:
        """Yields the same vectors lazily. Iterate over one mistake at a time."""
        yield from self._find_catching(mistake, self._by_class.get(mistake.conformance_class, []))

    def catching_in(self, mistake: Mistake, op: str) -> Iterator[Vector]:
        """The vectors of an op that catch the mistake, whichever op the mistake belongs to."""
        yield from self._find_catching(mistake, self._by_op.get(op, []))

    def _find_catching(self, mistake: Mistake, vectors: Iterable[Vector]) -> Iterator[Vector]:
        footprint = self._scratch.footprint(mistake)
        for vector in vectors:
            known = self._wrong_mistakes(vector)
            if known is not None and mistake.name not in known_answers(vector.op.spec).unknown:
                if mistake.name in known:
                    yield vector
                continue
            if footprint is not None and footprint.isdisjoint(self._called(vector.id)):
                continue  # the vector calls no function that the mistake changes
            self._scratch.make(mistake)
            if not self._answers_correctly(vector):
                yield vector

    def _wrong_mistakes(self, vector: Vector) -> frozenset[str] | None:
        """The mistakes that answer a vector wrongly; None if the memo lacks the question."""
        if vector.id not in self._catching:
            key = question_digest(vector.op.name, vector.input, expected_answer(vector), vector.unordered)
            row = known_answers(vector.op.spec).rows.get(key) if self._level is Level.BYTES else None
            names = None if row is None else frozenset(name for _, group in row for name in group)
            self._catching[vector.id] = names
        return self._catching[vector.id]

    def _answers_correctly(self, vector: Vector) -> bool:
        answer = self._scratch.answer(vector.op.name, vector.input)
        return agree(vector.op, expected_answer(vector), answer, self._level, vector.unordered)
