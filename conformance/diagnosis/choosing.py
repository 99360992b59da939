"""Which mistakes and deviations get lines on the to-do list, and which failures they leave.

Where a learned deviation that nothing speaks against takes in all that a mistake shows, and much more, it is
the better name. What is learned is said as long as it accounts for failures that nothing before it does.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from conformance.diagnosis.account import Kind
from conformance.diagnosis.learning import Learned
from conformance.diagnosis.learning.held import LEAST
from conformance.diagnosis.predictions import Predictions
from conformance.diagnosis.search import Named
from conformance.mistakes.catalogue import Mistake

__all__ = ["Choice", "Covers", "Item", "joined"]

_MOST_LEARNED = 6
"""The most lines of learned deviations."""
_BETTER = 1.15
"""How much more a learned deviation must take in than the mistake that it stands for."""
_LIKELY = 0.7
"""What a deviation is worth that something speaks against, beside one without."""
_CONDITIONED = 0.9
"""What a deviation is worth that shows only where some words hold."""
_ENOUGH = 3
"""Failures from which on a learned deviation can be certain."""
_ACCOUNTED = 0.5
"""Of a failure's departures, the share that lines must account for before it stays out of the clusters."""
_VAGUE = 0.6
"""What a deviation is worth that does not say which answer comes."""

Covers = Mapping[int, frozenset[str]]


@dataclass(frozen=True, slots=True)
class Item:
    """A line in the making."""

    kind: Kind
    covers: Covers
    groups: tuple[tuple[Mistake, ...], ...] = ()
    learned: Learned | None = None
    says: str = ""
    """What a learned deviation does, with the words for where."""
    against: int = 0
    certain: bool = False


class Choice:
    """What is chosen, of all that was found."""

    def __init__(self, predictions: Predictions, named: Named, learned: Sequence[Learned]) -> None:
        self._predictions = predictions
        self._evidence = predictions.evidence
        self._wrong = predictions.wrong
        self._named = named
        self._learned = learned
        self.mistakes = self._mistakes()
        self.deviations = self._deviations(self.mistakes)
        self.left = self._left([*self.mistakes, *self.deviations])

    def _mistakes(self) -> list[Item]:
        found = []
        for name, support in self._named.support.items():
            known = self._predictions.mistakes
            group = (known[name], *(known[other] for other in self._named.alternatives[name]))
            covers = {index: self._shown(name, index) for index in support.shown}
            against = len(support.against) + len(support.third)
            item = Item(Kind.MISTAKE, covers, (group,), None, "", against, support.certain)
            if item.certain or not any(self._better(one, covers) for one in self._learned):
                found.append(item)
        return sorted(found, key=lambda item: (-len(item.covers), item.groups[0][0].name))

    def _shown(self, name: str, index: int) -> frozenset[str]:
        """The places of a failure that a mistake accounts for."""
        wrong, said = self._wrong[index], self._predictions.alone[name][index]
        op = self._evidence[index].op.name
        fit = self._named.fits.get(op)
        if fit is not None and index in fit.explained:
            touching = [other for other in self._named.made[op] if index in self._predictions.alone[other]]
            if len(touching) == 1:
                return frozenset(wrong)
            return frozenset(path for path in said if path in wrong) or frozenset(wrong)
        return frozenset(path for path, mark in said.items() if wrong.get(path) == mark)

    def _better(self, one: Learned, covers: Covers) -> bool:
        return (
            not one.against
            and one.foretells
            and len(one.covers) >= _BETTER * len(covers)
            and all(paths <= one.covers.get(index, frozenset()) for index, paths in covers.items())
        )

    def _deviations(self, named: Sequence[Item]) -> list[Item]:
        """The learned deviations that account for what the mistakes do not, most first."""
        covered: dict[int, set[str]] = defaultdict(set)
        for item in named:
            for index, paths in item.covers.items():
                covered[index] |= paths
        for op, fit in self._named.fits.items():
            for index in fit.explained if op in self._named.made else ():
                if all(name in {item.groups[0][0].name for item in named} for name in self._named.made[op]):
                    covered[index] |= self._wrong[index].keys()
        self._explained = covered
        chosen: list[Item] = []
        while len(chosen) < _MOST_LEARNED:
            best = max(self._learned, key=self._gain, default=None)
            if best is None or self._gain(best) < 1:
                break
            covers = {
                index: paths & frozenset(self._wrong[index])
                for index, paths in best.covers.items()
                if paths - covered[index]
            }
            certain = not best.against and best.foretells and not best.where and len(covers) >= _ENOUGH
            chosen.append(Item(Kind.LEARNED, covers, (), best, _words(best), len(best.against), certain))
            for index, paths in best.covers.items():
                covered[index] |= paths
        return _twins_joined(chosen)

    def _gain(self, one: Learned) -> float:
        shares = [
            len((paths & self._wrong[index].keys()) - self._explained[index]) / len(self._wrong[index])
            for index, paths in one.covers.items()
        ]
        if sum(share > 0 for share in shares) < LEAST:  # what others leave of it may be anything
            return 0
        return (
            sum(shares)
            * (_LIKELY if one.against else 1)
            * (1 if one.foretells else _VAGUE)
            * (_CONDITIONED if one.where else 1)
        )

    def _left(self, items: Sequence[Item]) -> list[int]:
        """The failures that the lines account for too little of."""
        told = {index for item in items for index in item.covers}
        return [
            index
            for index, wrong in self._wrong.items()
            if index not in told or len(wrong.keys() & self._explained[index]) < _ACCOUNTED * len(wrong)
        ]


def joined(items: Sequence[Item], most: int) -> list[Item]:
    """As many as there is room for; those of fewest failures share the last line."""
    if len(items) <= most:
        return list(items)
    kept, others = list(items[: most - 1]), items[most - 1 :]
    covers: dict[int, frozenset[str]] = {}
    for item in others:
        for index, paths in item.covers.items():
            covers[index] = covers.get(index, frozenset()) | paths
    groups = tuple(group for item in others for group in item.groups)
    against = sum(item.against for item in others)
    return [
        *kept,
        Item(Kind.MISTAKE, covers, groups, None, "", against, all(item.certain for item in others)),
    ]


def _words(one: Learned) -> str:
    return f"{one.says} where {one.where}" if one.where else one.says


def _twins_joined(items: Sequence[Item]) -> list[Item]:
    """Deviations of the same answers, said in one line: they are one to whoever mends them."""
    found: list[Item] = []
    for item in items:
        assert item.learned is not None
        for place_, other in enumerate(found):
            assert other.learned is not None
            if other.covers.keys() == item.covers.keys() and other.learned.where == item.learned.where:
                covers = {index: paths | item.covers[index] for index, paths in other.covers.items()}
                says = f"{other.learned.says} and {_words(item.learned)}"
                certain = other.certain and item.certain
                against = max(other.against, item.against)
                found[place_] = Item(Kind.LEARNED, covers, (), other.learned, says, against, certain)
                break
        else:
            found.append(item)
    return found
