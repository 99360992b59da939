"""What is found in the ops of a runner: single changes, each with what speaks for it and against it."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from conformance.deviations.deviation import INPUT
from conformance.diagnosis import weights
from conformance.diagnosis.candidates import Candidate, Composition, of_mistake, replaced, without
from conformance.diagnosis.case import Case
from conformance.diagnosis.composing import Search
from conformance.diagnosis.deviation import Marks
from conformance.diagnosis.evidence import Tried
from conformance.mistakes.catalogue import Mistake
from conformance.wire.messages import Refused

__all__ = ["Finding", "Findings", "are_certain"]

_FEW_AGAINST = 0.05
"""Of what shows a change, how much may contradict it: a runner is no copy of anything known."""
_FEW_OTHER = 0.5
"""Of what shows it, how many failures may be wrong in another way."""
_LEAST = 2
"""What must show a generated deviation: one failure is explained by many of them."""
_FEW_OF_ALL = 0.01
"""The share of an op's failures that must show a change: of many failures some few agree by chance."""
_FEW_ELSEWHERE = 0.15
"""Of what shows a mistake in the ops that make it, how much it may break in others."""
_MOST_OF_THEM = 0.5
"""The share of an op's failures that show a mistake which is made in that op alone."""
_REFUTED = 1 / 6
"""Of the new inputs on which a change should show, how many may refute it."""
_FEW_RELATED = 0.1
"""Of what a certain change explains, how many failures of the same rules nothing may explain."""
_PLAIN, _LARGE_PART, _FEW_PLAIN = 0.75, 0.25, 0.2
"""What it gives exactly of what shows it, the share of all failures, and what may be wrong in another way."""
_TRIED_ENOUGH = 3
"""New inputs that must have shown a change for it to be certain."""
_TIMES = 3
"""How often something else is looked for in place of what is not credible."""


@dataclass(slots=True)
class Finding:
    """One change found in one op."""

    case: Case
    candidate: Candidate
    covers: dict[int, frozenset[str]]
    """By failure, the places of it that the change accounts for."""
    against: frozenset[int] = frozenset()
    """Right answers that it would break."""
    other: frozenset[int] = frozenset()
    """Failures that it changes into another wrong answer."""
    elsewhere: int = 0
    """Right answers of other ops in which it would show."""
    everywhere: int = 0
    """Failures in which it would show, of all ops that make it."""
    alternatives: tuple[Mistake, ...] = ()
    """Known mistakes that answer all evidence as it does."""
    exact: int = 0
    """Failures that it covers and that are as the composition has them."""
    related: int = 0
    """Failures of the same rules that nothing explains: another cause may explain them as well."""
    only_spoils: bool = False
    """Whether it changes a text so that all is refused: many changes have that effect."""
    experiments: list[Tried] = field(default_factory=list)
    """What was asked to try it."""

    @property
    def shown(self) -> int:
        """The new inputs whose answers show it as it foretells."""
        return sum(one.shows and one.as_foretold for one in self.experiments)

    @property
    def refuted(self) -> int:
        """The new inputs whose answers should show it, and do not."""
        return sum(one.refutes for one in self.experiments)

    @property
    def sound(self) -> bool:
        """Whether nothing refutes it, and it was seen both ways where it hangs on a condition."""
        hidden = any(not one.shows for one in self.experiments)
        refuted = not all(one.as_foretold for one in self.experiments)
        speaks_against = refuted or self.against or self.other or self.elsewhere
        return not speaks_against and (hidden or not self.candidate.particular)

    @property
    def credible(self) -> bool:
        """Whether the runner does this, and not another thing that only answers alike here and there."""
        shown = len(self.covers)
        if shown < _FEW_OF_ALL * len(self.case.wrong):
            return False
        if len(self.against) > _FEW_AGAINST * shown or len(self.other) > _FEW_OTHER * shown:
            return False
        if self.only_spoils or (self.candidate.inner is not None and 2 * self.exact < shown):
            return False
        if self.candidate.mistake is None:
            return shown >= _LEAST and self._seen_both_ways()
        if shown >= _MOST_OF_THEM * len(self.case.wrong):  # an op's own code, whatever the others do
            return True
        return self.elsewhere <= _FEW_ELSEWHERE * max(shown, self.everywhere)

    @property
    def is_plain(self) -> bool:
        """Whether it gives a large part of the failures exactly, and contradicts next to nothing."""
        shown = len(self.covers)
        return (
            self.credible
            and self.exact >= _PLAIN * shown
            and shown >= _LARGE_PART * len(self.case.wrong)
            and len(self.other) <= _FEW_PLAIN * shown
        )

    def _seen_both_ways(self) -> bool:
        """Whether what hangs on a condition was not seen where that does not hold."""
        link, one = self.candidate.link, self.candidate.deviation
        if link is not None and link.test is not None and link.source:
            places = (asked.values(INPUT, link.source) for asked in self.case.asked)
            return not all(any(map(link.test.holds, values)) for values in places)
        if one is None or one.kind != "refused":
            return True
        made = self.case.given if self.candidate.stage == 0 else self.case.result
        refused = {index: made((self.candidate,), index) for index in range(len(self.case.asked))}
        given = [index for index, value in refused.items() if not isinstance(value, Refused)]
        types = {value.type for value in refused.values() if isinstance(value, Refused)}
        actual = [self.case.evidence[index].actual for index in given]
        free = sum(not (isinstance(each, Refused) and each.type in types) for each in actual)
        return free > 0


