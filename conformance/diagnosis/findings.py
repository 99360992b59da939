"""The findings in all ops of a runner: changes, each with the evidence for and against it."""

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cached_property

from conformance.diagnosis.candidates import Candidate, Composition, of_mistake, with_replaced, without
from conformance.diagnosis.case import Case
from conformance.diagnosis.departures import Marks
from conformance.diagnosis.finding import LEAST_SHOWN, Finding
from conformance.diagnosis.search import Search
from conformance.judging.comparison import Nature
from conformance.mistakes.catalogue import Mistake

__all__ = ["Findings"]

_REFUTED = 1 / 6
"""The share of new inputs that may refute a change, of those that should show it."""
_SHOWN_OFTEN = 6
"""The new inputs that must show a change for it to stay when others are dropped."""
_TIMES = 3
"""The most searches for a replacement of changes that are not credible."""
_INSTEAD = 40_000.0
"""The work for a replacement if new inputs refuted a change."""


class Findings:
    """The findings of all ops, and the failures that stay unexplained."""

    def __init__(self, cases: Sequence[Case], mistakes: Mapping[str, Mistake]) -> None:
        self.cases = cases
        self.searches: list[Search] = []
        self._mistakes = mistakes
        self.compositions: dict[str, Composition] = {}
        """The credible changes by op."""
        self.all: list[Finding] = []
        self._confirmed: set[str] = set()
        """Habits that many new inputs showed and few refuted, before others were dropped."""
        self._retries = Counter[str]()
        """The number of searches for a replacement of refuted changes, by op."""

    def add(self, search: Search) -> None:
        """Searches an op, and searches again for changes that replace those that are not credible."""
        self.searches.append(search)
        search.run()
        best = kept = self._credible(search)
        spent = False
        for _ in range(_TIMES):
            dropped = [change for change in search.chosen if change not in kept]
            if not dropped or spent:
                break
            spent = search.is_out_of_work
            search.run_without(kept, dropped)
            kept = self._credible(search)
            if search.score(kept) > search.score(best):
                best = kept
        search.chosen = best
        if search.fit_to_all():
            search.add_known_mistakes()
            kept = self._credible(search)
            search.chosen = best = max(best, kept, key=search.score)
        search.chosen = search.with_fewer_changes()
        if self._credible(search) != search.chosen:
            search.chosen = best

    def unify_across_ops(self) -> None:
        """Replaces a mistake found in a single op with one found in other ops, if that fits as well."""
        chosen = [change for search in self.searches for change in search.chosen]
        known = {change.name: change for change in chosen if change.mistake}
        count = Counter(change.name for change in chosen)
        for search in self.searches:
            for change in search.chosen:
                for replacement in known.values() if change.mistake and count[change.name] == 1 else ():
                    if change in search.chosen and replacement not in search.chosen:
                        composition = with_replaced(search.chosen, change, replacement)
                        if search.score(composition) >= search.score(search.chosen):
                            search.chosen = composition

    def judge(self) -> None:
        """Judges all ops after the searches, since a mistake made in one op would show in others."""
        self.all = []
        for search in self.searches:
            composition = self.compositions[search.case.op.name] = self._credible(search)
            findings = [self._finding(search.case, composition, change) for change in composition]
            for finding in findings:
                if (mistake := finding.candidate.mistake) is not None:
                    finding.alternatives = self._alternatives(mistake)
            _assign_shared(search.case, composition, findings)
            self.all += findings
        left = self.unexplained()
        for finding in self.all:
            evidence = finding.case.evidence
            finding.unlike = self._count_unlike(finding.candidate.name)
            finding.known_changes = len(self._known_marks.get(finding.candidate.name, ()))
            clauses = {evidence[index].clause for index in finding.covers}
            finding.related = sum(evidence[index].clause in clauses for index in left[finding.case.op.name])

    def drop_refuted(self) -> bool:
        """Drops the change that new inputs refute most, if they refute it too often; returns whether it did.

        Only one at a time, as it may spoil the predictions of others. A change stays if no new input of an op
        refutes it, or if it is a mistake that gives nearly all failures of an op. A change that gives few
        failures exactly also counts as refuted if no new input shows it. A new search replaces it.
        """
        shown, refuted = Counter[str](), Counter[str]()
        for finding in self.all:
            shown[finding.candidate.habit] += finding.shown
            refuted[finding.candidate.habit] += finding.refuted
            if finding.is_unseen:
                refuted[finding.candidate.habit] += len(finding.experiments)
        shares = {habit: count / (count + shown[habit]) for habit, count in refuted.items() if count}
        proven = {
            finding.candidate.habit
            for finding in self.all
            if finding.shown >= LEAST_SHOWN and (finding.gives_nearly_all or not finding.refuted)
        }
        self._confirmed |= {
            habit
            for habit, count in shown.items()
            if count >= _SHOWN_OFTEN and shares.get(habit, 0) <= _REFUTED
        }
        doubtful = [habit for habit in shares.keys() - proven - self._confirmed if shares[habit] > _REFUTED]
        if not doubtful:
            return False
        worst = max(doubtful, key=lambda habit: (shares[habit], habit))
        for search in self.searches:
            if dropped := [change for change in search.chosen if change.habit == worst]:
                search.chosen = tuple(change for change in search.chosen if change.habit != worst)
                if self._retries[search.case.op.name] < _TIMES:
                    self._retries[search.case.op.name] += 1
                    search.run_without(search.chosen, dropped, _INSTEAD)
                    search.chosen = self._credible(search)
        return True

    def of_case(self, case: Case) -> list[Finding]:
        """The findings of one op."""
        return [finding for finding in self.all if finding.case is case]

    def _credible(self, search: Search) -> Composition:
        """The composition without changes that are not credible; the worst is dropped first."""
        composition = search.chosen
        while True:
            findings = [self._finding(search.case, composition, change) for change in composition]
            weak = [finding for finding in findings if not finding.covers or not finding.is_credible]
            if not weak:
                return composition
            worst = max(weak, key=lambda item: len(item.against) + len(item.still_wrong) - len(item.covers))
            composition = without(composition, worst.candidate)

    def _finding(self, case: Case, composition: Composition, candidate: Candidate) -> Finding:
        fewer = without(composition, candidate)
        covers: dict[int, frozenset[str]] = {}
        still_wrong = set()
        mistake = candidate.made
        showing = {
            index for index in (*case.wrong, *case.passes) if mistake is None or case.may_show(mistake, index)
        }
        for index, wrong in case.wrong.items():
            if index not in showing:
                continue
            with_it, without_it = case.predicted(composition, index), case.predicted(fewer, index)
            if with_it == without_it:
                continue
            places = _explained_places(wrong, with_it, without_it)
            if places:
                covers[index] = places
            else:
                still_wrong.add(index)
        against = {
            index
            for index in case.passes
            if index in showing and case.predicted(composition, index) and not case.predicted(fewer, index)
        }
        finding = Finding(case, candidate, covers, frozenset(against), frozenset(still_wrong))
        finding.exact = sum(case.predicted(composition, index) == case.wrong[index] for index in covers)
        finding.only_lacks = all(
            departure.nature is Nature.MISSING
            for index, places in covers.items()
            for departure in case.departures[index]
            if departure.path in places
        )
        if (mistake := candidate.mistake) is not None:
            finding.shown_everywhere, finding.elsewhere = self._breadth(mistake)
        return finding

    def _breadth(self, mistake: Mistake) -> tuple[int, int]:
        """The number of failures that show a mistake in ops that make it, and of right answers elsewhere."""
        made_in = {search.case.op.name for search in self.searches if _contains(search.chosen, mistake)}
        showing = broken = 0
        for case in self.cases:
            in_wrong, in_right = case.mistake_counts
            if case.op.name in made_in:
                showing += in_wrong[mistake.name]
            elif not case.is_constant:
                broken += in_right[mistake.name]
        return showing, broken

    def _count_unlike(self, name: str) -> int:
        """The number of answers that differ from a known mistake's and that no composition explains."""
        count = 0
        for number, index, marks in self._known_marks.get(name, ()):
            case = self.cases[number]
            actual, composition = case.wrong.get(index, {}), self.compositions.get(case.op.name, ())
            if any(actual.get(path) != mark for path, mark in marks.items()):
                count += case.predicted(composition, index) != actual
        return count

    @cached_property
    def _known_marks(self) -> dict[str, list[tuple[int, int, Marks]]]:
        """The wrong answers of each mistake as (case number, index, marks), from the memo."""
        known: dict[str, list[tuple[int, int, Marks]]] = {name: [] for name in self._mistakes}
        for number, case in enumerate(self.cases):
            for index in (*case.wrong, *case.passes):
                for name, marks in (case.mistake_marks(index) or {}).items():
                    if name in known:
                        known[name].append((number, index, marks))
        return known

    def _alternatives(self, mistake: Mistake) -> tuple[Mistake, ...]:
        """The mistakes with the same answers as this one to all evidence of all ops."""
        mine = self._known_marks[mistake.name]
        alike = [name for name, marks in self._known_marks.items() if marks == mine and name != mistake.name]
        for case in self.cases:
            for index in (*case.wrong, *case.passes) if alike else ():
                names = {name for name in (mistake.name, *alike) if not case.has_stored_answer(name, index)}
                if names:  # the memo lacks them: ask
                    changes = {name: (of_mistake(self._mistakes[name]),) for name in (mistake.name, *alike)}
                    expected = case.predicted(changes[mistake.name], index)
                    alike = [name for name in alike if case.predicted(changes[name], index) == expected]
        return tuple(self._mistakes[name] for name in sorted(alike))

    def unexplained(self) -> dict[str, list[int]]:
        """The failures that the changes account for too little of, by op."""
        failures: dict[str, list[int]] = {}
        for case in self.cases:
            composition = self.compositions.get(case.op.name, ())
            covered = Counter[int]()
            for finding in self.all:
                if finding.case is case:
                    for index, places in finding.covers.items():
                        covered[index] += len(places)
            failures[case.op.name] = [
                index
                for index, wrong in case.wrong.items()
                if case.predicted(composition, index) != wrong and 2 * covered[index] < len(wrong)
            ]
        return failures


def _assign_shared(case: Case, composition: Composition, findings: Sequence[Finding]) -> None:
    """Assigns each failure that several changes explain, each without the others, to the likeliest one."""
    covered = {index for finding in findings for index in finding.covers}
    for index in case.wrong.keys() - covered:
        if case.predicted(composition, index) == case.wrong[index]:
            first = max(
                findings, key=lambda item: case.likeness(index, case.predicted((item.candidate,), index))
            )
            first.covers[index] = frozenset(case.wrong[index])


def _contains(composition: Composition, mistake: Mistake) -> bool:
    return any(change.name == mistake.name for change in composition)


def _explained_places(wrong: Marks, with_it: Marks, without_it: Marks) -> frozenset[str]:
    """The paths of a failure that are as in the runner's answer with a change, but not without it."""
    if with_it == wrong:
        return frozenset(path for path in wrong if without_it.get(path) != wrong[path]) or frozenset(wrong)
    return frozenset(
        path for path, mark in with_it.items() if wrong.get(path) == mark and without_it.get(path) != mark
    )
