"""Which few changes of the reference, composed, give a runner's answers to one op.

Known mistakes come first, because what they answer is known beforehand: if a few of them explain all, nothing
else is tried. Otherwise the space of deviations, and then what may be changed within the reference, is
filtered on a dozen failures that differ as much as possible. Of what hits them, the change is added that
brings the reference nearest to the runner, and so on until nothing brings it nearer.

It is fitted to half of the evidence, and looks closely at a part of that. Known mistakes that only the other
half shows are added at the end.
"""

import itertools
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.deviations import space_of
from conformance.diagnosis.candidates import (
    Candidate,
    Composition,
    generated,
    of_mistake,
    with_added,
    with_replaced,
    without,
)
from conformance.diagnosis.case import Case
from conformance.diagnosis.fitting import AGAINST_PASS, GENERATED, Fit
from conformance.diagnosis.foretold import known_answers
from conformance.diagnosis.sampling import SAMPLE, diverse_sample, spread_sample
from conformance.diagnosis.scratch import scratch
from conformance.diagnosis.within import inner_changes
from conformance.mistakes.catalogue import Mistake

__all__ = ["Search"]

_ROUNDING = 1e-9
"""How much two scores that are equal may differ."""
_MISSES = 3
"""Failures that a candidate may change to no avail before it is dropped, where it has hit none."""
_TRIED, _ROUNDS = 8, 3
"""Additions that are worked out exactly each time, and how often, as long as none of them is any good."""
_POOL, _OF_EACH = 60, 6
"""Candidates that stay after the filter, and those of each failure of the sample."""
_MANY, _ALIKE = 32, 3
"""Candidates that do the same to the sample, and of these, to more failures, those that stay."""
_RIGHT = 48
"""Right answers on which a condition is tried whose effect is quickly known."""
_READ = 100
"""Wrong answers that lists within the reference are read off."""
_FILTERINGS = 3
"""The most filterings of the space in one run of the search."""
_NEAR = 0.7
"""How much less another may fit than what is chosen, and still be its rival."""
_MOST = 12
"""The most changes of one op."""
_FEW = 0.05
"""The share of failures that must be left for a look within the reference."""
_LOOKS = 4
"""How often more of the evidence is looked at."""
_SOURCES = {"known": 0.2, "familiar": 0.5, "space": 0.5, "within": 0.7}
"""Where candidates are from, the quickest first, and the share of the work left that each may take."""
_LEAST_KNOWN = 25_000.0
"""What a look at the known mistakes may take at least."""


class _Pool(NamedTuple):
    """Candidates that a filter left, made after what was chosen then."""

    hits: Mapping[Candidate, Mapping[int, float]]
    """How like each is to the runner at some failures."""
    against: Mapping[Candidate, float]
    """What right answers count against it, going by a few."""


