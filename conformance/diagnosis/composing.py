"""Which few changes of the reference, composed, give a runner's answers to one op.

Known mistakes come first, for what they answer is known beforehand: where a few of them explain all, nothing
else is asked. Otherwise the space of deviations, and then what may be changed within the reference, is
filtered on a dozen failures that differ as much as can be; of what hits them the change is added that brings
the reference nearest to the runner, and again, until nothing brings it nearer. An answer that the runner gets
right and the composition wrong counts as much as three that it explains.

It is fitted to half of the evidence, and looks closely at a part of that. What is found is compared with
the rest; what it gets wrong there is looked at too, and the search goes on.
"""

import itertools
import math
from collections import Counter
from collections.abc import Callable, Sequence

from conformance.deviations import space_of
from conformance.diagnosis import weights
from conformance.diagnosis.candidates import Candidate, Composition, added, without
from conformance.diagnosis.filtering import Filtering, Pool
from conformance.diagnosis.sampling import SAMPLE, diverse, spread

__all__ = ["Search"]

_ROUNDING = 1e-9
"""How much two scores that are equal may differ."""


class Search(Filtering):
    """The search of one op."""

    def run(self) -> None:
        """Adds changes as long as they bring the reference nearer to the runner, known mistakes first."""
        if not any(one.deviation for one in self.chosen):
            self.chosen = self._in_order((), *self.chosen)
            self._from_known()
        self._search()

    def _search(self) -> None:
        """Adds changes; then looks at the evidence that contradicts them, and goes on."""
        for _ in range(weights.LOOKS):
            self._grow(self._refill)
            self._prune()
            if not self._look_closer():
                return

    def _look_closer(self) -> bool:
        """Adds evidence that the chosen changes predict wrongly to the sample; whether there is any."""
        case, chosen = self.case, self.chosen
        new = self._looked.isdisjoint
        missed = [i for i in self._fitted if new({i}) and case.predicted(chosen, i) != case.wrong[i]]
        broken = [i for i in self._fitted_right if new({i}) and case.predicted(chosen, i)]
        if missed or broken:
            self._look_at(diverse(case, missed), spread(case, broken, SAMPLE))
        return bool(missed or broken)

    def _misses(self, share: float) -> bool:
        """Whether more than a share of the failures is left."""
        return len(self._left()) > share * len(self._wrong)

    def _grow(self, refill: Callable[[Sequence[int]], bool] = lambda _: False) -> None:
        """Adds from the pool while that scores higher; ``refill`` is asked for more when nothing does."""
        best = self.score(self.chosen)
        while (left := self._left()) and len(self.chosen) < weights.MOST:
            step = self._step(left, best)
            if step is not None:
                best, self.chosen = step
            elif not refill(left):
                return

    def _refill(self, left: Sequence[int]) -> bool:
        """Fills the pool with candidates, from the source that is quickest to look through."""
        for what in ("known", "familiar", "space", "within"):
            key = (what, *(one.name for one in self.chosen))
            if key not in self._filtered and (key in self._pools or self._is_worth(what, left)):
                self._filtered.add(key)
                if key not in self._pools:
                    self._filterings[what] += 1
                    few = what == "familiar"  # candidates, so that more failures may be looked at
                    self._filter_what(
                        what, spread(self.case, left, 4 * SAMPLE) if few else diverse(self.case, left)
                    )
                    self._pools[key] = self._pool
                self._pool = self._pools[key]
                return True
        return False

    def _filter_what(self, what: str, sample: Sequence[int]) -> None:
        """Makes the pool of known mistakes, of the space, or of changes within the reference."""
        if what == "known":
            self._filter(sample, self._known(sample).values())
        elif what == "within":
            sample = [*sample[len(sample) // 3 :], *sample[: len(sample) // 3]]  # the smallest hide most
            ends = self.case.work + weights.MOST_AT_ONCE * (self._ends + self._work_within - self.case.work)
            self._filter(sample, itertools.takewhile(lambda _: self.case.work < ends, self._within(sample)))
        else:
            self._filter(sample, self._space(sample, self._habits if what == "familiar" else ()))

    def _is_worth(self, what: str, left: Sequence[int]) -> bool:
        """Whether to look through something may bring more than the work for it.

        The space not where the last look at it gave little of what the runner does, nor where few failures
        are left.
        """
        if what == "known":
            return True
        if what == "familiar":
            return bool(self._habits)
        looks = self._filterings[what]
        if what == "within":
            return self._misses(weights.FEW) and self.case.work < self._ends + self._work_within
        if self.is_spent or looks >= weights.FILTERINGS or (looks and self._misses(weights.ALIEN)):
            return False
        case = self.case
        count = sum(self._supposed(self.chosen, index) != found for index, found in case.wrong.items())
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
        self._filtered.clear()
        self.run()

    def _from_known(self) -> None:
        """Adds known mistakes to those that are chosen, if all together explain every failure.

        Otherwise those stay that break nothing and give some failures exactly, alone or with the others; one
        of them may be left out again for a change that explains more.
        """
        self._pool = self._known_alone()
        self._grow()
        self._look_closer()
        sound = [
            one
            for one in self.chosen
            if one.name in self.plain or (not self._breaks(one) and self._gives((one,)))
        ]
        self._add_known()
        if self._left():
            self.chosen = tuple(one for one in self.chosen if one in sound or self._is_needed(one))

    def _known_alone(self) -> Pool:
        """The known mistakes that are most like the runner as they answer alone, which is known."""
        every = self._known(self._wrong)
        known = {name: one for name, one in every.items() if name not in self._banned}
        broken = Counter(
            name for index in self._right for name in known if self.case.may_show(self._mistakes[name], index)
        )
        chosen, self.chosen = self.chosen, ()
        hits = {name: self._likeness(one, self._wrong, len(self._wrong)) for name, one in known.items()}
        self.chosen = chosen
        worth = {name: sum(hits[name].values()) - broken[name] for name in known if hits[name]}
        names = sorted(worth, key=lambda name: (-worth[name], name))[: weights.KNOWN]
        pool = {name: known[name] for name in names}
        return Pool(pool, {name: hits[name] for name in names}, broken)

    def _add_known(self) -> None:
        """Adds known mistakes as long as that is better."""
        before: Composition | None = None
        while self.chosen != before and (left := self._left()) and not self.is_spent:
            before = self.chosen
            self._filter_what("known", diverse(self.case, left))
            self._grow()

    def _breaks(self, one: Candidate) -> bool:
        return any(self._supposed((one,), index) for index in self._right)

    def _is_needed(self, one: Candidate) -> bool:
        """Whether several failures are as the runner has them only with it, and nothing is worse."""
        rest, gained = without(self.chosen, one), 0
        for index in self._wrong:
            wrong = self.case.wrong[index]
            with_it, without_it = self._supposed(self.chosen, index), self._supposed(rest, index)
            gained += (with_it == wrong) - (without_it == wrong)
        breaks = any(
            self._supposed(self.chosen, index) and not self._supposed(rest, index) for index in self._right
        )
        return gained >= weights.NEEDED and not breaks

    def _left(self) -> list[int]:
        return [i for i in self._wrong if self._supposed(self.chosen, i) != self.case.wrong[i]]

    def _step(self, left: Sequence[int], least: float) -> tuple[float, Composition] | None:
        """The addition that brings the reference nearest to the runner, nearer than ``least``."""
        pool, hits, broken = self._pool
        gains, worth = dict[str, float](), dict[str, float]()
        for name in hits.keys() - self._banned - {one.name for one in self.chosen}:
            if self._only_general and pool[name].particular:
                continue
            gains[name] = sum(hits[name].get(index, 0.0) for index in left)
            if gains[name] > 0:
                worth[name] = gains[name] - broken[name] - self._share * self._cost(pool[name])
        options = sorted(worth, key=lambda name: (-worth[name], name))
        best: tuple[float, Composition] | None = None
        taken, fits = "", dict[str, float]()
        for number, name in enumerate(options[: weights.ROUNDS * weights.TRIED]):
            if best is not None and number % weights.TRIED == 0:
                break
            composition = next(added(self.chosen, pool[name]))
            fits[name] = self.score(composition, max(least, best[0] - weights.NEAR if best else least), left)
            if fits[name] > (best[0] if best else least) + _ROUNDING:
                best, taken = (fits[name], composition), name
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
                    return best[0], alone
            return best[0], self._in_order(self.chosen, pool[taken])
        return None

    def _in_order(self, composition: Composition, *more: Candidate) -> Composition:
        """The composition with some more, each at the position that predicts most failures exactly."""
        for one in more:
            same = [other for other in composition if other.stage == one.stage]
            places = list(added(composition, one))
            composition = places[0] if self.case.are_independent(one, same) else max(places, key=self._gives)
        return composition

    def _gives(self, composition: Composition) -> int:
        """How many failures are exactly as the runner has them."""
        return sum(self.case.predicted(composition, i) == self.case.wrong[i] for i in self._wrong)

    def score(self, composition: Composition, least: float = -math.inf, first: Sequence[int] = ()) -> float:
        """How near a composition is to the runner, in failures; below ``least`` it is only a bound.

        ``first`` are failures that decide soonest whether it is below.
        """
        total = len(self._wrong) - self._share * sum(map(self._cost, composition))
        for index in dict.fromkeys((*first, *self._wrong)):
            found = self._supposed(composition, index)
            likeness = self.case.likeness(index, found) if found else 0.0
            total -= 1 - likeness if likeness > 0 or not found else 1 + weights.AGAINST_OTHER
            if total < least:
                return total
        for index in self._right:
            if self._supposed(composition, index):
                total -= weights.AGAINST_PASS
                if total < least:
                    return total
        return total

    def _prune(self) -> None:
        """Takes away what is not needed: the rest is as near to the runner without it."""
        best = self.score(self.chosen)
        for one in sorted(self.chosen, key=self._cost, reverse=True):
            rest = without(self.chosen, one)
            score = self.score(rest, best - _ROUNDING)
            if score >= best - _ROUNDING:
                self.chosen, best = rest, score
