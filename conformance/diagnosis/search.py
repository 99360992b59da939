"""The known mistakes that a runner makes, found together.

A runner is taken for the reference with some mistakes, and with deviations of its own that nobody knows. A
set of mistakes is as good as what it foretells: each failure, or each part of one, that it gives as the
runner does counts for it; each answer that it would get wrong and the runner gets right counts against it,
and so does, less, each that both get wrong in different ways, for there an unknown deviation may have a part.

A mistake is made in an op or not: a runner may add up wrongly in one place. Where the same mistake would show
in another op and does not, that counts against it too.

The set grows by the mistake that brings it nearest to the runner; what later proves superfluous goes again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from conformance.diagnosis.fit import AGAINST_PASS, AGAINST_THIRD, EMPTY, Fit, Fitting
from conformance.diagnosis.places import place
from conformance.diagnosis.predictions import Names, Predictions
from conformance.diagnosis.support import Support

__all__ = ["Fit", "Named", "Support", "search"]

_AGAINST_OP = 0.5
"""What an op counts in which a mistake would show, and does not."""
_COST = 0.4
"""What a mistake must bring more than it costs."""
_MOST = 16
"""The most mistakes in a set."""
_TRIED = 6
"""The most additions that are worked out exactly, each time."""
_SAMPLE = 12
"""Failures that are looked at for mistakes that show only beside others."""
_TRIED_BESIDE = 24
"""The most mistakes tried on these."""
_LOOKED_AT = 3
"""The most failures that each of them is tried on."""
_ENOUGH_CLEAN = 3
"""What must show a mistake before it takes the place of one that is not credible."""


@dataclass(slots=True)
class Named:
    """The mistakes found, by op, and how they fit."""

    made: dict[str, Names] = field(default_factory=dict)
    """By op; ops without one are left out."""
    fits: dict[str, Fit] = field(default_factory=dict)
    support: dict[str, Support] = field(default_factory=dict)
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By mistake: those that answer all evidence as it does."""

    @property
    def names(self) -> list[str]:
        """All mistakes, each once."""
        return list(dict.fromkeys(name for names in self.made.values() for name in names))


def search(predictions: Predictions) -> Named:
    """Looks for the mistakes that bring the reference nearest to the runner."""
    return _Search(predictions).found()