def are_certain(findings: Iterable[Finding]) -> bool:
    """Whether enough new inputs show each change, in all ops together, and nothing refutes it in any."""
    shown, covered, related = Counter[str](), Counter[str](), Counter[str]()
    sound = True
    for one in findings:
        name = one.candidate.name
        shown[name] += one.shown
        covered[name] += len(one.covers)
        related[name] += one.related
        sound = sound and one.sound
    return sound and all(
        count >= _TRIED_ENOUGH and related[name] <= _FEW_RELATED * covered[name]
        for name, count in shown.items()
    )


class Findings:
    """All that is found, by op, and what is left."""

    def __init__(self, cases: Sequence[Case], mistakes: Mapping[str, Mistake]) -> None:
        self.cases = cases
        self.searches: list[Search] = []
        self._mistakes = mistakes
        self.compositions: dict[str, Composition] = {}
        """By op, without what is not credible."""
        self.every: list[Finding] = []
        self._again = Counter[str]()
        """By op, how often something was looked for in place of what new inputs refute."""

    def add(self, search: Search) -> None:
        """Searches an op; in place of what is not credible something else is looked for."""
        self.searches.append(search)
        search.run()
        for _ in range(_TIMES):
            kept = self._credible(search)
            dropped = [one for one in search.chosen if one not in kept]
            if not dropped or search.is_spent:
                break
            search.run_without(kept, dropped)
        search.chosen = before = self._credible(search)
        search.look_within()
        search.chosen = self._credible(search)
        if search.score(search.chosen) < search.score(before):
            search.chosen = before
        before = search.chosen
        search.exchange_for_known()
        if self._credible(search) != search.chosen:
            search.chosen = before

    def unite(self) -> None:
        """Takes a mistake of another op in place of one found in a single op, where it fits as well."""
        found = {one.name: one for search in self.searches for one in search.chosen if one.mistake}
        count = Counter(one.name for search in self.searches for one in search.chosen)
        for search in self.searches:
            for one in search.chosen:
                here = {other.name for other in search.chosen}
                for other in found.values():
                    if (
                        one.mistake
                        and one in search.chosen
                        and count[one.name] == 1
                        and other.name not in here
                    ):
                        composition = replaced(search.chosen, one, other)
                        if search.score(composition) >= search.score(search.chosen):
                            search.chosen = composition

    def judge(self) -> None:
        """Judges all ops, when all are searched: a mistake that is made in one would show in others."""
        self.every = []
        for search in self.searches:
            composition = self.compositions[search.case.op.name] = self._credible(search)
            found = [self._finding(search.case, composition, one) for one in composition]
            for finding in found:
                if (mistake := finding.candidate.mistake) is not None:
                    finding.alternatives = self._alternatives(mistake)
            _share_rest(search.case, composition, found)
            self.every += found
        left = self.left()
        for one in self.every:
            evidence = one.case.evidence
            clauses = {evidence[index].clause for index in one.covers}
            one.related = sum(evidence[index].clause in clauses for index in left[one.case.op.name])

    def drop_refuted(self) -> bool:
        """Drops the change that the runner's answers to new inputs refute most, if they refute it too often.

        Only one: it may be what spoils the predictions of others. One that an op shows throughout is made.
        Something else is looked for in its place.
        """
        shown, refuted = Counter[str](), Counter[str]()
        for one in self.every:
            shown[one.candidate.habit] += one.shown
            refuted[one.candidate.habit] += one.refuted
        made = {one.candidate.habit for one in self.every if one.shown >= _LEAST and not one.refuted}
        shares = {habit: count / (count + shown[habit]) for habit, count in refuted.items() if count}
        doubtful = [habit for habit in shares.keys() - made if shares[habit] > _REFUTED]
        if not doubtful:
            return False
        worst = max(doubtful, key=lambda habit: (shares[habit], habit))
        for search in self.searches:
            if dropped := [one for one in search.chosen if one.habit == worst]:
                search.chosen = tuple(one for one in search.chosen if one.habit != worst)
                if self._again[search.case.op.name] < _TIMES:
                    self._again[search.case.op.name] += 1
                    search.run_without(search.chosen, dropped, weights.INSTEAD)
                    search.chosen = self._credible(search)
        return True

    def of(self, case: Case) -> list[Finding]:
        """The findings of one op."""
        return [one for one in self.every if one.case is case]

    def _credible(self, search: Search) -> Composition:
        """The composition without what is not credible; the worst goes first, the rest is judged again.

        What gives most answers exactly stays though it contradicts some without what went: another habit
        that shows in the same answers is only not known.
        """
        composition, plain = search.chosen, search.plain
        while True:
            found = [self._finding(search.case, composition, one) for one in composition]
            plain |= {one.candidate.name for one in found if one.is_plain}
            doubtful = [one for one in found if not one.credible and one.candidate.name not in plain]
            if not doubtful:
                return composition
            worst = max(doubtful, key=lambda one: len(one.against) + len(one.other) - len(one.covers))
            composition = without(composition, worst.candidate)

    def _finding(self, case: Case, composition: Composition, one: Candidate) -> Finding:
        rest = without(composition, one)
        covers: dict[int, frozenset[str]] = {}
        other = set()
        mistake = one.made
        showing = {
            index for index in (*case.wrong, *case.passes) if mistake is None or case.may_show(mistake, index)
        }
        for index, wrong in case.wrong.items():
            if index not in showing:
                continue
            with_it, without_it = case.predicted(composition, index), case.predicted(rest, index)
            if with_it == without_it:
                continue
            places = _gained(wrong, with_it, without_it)
            if places:
                covers[index] = places
            else:
                other.add(index)
        against = {
            index
            for index in case.passes
            if index in showing and case.predicted(composition, index) and not case.predicted(rest, index)
        }
        finding = Finding(case, one, covers, frozenset(against), frozenset(other))
        finding.exact = sum(case.predicted(composition, index) == case.wrong[index] for index in covers)
        deviation = one.deviation
        if deviation is not None and deviation.kind != "refused" and deviation.place[-1:] == ("@text",):
            finding.only_spoils = all(isinstance(case.result(composition, i), Refused) for i in covers)
        if (mistake := one.mistake) is not None:
            finding.everywhere, finding.elsewhere = self._breadth(mistake)
        return finding

    def _breadth(self, mistake: Mistake) -> tuple[int, int]:
        """The failures that show a mistake in ops that make it, and right answers of others that would."""
        made_in = {search.case.op.name for search in self.searches if _has(search.chosen, mistake)}
        shown = broken = 0
        for case in self.cases:
            if case.op.name in made_in:
                shown += sum(mistake.name in (case.row(index) or ()) for index in case.wrong)
            elif not case.mute:
                broken += sum(mistake.name in (case.row(index) or ()) for index in case.passes)
        return shown, broken

    @cached_property
    def _known(self) -> dict[str, list[tuple[int, int, Marks]]]:
        """By mistake, what it answers wrongly, as far as that is known beforehand."""
        found: dict[str, list[tuple[int, int, Marks]]] = {name: [] for name in self._mistakes}
        for number, case in enumerate(self.cases):
            for index in (*case.wrong, *case.passes):
                for name, one in (case.row(index) or {}).items():
                    if name in found:
                        found[name].append((number, index, one))
        return found

    def _alternatives(self, mistake: Mistake) -> tuple[Mistake, ...]:
        """The mistakes that answer all evidence of all ops as this one does."""
        mine = self._known[mistake.name]
        alike = [name for name, one in self._known.items() if one == mine and name != mistake.name]
        for case in self.cases:
            for index in (*case.wrong, *case.passes) if alike else ():
                names = {name for name in (mistake.name, *alike) if not case.knows(name, index)}
                if names:  # what is not known is asked
                    made = {name: (of_mistake(self._mistakes[name]),) for name in (mistake.name, *alike)}
                    expected = case.predicted(made[mistake.name], index)
                    alike = [name for name in alike if case.predicted(made[name], index) == expected]
        return tuple(self._mistakes[name] for name in sorted(alike))

    def left(self) -> dict[str, list[int]]:
        """By op, the failures that the changes account for too little of."""
        found: dict[str, list[int]] = {}
        for case in self.cases:
            composition = self.compositions.get(case.op.name, ())
            covered = Counter[int]()
            for one in self.every:
                if one.case is case:
                    for index, places in one.covers.items():
                        covered[index] += len(places)
            found[case.op.name] = [
                index
                for index, wrong in case.wrong.items()
                if case.predicted(composition, index) != wrong and 2 * covered[index] < len(wrong)
            ]
        return found


def _share_rest(case: Case, composition: Composition, found: Sequence[Finding]) -> None:
    """Failures that two changes explain, each without the other, go to the first that does so alone."""
    covered = {index for one in found for index in one.covers}
    for index in case.wrong.keys() - covered:
        if case.predicted(composition, index) == case.wrong[index]:
            first = max(found, key=lambda one: case.likeness(index, case.predicted((one.candidate,), index)))
            first.covers[index] = frozenset(case.wrong[index])


def _has(composition: Composition, mistake: Mistake) -> bool:
    return any(one.name == mistake.name for one in composition)


def _gained(wrong: Marks, with_it: Marks, without_it: Marks) -> frozenset[str]:
    """The places of a failure that are as the runner has them with a change, and not without it."""
    if with_it == wrong:
        return frozenset(path for path in wrong if without_it.get(path) != wrong[path]) or frozenset(wrong)
    return frozenset(
        path for path, mark in with_it.items() if wrong.get(path) == mark and without_it.get(path) != mark
    )
