"""Trying on a live runner what its answers suggest: new inputs on which the findings differ.

A finding is certain only if it foretells the runner's answers to inputs that nobody asked before. The inputs
are drawn as for a fuzz, and made by small changes of the failures; of all that is made those are asked on
which the finding shows, on which it and its rivals differ, and the nearest ones on which it does not show.
How many are asked hangs on the findings alone, so that the same runner gets the same list.
"""

import dataclasses
import difflib
import itertools
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from conformance.deviations.changes import changes_for
from conformance.deviations.lens import ABSENT, Change, change_at
from conformance.deviations.places import Places
from conformance.diagnosis.candidates import Candidate, Composition, of_mistake, replaced, without
from conformance.diagnosis.case import Case
from conformance.diagnosis.composing import Search
from conformance.diagnosis.deviation import Marks, deviations, marks
from conformance.diagnosis.evidence import Evidence
from conformance.diagnosis.findings import Finding, Findings, Tried
from conformance.diagnosis.scratch import scratch
from conformance.drawing.source import Seeded
from conformance.suite.shapes import fits, shape_of
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import Path, spell_at

__all__ = ["Ask", "Experiments"]

Ask = Callable[[str, Sequence[Any]], Sequence[Ok | Refused | None]]
"""From an op's name and inputs to the runner's answers; None where there is none to compare."""

_SEED = 11
_MADE = 160
"""New inputs made for an op."""
_SHOWING, _HIDING = 14, 4
"""Those asked on which a finding shows, and on which it does not."""
_DIFFERING = 20
"""Those asked to distinguish a finding from its rivals."""
_LONGEST = 3000
"""The longest new input, in characters of JSON."""


class Experiments:
    """New inputs put to a runner, for all findings."""

    def __init__(self, findings: Findings, ask: Ask) -> None:
        self._findings = findings
        self._ask = ask

    def run(self) -> None:
        """Tries the findings of each op: first against their rivals, then each for itself."""
        trials: dict[str, _Trial] = {}
        for search in self._findings.searches:
            if found := self._findings.of(search.case):
                trials[search.case.op.name] = trial = _Trial(search.case, self._ask)
                for one in found:
                    self._choose(search, trial, one)
        self._judge(trials)
        while self._findings.drop_refuted():
            self._judge(trials)

    def _judge(self, trials: Mapping[str, "_Trial"]) -> None:
        self._findings.judge()
        for one in self._findings.every:
            composition = self._findings.compositions[one.case.op.name]
            trial = trials[one.case.op.name]
            one.experiments = trial.held(composition, one)
            one.alternatives = tuple(
                other
                for other in one.alternatives
                if trial.is_as_right(composition, one.candidate, of_mistake(other))
            )

    @staticmethod
    def _choose(search: Search, trial: "_Trial", one: Finding) -> None:
        """Takes of a finding and its rivals the one that answers as the runner."""
        rivals = [*search.rivals.get(one.candidate.name, []), *map(of_mistake, one.alternatives)]
        best = trial.best(search.chosen, one.candidate, rivals)
        if best is not one.candidate:
            search.chosen = replaced(search.chosen, one.candidate, best)


