"""Which few changes of the reference, composed, give a runner's answers to one op.

Known mistakes come first, for what they answer is known beforehand: where a few of them explain all, nothing
else is asked. Otherwise the space of deviations is filtered on a dozen failures that differ as much as can
be; of what hits them the change is added that brings the reference nearest to the runner, and again, until
nothing brings it nearer. It is fitted to half of the evidence. An answer that the runner gets right and the
composition wrong counts as much as three that it explains.
"""

import itertools
import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from conformance.deviations import space_of, touches
from conformance.diagnosis import weights
from conformance.diagnosis.candidates import (
    Candidate,
    Composition,
    added,
    generated,
    of_mistake,
    replaced,
    without,
)
from conformance.diagnosis.case import Case, changed
from conformance.diagnosis.foretold import foretold
from conformance.diagnosis.known import Known
from conformance.diagnosis.sampling import SAMPLE, diverse, fitted_to, spread
from conformance.mistakes.catalogue import Mistake
from conformance.wire.messages import Refused

__all__ = ["Search"]


class _Pool(NamedTuple):
    """Candidates that a filter left, made after what was chosen then."""

    candidates: dict[str, Candidate]
    hits: dict[str, dict[int, float]]
    """By candidate: how like it is to the runner at some failures."""
    broken: Mapping[str, int]
    """By candidate: right answers of a few that it changes."""


