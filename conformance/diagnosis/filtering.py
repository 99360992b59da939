"""Which changes of the reference a search looks at: those that give some failures as the runner does."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from conformance.deviations import space_of, touches
from conformance.diagnosis import weights
from conformance.diagnosis.candidates import Candidate, Composition, added, generated, of_mistake
from conformance.diagnosis.case import Case
from conformance.diagnosis.deviation import Marks, related
from conformance.diagnosis.foretold import foretold
from conformance.diagnosis.known import Known
from conformance.diagnosis.sampling import SAMPLE, fitted_to, spread
from conformance.diagnosis.scratch import scratch
from conformance.diagnosis.within import within
from conformance.mistakes.catalogue import Mistake
from conformance.wire.messages import Refused

__all__ = ["Filtering", "Pool"]


class Pool(NamedTuple):
    """Candidates that a filter left, made after what was chosen then."""

    candidates: dict[str, Candidate]
    hits: dict[str, dict[int, float]]
    """By candidate: how like it is to the runner at some failures."""
    broken: Mapping[str, int]
    """By candidate: right answers of a few that it changes."""


class Filtering:
    """The state of a search: the evidence it looks at, and the candidates that are worth trying on it."""

    def __init__(
        self,
        case: Case,
        mistakes: Mapping[str, Mistake],
        known: Known,
        work: tuple[float, float],
        familiar: Collection[str] = frozenset(),
    ) -> None:
        """Begins with known mistakes.

        ``work`` is the most there is to do (``Case.work``), and what a look within the reference may add to
        it; ``familiar`` are habits found in other ops.
        """
        self.case = case
        self.chosen: Composition = tuple(map(of_mistake, known.mistakes))
        self._ends, self._work_within = case.work + work[0], work[1]
        self._filtered: set[tuple[str, ...]] = set()
        """Sources that were looked through, each with the names of what was chosen before."""
        self._pools: dict[tuple[str, ...], Pool] = {}
        """The candidates found each time."""
        self._filterings = Counter[str]()
        """How often it was looked through."""
        self._familiar = familiar
        self._mistakes = {one.name: one for one in mistakes.values()}
        self._fitted, self._fitted_right = fitted_to(case)
        most = next(most for limit, most in weights.FITTED if case.size < limit)
        left = [index for index in self._fitted if index in known.left]
        self._wrong: list[int] = []
        self._right: list[int] = []
        self._looked: set[int] = set()
        self._look_at(
            [*spread(case, self._fitted, most), *spread(case, left, most // 2)],
            spread(case, self._fitted_right, most),
        )
        answers = [(case.asked[index], case.evidence[index].actual) for index in self._fitted]
        self.rivals: dict[str, list[Candidate]] = {}
        """By name of what was chosen: others that fitted as well."""
        self.plain: set[str] = set()
        """Names of what once explained a large part of the failures exactly (``Findings``)."""
        self._banned: set[str] = set()
        self._only_general = False
        """Whether changes that hang on a condition are left out."""
        self._pool = Pool({}, {}, {})
        self._differing: dict[tuple[Composition, Composition], list[Mistake | None]] = {}
        """By a composition and what was chosen: the mistakes in which they differ."""
        self._unlike_of: Composition = ()
        self._unlike_at: dict[int, Marks] = {}
        """By failure, where the chosen changes predict another answer, and what was chosen then."""
        self._pairs = [(asked, actual) for asked, actual in answers if actual is not None]

    @property
    def _habits(self) -> set[str]:
        """What is done in other ops, or at a place of this one, and may be done at others."""
        return {*self._familiar, *(one.habit for one in self.chosen)} - self._mistakes.keys()

    @property
    def is_spent(self) -> bool:
        """Whether all the work is done that there was to do."""
        return self.case.work >= self._ends

    def _look_at(self, wrong: Iterable[int], right: Iterable[int]) -> None:
        """Looks at more of the evidence from now on."""
        self._wrong = sorted({*self._wrong, *wrong})
        self._right = sorted({*self._right, *right})
        self._looked.update(self._wrong, self._right)
        self._filtered.clear()
        self._pools.clear()
        self._share = max(weights.SHARE, len(self._wrong) / max(1, len(self._fitted)))
        """Of all failures, those that are looked at: a change need not cost more than its share of them."""

    def _space(self, sample: Sequence[int], habits: Collection[str]) -> Iterator[Candidate]:
        """All that may be done otherwise, the likeliest first, while the work for it lasts."""
        space = space_of(self.case.op.spec, self.case.op.name)
        ends = self.case.work + weights.IN_SPACE * (self._ends - self.case.work)
        known = self._known(sample).values()
        inner = self._within(sample) if habits and self._familiar else ()
        changes = {one.rpartition(":")[2] for one in habits}  # of inputs and answers elsewhere, or within
        familiar = (one for one in inner if one.name.rpartition(":")[2] in changes)
        for one in itertools.chain(known, familiar, generated(space, self._pairs, habits)):
            if self.case.work > ends:
                return
            self.case.work += weights.GENERATED
            yield one

    def _within(self, sample: Sequence[int]) -> Iterator[Candidate]:
        """Changes within the reference, in functions that it calls for a sample."""
        inputs = [self.case.evidence[index].input for index in sample]
        answers = [answer for _, answer in self._pairs[: weights.READ]]
        return within(scratch(self.case.op.spec), self.case.op, inputs, answers)

    def _filter(self, sample: Sequence[int], candidates: Iterable[Candidate]) -> None:
        """Makes the pool of what hits some failure of a sample, made after what is chosen."""
        found: dict[str, Candidate] = {}
        hits: dict[str, dict[int, float]] = {}
        for one in candidates:
            likeness = self._likeness(one, sample)
            if likeness:
                hits[one.name], found[one.name] = likeness, one
        right = spread(self.case, self._right, SAMPLE)
        quick = spread(self.case, self._right, weights.RIGHT)
        broken = {  # a condition is known by where it does not hold
            name: [
                index
                for index in (right if one.stage == 0 else quick)
                if one.particular and self._made(one, index)
            ]
            for name, one in found.items()
        }
        totals = {
            name: sum(each.values()) - self._cost(found[name]) - len(broken[name])
            for name, each in hits.items()
        }
        more = spread(self.case, [index for index in self._wrong if index not in sample], 2 * SAMPLE)
        alike: dict[tuple[Any, ...], list[str]] = defaultdict(list)
        for name in sorted(totals, key=lambda name: (-totals[name], found[name].stage != 2, name)):
            effect = (_function(found[name]), *hits[name].items(), *broken[name])
            alike[effect].append(name)
        for names in alike.values():
            if len(names) > weights.ALIKE:
                names[:] = self._best([found[one] for one in names[: weights.MANY]], more, right)
        ranked = sorted(itertools.chain.from_iterable(alike.values()), key=lambda one: (-totals[one], one))
        kept = [name for name in ranked if totals[name] > 0][: weights.POOL]
        for index in sample:
            mine = [name for name in ranked if hits[name].get(index, 0) > 0]
            mine.sort(key=lambda name: (-hits[name][index], self._cost(found[name]), name))
            kept += mine[: weights.OF_EACH]
        pool = {name: found[name] for name in kept}
        self._pool = Pool(
            pool,
            {name: hits[name] | self._likeness(one, more, len(more)) for name, one in pool.items()},
            {name: sum(bool(self._made(one, index)) for index in right) for name, one in pool.items()},
        )

    def _supposed(self, composition: Composition, index: int) -> Marks:
        """The marks of a composition, supposing that mistakes do nothing besides what they do alone.

        What is chosen is asked for what it answers; a composition that differs from it only in mistakes that
        alone do nothing to an answer is supposed to answer the same.
        """
        case, chosen = self.case, self.chosen
        if composition is chosen:
            return case.predicted(chosen, index)
        key = composition, chosen
        if key not in self._differing:
            self._differing[key] = [one.made for one in {*composition} ^ {*chosen}]
        for mistake in self._differing[key]:
            if mistake is None or case.may_show(mistake, index):
                return case.predicted(composition, index)
        return case.predicted(chosen, index)

    def _cost(self, one: Candidate) -> float:
        """What a candidate costs: less where the habit was found in another op."""
        return one.cost * (weights.FAMILIAR if one.habit in self._familiar else 1)

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
        """How much nearer to the runner a candidate is where it changes something; nothing if it never is."""
        found: dict[int, float] = {}
        hit = False
        for index in sample:
            made = self._made(one, index)
            if made is not None:
                found[index] = self._gain(index, made)
                hit = hit or found[index] > 0
                if not hit and len(found) >= misses * (1 + bool(self.chosen)):
                    break
        return found if hit else {}

    def _best(self, candidates: Sequence[Candidate], wrong: Sequence[int], right: Sequence[int]) -> list[str]:
        """Of candidates that do the same to a sample, the names of those most like the runner on more.

        Most are out after a few failures. Those that are left are known by what they break, and by how many
        they give alone: of all where that is quickly known.
        """
        few = wrong[:: weights.HALVES]
        worth = {one.name: (self._worth(one, few), self._alone(one, few)) for one in candidates}
        left = sorted(candidates, key=lambda one: worth[one.name], reverse=True)
        rest = [index for index in wrong if index not in few]
        for one in left[: weights.HALVES * weights.ALIKE]:
            gain, alone = worth[one.name]
            gain += self._worth(one, rest) - sum(bool(self._made(one, index)) for index in right)
            worth[one.name] = gain, self._alone(one, self._wrong) if one.stage == 2 else alone
        left = sorted(left[: weights.HALVES * weights.ALIKE], key=lambda one: worth[one.name], reverse=True)
        return [one.name for one in left[: weights.ALIKE]]

    def _alone(self, one: Candidate, wrong: Sequence[int]) -> int:
        """How many failures a candidate gives by itself."""
        return sum(self._supposed((one,), index) == self.case.wrong[index] for index in wrong)

    def _worth(self, one: Candidate, wrong: Sequence[int]) -> float:
        """How like a candidate is to the runner at some failures."""
        made = {index: self._made(one, index) for index in wrong}
        return sum(self._gain(index, each) for index, each in made.items() if each is not None)

    def _gain(self, index: int, made: Marks) -> float:
        """How much more like a failure an answer is than that of what is chosen."""
        likeness = self.case.likeness(index, made)
        if not self.chosen:
            return likeness
        before = self._supposed(self.chosen, index)
        return likeness - (self.case.likeness(index, before) if before else 0.0)

    def _made(self, one: Candidate, index: int) -> Marks | None:
        """The marks of what is chosen with one more, not remembered; None where that changes nothing."""
        case, chosen = self.case, self.chosen
        if one.mistake is not None and (known := case.alone(one.mistake, index)) is not None:
            case.work += weights.UNTOUCHED
            if not chosen or index not in case.wrong:
                return known or None
            unlike = self._unlike(index)
            if not any(related(path, unlike) for path in known):
                return None
        view = case.view(chosen, index)
        if one.stage == 0 and isinstance(view.given, Refused):
            return None
        if one.deviation is not None:
            values = view.values(one.deviation.side, one.deviation.place)
            case.work += weights.UNTOUCHED + weights.VALUE * len(values)
            if not touches(one.deviation, view):
                return None
        result = case.result(next(added(chosen, one)), index, keep=False)
        return None if result is view.due else case.marks(index, result)

    def _unlike(self, index: int) -> Marks:
        """Where a failure is not as what is chosen has it."""
        wrong, before = self.case.wrong[index], self._supposed(self.chosen, index)
        if self._unlike_of is not self.chosen:
            self._unlike_of, self._unlike_at = self.chosen, {}
        if index not in self._unlike_at:
            paths = wrong.keys() | before.keys()
            self._unlike_at[index] = {path: "" for path in paths if wrong.get(path) != before.get(path)}
        return self._unlike_at[index]


def _function(one: Candidate) -> str:
    """The function of the reference that a change within it changes."""
    return ":".join(one.name.split(":")[:2]) if one.is_within else ""
