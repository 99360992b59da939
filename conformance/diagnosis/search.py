"""The sets of mistakes that hold on all evidence of one operation."""

import itertools
import json
from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from conformance.diagnosis.predictions import Foretold, Names, Predictions, Tally
from conformance.wire.messages import Ok

__all__ = ["Found", "search"]

_LARGEST = 5
"""The most mistakes joined one by one; more are found only where each shows by itself."""
_BEAM = 3
"""How many sets of each size are added to."""
_BRANCHES = 8
"""How many mistakes are tried as an addition to a set."""
_SAMPLE = 3
"""How many unexplained failures decide whether a mistake is tried."""
_EXPANDED = 8
"""The most sets added to."""
_JOINED = 120
"""The most sets of several mistakes tried in one operation."""
_SHARE = 20
"""Of an op's failures a mistake explains at least a twentieth, where others stay unexplained."""
_ORDERS = 24
"""The most orders in which mistakes are made where the order matters."""
_JUDGED = 12
"""The most sets judged in the end."""


@dataclass(frozen=True, slots=True)
class Found:
    """What explains the failures of one operation."""

    op: str
    options: tuple[Names, ...]
    """Sets that explain the same failures equally well; empty where none explains any."""
    explained: frozenset[int]
    unexplained: frozenset[int]
    near: frozenset[int] = frozenset()
    """The failures that the set nearest to the runner would explain, though something speaks against it."""
    matching: frozenset[str] = frozenset()
    """The mistakes that give the runner's answer to a failure on their own."""
    touching: frozenset[str] = frozenset()
    """The mistakes that give a wrong answer to a failure."""


def search(
    predictions: Predictions,
    op: str,
    matching: Collection[str],
    touching: Collection[str],
    established: Collection[str] = (),
) -> Found:
    """Looks for the smallest sets that hold and explain most failures of an op.

    ``matching`` mistakes give the runner's answer to a failure on their own, ``touching`` ones at least a
    wrong one. ``established`` mistakes are known from other ops: for them one failure is enough.
    """
    found = _Search(predictions, op, matching, touching, established).found()
    return replace(found, matching=frozenset(matching), touching=frozenset(touching))


