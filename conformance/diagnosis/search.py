"""The known mistakes that a runner makes, found together.

A runner is taken for the reference with some mistakes, and with deviations of its own that nobody knows. A
set of mistakes is as good as what it foretells: each failure, or each part of one, that it gives as the
runner does counts for it; each answer that it would get wrong and the runner gets right counts against it,
and so does, less, each that both get wrong in different ways, for there an unknown deviation may have a part.

A mistake is made in an op or not: a runner may add up wrongly in one place. Where the same mistake would show
in another op and does not, that counts against it too.

The set grows by the mistake that brings it nearest to the runner; what later proves superfluous goes again.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from conformance.diagnosis.deviation import Marks, related
from conformance.diagnosis.places import place
from conformance.diagnosis.predictions import Names, Predictions

__all__ = ["Fit", "Named", "Support", "search"]

_AGAINST_PASS = 1.0
"""What an answer counts that the runner gets right, and the mistakes don't."""
_AGAINST_THIRD = 0.5
"""What a failure counts that both get wrong in different ways."""
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

# What decides whether a mistake is named. The open-world benchmark of the self-assessment measures it.
_FEW_AGAINST = 0.05
"""Of what shows a mistake, how much may speak against it: a runner is no copy of the catalogue."""
_FEW_WHOLE = 0.1
"""Of what shows it, how much must be explained in whole: a part may be a part of anything."""
_FEW_NEAR = 0.25
"""Of what shows it, how much unexplained may be near: more, and it is a part of some larger deviation."""
_FEW_NEAR_CLEAN = 0.5
"""The same where many are explained in whole, and no answer says otherwise."""
_FEW_THIRD = 0.1
"""The same of failures that are wrong in another way, and of the near ones beside these."""
_ENOUGH_BESIDE_THIRD = 15
"""What must show a mistake before any of these are forgiven."""
_ENOUGH_CLEAN = 3
"""What must show a mistake before it takes the place of one that is not credible."""
_ENOUGH_IN_ONE_OP = 8
"""What must show it before it is said to be made in one op, and not in others."""


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
        return self.shares - _AGAINST_THIRD * len(self.third) - _AGAINST_PASS * len(self.against)


_EMPTY = Fit(frozenset(), {}, frozenset(), frozenset(), 0.0)


