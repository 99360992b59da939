"""How near a set of mistakes is to the runner: what it foretells, held to the evidence of an op."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from conformance.diagnosis.deviation import Marks, related
from conformance.diagnosis.predictions import Names, Predictions

__all__ = ["AGAINST_PASS", "AGAINST_THIRD", "EMPTY", "Fit", "Fitting"]

AGAINST_PASS = 1.0
"""What an answer counts that the runner gets right, and the mistakes don't."""
AGAINST_THIRD = 0.5
"""What a failure counts that both get wrong in different ways."""


@dataclass(frozen=True, slots=True)
class Fit:
    """A set of mistakes held to the evidence of one op; numbers are indexes of evidence."""

    explained: frozenset[int]
    """Failures at which the set gives the runner's own answer."""
    parts: dict[int, frozenset[str]]
    """Failures of which it gives a part as the runner does, and no other part: the paths of it."""
    third: frozenset[int]
    """Failures at which both are wrong, in different ways."""
    against: frozenset[int]
    """What the runner has right, in whole or in part, and the set has wrong."""
    shares: float
    """How many failures the explained ones and the parts come to."""

    @property
    def score(self) -> float:
        """How near the set is to the runner."""
        return self.shares - AGAINST_THIRD * len(self.third) - AGAINST_PASS * len(self.against)


EMPTY = Fit(frozenset(), {}, frozenset(), frozenset(), 0.0)


class Fitting:
    """Fits of sets, each worked out once."""

    def __init__(self, predictions: Predictions) -> None:
        self._predictions = predictions
        self.op_of = {index: item.op.name for index, item in enumerate(predictions.evidence)}
        """By evidence."""
        self.shows: dict[str, dict[str, list[int]]] = {}
        """By mistake and op: where it shows."""
        for name, said in predictions.alone.items():
            places: dict[str, list[int]] = defaultdict(list)
            for index in said:
                places[self.op_of[index]].append(index)
            self.shows[name] = dict(places)
        self._known: dict[tuple[str, Names], Fit] = {}
        self._alone: dict[tuple[str, str], Fit] = {}

    def fit(self, op: str, names: Names) -> Fit:
        """The fit of some mistakes, made in this order."""
        key = (op, names)
        if key not in self._known:
            shown = {index for name in names for index in self.shows[name].get(op, ())}
            self._known[key] = self._fitted(
                (index, self._predictions.together(names, index)) for index in sorted(shown)
            )
        return self._known[key]

    def alone(self, name: str, op: str) -> Fit:
        """The fit of one mistake by itself."""
        key = (name, op)
        if key not in self._alone:
            said = self._predictions.alone[name]
            self._alone[key] = self._fitted((index, said[index]) for index in self.shows[name].get(op, ()))
        return self._alone[key]

    def _fitted(self, said: Iterable[tuple[int, Marks]]) -> Fit:
        explained, third, against = set(), set(), set()
        parts: dict[int, frozenset[str]] = {}
        shares = 0.0
        for index, found in said:
            wrong = self._predictions.wrong.get(index)
            if wrong is None:
                if found and self._predictions.evidence[index].passed:
                    against.add(index)
                continue
            if not found:
                continue
            if found == wrong:
                explained.add(index)
                shares += 1.0
                continue
            hits = {path for path, mark in found.items() if wrong.get(path) == mark}
            missed = [path for path in found if path not in wrong]
            if any(not related(path, wrong) for path in missed):
                against.add(index)
            elif len(hits) < len(found):
                third.add(index)
            else:
                parts[index] = frozenset(hits)
                shares += len(hits) / len(wrong)
        return Fit(frozenset(explained), parts, frozenset(third), frozenset(against), shares)
