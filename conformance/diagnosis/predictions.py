"""What mistakes foretell, held to what the runner did."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from types import CodeType

from conformance.diagnosis.evidence import Evidence, agree
from conformance.diagnosis.scratch import scratch
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import Mistake

__all__ = ["Foretold", "Names", "Predictions", "Tally"]

Names = tuple[str, ...]
"""Mistakes made together, in the order in which they change the reference."""

_MOST_CONTRADICTIONS = 8
"""A set that is contradicted more often is far enough from the truth to stop counting."""


_HEAVY = 20_000
"""Characters of text and numbers in an input."""
_MANY = 8
"""Failures with one and the same answer that make a runner suspect of giving it to everything."""


class Foretold(Enum):
    """What a set of mistakes would have answered to an input."""

    RIGHT = auto()
    """The expected answer."""
    SAME = auto()
    """The runner's wrong answer."""
    OTHER = auto()
    """A wrong answer that the runner did not give."""


@dataclass(frozen=True, slots=True)
class Tally:
    """A set of mistakes held to all evidence of one operation; numbers are indexes of evidence."""

    explained: frozenset[int]
    """Failures at which the set gives the runner's own answer."""
    third: frozenset[int]
    """Failures at which the set and the runner are wrong in different ways."""
    contradicted: frozenset[int]
    """Passed evidence that the set would have failed; not all where there is much of it."""

    @property
    def clean(self) -> bool:
        """Whether the evidence speaks nowhere against the set."""
        return not self.third and not self.contradicted

    @property
    def score(self) -> int:
        """How near the set is to the runner."""
        return len(self.explained) - len(self.third) - len(self.contradicted)


class Predictions:
    """Answers of a copy of the reference that makes mistakes, each asked for at most once.

    It is best asked of one set of mistakes after the other: to change the set takes longer than an answer.
    """

    def __init__(self, evidence: Sequence[Evidence], level: Level, mistakes: Mapping[str, Mistake]) -> None:
        self.evidence = evidence
        self.mistakes = mistakes
        self.failures: dict[str, list[int]] = defaultdict(list)
        """Wrong answers by op."""
        self.passes: dict[str, list[int]] = defaultdict(list)
        for index, item in enumerate(evidence):
            if item.passed:
                self.passes[item.op.name].append(index)
            elif item.actual is not None:
                self.failures[item.op.name].append(index)
        self._level = level
        self._scratch = scratch()
        self._calls: dict[int, frozenset[CodeType]] = {}
        self.asked: Counter[str] = Counter()
        """Answers asked for so far, by op."""
        self._foretold: dict[Names, dict[int, Foretold]] = defaultdict(dict)
        self._tallies: dict[tuple[Names, str], Tally] = {}

    def foretold(self, names: Names, index: int) -> Foretold:
        """What the mistakes made together answer to a piece of evidence."""
        known = self._foretold[names]
        if index not in known:
            known[index] = self._ask(tuple(self.mistakes[name] for name in names), index)
        return known[index]

    def _ask(self, mistakes: tuple[Mistake, ...], index: int) -> Foretold:
        item = self.evidence[index]
        if item.op.name not in self._scratch.ops:
            return Foretold.RIGHT  # an op that the reference lacks, so that no mistake is known
        try:
            footprint = self._scratch.footprint(*mistakes)
            if footprint is not None and footprint.isdisjoint(self._called(index)):
                return Foretold.RIGHT
            self._scratch.make(*mistakes)
        except Exception:
            return Foretold.OTHER  # they can't be made together
        self.asked[item.op.name] += 1
        answer = self._scratch.answer(item.op.name, item.input)
        if agree(item.op, item.expected, answer, self._level, item.unordered):
            return Foretold.RIGHT
        if item.actual is not None and agree(item.op, item.actual, answer, self._level, item.unordered):
            return Foretold.SAME
        return Foretold.OTHER

    def _called(self, index: int) -> frozenset[CodeType]:
        if index not in self._calls:
            item = self.evidence[index]
            self._calls[index] = self._scratch.called(item.op.name, item.input)
        return self._calls[index]

    @property
    def ops(self) -> list[str]:
        """The ops that the evidence is about."""
        return list(dict.fromkeys((*self.failures, *self.passes)))

    def heavy(self, index: int) -> bool:
        """Whether the input is so large that answers take long."""
        return _characters(self.evidence[index].input) > _HEAVY

    def reach(self, op: str) -> int:
        """How much of the reference the op's failures need, as functions called: few in simple ops."""
        return max(len(self._called(index)) for index in self.failures[op][:3])

    def constant(self, op: str) -> bool:
        """Whether the runner's answers to an op all look alike, though not all should."""
        failures, passes = self.failures[op], self.passes[op]
        if len(failures) < _MANY:
            return False
        answers = [self.evidence[index].actual for index in failures]
        answers += [self.evidence[index].expected for index in passes]
        first = answers[0]
        assert first is not None
        how = self.evidence[failures[0]].op
        return all(answer is not None and agree(how, first, answer, Level.VALUE) for answer in answers)

    def tally(self, names: Names, op: str) -> Tally:
        """The mistakes made together, held to all evidence of an op."""
        tally = self._tallies.get((names, op))
        if tally is None:
            tally = self._tallies[names, op] = self._count(names, op)
        return tally

    def _count(self, names: Names, op: str) -> Tally:
        if not names:
            return Tally(frozenset(), frozenset(), frozenset())
        by_kind: dict[Foretold, list[int]] = defaultdict(list)
        for index in self.failures[op]:
            by_kind[self.foretold(names, index)].append(index)
        contradicted: list[int] = []
        for index in self.passes[op]:
            if self.foretold(names, index) is not Foretold.RIGHT:
                contradicted.append(index)
                if len(contradicted) == _MOST_CONTRADICTIONS:
                    break
        return Tally(
            frozenset(by_kind[Foretold.SAME]), frozenset(by_kind[Foretold.OTHER]), frozenset(contradicted)
        )


def _characters(value: object) -> int:
    """How much text there is in an input."""
    if isinstance(value, dict):
        return sum(len(key) + _characters(item) for key, item in value.items())
    if isinstance(value, list):
        return sum(map(_characters, value))
    return len(value) if isinstance(value, str) else 1