class _Search:
    def __init__(self, predictions: Predictions) -> None:
        self._predictions = predictions
        self._fitting = Fitting(predictions)
        self._made: dict[str, Names] = {op: () for op in predictions.failures if op not in predictions.mute}
        self._fits: dict[str, Fit] = dict.fromkeys(self._made, EMPTY)
        self._matching = [
            name
            for name in self._fitting.shows
            if any(self._fitting.alone(name, op).shares for op in self._made)
        ]

    def found(self) -> Named:
        """The set, when nothing more brings it nearer."""
        while len(self._names()) < _MOST and (self._grown(self._promising()) or self._grown(self._beside())):
            pass
        self._prune()
        tried = self._names()
        support = self._borne_out()
        if tried != support.keys():
            support = self._instead(tried, support)
        made = {op: names for op, names in self._made.items() if names}
        alternatives = {name: self._alternatives(name) for name in support}
        return Named(made, {op: self._fits[op] for op in made}, support, alternatives)

    def _instead(self, tried: set[str], support: dict[str, Support]) -> dict[str, Support]:
        """Mistakes behind those that were not credible: all that they would do is what the runner does."""
        clean = [
            name
            for name in self._matching
            if name not in tried
            and sum(index in self._predictions.wrong for index in self._predictions.alone[name])
            >= _ENOUGH_CLEAN
            and self._by_itself(name)
        ]
        while len(self._names()) < _MOST and self._grown(sorted(set(clean) - self._names())):
            pass
        return self._borne_out(support)

    def _names(self) -> set[str]:
        return {name for names in self._made.values() for name in names}

    # Growing

    def _grown(self, names: Iterable[str]) -> bool:
        """Adds that of some mistakes which brings the set nearest to the runner; False where none does."""
        best: tuple[float, dict[str, Names]] | None = None
        for name in names:
            gain, made = self._with(name)
            if best is None or gain > best[0]:
                best = gain, made
        if best is None or best[0] <= _COST:
            return False
        self._settle(best[1])
        return True

    def _promising(self) -> list[str]:
        """The mistakes that promise most by themselves."""
        chosen = self._names()
        estimated = [(self._estimate(name), name) for name in self._matching if name not in chosen]
        estimated = [pair for pair in estimated if pair[0] > 0]
        estimated.sort(key=lambda pair: (-pair[0], pair[1]))
        return [name for _, name in estimated[:_TRIED]]

    def _estimate(self, name: str) -> float:
        """At most how much nearer a mistake brings the set, if what both show in stays in doubt."""
        total = 0.0
        for op, fit in self._fits.items():
            alone = self._fitting.alone(name, op)
            if not alone.shares:
                continue
            shown = {index for other in self._made[op] for index in self._fitting.shows[other].get(op, ())}
            gain = float(len(alone.explained - fit.explained))
            for index, paths in alone.parts.items():
                if index not in fit.explained:
                    new = paths - fit.parts.get(index, frozenset())
                    gain += len(new) / len(self._predictions.wrong[index])
            gain -= AGAINST_PASS * len(alone.against - shown) + AGAINST_THIRD * len(alone.third - shown)
            total += max(0.0, gain)
        return total

    def _with(self, name: str) -> tuple[float, dict[str, Names]]:
        """How much nearer a mistake brings the set, and what is then made in which op."""
        gain, made = 0.0, {}
        for op in self._fitting.shows[name]:
            if op not in self._made:
                gain -= _AGAINST_OP * (op in self._predictions.passes and op not in self._predictions.mute)
                continue
            before = self._fits[op].score
            best = max(
                ((*self._made[op], name), (name, *self._made[op])),
                key=lambda names: self._fitting.fit(op, names).score,
            )
            better = self._fitting.fit(op, best).score - before
            if better > 0:
                gain += better
                made[op] = best
            elif self._fitting.fit(op, best).against - self._fits[op].against:
                gain -= _AGAINST_OP
        return gain, made

    def _beside(self) -> list[str]:
        """Mistakes that give an answer of the runner's only together with those found so far."""
        found: list[str] = []
        for op, fit in self._fits.items():
            made = self._made[op]
            if not made:
                continue
            left = [index for index in self._predictions.failures[op] if index not in fit.explained]
            left = left[:: max(1, len(left) // _SAMPLE)][:_SAMPLE]
            shown = [
                name for name, places in self._fitting.shows.items() if name not in made and op in places
            ]
            touching = [
                (sum(index in self._predictions.alone[name] for index in left), name) for name in shown
            ]
            touching = sorted((pair for pair in touching if pair[0]), key=lambda pair: (-pair[0], pair[1]))
            for _, name in touching[:_TRIED_BESIDE]:
                if name not in found and self._shows_beside(made, name, left):
                    found.append(name)
        return found

    def _shows_beside(self, made: Names, name: str, left: Sequence[int]) -> bool:
        """Whether a mistake gives the runner's answer together with others, on the first few it touches."""
        touched = [index for index in left if index in self._predictions.alone[name]][:_LOOKED_AT]
        return any(
            self._predictions.together(names, index) == self._predictions.wrong[index]
            for names in ((*made, name), (name, *made))
            for index in touched
        )

    # Judging

    def _prune(self) -> None:
        """Takes away what is not needed: the set is as near to the runner without it."""
        changed = True
        while changed:
            changed = False
            for name in sorted(self._names(), key=self._weight):
                loss, rest = 0.0, {}
                for op, names in self._made.items():
                    if name in names:
                        without = tuple(other for other in names if other != name)
                        loss += self._fits[op].score - self._fitting.fit(op, without).score
                        rest[op] = without
                if loss <= _COST:
                    self._settle(rest)
                    changed = True

    def _weight(self, name: str) -> tuple[float, str]:
        return sum(self._fitting.alone(name, op).shares for op in self._made), name

    def _settle(self, made: dict[str, Names]) -> None:
        for op, names in made.items():
            self._made[op] = names
            self._fits[op] = self._fitting.fit(op, names)

    def _borne_out(self, known: Mapping[str, Support] = MappingProxyType({})) -> dict[str, Support]:
        """What speaks for each mistake and against it, of those that are credible; the others go.

        What is not credible is judged as if it stayed: it stands for something unknown that answers alike,
        and with it gone its answers would count against its neighbours. So what is ``known`` is not
        judged again.
        """
        left = self._left()
        support = {name: known.get(name) or self._support(name, left) for name in sorted(self._names())}
        credible = {
            name
            for name, said in support.items()
            if name in known or (said.alone_enough if known else said.credible)
        }
        self._settle(
            {op: tuple(name for name in names if name in credible) for op, names in self._made.items()}
        )
        left = self._left()
        return {
            name: replace(
                support[name],
                beside=frozenset(index for index in left if self._fitting.op_of[index] in support[name].ops),
            )
            for name in sorted(credible)
        }

    def _left(self) -> dict[int, set[str]]:
        """The failures that are not explained in whole, and the places of what is not."""
        left = {}
        for op, failures in self._predictions.failures.items():
            fit = self._fits.get(op, EMPTY)
            for index in failures:
                if index not in fit.explained:
                    known = fit.parts.get(index, frozenset())
                    wrong = self._predictions.wrong[index]
                    left[index] = {place(op, path) for path in wrong if path not in known}
        return left

    def _support(self, name: str, left: dict[int, set[str]]) -> Support:
        ops = tuple(op for op, names in self._made.items() if name in names)
        said = self._predictions.alone[name]
        shown: set[int] = set()
        third: set[int] = set()
        against: set[int] = set()
        elsewhere: set[int] = set()
        places: set[tuple[str, str, str]] = set()
        for index, found in said.items():
            op = self._fitting.op_of[index]
            if op not in ops:
                if self._predictions.evidence[index].passed and op not in self._predictions.mute:
                    elsewhere.add(index)
                continue
            fit = self._fits[op]
            if index in fit.explained or index in fit.parts:
                shown.add(index)
                clause = self._predictions.evidence[index].clause
                places |= {(op, clause, place(op, path)) for path in found}
            elif index in fit.third:
                third.add(index)
            elif index in fit.against:
                against.add(index)
        home = self._predictions.mistakes[name].op
        asked = (
            any(self._fitting.op_of[index] == home for index in said) and home not in self._predictions.mute
        )
        beside = {index for index in left if self._fitting.op_of[index] in ops}
        near = {
            index
            for index in beside
            if any(
                (self._fitting.op_of[index], self._predictions.evidence[index].clause, where) in places
                for where in left[index]
            )
        }
        return Support(
            ops,
            frozenset(shown),
            frozenset(index for index in shown if index in self._fits[self._fitting.op_of[index]].explained),
            frozenset(against | elsewhere),
            home in ops or not asked,
            frozenset(elsewhere),
            frozenset(third),
            frozenset(near),
            frozenset(beside),
            len(said),
            self._by_itself(name),
        )

    def _by_itself(self, name: str) -> bool:
        return all(
            index in self._predictions.wrong
            and all(self._predictions.wrong[index].get(path) == mark for path, mark in found.items())
            for index, found in self._predictions.alone[name].items()
            if self._fitting.op_of[index] not in self._predictions.mute
        )

    def _alternatives(self, name: str) -> tuple[str, ...]:
        said = self._predictions.alone[name]
        return tuple(
            other for other, found in self._predictions.alone.items() if other != name and found == said
        )