class Search(Fit):
    """The search of one op."""

    def __init__(
        self,
        case: Case,
        mistakes: Mapping[str, Mistake],
        first: Iterable[Mistake],
        work: tuple[float, float],
        familiar: Collection[str] = frozenset(),
    ) -> None:
        """Begins with some known mistakes.

        ``work`` is the most there is to do (``Case.work``), and what a look within the reference may add to
        it; ``familiar`` are habits found in other ops.
        """
        super().__init__(case, map(of_mistake, first), familiar)
        self.rivals: dict[str, list[Candidate]] = {}
        """By name of what was chosen: others that fitted as well."""
        self._ends, self._work_within = case.work + work[0], work[1]
        self._mistakes = {one.name: one for one in mistakes.values()}
        self._banned: set[str] = set()
        self._pool = _Pool({}, {})
        self._pools: dict[tuple[str, Composition], _Pool] = {}
        """What each source gave, by what was chosen before."""
        self._used: set[tuple[str, Composition]] = set()
        """Those that were looked through in this run."""
        self._filterings = Counter[str]()
        """How often each source was looked through."""
        answers = [(case.requests[index], case.evidence[index].actual) for index in self._fitted]
        self._pairs = [(request, actual) for request, actual in answers if actual is not None]

    @property
    def is_out_of_work(self) -> bool:
        """Whether all the work is done that there was to do."""
        return self.case.work >= self._ends

    def run(self) -> None:
        """Adds changes as long as they bring the reference nearer to the runner, known mistakes first.

        Then it looks at the evidence that contradicts them, and goes on.
        """
        if not any(one.deviation for one in self.chosen):
            first, self.chosen = self.chosen, ()  # what each answers alone is known
            self._pool = self._filter(self._wrong, self._known_mistakes(self._wrong), len(self._wrong))
            for one in first:
                self.chosen = self._chosen_with(one)
            self._grow("known")
            self._improve()
            if self._unexplained():  # something else may explain more than what only comes near
                self.chosen = tuple(filter(self._is_worth_keeping, self.chosen))
        for _ in range(_LOOKS):
            self._grow(*_SOURCES)
            self._improve()
            if not self._add_contradictions():
                return
            self._used.clear()
            self._pools.clear()

    def run_without(self, kept: Composition, dropped: Sequence[Candidate], work: float = 0.0) -> None:
        """Searches again from what is kept, without what was dropped; so much work more may be done."""
        self._ends = max(self._ends, self.case.work + work)
        self.chosen = kept
        self._banned |= {one.name for one in dropped}
        self._pool = _Pool({}, {})
        self._used.clear()
        self._filterings.clear()
        self.run()

    def _grow(self, *sources: str) -> None:
        """Adds from the pool while that scores higher; when nothing does, fills it from the next source."""
        best = self.score(self.chosen)
        while (left := self._unexplained()) and len(self.chosen) < _MOST:
            step = self._best_addition(left, best)
            if step is not None:
                best, self.chosen = step
            elif not self._refill(left, sources):
                return

    def _best_addition(self, left: Sequence[int], least: float) -> tuple[float, Composition] | None:
        """The addition that brings the reference nearest to the runner, nearer than ``least``."""
        out = self._banned | {one.name for one in self.chosen}
        worth: dict[Candidate, float] = {}
        for one, hits in self._pool.hits.items():
            gain = sum(hits.get(index, 0.0) for index in left)
            if gain > 0 and one.name not in out:
                worth[one] = gain - self._pool.against[one] - self._share * self._cost(one)
        fits: dict[Candidate, float] = {}
        best, most = None, least
        for number, one in enumerate(sorted(worth, key=lambda one: (-worth[one], one.name))):
            if number == _ROUNDS * _TRIED or (best is not None and number % _TRIED == 0):
                break
            fits[one] = self.score(next(with_added(self.chosen, one)), max(least, most - _NEAR), left)
            if fits[one] > most + _ROUNDING:
                best, most = one, fits[one]
        if best is None:
            return None
        self.rivals[best.name] = [one for one, fit in fits.items() if fit > most - _NEAR and one is not best]
        return most, self._chosen_with(best)

    def _chosen_with(self, one: Candidate) -> Composition:
        """What is chosen with one more, at the position that gives most failures."""
        first, *others = with_added(self.chosen, one)
        same = [other for other in self.chosen if other.stage == one.stage]
        return first if self.case.are_independent(one, same) else max(first, *others, key=self._count_exact)

    def _improve(self) -> None:
        """Takes a rival in place of what is chosen, where that is better, and away what is not needed."""
        for one in sorted(self.chosen, key=self._cost, reverse=True):
            best = self.score(self.chosen)
            rivals = (each for each in self.rivals.get(one.name, ()) if each not in self.chosen)
            options = [without(self.chosen, one), *(with_replaced(self.chosen, one, each) for each in rivals)]
            for changed in options:
                before, fewer = self.chosen, len(changed) < len(self.chosen)
                least = best - _ROUNDING if fewer else best + _ROUNDING
                if self.score(changed, least) >= least:
                    self.chosen = changed
                    score = self.score(changed)  # now asked, not supposed
                    best, self.chosen = (score, changed) if score >= least else (best, before)

    def add_known(self) -> None:
        """Adds known mistakes that explain what is left."""
        self._pool = self._fill_pool("known", self._unexplained())
        self._grow()

    def with_fewer_changes(self) -> Composition:
        """What is chosen, or the same with one change in place of two, if nearly all is explained."""
        best, chosen = self.score(self.chosen), self.chosen
        known = {one.name for one in chosen} | self._banned
        others = [one for pool in self._pools.values() for one in pool.hits if one.name not in known]
        for pair in () if self._leaves_more_than(_FEW) else itertools.combinations(self.chosen, 2):
            rest = tuple(one for one in self.chosen if one not in pair)
            for one in dict.fromkeys(others):
                changed = next(with_added(rest, one))
                score = self.score(changed, best + _ROUNDING)
                if score > best + _ROUNDING:
                    best, chosen = score, changed
        return chosen

    def _refill(self, left: Sequence[int], sources: Sequence[str]) -> bool:
        """Fills the pool from the first source that is worth it and was not looked through."""
        for source in sources:
            key = source, self.chosen
            if key not in self._used and (key in self._pools or self._may_use(source)):
                self._used.add(key)
                if key not in self._pools:
                    self._filterings[source] += 1
                    self._pools[key] = self._fill_pool(source, left)
                self._pool = self._pools[key]
                return True
        return False

    def _may_use(self, source: str) -> bool:
        """Whether to look through something is worth the work that is left for it."""
        if source == "familiar":
            return bool(self._habits)
        if source == "within":
            return self._leaves_more_than(_FEW) and self.case.work < self._ends + self._work_within
        return source == "known" or not (self.is_out_of_work or self._filterings[source] >= _FILTERINGS)

    def _fill_pool(self, source: str, left: Sequence[int]) -> _Pool:
        """The pool from a source: what may explain some of the failures that are left."""
        sample, misses = diverse_sample(self.case, left), _MISSES
        rest = self._ends + self._work_within * (source == "within") - self.case.work
        ends = self.case.work + max(_SOURCES[source] * rest, _LEAST_KNOWN * (source == "known"))
        if source == "known":
            candidates = self._known_mistakes(sample)
        elif source == "within":
            sample = [*sample[len(sample) // 3 :], *sample[: len(sample) // 3]]  # the smallest hide most
            candidates = self._inner_changes(sample)
        else:
            habits = self._habits if source == "familiar" else set()
            if habits:
                sample = spread_sample(self.case, left, 4 * SAMPLE)  # there are few candidates
            changes = {one.rpartition(":")[2] for one in habits}  # of inputs and answers elsewhere, or within
            inner = self._inner_changes(sample) if habits and self._familiar else iter(())
            candidates = itertools.chain(
                self._known_mistakes(sample),
                (one for one in inner if one.name.rpartition(":")[2] in changes),
                generated(space_of(self.case.op.spec, self.case.op.name), self._pairs, habits),
            )
        return self._filter(sample, itertools.takewhile(lambda _: self.case.work < ends, candidates), misses)

    @property
    def _habits(self) -> set[str]:
        """What is done in other ops, or at a place of this one, and may be done at others."""
        return {*self._familiar, *(one.habit for one in self.chosen)} - self._mistakes.keys()

    def _known_mistakes(self, sample: Sequence[int]) -> Iterator[Candidate]:
        """The mistakes that may change the answer to some of a sample, those most like the runner first."""
        case, alike = self.case, Counter(known_answers(self.case.op.spec).unknown)
        for index in sample:
            row = case.mistake_marks(index)
            if row is None:
                alike.update(dict.fromkeys(self._mistakes, 0))
            for name, marks in (row or {}).items():
                alike[name] += any(case.wrong[index].get(path) == mark for path, mark in marks.items())
        for name in sorted(alike.keys() & self._mistakes.keys(), key=lambda name: (-alike[name], name)):
            if any(case.may_show(self._mistakes[name], index) for index in sample):
                yield of_mistake(self._mistakes[name])

    def _inner_changes(self, sample: Sequence[int]) -> Iterator[Candidate]:
        """Changes within the reference, in functions that it calls for a sample."""
        inputs = [self.case.evidence[index].input for index in sample]
        answers = [answer for _, answer in self._pairs[:_READ]]
        return inner_changes(scratch(self.case.op.spec), self.case.op, inputs, answers)

    def _filter(self, sample: Sequence[int], candidates: Iterable[Candidate], misses: int = _MISSES) -> _Pool:
        """The pool of what hits some failure of a sample, made after what is chosen.

        Of candidates that do the same to the sample a few stay, else the best, and the best for each failure.
        """
        hits: dict[Candidate, dict[int, float]] = {}
        seen: set[str] = set()
        for one in candidates:
            self.case.work += GENERATED
            if one.name not in seen and (likeness := self._likeness(one, sample, misses)):
                hits[one] = likeness
            seen.add(one.name)
        right = spread_sample(self.case, self._right, SAMPLE)
        quick = spread_sample(self.case, self._right, _RIGHT)
        more = spread_sample(self.case, [index for index in self._wrong if index not in sample], 2 * SAMPLE)
        broken = {  # a condition is known by where it does not hold
            one: [index for index in (right if one.stage == 0 else quick) if self._marks_with(one, index)]
            for one in hits
            if one.is_conditional
        }
        few = self._ranked(hits, broken, _MANY)
        hits = {one: hits[one] | self._likeness(one, more, len(more)) for one in few}
        counts = {one: [index for index in right if self._marks_with(one, index)] for one in few}
        broken = {one: broken.get(one, counts[one]) for one in few}
        ranked = self._ranked(hits, broken, _ALIKE)
        kept = ranked[:_POOL]
        for index in sample:
            mine = [one for one in ranked if hits[one].get(index, 0) > 0]
            mine.sort(key=lambda one: (-hits[one][index], self._cost(one), one.name))
            kept += mine[:_OF_EACH]
        of_all = AGAINST_PASS * len(self._right) / max(1, len(right))
        return _Pool({one: hits[one] for one in kept}, {one: len(counts[one]) * of_all for one in kept})

    def _ranked(
        self,
        hits: Mapping[Candidate, Mapping[int, float]],
        broken: Mapping[Candidate, Sequence[int]],
        most: int,
    ) -> list[Candidate]:
        """The candidates, the likeliest first; at most so many of those that do the same."""
        against = {one: broken.get(one, ()) for one in hits}
        worth = {one: sum(hits[one].values()) - self._cost(one) - len(against[one]) for one in hits}
        count = Counter[tuple[Any, ...]]()
        found = []
        for one in sorted(hits, key=lambda one: (-worth[one], one.stage != 2, one.name)):
            function = one.name.split(":")[:2] if one.is_inner else ()
            effect = (*function, *hits[one].items(), *against[one])
            count[effect] += 1
            if count[effect] <= most:
                found.append(one)
        return found

    def _likeness(self, one: Candidate, sample: Iterable[int], misses: int = _MISSES) -> dict[int, float]:
        """How much nearer to the runner a candidate is where it changes something; nothing if it never is."""
        found: dict[int, float] = {}
        hit = False
        for index in sample:
            made = self._marks_with(one, index)
            if made is not None:
                before = self._estimated_marks(self.chosen, index)
                found[index] = self.case.likeness(index, made)
                found[index] -= self.case.likeness(index, before) if before else 0.0
                hit = hit or found[index] > 0
                if not hit and len(found) >= misses * (1 + bool(self.chosen)):
                    break
        return found if hit else {}
