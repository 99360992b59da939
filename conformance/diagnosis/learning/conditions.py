"""Words for where something shows, as far as it does not show everywhere (``features``)."""

from collections import Counter, defaultdict
from collections.abc import Collection

from conformance.diagnosis.features import features
from conformance.diagnosis.learning.held import FEW_AGAINST, FEW_THIRD, LEAST
from conformance.diagnosis.predictions import Predictions

__all__ = ["Conditions"]

_CONDITIONS = 3
"""The most conditions joined by "or"."""
_TELLING = 0.95
"""Of an op's evidence, the share from which on a feature tells nothing."""
_PAIRED = 24
"""The most features that are tried in pairs."""


class Conditions:
    """Finds words that hold of the failures in which something shows, and of little else."""

    def __init__(self, predictions: Predictions) -> None:
        self._predictions = predictions
        self._evidence = predictions.evidence
        self._op = {index: item.op.name for index, item in enumerate(predictions.evidence)}
        self._features: dict[int, frozenset[str]] = {}
        self._telling_of: dict[str, frozenset[str]] = {}

    def where(
        self, shown: Collection[int], right: Collection[int], other: Collection[int]
    ) -> list[tuple[str, set[int], set[int]]]:
        """Words for where something shows: each with the failures and the contradictions that it takes in."""
        left = set(shown)
        found: list[tuple[str, set[int], set[int]]] = []
        while left and len(found) < _CONDITIONS:
            best = self._best(left, set(shown), right, other)
            if best is None:
                break
            words, taken, against = best
            found.append((words, taken, against))
            left -= taken
        return found

    def _of(self, index: int) -> frozenset[str]:
        if index not in self._features:
            try:
                self._features[index] = features(self._evidence[index])
            except RecursionError:
                self._features[index] = frozenset()
        return self._features[index]

    def _telling(self, op: str) -> frozenset[str]:
        """The features that tell evidence of an op apart: what is said of nearly all tells nothing."""
        if op not in self._telling_of:
            every = (*self._predictions.failures[op], *self._predictions.passes[op])
            said = Counter(one for index in every for one in self._of(index))
            self._telling_of[op] = frozenset(
                one for one, count in said.items() if count < _TELLING * len(every)
            )
        return self._telling_of[op]

    def _best(
        self, left: set[int], shown: set[int], right: Collection[int], other: Collection[int]
    ) -> tuple[str, set[int], set[int]] | None:
        by_feature: dict[str, set[int]] = defaultdict(set)
        for index in left:
            for one in self._of(index) & self._telling(self._op[index]):
                by_feature[one].add(index)
        least = min(LEAST, len(shown))
        ranked = sorted(by_feature, key=lambda one: (-len(by_feature[one]), len(one), one))
        ranked = [one for one in ranked if len(by_feature[one]) >= least]
        candidates: list[tuple[tuple[str, ...], set[int]]] = [((one,), by_feature[one]) for one in ranked]
        top = ranked[:_PAIRED]
        candidates += [
            ((one, another), by_feature[one] & by_feature[another])
            for place_, one in enumerate(top)
            for another in top[place_ + 1 :]
        ]
        best: tuple[float, str, set[int], set[int]] | None = None
        for words, taken in candidates:
            if len(taken) < least or (best is not None and len(taken) <= best[0]):
                continue
            whole = set(words)
            against = {index for index in right if whole <= self._of(index)}
            if len(against) > FEW_AGAINST * len(taken):
                continue
            third = sum(1 for index in other if whole <= self._of(index))
            if third > FEW_THIRD * len(taken):
                continue
            worth = len(taken) - len(against) - 0.5 * third - 0.1 * (len(words) - 1)
            if best is None or worth > best[0]:
                best = worth, " and ".join(words), taken, against
        return None if best is None else best[1:]
