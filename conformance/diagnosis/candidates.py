"""The mistakes that come into question for one operation, and what they explain of it."""

from collections.abc import Collection, Iterable
from dataclasses import replace

from conformance.diagnosis.predictions import Foretold, Predictions
from conformance.diagnosis.search import Found, search

__all__ = ["Candidates", "established"]

_PROBE = 8
"""Failures of each operation put to every known mistake at first; twice as many each further time."""
_ENOUGH = 8_000
"""Answers asked for in one operation after which no further failures of it are put to every mistake."""


def established(found: Iterable[Found]) -> set[str]:
    """The mistakes that leave no doubt."""
    return {name for one in found if len(one.options) == 1 for name in one.options[0]}


class Candidates:
    """The mistakes that come into question for one op."""

    def __init__(self, predictions: Predictions, op: str) -> None:
        self._predictions = predictions
        self._op = op
        self._matching: set[str] = set()
        self._touching: set[str] = set()

    def found(self, others: Collection[Found]) -> Found:
        """What explains the op: mistakes of other ops if they do, else any."""
        named = {name for one in others for names in one.options for name in names}
        certain = established(others)
        failures = self._predictions.failures[self._op]
        if self._predictions.constant(self._op):
            return self._of_a_constant()
        self._ask(named, failures)
        found = self._search(certain)
        asked = 0
        probed: set[int] = set()
        size = _PROBE
        while True:
            affordable = (_ENOUGH - asked) * len(probed) // asked if asked else size
            left = sorted(found.unexplained - found.near - probed)
            hopeless = size > 2 * _PROBE and len(probed - set(left)) < len(probed) // 10
            light = [index for index in left if not self._predictions.heavy(index)]
            probe = _spread(light or left, min(size, affordable))
            if not probe or hopeless:
                return found
            size *= 2
            probed.update(probe)
            before = self._predictions.asked[self._op]
            new = self._ask(self._predictions.mistakes, probe)
            asked += self._predictions.asked[self._op] - before
            if new:
                found = self._search(certain)

    def _of_a_constant(self) -> Found:
        """What explains one answer to everything: a mistake of this very op alone, or nothing."""
        failures = self._predictions.failures[self._op]
        known = self._predictions.mistakes.values()
        self._ask([one.name for one in known if one.op == self._op], failures[:1])
        found = self._search(set())
        single = tuple(names for names in found.options if len(names) == 1)
        if single and not found.unexplained:
            return replace(found, options=single)
        return Found(self._op, (), frozenset(), frozenset(failures))

    def _search(self, certain: set[str]) -> Found:
        return search(self._predictions, self._op, self._matching, self._touching, certain)

    def _ask(self, names: Iterable[str], probe: list[int]) -> bool:
        """Puts failures to mistakes; whether that brought new candidates."""
        before = len(self._matching) + len(self._touching)
        for name in names:
            if name in self._matching:
                continue
            for index in probe:
                foretold = self._predictions.foretold((name,), index)
                if foretold is not Foretold.RIGHT:
                    self._touching.add(name)
                if foretold is Foretold.SAME:
                    self._matching.add(name)
                    break
        return len(self._matching) + len(self._touching) > before


def _spread(indexes: list[int], most: int) -> list[int]:
    """At most so many, evenly over the length."""
    if most < 1:
        return []
    step = max(1.0, len(indexes) / most)
    return [indexes[int(place * step)] for place in range(min(most, len(indexes)))]
