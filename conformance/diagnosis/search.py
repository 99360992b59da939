"""Searches for the few changes to the reference that, composed, give a runner's answers to one op.

Known mistakes come first, because their answers are stored: if a few of them explain everything, nothing else
is tried. Otherwise the deviations, and then the changes within the reference, are filtered on a dozen
failures that differ as much as possible. Of the changes that explain some of them, the search adds the one
with the best score, and repeats this until no change improves the score.

The changes are fitted to a sample of half of the evidence. Known mistakes that only the other half shows are
added at the end.
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
from conformance.diagnosis.known_answers import known_answers
from conformance.diagnosis.sampling import SAMPLE, diverse, spread
from conformance.diagnosis.scratch import scratch
from conformance.diagnosis.within import inner_changes
from conformance.mistakes.catalogue import Mistake

__all__ = ["Search"]

_ROUNDING = 1e-9
"""The rounding error of scores that count as equal."""
_MISSES = 3
"""The failures that a candidate may change without explaining any before it is dropped."""
_TRIED, _ROUNDS = 8, 3
"""Additions that are scored exactly per round, and the most rounds while none improves the score."""
_POOL, _OF_EACH = 60, 6
"""Candidates that pass the filter, and the best ones for each failure of the sample that pass as well."""
_MANY, _ALIKE = 32, 3
"""Candidates kept of those with the same effect on the sample, and then on more failures."""
_RIGHT = 48
"""Right answers on which a condition is tested whose effect is quickly known."""
_READ = 100
"""Wrong answers that are searched for a runner's own lists."""
_FILTERINGS = 3
"""The most filterings of each source in one run of the search."""
_NEAR = 0.7
"""The most by which a rival's score may be lower than that of the chosen change."""
_MOST = 12
"""The most changes of one op."""
_FEW = 0.05
"""Changes within the reference are only tried if a larger share of failures is unexplained."""
_LOOKS = 4
"""The most times that contradicting evidence is added."""
_SOURCES = {"known": 0.2, "familiar": 0.5, "space": 0.5, "within": 0.7}
"""The sources of candidates, the quickest first, and the share of the remaining work that each may use."""
_LEAST_KNOWN = 25_000.0
"""The least work for known mistakes."""