class _Search:
    def __init__(
        self,
        predictions: Predictions,
        op: str,
        matching: Collection[str],
        touching: Collection[str],
        established: Collection[str],
    ) -> None:
        self._predictions = predictions
        self._op = op
        self._order = {name: number for number, name in enumerate(predictions.mistakes)}
        self._matching = sorted(matching, key=self._order.__getitem__)
        self._touching = sorted({*touching, *matching}, key=self._order.__getitem__)
        self._established = frozenset(established)
        self._failures = frozenset(predictions.failures[op])
        self._expanded = 0
        self._tallies: dict[frozenset[str], tuple[Names, Tally]] = {}

    def found(self) -> Found:
        """The sets, without the mistakes that the evidence supports too little."""
        self._explore()
        clean = [members for members in self._tallies if self._tally(members).clean]
        clean.sort(key=lambda members: (-len(self._tally(members).explained), len(members)))
        supported = {kept for members in clean[:_JUDGED] if (kept := self._supported(members))}
        near = max(self._tallies.values(), key=lambda each: each[1].score, default=None)
        near_explained = near[1].explained if near else frozenset[int]()
        if not supported:
            return Found(self._op, (), frozenset(), self._failures, near_explained)
        best = min(supported, key=lambda kept: (-len(self._tally(kept).explained), len(kept), sorted(kept)))
        explained = self._tally(best).explained
        options = {
            kept for kept in supported if self._tally(kept).explained == explained and len(kept) == len(best)
        }
        options |= self._exchanged(best)
        names = sorted((self._tallies[kept][0] for kept in options), key=self._rank)
        return Found(self._op, tuple(names), explained, self._failures - explained, near_explained)

    def _rank(self, names: Iterable[str]) -> list[int]:
        return [self._order[name] for name in names]

    # Exploring

    def _explore(self) -> None:
        """Single mistakes, then all that show by themselves together, then the most promising joined."""
        singles = [frozenset({name}) for name in self._matching]
        perfect = [single for single in singles if self._perfect(single)]  # alternatives, if several
        if perfect:
            return
        together = self._established & set(self._touching)
        if together and self._perfect(together):
            return
        if self._cover([name for name in self._matching if self._tally(frozenset({name})).clean]):
            return
        level = [*singles, together] if len(together) > 1 else singles
        for _ in range(1, _LARGEST):
            level = self._joined(level)
            if not level or any(self._perfect(members) for members in level):
                return

    def _cover(self, names: list[str]) -> bool:
        """Tries the fewest mistakes whose own failures, taken together, are the most; True if they are it."""
        alone = {name: self._tally(frozenset({name})).explained for name in names}
        covered: frozenset[int] = frozenset()
        chosen: list[str] = []
        while names:
            name = max(names, key=lambda name: len(alone[name] - covered))
            if alone[name] <= covered:
                break
            chosen.append(name)
            covered |= alone[name]
        perfect = len(chosen) > 1 and self._perfect(frozenset(chosen))
        for size in range(2, min(len(chosen), 4)):
            smaller = [
                frozenset(members)
                for members in itertools.combinations(names, size)
                if covered <= frozenset[int]().union(*(alone[name] for name in members))
            ]
            if [members for members in smaller[:_BRANCHES] if self._perfect(members)]:
                return True
        return perfect

    def _joined(self, level: list[frozenset[str]]) -> list[frozenset[str]]:
        """The sets of one mistake more that are nearer to the runner than what they are made of."""
        enough = len(self._failures) / _SHARE
        level = [members for members in level if len(self._tally(members).explained) >= enough]
        level = sorted(level, key=lambda members: -self._tally(members).score)[:_BEAM]
        larger: list[frozenset[str]] = []
        for members in level:
            self._expanded += 1
            if self._expanded > _EXPANDED:
                break
            for name in self._additions(members):
                if len(self._tallies) > len(self._matching) + _JOINED:
                    return larger
                joined = members | {name}
                if joined not in larger and self._tally(joined).score > self._tally(members).score:
                    larger.append(joined)
                    if self._perfect(joined):
                        return larger
        return larger

    def _tally(self, members: frozenset[str]) -> Tally:
        if members not in self._tallies:
            names = tuple(sorted(members, key=self._order.__getitem__))
            tally = self._predictions.tally(names, self._op)
            if len(names) > 1 and not tally.clean:  # which of two is within the other may matter
                several = itertools.permutations(names) if self._near(tally) else [names[::-1]]
                for order in itertools.islice(several, _ORDERS):
                    other = self._predictions.tally(order, self._op)
                    if other.score > tally.score:
                        names, tally = order, other
            self._tallies[members] = names, tally
        return self._tallies[members][1]

    def _near(self, tally: Tally) -> bool:
        """Whether a set changes what the runner does, and hardly more."""
        return tally.explained | tally.third == self._failures and tally.score > len(self._failures) // 2

    def _alone(self, name: str) -> Tally:
        return self._predictions.tally((name,), self._op)

    def _perfect(self, members: frozenset[str]) -> bool:
        tally = self._tally(members)
        return tally.clean and tally.explained == self._failures

    def _additions(self, members: frozenset[str]) -> list[str]:
        """The mistakes most likely to bring a set nearer to the runner, best first.

        Of those that touch the failures each is tried with the set, on a few that the set does not explain.
        """
        tally = self._tally(members)
        missing = sorted(self._failures - tally.explained)
        sample = missing[:: max(1, len(missing) // _SAMPLE)][:_SAMPLE]
        sample += sorted(tally.contradicted)[:_SAMPLE]
        made = self._tallies[members][0]
        gains: Counter[str] = Counter()
        for name in self._touching:
            if name not in members:
                gains[name] = max(self._right(sample, (*made, name)), self._right(sample, (name, *made)))
                gains[name] += sum(
                    self._predictions.foretold((name,), index) is Foretold.SAME for index in missing
                )
        return [name for name, gain in gains.most_common(_BRANCHES) if gain]

    def _right(self, sample: list[int], names: Names) -> int:
        """At how many of a few pieces of evidence the mistakes do what the runner did."""
        return sum(
            self._predictions.foretold(names, index)
            is (Foretold.SAME if index in self._failures else Foretold.RIGHT)
            for index in sample
        )

    # Judging

    def _supported(self, members: frozenset[str]) -> frozenset[str]:
        """The part of a set that can be named: clean, each mistake needed and backed by enough failures."""
        while members and self._tally(members).clean:
            weak = [name for name in sorted(members) if not self._backed(members, name)]
            if not weak:
                return members
            members = members - {min(weak, key=lambda name: len(self._needed(members, name)))}
        return frozenset()

    def _needed(self, members: frozenset[str], name: str) -> frozenset[int]:
        """The failures that the set explains only with this mistake."""
        rest = members - {name}
        explained = self._tally(members).explained
        return explained - self._tally(rest).explained if rest else explained

    def _backed(self, members: frozenset[str], name: str) -> bool:
        """Whether a mistake is more than a coincidence.

        Where the op has failures left that nothing explains, one match is not enough, nor a few of very many;
        nor are matches that another mistake has too, with others beside; and an answer tells nothing if the
        runner also gives it where no mistake calls for it: it may give it to everything.
        """
        needed, explained = self._needed(members, name), self._tally(members).explained
        unexplained = self._failures - explained
        if not unexplained or not needed or name in self._established:
            return bool(needed)
        if any(needed < self._alone(other).explained for other in self._matching if other not in members):
            return False  # it may be a part of what another does
        called_for = Counter(self._answer(index) for index in explained)
        uncalled_for = Counter(self._answer(index) for index in unexplained)
        telling = [
            answer for answer in map(self._answer, needed) if called_for[answer] >= 2 * uncalled_for[answer]
        ]
        return len(telling) >= max(2, len(self._failures) // _SHARE)

    def _answer(self, index: int) -> str:
        actual = self._predictions.evidence[index].actual
        if isinstance(actual, Ok):
            try:
                return json.dumps(actual.value, sort_keys=True)
            except RecursionError:
                return "nested"
        return f"{actual.type} {actual.reason_code}" if actual is not None else ""

    def _exchanged(self, best: frozenset[str]) -> set[frozenset[str]]:
        """The sets that do as well with one mistake exchanged for another."""
        explained = self._tally(best).explained
        found = {best}
        for name in sorted(best) if len(best) > 1 else ():  # single ones are all known
            needed = min(self._needed(best, name))
            for other in self._touching:
                names = tuple(other if each == name else each for each in self._tallies[best][0])
                if other in best or self._predictions.foretold(names, needed) is not Foretold.SAME:
                    continue
                exchanged = frozenset(names)
                tally = self._tally(exchanged)
                if tally.clean and tally.explained == explained:
                    found.add(exchanged)
        return found
