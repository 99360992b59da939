"""Which few changes of the reference, composed, give a runner's answers to one op.

Known mistakes come first, for what they answer is known beforehand: where a few of them explain all, nothing
else is asked. Otherwise the space of deviations is filtered on a dozen failures that differ as much as can
be; of what hits them the change is added that brings the reference nearest to the runner, and again, until
nothing brings it nearer. It is fitted to half of the evidence. An answer that the runner gets right and the
composition wrong counts as much as three that it explains.
"""

import itertools
import math
from collections.abc import Iterator, Sequence

from conformance.deviations import space_of
from conformance.diagnosis import weights
from conformance.diagnosis.candidates import Candidate, Composition, added, replaced, without
from conformance.diagnosis.filtering import Filtering, Pool
from conformance.diagnosis.lasting import lasting
from conformance.diagnosis.sampling import SAMPLE, diverse

__all__ = ["Search"]

_ROUNDING = 1e-9
"""How much two scores that are equal may differ."""


class Search(Filtering):
    """The search of one op."""

    def run(self) -> None:
        """Adds changes as long as they bring the reference nearer to the runner.

        Where known mistakes explain little, what is done to all answers may hide what explains the rest; it
        is taken first then.
        """
        if any(one.deviation for one in self.chosen):
            self._search()
            return
        self._from_known()
        base = lasting(self.case) if self._misses(weights.LITTLE) else ()
        known, self.chosen = self.chosen, base
        if base:
            begun, ends = self.case.work, self._ends
            self._ends = begun + weights.LASTING * (ends - begun)
            self._add_known()
            self._search()
            base, self._ends = self.chosen, ends + self.case.work - begun
        if not base or self._misses(weights.ENOUGH):
            self.chosen = known
            self._search()
        if self.score(self.chosen) < self.score(base):
            self.chosen = base

    def _misses(self, share: float) -> bool:
        """Whether more than a share of the failures is left."""
        return len(self._left()) > share * len(self._wrong)

    def _search(self) -> None:
        """Adds to what is chosen, and filters the space again where the pool has nothing more to add."""
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
                left
                and filtered != self.chosen
                and filterings < weights.FILTERINGS
                and self._is_worth(left, filterings)
            ):
                filtered = self.chosen
                filterings += 1
                self._filter_space(left)
            else:
                self._prune()
                return

    def look_within(self) -> None:
        """Adds changes within the reference for what is left; or else in place of what is chosen.

        What explains little may be what hides them.
        """
        bases: list[Composition] = [self.chosen]
        if self.chosen and self._misses(weights.LITTLE):
            bases.append(())
        for base in bases:
            if self._misses(weights.FEW):
                before, self.chosen = self.chosen, base
                self._grow_within(self.case.work + self._work_within / len(bases))
                if self.score(self.chosen) < self.score(before):
                    self.chosen = before

    def _grow_within(self, ends: float) -> None:
        """Adds changes within the reference as long as that is better, and takes away what they replace."""
        before: Composition | None = None
        while self.chosen != before and (left := self._left()) and self.case.work < ends:
            before = self.chosen
            self._filter_within(left, ends)
            self._grow()
        self._prune()

    def exchange_for_known(self) -> None:
        """Takes a known mistake in place of a deviation, and of what that makes superfluous, if it is better.

        What fits best alone is taken first, and two things may do together what one mistake does. It has to
        give more of the failures as the runner does, for it is cheaper in any case; or as many, in place of a
        change within the reference or for one member, which says less.
        """
        least, best, ends = len(self._left()), self.score(self.chosen), self.case.work + weights.EXCHANGES
        for one in sorted(self.chosen, key=lambda one: -one.cost):
            if one.mistake is not None or one.link is not None or one not in self.chosen:
                continue
            before = self.chosen
            rest = without(before, one)
            lost = [
                index
                for index in self._wrong
                if self.case.predicted(rest, index) != self.case.predicted(before, index)
            ]
            if not lost or self.case.work > ends:
                continue
            self.chosen = rest
            sample = diverse(self.case, lost)
            self._filter(sample, self._known(sample).values())
            for other in self._pool.candidates.values():
                for composition in added(rest, other):
                    if self.score(composition, best - weights.PRUNED) >= best - weights.PRUNED:
                        self.chosen = composition
                        self._prune()
                        says_less = one.inner is not None or one.base is not None
                        most = least if says_less else least - 1
                        if (score := self.score(self.chosen)) > best and len(self._left()) <= most:
                            best, least, before = score, len(self._left()), self.chosen
            self.chosen = before

    def _is_worth(self, left: Sequence[int], filterings: int) -> bool:
        """Whether a filtering of the space may bring more than the work for it.

        Not where the last one gave little of what the runner does, nor where few failures are left.
        """
        if self.is_spent or (filterings and len(left) > weights.ALIEN * len(self._wrong)):
            return False
        case = self.case
        count = sum(case.predicted(self.chosen, index) != found for index, found in case.wrong.items())
        space = space_of(case.op.spec, case.op.name)
        return count * weights.PLACES >= sum(len(places.all) for places in space.places.values())

    def run_without(self, kept: Composition, dropped: Sequence[Candidate], work: float = 0.0) -> None:
        """Searches again from what is kept, without what was dropped; so much work more may be done.

        Where that hung on a condition, habits that hang on none are looked for: a condition fits by chance
        what two habits do together.
        """
        self._only_general = any(one.particular for one in dropped)
        self._ends = max(self._ends, self.case.work + work)
        self.chosen = kept
        self._banned |= {one.name for one in dropped}
        self._pool = Pool({}, {}, {})
        self.run()

    def _from_known(self) -> None:
        """Adds known mistakes to those that are chosen, if all together explain every failure.

        Otherwise those stay that break nothing and give some failures exactly, alone or with the others; one
        of them may be left out again for a change that explains more.
        """
        self._pool = self._known_alone()
        self._grow()
        self._wrong = sorted({*self._wrong, *diverse(self.case, self._missed())[: SAMPLE // 2]})
        if self._left():
            self._exchange()
        sound = [
            one
            for one in self.chosen
            if one.name in self.plain or (not self._breaks(one) and self._gives(one))
        ]
        self._add_known()
        if self._left():
            self.chosen = tuple(one for one in self.chosen if one in sound or self._is_needed(one))

    def _add_known(self) -> None:
        """Adds known mistakes as long as that is better."""
        before: Composition | None = None
        while self.chosen != before and (left := self._left()) and not self.is_spent:
            before = self.chosen
            sample = diverse(self.case, left)
            self._filter(sample, map(self._cheaper, self._known(sample).values()))
            self._grow()

    def _missed(self) -> list[int]:
        """The failures to fit to that are not predicted, also those that are not looked at."""
        if not self.chosen:
            return []
        case = self.case
        return [index for index in self._fitted if case.predicted(self.chosen, index) != case.wrong[index]]

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
                    if score > best + _ROUNDING:
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

    def _is_needed(self, one: Candidate) -> bool:
        """Whether several failures are as the runner has them only with it, and nothing is worse."""
        rest, gained = without(self.chosen, one), 0
        for index in self._wrong:
            wrong = self.case.wrong[index]
            with_it, without_it = self.case.predicted(self.chosen, index), self.case.predicted(rest, index)
            gained += (with_it == wrong) - (without_it == wrong)
        breaks = any(
            self.case.predicted(self.chosen, index) and not self.case.predicted(rest, index)
            for index in self._right
        )
        return gained >= weights.NEEDED and not breaks

    def _left(self) -> list[int]:
        return [i for i in self._wrong if self.case.predicted(self.chosen, i) != self.case.wrong[i]]

    def _step(self, left: Sequence[int], least: float) -> tuple[float, Composition] | None:
        """The addition that brings the reference nearest to the runner, nearer than ``least``."""
        pool, hits, broken = self._pool
        gains, worth = dict[str, float](), dict[str, float]()
        for name in hits.keys() - self._banned - {one.name for one in self.chosen}:
            if self._only_general and pool[name].particular:
                continue
            gains[name] = sum(hits[name].get(index, 0.0) for index in left)
            if gains[name] > 0:
                worth[name] = gains[name] - broken[name] - self._share * pool[name].cost
        options = sorted(worth, key=lambda name: (-worth[name], name))
        best: tuple[float, Composition] | None = None
        taken, fits = "", dict[str, float]()
        for number, name in enumerate(options[: weights.ROUNDS * weights.TRIED]):
            if best is not None and number % weights.TRIED == 0:
                break
            for composition in self._additions(pool[name]):
                bound = max(least, best[0] - weights.NEAR if best else least)
                score = self.score(composition, bound, left)
                fits[name] = max(fits.get(name, score), score)
                if score > (best[0] if best else least) + _ROUNDING:
                    best, taken = (score, composition), name
        if best is not None:
            near = [name for name, fit in fits.items() if fit > fits[taken] - weights.NEAR and name != taken]
            self.rivals[taken] = [pool[name] for name in near]
            others = (name for name in options if name not in fits and gains[name] >= gains[taken])
            for name in (*near, *itertools.islice(others, weights.TRIED)):
                alone = (
                    pool[name],
                )  # of several that explain all, the simplest is the one that needs no other
                least = best[0] - _ROUNDING
                if len(best[1]) > 1 and self.score(alone, least, left) >= least:
                    best = best[0], alone
        return best

    def _additions(self, one: Candidate) -> Iterator[Composition]:
        """What is chosen with one more, in each order that may matter."""
        first, *others = added(self.chosen, one)
        yield first
        if others and not self.case.are_independent(one, [x for x in self.chosen if x.stage == one.stage]):
            yield from others

    def score(self, composition: Composition, least: float = -math.inf, first: Sequence[int] = ()) -> float:
        """How near a composition is to the runner, in failures; below ``least`` it is only a bound.

        ``first`` are failures that decide soonest whether it is below.
        """
        total = len(self._wrong) - self._share * sum(one.cost for one in composition)
        for index in dict.fromkeys((*first, *self._wrong)):
            found = self.case.predicted(composition, index)
            likeness = self.case.likeness(index, found) if found else 0.0
            total -= 1 - likeness if likeness > 0 or not found else 1 + weights.AGAINST_OTHER
            if total < least:
                return total
        for index in self._right:
            if self.case.predicted(composition, index):
                total -= weights.AGAINST_PASS
                if total < least:
                    return total
        return total

    def _prune(self) -> None:
        """Takes away what is not needed: the rest is as near to the runner without it."""
        best = self.score(self.chosen)
        for one in sorted(self.chosen, key=lambda one: -one.cost):
            rest = without(self.chosen, one)
            score = self.score(rest, best - _ROUNDING)
            if score >= best - _ROUNDING:
                self.chosen, best = rest, score
