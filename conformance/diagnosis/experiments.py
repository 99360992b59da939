"""Tests the findings on a live runner, with new inputs that distinguish them.

A finding is certain only if it predicts the runner's answers to new inputs. The inputs are drawn as for a
fuzz, or are failures with small changes. The runner is asked those on which the finding shows, those on which
it and its rivals differ, and the most similar ones on which it does not show. Their number depends only on
the findings, so that the same runner gets the same list.
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
from conformance.diagnosis.candidates import Candidate, Composition, of_mistake, with_replaced, without
from conformance.diagnosis.case import Case
from conformance.diagnosis.departures import Marks, departures, marks
from conformance.diagnosis.evidence import Evidence, TestInput
from conformance.diagnosis.finding import Finding
from conformance.diagnosis.findings import Findings
from conformance.diagnosis.scratch import scratch
from conformance.diagnosis.search import Search
from conformance.drawing.source import Seeded
from conformance.suite.shapes import fits, shape_of
from conformance.wire.messages import Ok, Refused
from conformance.wire.numbers import Path, any_digits, spell_at

__all__ = ["Ask", "Experiments"]

Ask = Callable[[str, Sequence[Any]], Sequence[Ok | Refused | None]]
"""Takes an op's name and inputs; returns the runner's answers, None for any that can't be compared."""

_SEED = 11
_MADE = 160
"""The number of new inputs for an op."""
_SHOWING, _HIDING = 14, 4
"""The most inputs asked per finding on which it shows, and on which it does not."""
_DIFFERING = 20
"""The most inputs asked to distinguish a finding from its rivals."""
_NEAR = 240
"""The number of changed failures of a finding that are added if too few inputs show it."""
_BASES = 8
"""The number of a finding's smallest failures that are changed."""
_LONGEST = 3000
"""The longest new input, in characters of JSON."""


class Experiments:
    """Tests all findings on new inputs."""

    def __init__(self, findings: Findings, ask: Ask) -> None:
        self._findings = findings
        self._ask = ask

    def run(self) -> None:
        """Tests the findings of each op: first against their rivals, then each by itself."""
        trials: dict[str, _Tester] = {}
        for search in self._findings.searches:
            if found := self._findings.of_case(search.case):
                trials[search.case.op.name] = trial = _Tester(search.case, self._ask)
                for one in found:
                    self._choose(search, trial, one)
        self._judge(trials)
        while self._findings.drop_refuted():
            self._judge(trials)

    def _judge(self, trials: Mapping[str, "_Tester"]) -> None:
        self._findings.judge()
        for one in self._findings.all:
            composition = self._findings.compositions[one.case.op.name]
            trial = trials[one.case.op.name]
            one.experiments = trial.test(composition, one)
            one.alternatives = tuple(
                other
                for other in one.alternatives
                if trial.predicts_as_well(composition, one.candidate, of_mistake(other))
            )

    @staticmethod
    def _choose(search: Search, trial: "_Tester", finding: Finding) -> None:
        """Replaces a finding with the rival that answers most like the runner, if there is a better one."""
        rivals = [*search.rivals.get(finding.candidate.name, []), *map(of_mistake, finding.alternatives)]
        best = trial.best(search.chosen, finding, rivals)
        if best is not finding.candidate:
            search.chosen = with_replaced(search.chosen, finding.candidate, best)