@dataclass(frozen=True, slots=True)
class Support:
    """What the evidence says of one mistake of a set; numbers are indexes of evidence."""

    ops: tuple[str, ...]
    """Where it is made."""
    shown: frozenset[int]
    """Failures in which it has a part, as the runner gives them."""
    whole: frozenset[int]
    """Those of them that are explained in whole."""
    against: frozenset[int]
    """Where it would show, and the runner is right, in those ops and in others."""
    at_home: bool
    """Whether it is made in the op that it belongs to, as far as that op was asked."""
    elsewhere: frozenset[int]
    """Those of them that are of ops where it is not made."""
    third: frozenset[int]
    """Failures at which it would show, and the runner is wrong in another way."""
    near: frozenset[int]
    """Failures that stay unexplained, in the same place of an answer and of the same clause as ``shown``."""
    beside: frozenset[int]
    """All failures of its ops that stay unexplained."""
    by_itself: bool
    """Whether the runner does all that it would do alone, no other mistake being needed for the rest."""

    @property
    def credible(self) -> bool:
        """Whether the runner makes this mistake, and not another that only answers alike here and there."""
        shown, third, near = len(self.shown), len(self.third), len(self.near)
        here = len(self.against) - len(self.elsewhere)
        if here > _FEW_AGAINST * shown or len(self.whole) < max(1.0, _FEW_WHOLE * shown):
            return False
        if self.elsewhere and (shown < _ENOUGH_IN_ONE_OP or not self.at_home):
            return False
        if third:
            few = _FEW_THIRD * shown
            return shown >= _ENOUGH_BESIDE_THIRD and third <= few and near <= few
        return near <= (_FEW_NEAR_CLEAN if self.clean else _FEW_NEAR) * shown

    @property
    def clean(self) -> bool:
        """Whether many failures are explained in whole, and no answer says otherwise."""
        return self.by_itself and len(self.whole) >= _ENOUGH_BESIDE_THIRD

    @property
    def certain(self) -> bool:
        """Whether all answers are what a runner gives that makes this mistake."""
        return self.by_itself and not (self.against or self.third or self.beside)


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
        self._op = {index: item.op.name for index, item in enumerate(predictions.evidence)}
        self._by_op: dict[str, dict[str, list[int]]] = {}
        """By mistake and op: where it shows."""
        for name, said in predictions.alone.items():
            places: dict[str, list[int]] = defaultdict(list)
            for index in said:
                places[self._op[index]].append(index)
            self._by_op[name] = dict(places)
        self._made: dict[str, Names] = {op: () for op in predictions.failures if op not in predictions.mute}
        self._fits: dict[str, Fit] = dict.fromkeys(self._made, _EMPTY)
        self._known: dict[tuple[str, Names], Fit] = {}
        self._alone: dict[tuple[str, str], Fit] = {}
        self._matching = [
            name for name in self._by_op if any(self._fit_alone(name, op).shares for op in self._made)
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
        while len(self._names()) < _MOST and self._grown(set(clean) - self._names()):
            pass
        return self._borne_out(support)

    def _names(self) -> set[str]:
        return {name for names in self._made.values() for name in names}

    # Fitting

    def _fit(self, op: str, names: Names) -> Fit:
        key = (op, names)
        if key not in self._known:
            shown = {index for name in names for index in self._by_op[name].get(op, ())}
            self._known[key] = self._fitted(
                (index, self._predictions.together(names, index)) for index in sorted(shown)
            )
        return self._known[key]

    def _fit_alone(self, name: str, op: str) -> Fit:
        key = (name, op)
        if key not in self._alone:
            said = self._predictions.alone[name]
            self._alone[key] = self._fitted((index, said[index]) for index in self._by_op[name].get(op, ()))
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
            alone = self._fit_alone(name, op)
            if not alone.shares:
                continue
            shown = {index for other in self._made[op] for index in self._by_op[other].get(op, ())}
            gain = float(len(alone.explained - fit.explained))
            for index, paths in alone.parts.items():
                if index not in fit.explained:
                    new = paths - fit.parts.get(index, frozenset())
                    gain += len(new) / len(self._predictions.wrong[index])
            gain -= _AGAINST_PASS * len(alone.against - shown) + _AGAINST_THIRD * len(alone.third - shown)
            total += max(0.0, gain)
        return total

    def _with(self, name: str) -> tuple[float, dict[str, Names]]:
        """How much nearer a mistake brings the set, and what is then made in which op."""
        gain, made = 0.0, {}
        for op in self._by_op[name]:
            if op not in self._made:
                gain -= _AGAINST_OP * (op in self._predictions.passes and op not in self._predictions.mute)
                continue
            before = self._fits[op].score
            best = max(
                ((*self._made[op], name), (name, *self._made[op])),
                key=lambda names: self._fit(op, names).score,
            )
            better = self._fit(op, best).score - before
            if better > 0:
                gain += better
                made[op] = best
            elif self._fit(op, best).against - self._fits[op].against:
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
            shown = [name for name, places in self._by_op.items() if name not in made and op in places]
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
                        loss += self._fits[op].score - self._fit(op, without).score
                        rest[op] = without
                if loss <= _COST:
                    self._settle(rest)
                    changed = True

    def _weight(self, name: str) -> tuple[float, str]:
        return sum(self._fit_alone(name, op).shares for op in self._made), name

    def _settle(self, made: dict[str, Names]) -> None:
        for op, names in made.items():
            self._made[op] = names
            self._fits[op] = self._fit(op, names)

    def _borne_out(self, known: Mapping[str, Support] = MappingProxyType({})) -> dict[str, Support]:
        """What speaks for each mistake and against it, of those that are credible; the others go.

        What is not credible is judged as if it stayed: it stands for something unknown that answers alike,
        and with it gone its answers would count against its neighbours. So what is ``known`` is not
        judged again.
        """
        left = self._left()
        support = {name: known.get(name) or self._support(name, left) for name in sorted(self._names())}
        credible = {name for name, said in support.items() if name in known or said.credible}
        self._settle(
            {op: tuple(name for name in names if name in credible) for op, names in self._made.items()}
        )
        left = self._left()
        return {
            name: replace(
                support[name],
                beside=frozenset(index for index in left if self._op[index] in support[name].ops),
            )
            for name in sorted(credible)
        }

    def _left(self) -> dict[int, set[str]]:
        """The failures that are not explained in whole, and the places of what is not."""
        left = {}
        for op, failures in self._predictions.failures.items():
            fit = self._fits.get(op, _EMPTY)
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
            op = self._op[index]
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
        asked = any(self._op[index] == home for index in said) and home not in self._predictions.mute
        beside = {index for index in left if self._op[index] in ops}
        near = {
            index
            for index in beside
            if any(
                (self._op[index], self._predictions.evidence[index].clause, where) in places
                for where in left[index]
            )
        }
        return Support(
            ops,
            frozenset(shown),
            frozenset(index for index in shown if index in self._fits[self._op[index]].explained),
            frozenset(against | elsewhere),
            home in ops or not asked,
            frozenset(elsewhere),
            frozenset(third),
            frozenset(near),
            frozenset(beside),
            self._by_itself(name),
        )

    def _by_itself(self, name: str) -> bool:
        return all(
            index in self._predictions.wrong
            and all(self._predictions.wrong[index].get(path) == mark for path, mark in found.items())
            for index, found in self._predictions.alone[name].items()
            if self._op[index] not in self._predictions.mute
        )

    def _alternatives(self, name: str) -> tuple[str, ...]:
        said = self._predictions.alone[name]
        return tuple(
            other for other, found in self._predictions.alone.items() if other != name and found == said
        )