class Search:
    """The search of one op."""

    def __init__(
        self,
        case: Case,
        mistakes: Mapping[str, Mistake],
        known: Known,
        work: float,
        familiar: Collection[str] = frozenset(),
    ) -> None:
        """``work`` is the most there is to do (``Case.work``); ``familiar`` are habits found in other ops."""
        self.case = case
        self.chosen: Composition = tuple(map(of_mistake, known.mistakes))
        self.rivals: dict[str, list[Candidate]] = {}
        """By name of what was chosen: others that fitted as well."""
        self._ends = case.work + work
        self._filtered: dict[tuple[str, ...], _Pool] = {}
        """By what was chosen: what the filter left of the space."""
        self.dropped: list[Candidate] = []
        """What was chosen and dropped again."""
        self._banned: set[str] = set()
        self._familiar = familiar
        self._habits = {one for one in familiar if one not in mistakes}
        self._mistakes = {one.name: one for one in mistakes.values()}
        failures, right = fitted_to(case)
        most = next(most for limit, most in weights.FITTED if case.size < limit)
        left = [index for index in failures if index in known.left]
        self._wrong = sorted({*spread(case, failures, most), *spread(case, left, most // 2)})
        self._right = spread(case, right, most)
        self._share = max(weights.SHARE, len(self._wrong) / max(1, len(failures)))
        """Of all failures, those that are looked at: a change need not cost more than its share of them."""
        self._pool = _Pool({}, {}, {})
        self._pairs = [(case.asked[i], one) for i in failures if (one := case.evidence[i].actual) is not None]

    def run(self) -> None:
        """Adds changes as long as they bring the reference nearer to the runner."""
        if not any(one.deviation for one in self.chosen):
            self._from_known()
        best = self.score(self.chosen)
        filterings, filtered = 0, None
        if self._habits and (left := self._left()):
            self._filter_space(left, self._habits)
        while True:
            left = self._left()
            step = self._step(left, best) if left and len(self.chosen) < weights.MOST else None
            if step is not None:
                best, self.chosen = step
            elif (
                left and filtered != self.chosen and filterings < weights.FILTERINGS and self._is_worth(left)
            ):
                filtered = self.chosen
                filterings += 1
                self._filter_space(left)
            else:
                self._prune()
                return

    def _is_worth(self, left: Sequence[int]) -> bool:
        """Whether a filtering of the space may bring more than the work for it.

        Not where the last one gave little of what the runner does, nor where few failures are left.
        """
        if self.is_spent or (self._filtered and len(left) > weights.ALIEN * len(self._wrong)):
            return False
        case = self.case
        count = sum(case.predicted(self.chosen, index) != found for index, found in case.wrong.items())
        space = space_of(case.op.spec, case.op.name)
        return count * weights.PLACES >= sum(len(places.all) for places in space.places.values())

    @property
    def is_spent(self) -> bool:
        """Whether all the work is done that there was to do."""
        return self.case.work >= self._ends

    def run_without(self, kept: Composition, dropped: Sequence[Candidate], more: float = 0.0) -> None:
        """Searches again from what is kept, without what was dropped, with at least so much ``more`` work."""
        self._ends = max(self._ends, self.case.work + more)
        self.chosen = kept
        self.dropped += dropped
        self._banned |= {one.name for one in dropped}
        self._pool = _Pool({}, {}, {})
        self.run()

    def _from_known(self) -> None:
        """Adds known mistakes to those that are chosen, if all together explain every failure.

        Otherwise those stay that break nothing and give some failures exactly; one of them may be left out
        again for a change that explains more.
        """
        self._pool = self._known_alone()
        self._grow()
        if self._left():
            self._exchange()
        sound = tuple(one for one in self.chosen if not self._breaks(one) and self._gives(one))
        while (left := self._left()) and not self.is_spent:
            before = self.chosen
            sample = diverse(self.case, left)
            self._filter(sample, map(self._cheaper, self._known(sample).values()))
            self._grow()
            if self.chosen == before:
                self.chosen = sound
                break

    def _known_alone(self) -> _Pool:
        """The known mistakes that are most like the runner as they answer alone, which is known."""
        known = self._known(self._wrong)
        broken = Counter(
            name for index in self._right for name in known if self.case.may_show(self._mistakes[name], index)
        )
        chosen, self.chosen = self.chosen, ()
        hits = {name: self._likeness(one, self._wrong, len(self._wrong)) for name, one in known.items()}
        self.chosen = chosen
        worth = {name: sum(hits[name].values()) - broken[name] for name in known if hits[name]}
        names = sorted(worth, key=lambda name: (-worth[name], name))[: weights.KNOWN]
        pool = {name: self._cheaper(known[name]) for name in names}
        return _Pool(pool, {name: hits[name] for name in names}, broken)

    def _exchange(self) -> None:
        """Takes another of the pool in place of a chosen one, where that is better: many are nearly alike."""
        best = self.score(self.chosen)
        pool, hits, _ = self._pool
        for one in self.chosen:
            mine = hits.get(one.name, {}).keys()
            shared = {name: len(mine & hits[name].keys()) for name in pool if name != one.name}
            for name in sorted(shared, key=lambda name: (-shared[name], name))[: weights.TRIED]:
                if one in self.chosen and pool[name] not in self.chosen and shared[name]:
                    composition = replaced(self.chosen, one, pool[name])
                    score = self.score(composition, best)
                    if score > best + 1e-9:
                        best, self.chosen, one = score, composition, pool[name]

    def _grow(self) -> None:
        """Adds from the pool as long as that is better."""
        best = self.score(self.chosen)
        while (left := self._left()) and len(self.chosen) < weights.MOST:
            step = self._step(left, best)
            if step is None:
                break
            best, self.chosen = step

    def _breaks(self, one: Candidate) -> bool:
        return any(self.case.predicted((one,), index) for index in self._right)

    def _gives(self, one: Candidate) -> bool:
        return any(self.case.predicted((one,), index) == self.case.wrong[index] for index in self._wrong)

    def _left(self) -> list[int]:
        return [i for i in self._wrong if self.case.predicted(self.chosen, i) != self.case.wrong[i]]

    # Filtering

    def _filter_space(self, left: Sequence[int], habits: Collection[str] = ()) -> None:
        """Filters the space after what is chosen, on failures that are left; once for each composition.

        With ``habits``, only these and known mistakes are looked at, which is quick.
        """
        key = (*(one.name for one in self.chosen), *habits)
        if key not in self._filtered:
            sample = diverse(self.case, left)
            self._filter(sample, self._space(sample, habits))
            self._filtered[key] = self._pool
        self._pool = self._filtered[key]

    def _space(self, sample: Sequence[int], habits: Collection[str]) -> Iterator[Candidate]:
        """All that may be done otherwise, the likeliest first, while the work for it lasts."""
        space = space_of(self.case.op.spec, self.case.op.name)
        ends = self.case.work + weights.MOST_AT_ONCE * (self._ends - self.case.work)
        known = self._known(sample).values()
        for one in itertools.chain(known, generated(space, self._pairs, habits)):
            if self.case.work > ends:
                return
            self.case.work += weights.GENERATED
            yield self._cheaper(one)

    def _filter(self, sample: Sequence[int], candidates: Iterable[Candidate]) -> None:
        """Makes the pool of what hits some failure of a sample, made after what is chosen."""
        found: dict[str, Candidate] = {}
        hits: dict[str, dict[int, float]] = {}
        for one in candidates:
            likeness = self._likeness(one, sample)
            if likeness:
                hits[one.name], found[one.name] = likeness, one
        totals = {name: sum(each.values()) - found[name].cost for name, each in hits.items()}
        alike = Counter[tuple[tuple[int, float], ...]]()
        ranked = []
        for name in sorted(totals, key=lambda name: (-totals[name], name)):
            effect = tuple(hits[name].items())
            alike[effect] += 1
            if alike[effect] <= weights.ALIKE:
                ranked.append(name)
        kept = [name for name in ranked if totals[name] > 0][: weights.POOL]
        for index in sample:
            mine = [name for name in ranked if hits[name].get(index, 0) > 0]
            mine.sort(key=lambda name: (-hits[name][index], found[name].cost, name))
            kept += mine[: weights.OF_EACH]
        pool = {name: found[name] for name in kept}
        more = spread(self.case, [index for index in self._wrong if index not in sample], 2 * SAMPLE)
        right = spread(self.case, self._right, SAMPLE)
        self._pool = _Pool(
            pool,
            {name: hits[name] | self._likeness(one, more, len(more)) for name, one in pool.items()},
            {name: sum(bool(self._made(one, index)) for index in right) for name, one in pool.items()},
        )

    def _cheaper(self, one: Candidate) -> Candidate:
        return replace(one, cost=one.cost * weights.FAMILIAR) if one.habit in self._familiar else one

    def _known(self, sample: Sequence[int]) -> dict[str, Candidate]:
        """The mistakes that may change the answer to some of a sample."""
        unknown = set(foretold(self.case.op.spec).unknown)
        rows = [self.case.row(index) for index in sample]
        names = unknown.union(*(self._mistakes if row is None else row for row in rows))
        return {
            name: of_mistake(self._mistakes[name])
            for name in sorted(names & self._mistakes.keys())
            if any(self.case.may_show(self._mistakes[name], index) for index in sample)
        }

    def _likeness(
        self, one: Candidate, sample: Iterable[int], misses: int = weights.MISSES
    ) -> dict[int, float]:
        """How like a candidate is to the runner where it changes something; nothing where it never is."""
        found: dict[int, float] = {}
        hit = False
        for index in sample:
            made = self._made(one, index)
            if made is not None:
                likeness = self.case.likeness(index, made)
                hit = hit or likeness > 0
                found[index] = likeness
                if not hit and len(found) >= misses:
                    break
        return found if hit else {}

    def _made(self, one: Candidate, index: int) -> Mapping[str, str] | None:
        """The marks of what is chosen with one more, not remembered; None where that changes nothing."""
        case, chosen = self.case, self.chosen
        if one.mistake is not None and not chosen and (known := case.alone(one.mistake, index)) is not None:
            case.work += weights.UNTOUCHED
            return known or None
        view = case.view(chosen, index)
        if one.stage == 0 and isinstance(view.given, Refused):
            return None
        if one.deviation is not None:
            values = view.values(one.deviation.side, one.deviation.place)
            case.work += weights.UNTOUCHED + weights.VALUE * len(values)
            if not touches(one.deviation, view):
                return None
        if one.stage == 2:
            after = changed(one, view.due)
            return None if after is view.due else case.marks(index, after)
        given = view.given
        within = [other for other in chosen if other.stage == 1]
        if one.stage == 1:
            within.append(one)
        else:
            new = changed(one, given)
            if new is given:
                return None
            given = new
        result = case.answer(given, within, index)
        case.work += weights.UNTOUCHED
        for other in chosen:
            result = changed(other, result) if other.stage == 2 else result
        return case.marks(index, result)

    # Growing

    def _step(self, left: Sequence[int], least: float) -> tuple[float, Composition] | None:
        """The addition that brings the reference nearest to the runner, nearer than ``least``."""
        pool, hits, broken = self._pool
        worth = {}
        for name in hits.keys() - self._banned - {one.name for one in self.chosen}:
            gain = sum(hits[name].get(index, 0.0) for index in left)
            if gain > 0:
                worth[name] = gain - broken[name] - self._share * pool[name].cost
        options = sorted(worth, key=lambda name: (-worth[name], name))
        best: tuple[float, Composition] | None = None
        taken, fits = "", dict[str, float]()
        for number, name in enumerate(options[: weights.ROUNDS * weights.TRIED]):
            if best is not None and number % weights.TRIED == 0:
                break
            for composition in added(self.chosen, pool[name]):
                score = self.score(composition, max(least, best[0] - weights.NEAR if best else least))
                fits[name] = max(fits.get(name, score), score)
                if score > (best[0] if best else least) + 1e-9:
                    best, taken = (score, composition), name
        if best is not None:
            near = [name for name, fit in fits.items() if fit > fits[taken] - weights.NEAR and name != taken]
            self.rivals[taken] = [pool[name] for name in near]
        return best

    def score(self, composition: Composition, least: float = -math.inf) -> float:
        """How near a composition is to the runner, in failures; below ``least`` it is only a bound."""
        total = len(self._wrong) - self._share * sum(one.cost for one in composition)
        for index in self._right:
            if self.case.predicted(composition, index):
                total -= weights.AGAINST_PASS
                if total < least:
                    return total
        for index in self._wrong:
            found = self.case.predicted(composition, index)
            likeness = self.case.likeness(index, found) if found else 0.0
            total -= 1 - likeness if likeness > 0 or not found else 1 + weights.AGAINST_OTHER
            if total < least:
                return total
        return total

    def _prune(self) -> None:
        """Takes away what is not needed: the rest is as near to the runner without it."""
        best = self.score(self.chosen)
        for one in sorted(self.chosen, key=lambda one: -one.cost):
            rest = without(self.chosen, one)
            score = self.score(rest)
            if score >= best:
                self.chosen, best = rest, score