class _Tester:
    """New inputs of an op, and the runner's answers to those that were asked."""

    def __init__(self, case: Case, ask: Ask) -> None:
        self._case = case
        self._texts = {index: json.dumps(one.input) for index, one in enumerate(case.evidence)}
        self._seen = {*self._texts.values()}
        self._new_inputs: list[tuple[Case, int]] = []
        self._tried: set[str] = set()
        self._add(_input_stream(case), _MADE)
        self._ask = ask
        self._answers: dict[int, Ok | Refused | None] = {}

    def _add(self, inputs: Iterator[Any], count: int) -> None:
        """Adds new inputs as a case of their own, so that cached predictions stay valid."""
        made = list(_evidence_of_inputs(self._case, itertools.islice(inputs, count), self._seen))
        if made:
            case = Case(made, self._case.level)
            self._new_inputs += [(case, index) for index in range(len(made))]

    def _inputs_showing(self, shows: Callable[[int], bool], finding: Finding, enough: int) -> list[int]:
        """The new inputs that meet ``shows``; if there are too few, changed failures are added."""
        found = list(filter(shows, range(len(self._new_inputs))))
        name = finding.candidate.name
        if len(found) < enough and name not in self._tried:
            self._tried.add(name)
            before = len(self._new_inputs)
            covered = sorted(finding.covers, key=lambda index: (self._case.sizes[index], index))
            self._add(_changes_of(self._case, covered[:_BASES]), _NEAR)
            found += filter(shows, range(before, len(self._new_inputs)))
        return found

    def best(self, composition: Composition, finding: Finding, rivals: Sequence[Candidate]) -> Candidate:
        """The candidate that agrees with the runner most often where they differ; the first if several do."""
        options = [finding.candidate, *rivals]
        compositions = [with_replaced(composition, finding.candidate, other) for other in options]

        def differ(index: int) -> bool:
            return any(self._differ(composition, each, index) for each in compositions)

        differing = self._inputs_showing(differ, finding, _DIFFERING) if rivals else []
        actual = self._ask_runner(differing[:_DIFFERING])
        right = [
            sum(self._predicted(each, index) == found for index, found in actual.items())
            for each in compositions
        ]
        return options[right.index(max(right))]

    def predicts_as_well(self, composition: Composition, candidate: Candidate, other: Candidate) -> bool:
        """Whether another candidate predicts all the runner's answers that the first one predicts."""
        another = with_replaced(composition, candidate, other)
        return all(
            self._predicted(another, index) == found or self._predicted(composition, index) != found
            for index, found in self._ask_runner([*self._answers]).items()
        )

    def test(self, composition: Composition, finding: Finding) -> list[TestInput]:
        """The inputs that test a finding, and whether the runner answered as predicted."""
        rest = without(composition, finding.candidate)
        shows = self._inputs_showing(lambda index: self._differ(composition, rest, index), finding, _SHOWING)
        hides = [
            index
            for index in range(len(self._new_inputs))
            if index not in shows and not self._predicted(rest, index)
        ]
        smallest = self._texts[min(finding.covers, key=lambda index: len(self._texts[index]))]
        hides.sort(key=lambda index: -_likeness(json.dumps(self._evidence(index).input), smallest))
        found = []
        for index, actual in self._ask_runner([*shows[:_SHOWING], *hides[:_HIDING]]).items():
            with_it, without_it = self._predicted(composition, index), self._predicted(rest, index)
            as_predicted = actual == with_it
            if as_predicted or index in shows:
                refuted = not as_predicted and _sides_with(actual, without_it, with_it)
                found.append(TestInput(self._evidence(index), index in shows, as_predicted, refuted))
        return found

    def _predicted(self, composition: Composition, index: int) -> Marks:
        case, place = self._new_inputs[index]
        return case.predicted(composition, place)

    def _differ(self, one: Composition, other: Composition, index: int) -> bool:
        return one is not other and self._predicted(one, index) != self._predicted(other, index)

    def _ask_runner(self, indexes: Sequence[int]) -> dict[int, Marks]:
        """The marks of the runner's answers to new inputs, asked if necessary; only those it answers."""
        new = [index for index in dict.fromkeys(indexes) if index not in self._answers]
        if new:
            inputs = [self._evidence(index).input for index in new]
            self._answers |= dict(zip(new, self._ask(self._case.op.name, inputs), strict=True))
        found = {}
        for index in indexes:
            actual = self._answers[index]
            if actual is not None:
                one = self._evidence(index)
                found[index] = marks(
                    departures(one.op, one.expected, actual, self._case.level, one.unordered)
                )
        return found

    def _evidence(self, index: int) -> Evidence:
        case, place = self._new_inputs[index]
        return dataclasses.replace(case.evidence[place], actual=self._answers.get(index))


def _sides_with(actual: Marks, one: Marks, other: Marks) -> bool:
    """Whether an answer agrees with the first of two answers at a path where the second differs.

    A departure that neither has, such as another error, hides the paths within it.
    """
    paths = one.keys() | other.keys()
    hiding = actual.keys() - paths
    seen = (path for path in paths if not any(path.startswith(whole) for whole in hiding))
    return any(actual.get(path) == one.get(path) != other.get(path) for path in seen)


def _likeness(one: str, other: str) -> float:
    return difflib.SequenceMatcher(None, one, other, autojunk=False).quick_ratio()


def _evidence_of_inputs(case: Case, inputs: Iterator[Any], seen: set[str]) -> Iterator[Evidence]:
    """New inputs of an op as evidence, with the reference's answer as expected and no actual answer."""
    op = case.op
    copy = scratch(op.spec)
    for given in inputs:
        with any_digits():  # a change may have produced an int with more digits than JSON's reader accepts
            text = json.dumps(given)
        if given is None or len(text) > _LONGEST or text in seen:
            continue
        seen.add(text)
        copy.make()
        expected = copy.answer(op.name, given)
        free = op.free_key_order(given, expected.value) if isinstance(expected, Ok) else frozenset[str]()
        yield Evidence("", op, given, expected, None, free, False)


def _input_stream(case: Case) -> Iterator[Any]:
    """Yield drawn inputs and changed inputs of the evidence alternately."""
    source = Seeded(_SEED)
    small = sorted([*case.wrong, *case.passes], key=lambda index: (case.sizes[index], index))
    bases = [*[index for index in small if index in case.wrong][:40], *small[:40]]
    changed = _changes_of(case, bases)
    while True:
        yield case.op.draw(source)
        yield next(changed, None)


def _changes_of(case: Case, bases: Sequence[int]) -> Iterator[Any]:
    """Inputs of the evidence with one or two small changes; None if the result does not fit the schema."""
    chance, shape = random.Random(_SEED), shape_of(case.op.name)  # noqa: S311
    places = Places((case.requests[index].input for index in bases), case.op.schema, "input").all
    changes = [
        (path, one.change) for path, place in places.items() if path for one in changes_for(place.kinds)
    ]
    while changes:
        value = case.requests[chance.choice(bases)].input
        for _ in range(chance.randint(1, 2)):
            value = _changed(value, *chance.choice(changes))
        given = spell_at(value, case.op.input_numbers, everything=False)
        yield given if fits(shape, given) else None


def _changed(value: Any, path: Path, change: Change) -> Any:
    try:
        new = change_at(value, path, change)
    except Exception:  # an earlier change gave the value another shape
        return value
    return value if new is ABSENT else new