class _Trial:
    """New inputs of an op, and what a runner answers to those that it is asked."""

    def __init__(self, case: Case, ask: Ask) -> None:
        self._texts = {index: json.dumps(one.input) for index, one in enumerate(case.evidence)}
        made = list(_new_evidence(case, {*self._texts.values()}))
        self._case = Case(made, case.level) if made else None
        self._every = range(len(made))
        self._ask = ask
        self._answers: dict[int, Ok | Refused | None] = {}

    def best(self, composition: Composition, one: Candidate, rivals: Sequence[Candidate]) -> Candidate:
        """The candidate that answers most often as the runner where they differ; the first of equals."""
        options = [one, *rivals]
        compositions = [replaced(composition, one, other) for other in options]
        differing = [
            index
            for index in self._every
            if any(self._differ(composition, each, index) for each in compositions)
        ]
        actual = self._asked(differing[:_DIFFERING])
        right = [
            sum(self._predicted(each, index) == found for index, found in actual.items())
            for each in compositions
        ]
        return options[right.index(max(right))]

    def is_as_right(self, composition: Composition, one: Candidate, other: Candidate) -> bool:
        """Whether another candidate gives every answer that one gives and that the runner was asked for."""
        another = replaced(composition, one, other)
        return all(
            self._predicted(another, index) == found or self._predicted(composition, index) != found
            for index, found in self._asked([*self._answers]).items()
        )

    def held(self, composition: Composition, finding: Finding) -> list[Tried]:
        """What was asked to try a finding, and whether the runner answered as it foretells."""
        rest = without(composition, finding.candidate)
        shows = [index for index in self._every if self._differ(composition, rest, index)]
        hides = [index for index in self._every if index not in shows and not self._predicted(rest, index)]
        smallest = self._texts[min(finding.covers, key=lambda index: len(self._texts[index]))]
        hides.sort(key=lambda index: -_likeness(json.dumps(self._evidence(index).input), smallest))
        found = []
        for index, actual in self._asked([*shows[:_SHOWING], *hides[:_HIDING]]).items():
            with_it, without_it = self._predicted(composition, index), self._predicted(rest, index)
            as_foretold = actual == with_it
            if as_foretold or index in shows:
                refuted = not as_foretold and _is_as(actual, without_it, with_it)
                found.append(Tried(self._evidence(index), index in shows, as_foretold, refuted))
        return found

    def _predicted(self, composition: Composition, index: int) -> Marks:
        assert self._case is not None
        return self._case.predicted(composition, index)

    def _differ(self, one: Composition, other: Composition, index: int) -> bool:
        return one is not other and self._predicted(one, index) != self._predicted(other, index)

    def _asked(self, indexes: Sequence[int]) -> dict[int, Marks]:
        """Where the runner departs from the reference at new inputs; not those that it does not answer."""
        if self._case is None:
            return {}
        new = [index for index in dict.fromkeys(indexes) if index not in self._answers]
        if new:
            inputs = [self._case.evidence[index].input for index in new]
            self._answers |= dict(zip(new, self._ask(self._case.op.name, inputs), strict=True))
        found = {}
        for index in indexes:
            actual = self._answers[index]
            if actual is not None:
                one = self._case.evidence[index]
                found[index] = marks(
                    deviations(one.op, one.expected, actual, self._case.level, one.unordered)
                )
        return found

    def _evidence(self, index: int) -> Evidence:
        assert self._case is not None
        return dataclasses.replace(self._case.evidence[index], actual=self._answers.get(index))


def _is_as(actual: Marks, one: Marks, other: Marks) -> bool:
    """Whether an answer is somewhere as one of two answers has it and the other has not."""
    return any(actual.get(path) == one.get(path) != other.get(path) for path in one.keys() | other.keys())


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).quick_ratio()


def _new_evidence(case: Case, seen: set[str]) -> Iterator[Evidence]:
    """New inputs of an op, each with the answer of the reference, as evidence without an answer."""
    op = case.op
    copy = scratch(op.spec)
    for given in itertools.islice(_inputs(case), _MADE):
        text = json.dumps(given)
        if len(text) > _LONGEST or text in seen:
            continue
        seen.add(text)
        copy.make()
        expected = copy.answer(op.name, given)
        free = op.free_key_order(given, expected.value) if isinstance(expected, Ok) else frozenset[str]()
        yield Evidence("", op, given, expected, None, free, False)


def _inputs(case: Case) -> Iterator[Any]:
    """Inputs made by a change of a failure or of a right answer's input, and drawn ones, by turns."""
    chance, source, shape = random.Random(_SEED), Seeded(_SEED), shape_of(case.op.name)  # noqa: S311
    small = sorted([*case.wrong, *case.passes], key=lambda index: (case.sizes[index], index))
    bases = [*[index for index in small if index in case.wrong][:40], *small[:40]]
    places = Places((case.asked[index].given for index in bases), case.op.schema, "input").all
    changes = [
        (path, one.change) for path, place in places.items() if path for one in changes_for(place.kinds)
    ]
    while True:
        yield case.op.draw(source)
        value = case.asked[chance.choice(bases)].given
        for _ in range(chance.randint(1, 2)):
            value = _changed(value, *chance.choice(changes))
        given = spell_at(value, case.op.input_numbers, everything=False)
        if fits(shape, given):
            yield given


def _changed(value: Any, path: Path, change: Change) -> Any:
    try:
        new = change_at(value, path, change)
    except Exception:  # another change made it a value of another shape
        return value
    return value if new is ABSENT else new
