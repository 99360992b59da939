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
        testers: dict[str, _Tester] = {}
        for search in self._findings.searches:
            if findings := self._findings.of_case(search.case):
                testers[search.case.op.name] = tester = _Tester(search.case, self._ask)
                for finding in findings:
                    self._choose(search, tester, finding)
        self._judge(testers)
        while self._findings.drop_refuted():
            self._judge(testers)

    def _judge(self, testers: Mapping[str, "_Tester"]) -> None:
        self._findings.judge()
        for finding in self._findings.all:
            composition = self._findings.compositions[finding.case.op.name]
            tester = testers[finding.case.op.name]
            finding.experiments = tester.test(composition, finding)
            finding.alternatives = tuple(
                mistake
                for mistake in finding.alternatives
                if tester.predicts_as_well(composition, finding.candidate, of_mistake(mistake))
            )

    @staticmethod
    def _choose(search: Search, tester: "_Tester", finding: Finding) -> None:
        """Replaces a finding with the rival that answers most like the runner, if there is a better one."""
        rivals = [*search.rivals.get(finding.candidate.name, []), *map(of_mistake, finding.alternatives)]
        best = tester.best(search.chosen, finding, rivals)
        if best is not finding.candidate:
            search.chosen = with_replaced(search.chosen, finding.candidate, best)


class _Tester:
    """New inputs of an op, and the runner's answers to those that were asked."""

    def __init__(self, case: Case, ask: Ask) -> None:
        self._case = case
        self._texts = {index: json.dumps(item.input) for index, item in enumerate(case.evidence)}
        self._seen = {*self._texts.values()}
        self._new_inputs: list[tuple[Case, int]] = []
        self._tried: set[str] = set()
        self._add(_input_stream(case), _MADE)
        self._ask = ask
        self._answers: dict[int, Ok | Refused | None] = {}

    def _add(self, inputs: Iterator[Any], count: int) -> None:
        """Adds new inputs as a case of their own, so that cached predictions stay valid."""
        evidence = list(_evidence_of_inputs(self._case, itertools.islice(inputs, count), self._seen))
        if evidence:
            case = Case(evidence, self._case.level)
            self._new_inputs += [(case, index) for index in range(len(evidence))]

    def _inputs_showing(self, shows: Callable[[int], bool], finding: Finding, enough: int) -> list[int]:
        """The new inputs that meet ``shows``; if there are too few, changed failures are added."""
        showing = list(filter(shows, range(len(self._new_inputs))))
        name = finding.candidate.name
        if len(showing) < enough and name not in self._tried:
            self._tried.add(name)
            before = len(self._new_inputs)
            covered = sorted(finding.covers, key=lambda index: (self._case.sizes[index], index))
            self._add(_changes_of(self._case, covered[:_BASES]), _NEAR)
            showing += filter(shows, range(before, len(self._new_inputs)))
        return showing

    def best(self, composition: Composition, finding: Finding, rivals: Sequence[Candidate]) -> Candidate:
        """The candidate that agrees with the runner most often where they differ; the first if several do."""
        options = [finding.candidate, *rivals]
        compositions = [with_replaced(composition, finding.candidate, candidate) for candidate in options]

        def differ(index: int) -> bool:
            return any(self._differ(composition, changed, index) for changed in compositions)

        differing = self._inputs_showing(differ, finding, _DIFFERING) if rivals else []
        actual = self._ask_runner(differing[:_DIFFERING])
        right = [
            sum(self._predicted(changed, index) == answer for index, answer in actual.items())
            for changed in compositions
        ]
        return options[right.index(max(right))]

    def predicts_as_well(self, composition: Composition, candidate: Candidate, rival: Candidate) -> bool:
        """Whether another candidate predicts all the runner's answers that the first one predicts."""
        another = with_replaced(composition, candidate, rival)
        return all(
            self._predicted(another, index) == answer or self._predicted(composition, index) != answer
            for index, answer in self._ask_runner([*self._answers]).items()
        )

    def test(self, composition: Composition, finding: Finding) -> list[TestInput]:
        """The inputs that test a finding, and whether the runner answered as predicted."""
        fewer = without(composition, finding.candidate)
        shows = self._inputs_showing(lambda index: self._differ(composition, fewer, index), finding, _SHOWING)
        hides = [
            index
            for index in range(len(self._new_inputs))
            if index not in shows and not self._predicted(fewer, index)
        ]
        smallest = self._texts[min(finding.covers, key=lambda index: len(self._texts[index]))]
        hides.sort(key=lambda index: -_likeness(json.dumps(self._evidence(index).input), smallest))
        tests = []
        for index, actual in self._ask_runner([*shows[:_SHOWING], *hides[:_HIDING]]).items():
            with_it, without_it = self._predicted(composition, index), self._predicted(fewer, index)
            as_predicted = actual == with_it
            if as_predicted or index in shows:
                refuted = not as_predicted and _sides_with(actual, without_it, with_it)
                tests.append(TestInput(self._evidence(index), index in shows, as_predicted, refuted))
        return tests

    def _predicted(self, composition: Composition, index: int) -> Marks:
        case, position = self._new_inputs[index]
        return case.predicted(composition, position)

    def _differ(self, first: Composition, second: Composition, index: int) -> bool:
        return first is not second and self._predicted(first, index) != self._predicted(second, index)

    def _ask_runner(self, indexes: Sequence[int]) -> dict[int, Marks]:
        """The marks of the runner's answers to new inputs, asked if necessary; only those it answers."""
        new = [index for index in dict.fromkeys(indexes) if index not in self._answers]
        if new:
            inputs = [self._evidence(index).input for index in new]
            self._answers |= dict(zip(new, self._ask(self._case.op.name, inputs), strict=True))
        answers = {}
        for index in indexes:
            actual = self._answers[index]
            if actual is not None:
                item = self._evidence(index)
                answers[index] = marks(
                    departures(item.op, item.expected, actual, self._case.level, item.unordered)
                )
        return answers

    def _evidence(self, index: int) -> Evidence:
        case, position = self._new_inputs[index]
        return dataclasses.replace(case.evidence[position], actual=self._answers.get(index))