class _Pool(NamedTuple):
    """Candidates that passed a filter, as additions to the changes chosen at that time."""

    hits: Mapping[Candidate, Mapping[int, float]]
    """The gain in likeness to the runner for some failures, by candidate."""
    against: Mapping[Candidate, float]
    """The penalty for right answers, estimated from a few, by candidate."""


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
        """Starts with some known mistakes.

        ``work`` is the work budget (``Case.work``), and the additional one for changes within the reference;
        ``familiar`` are habits found in other ops.
        """
        super().__init__(case, map(of_mistake, first), familiar)
        self.rivals: dict[str, list[Candidate]] = {}
        """Candidates that fitted nearly as well, by the name of the chosen one."""
        self._ends, self._work_within = case.work + work[0], work[1]
        self._mistakes = {mistake.name: mistake for mistake in mistakes.values()}
        self._banned: set[str] = set()
        self._pool = _Pool({}, {})
        self._pools: dict[tuple[str, Composition], _Pool] = {}
        """The pool of each source and chosen composition."""
        self._used: set[tuple[str, Composition]] = set()
        """The pools that were used in this run."""
        self._filterings = Counter[str]()
        """The number of filterings of each source."""
        answers = [(case.requests[index], case.evidence[index].actual) for index in self._fitted]
        self._pairs = [(request, actual) for request, actual in answers if actual is not None]

    @property
    def is_out_of_work(self) -> bool:
        """Whether the work budget is used up."""
        return self.case.work >= self._ends

    def run(self) -> None:
        """Adds changes while they improve the score, known mistakes first.

        Then adds evidence that contradicts them to the sample, and continues.
        """
        if not any(change.deviation for change in self.chosen):
            first, self.chosen = self.chosen, ()  # the answers of each alone are stored
            self._pool = self._filter(self._wrong, self._known_mistakes(self._wrong), len(self._wrong))
            for change in first:
                self.chosen = self._chosen_with(change)
            self._grow("known")
            self._improve()
            if self._unexplained():  # another change may explain more than an approximate one
                self.chosen = tuple(filter(self._is_worth_keeping, self.chosen))
        for _ in range(_LOOKS):
            self._grow(*_SOURCES)
            self._improve()
            if not self._add_contradictions():
                return
            self._used.clear()
            self._pools.clear()

    def run_without(self, kept: Composition, dropped: Sequence[Candidate], work: float = 0.0) -> None:
        """Searches again from the kept changes, without the dropped ones, with this much more work."""
        self._ends = max(self._ends, self.case.work + work)
        self.chosen = kept
        self._banned |= {change.name for change in dropped}
        self._pool = _Pool({}, {})
        self._used.clear()
        self._filterings.clear()
        self.run()

    def _grow(self, *sources: str) -> None:
        """Adds candidates from the pool while the score improves; then refills it from the next source."""
        best = self.score(self.chosen)
        while (left := self._unexplained()) and len(self.chosen) < _MOST:
            step = self._best_addition(left, best)
            if step is not None:
                best, self.chosen = step
            elif not self._refill(left, sources):
                return

    def _best_addition(self, left: Sequence[int], least: float) -> tuple[float, Composition] | None:
        """The addition with the best score above ``least``, with that score; None if there is none."""
        out = self._banned | {change.name for change in self.chosen}
        worth: dict[Candidate, float] = {}
        for change, hits in self._pool.hits.items():
            gain = sum(hits.get(index, 0.0) for index in left)
            if gain > 0 and change.name not in out:
                worth[change] = gain - self._pool.against[change] - self._share * self._cost(change)
        fits: dict[Candidate, float] = {}
        best, most = None, least
        for number, change in enumerate(sorted(worth, key=lambda change: (-worth[change], change.name))):
            if number == _ROUNDS * _TRIED or (best is not None and number % _TRIED == 0):
                break
            fits[change] = self.score(next(with_added(self.chosen, change)), max(least, most - _NEAR), left)
            if fits[change] > most + _ROUNDING:
                best, most = change, fits[change]
        if best is None:
            return None
        near = (change for change, fit in fits.items() if fit > most - _NEAR)
        self.rivals[best.name] = [*without(near, best)]
        return most, self._chosen_with(best)

    def _chosen_with(self, change: Candidate) -> Composition:
        """The chosen changes with one more, at the position that gives the most failures exactly."""
        first, *more = with_added(self.chosen, change)
        same = [chosen for chosen in self.chosen if chosen.stage == change.stage]
        return first if self.case.are_independent(change, same) else max(first, *more, key=self._count_exact)

    def _improve(self) -> None:
        """Removes chosen changes that are not needed, and replaces others with rivals that score better."""
        for change in sorted(self.chosen, key=self._cost, reverse=True):
            best, chosen = self.score(self.chosen), self.chosen
            rivals = (rival for rival in self.rivals.get(change.name, ()) if rival not in chosen)
            options = [without(chosen, change), *(with_replaced(chosen, change, rival) for rival in rivals)]
            for changed in options:
                before, fewer = self.chosen, len(changed) < len(self.chosen)
                least = best - _ROUNDING if fewer else best + _ROUNDING
                if self.score(changed, least) >= least:
                    self.chosen = changed
                    score = self.score(changed)  # exact now, no longer estimated
                    best, self.chosen = (score, changed) if score >= least else (best, before)

    def add_known_mistakes(self) -> None:
        """Adds known mistakes that explain the remaining failures."""
        self._pool = self._fill_pool("known", self._unexplained())
        self._grow()

    def with_fewer_changes(self) -> Composition:
        """The chosen changes, with one change in place of two if that fits and nearly all is explained."""
        best, chosen = self.score(self.chosen), self.chosen
        known = {change.name for change in chosen} | self._banned
        pooled = [change for pool in self._pools.values() for change in pool.hits if change.name not in known]
        for pair in () if self._leaves_more_than(_FEW) else itertools.combinations(self.chosen, 2):
            kept = tuple(change for change in self.chosen if change not in pair)
            for change in dict.fromkeys(pooled):
                changed = next(with_added(kept, change))
                score = self.score(changed, best + _ROUNDING)
                if score > best + _ROUNDING:
                    best, chosen = score, changed
        return chosen

    def _refill(self, left: Sequence[int], sources: Sequence[str]) -> bool:
        """Fills the pool from the first useful source that was not used yet; returns whether there is one."""
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
        """Whether a source may be useful and there is work left for it."""
        if source == "familiar":
            return bool(self._habits)
        if source == "within":
            return self._leaves_more_than(_FEW) and self.case.work < self._ends + self._work_within
        return source == "known" or not (self.is_out_of_work or self._filterings[source] >= _FILTERINGS)

    def _fill_pool(self, source: str, left: Sequence[int]) -> _Pool:
        """The candidates of a source that explain some of the remaining failures."""
        sample, misses = diverse(self.case, left), _MISSES
        remaining = self._ends + self._work_within * (source == "within") - self.case.work
        ends = self.case.work + max(_SOURCES[source] * remaining, _LEAST_KNOWN * (source == "known"))
        if source == "known":
            candidates = self._known_mistakes(sample)
        elif source == "within":
            sample = [*sample[len(sample) // 3 :], *sample[: len(sample) // 3]]  # the smallest show the least
            candidates = self._inner_changes(sample)
        else:
            habits = self._habits if source == "familiar" else set()
            if habits:
                sample = spread(self.case, left, 4 * SAMPLE)  # there are few candidates
            changes = {habit.rpartition(":")[2] for habit in habits}  # the names of the changes alone
            inner = self._inner_changes(sample) if habits and self._familiar else iter(())
            candidates = itertools.chain(
                self._known_mistakes(sample),
                (change for change in inner if change.name.rpartition(":")[2] in changes),
                generated(space_of(self.case.op.spec, self.case.op.name), self._pairs, habits),
            )
        return self._filter(sample, itertools.takewhile(lambda _: self.case.work < ends, candidates), misses)

    @property
    def _habits(self) -> set[str]:
        """The habits found in other ops, or at a place of this op, which other places may share."""
        return {*self._familiar, *(change.habit for change in self.chosen)} - self._mistakes.keys()

    def _known_mistakes(self, sample: Sequence[int]) -> Iterator[Candidate]:
        """The known mistakes that may change an answer of the sample, the most likely first."""
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
        """Changes within the functions of the reference that are called for the sample."""
        inputs = [self.case.evidence[index].input for index in sample]
        answers = [answer for _, answer in self._pairs[:_READ]]
        return inner_changes(scratch(self.case.op.spec), self.case.op, inputs, answers)

    def _filter(self, sample: Sequence[int], candidates: Iterable[Candidate], misses: int = _MISSES) -> _Pool:
        """The pool of candidates that, added to the chosen changes, explain some failure of the sample.

        It has the best candidates, and the best for each failure; of those with the same effect only a few.
        """
        hits: dict[Candidate, dict[int, float]] = {}
        names: set[str] = set()
        for change in candidates:
            self.case.work += GENERATED
            if change.name not in names and (likeness := self._likeness(change, sample, misses)):
                hits[change] = likeness
            names.add(change.name)
        right = spread(self.case, self._right, SAMPLE)
        quick = spread(self.case, self._right, _RIGHT)
        more = spread(self.case, [index for index in self._wrong if index not in sample], 2 * SAMPLE)
        broken = {  # a condition is recognized where it does not hold
            hit: [index for index in (right if hit.stage == 0 else quick) if self._marks_with(hit, index)]
            for hit in hits
            if hit.is_conditional
        }
        few = self._ranked(hits, broken, _MANY)
        hits = {change: hits[change] | self._likeness(change, more, len(more)) for change in few}
        counts = {change: [index for index in right if self._marks_with(change, index)] for change in few}
        broken = {change: broken.get(change, counts[change]) for change in few}
        ranked = self._ranked(hits, broken, _ALIKE)
        kept = ranked[:_POOL]
        for index in sample:
            mine = [change for change in ranked if hits[change].get(index, 0) > 0]
            mine.sort(key=lambda change: (-hits[change][index], self._cost(change), change.name))
            kept += mine[:_OF_EACH]
        of_all = AGAINST_PASS * len(self._right) / max(1, len(right))
        against = {change: len(counts[change]) * of_all for change in kept}
        return _Pool({change: hits[change] for change in kept}, against)

    def _ranked(
        self,
        hits: Mapping[Candidate, Mapping[int, float]],
        broken: Mapping[Candidate, Sequence[int]],
        most: int,
    ) -> list[Candidate]:
        """The candidates, the likeliest first; at most ``most`` with the same effect."""
        against = {change: broken.get(change, ()) for change in hits}
        worth = {hit: sum(hits[hit].values()) - self._cost(hit) - len(against[hit]) for hit in hits}
        count = Counter[tuple[Any, ...]]()
        ranked = []
        for change in sorted(hits, key=lambda change: (-worth[change], change.stage != 2, change.name)):
            function = change.name.split(":")[:2] if change.is_inner else ()
            effect = (*function, *hits[change].items(), *against[change])
            count[effect] += 1
            if count[effect] <= most:
                ranked.append(change)
        return ranked

    def _likeness(self, change: Candidate, sample: Iterable[int], misses: int = _MISSES) -> dict[int, float]:
        """The gain in likeness for each failure that a candidate changes; empty if there is no gain."""
        gains: dict[int, float] = {}
        hit = False
        for index in sample:
            marks = self._marks_with(change, index)
            if marks is not None:
                before = self._estimate(self.chosen, index)
                gains[index] = self.case.likeness(index, marks)
                gains[index] -= self.case.likeness(index, before) if before else 0.0
                hit = hit or gains[index] > 0
                if not hit and len(gains) >= misses * (1 + bool(self.chosen)):
                    break
        return gains if hit else {}