def _sides_with(actual: Marks, first: Marks, second: Marks) -> bool:
    """Whether an answer agrees with the first of two answers at a path where the second differs.

    A departure that neither has, such as another error, hides the paths within it.
    """
    paths = first.keys() | second.keys()
    hiding = actual.keys() - paths
    visible = (path for path in paths if not any(path.startswith(whole) for whole in hiding))
    return any(actual.get(path) == first.get(path) != second.get(path) for path in visible)


def _likeness(first: str, second: str) -> float:
    return difflib.SequenceMatcher(None, first, second, autojunk=False).quick_ratio()


def _evidence_of_inputs(case: Case, inputs: Iterator[Any], known: set[str]) -> Iterator[Evidence]:
    """New inputs of an op as evidence, with the reference's answer as expected and no actual answer."""
    op = case.op
    copy = scratch(op.spec)
    for input_ in inputs:
        with any_digits():  # a change may have produced an int with more digits than JSON's reader accepts
            text = json.dumps(input_)
        if input_ is None or len(text) > _LONGEST or text in known:
            continue
        known.add(text)
        copy.make()
        expected = copy.answer(op.name, input_)
        free = op.free_key_order(input_, expected.value) if isinstance(expected, Ok) else frozenset[str]()
        yield Evidence("", op, input_, expected, None, free, False)


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
        (path, option.change) for path, place in places.items() if path for option in changes_for(place.kinds)
    ]
    while changes:
        value = case.requests[chance.choice(bases)].input
        for _ in range(chance.randint(1, 2)):
            value = _changed(value, *chance.choice(changes))
        input_ = spell_at(value, case.op.input_numbers, everything=False)
        yield input_ if fits(shape, input_) else None


def _changed(value: Any, path: Path, change: Change) -> Any:
    try:
        new = change_at(value, path, change)
    except Exception:  # an earlier change gave the value another shape
        return value
    return value if new is ABSENT else new
