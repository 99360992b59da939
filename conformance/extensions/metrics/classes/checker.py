"""Checks a class under a contract in a separate process; shared by the contracts."""

import json
import sys
from abc import abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import ClassVar

from conformance.extensions.metrics.checker import Checker, Options
from conformance.extensions.metrics.classes.process import (
    Json,
    Problem,
    Problems,
    Process,
    Round,
    answer_of_the_end,
)
from conformance.extensions.metrics.classes.rounds import LATER, other_rounds
from conformance.extensions.metrics.classes.worker import UNREACHABLE
from conformance.extensions.metrics.findings import LEVELS, CannotTryError, Case, Finding, Result, Rule
from conformance.extensions.metrics.sandbox.environments import FIRST, Environment
from conformance.wire.text import printable

__all__ = ["THE_CLASS", "ClassChecker"]

_MOST_STOPS, _MOST_ASKED_AGAIN, _FEW = 2, 6, 3
THE_CLASS = Case("class", "the class itself, before anything is asked of it")
_CHANCE = "repeats"
"""The rule that neither chance nor time affects a class's results."""
_CLOCKS = [0.0, 2 * LATER, 4 * LATER]


class ClassChecker(Checker):
    """One class. All cases run at once, in as many processes as needed."""

    part: ClassVar[Path]
    """The contract's part of the worker: a file that runs in the class's own process."""
    situations: ClassVar[Sequence[Case]]
    """The contract's cases, except the class itself."""
    rules: ClassVar[Mapping[str, Rule]]
    follows: ClassVar[Mapping[str, Collection[str]]]
    """Rules whose violation follows from that of another rule, and is then omitted."""
    state_rule: ClassVar[str]
    """The rule that a case always gives the same result, whatever came before."""

    def __init__(self, target: str, options: Options) -> None:
        super().__init__(target, options)
        self.cases: Sequence[Case] = (THE_CLASS, *self.situations)
        self._class: Json | None = None
        self._inputs: dict[str, Json] = {}
        self._answers: dict[str, Json] = {}
        self._problems: Problems = {}
        self._left_out: dict[str, str] = {}
        self._failure: CannotTryError | None = None
        self._process: Process | None = None
        self._not_run = ""

    @abstractmethod
    def _check_all_answers(self) -> Iterator[Problem]:
        """Findings that only all answers together show; also adds notes."""

    @abstractmethod
    def _settings(self) -> Json:
        """Additional settings for the worker."""

    def _python(self) -> str:
        """The interpreter that loads the class.

        Raises:
            CannotTryError: there is none.
        """
        return self.options.python or sys.executable

    def header(self) -> str:
        """Where the class is loaded."""
        return str(self._described().get("environment", "the class can't be loaded"))

    def check(self, case: Case) -> Result:
        """The findings of one case."""
        result = Result(case)
        described = self._described()
        if case != THE_CLASS and not described["askable"]:
            result.not_run = "the class can't be instantiated or called"
        elif case.name not in self._problems:
            result.not_run = self._not_run or "it was not called"
        else:
            result.not_run = self._left_out.get(case.name)
        if result.not_run is None:
            first = {problem.rule: problem.sentence for problem in reversed(self._problems[case.name])}
            shown = printable(self._inputs.get(case.name, {}).get("given", ""))
            for rule in dict.fromkeys(problem.rule for problem in self._problems[case.name]):
                kept = self._kept(case)
                result.findings.append(Finding(self.rules[rule], case.name, first[rule], shown, kept))
        return result

    def _kept(self, case: Case) -> str | None:
        if self.options.keep is None or case.name not in self._inputs:
            return None
        (path := self.options.keep / case.name / "input.json").parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(self._inputs[case.name]["input"], indent=2) + "\n", encoding="utf-8")
        return str(path)

    def _described(self) -> Json:
        if self._failure is not None:
            raise self._failure
        if self._class is None:
            try:
                self._judge(self._ask())
            except CannotTryError as error:  # tried only once
                self._failure = error
                if self._process is not None:
                    self._process.remove()
                raise
        assert self._class is not None
        return self._class

    def _ask_all(
        self,
        names: Sequence[str],
        *,
        quick: bool = False,
        primed: bool = False,
        under: Environment = FIRST,
        pretended: Mapping[str, float] = MappingProxyType({}),
        clocks: Sequence[float] = (),
    ) -> Round:
        if self._process is None:
            self._process = Process(self.target, self._python(), self.options.limits, self.rules)
            self.notes += self._process.notes
        how = {"quick": quick, "primed": primed, "clocks": clocks}
        requests = [{"name": name, **how} for name in names]
        job = {"part": str(self.part), "requests": requests, **self._settings()}
        return self._process.ask(job, under=under, pretended=dict(pretended))

    def _ask(self) -> Problems:
        """Runs all cases; returns the differences between processes.

        Raises:
            CannotTryError: the class can't be loaded or instantiated here.
        """
        waiting = [
            case.name for case in self.situations if not self.options.only or case.name in self.options.only
        ]
        read: set[str] = set()
        stops = 0
        while self._class is None or (waiting and self._class["askable"] and stops < _MOST_STOPS):
            answers = self._ask_all(waiting)
            if answers.cannot is not None:
                raise CannotTryError(answers.cannot)
            assert answers.described is not None
            self._class = self._class or answers.described
            self._answers |= answers.answers
            self._inputs |= answers.inputs
            read.update(answers.environment_read)
            waiting = [name for name in waiting if name not in self._answers]
            if waiting and self._class["askable"]:
                self._answers[waiting.pop(0)] = answer_of_the_end(answers.ended, self.options.limits)
                stops += answers.ended.stopped is not None
        if stops == _MOST_STOPS:
            self._not_run = "the class had to be stopped twice"
        if stops or not all(answer.get("steady", True) for answer in self._answers.values()):
            return {}  # other processes would show nothing more
        before = {name: answer["first"] for name, answer in self._answers.items() if answer.get("compared")}
        between, ended = other_rounds(self._ask_all, self.state_rule, before, read)
        self._answers |= {name: answer_of_the_end(how, self.options.limits) for name, how in ended.items()}
        return between

    def _judge(self, between: Problems) -> None:
        """The findings by case, without consequences of other findings."""
        assert self._class is not None
        asked = [case.name for case in self.situations if case.name in self._answers]
        answers = {name: self._answers[name] for name in asked}
        found = {name: [*answers[name]["problems"], *between.get(name, [])] for name in asked}
        found = {THE_CLASS.name: [*self._class["findings"], *self._check_all_answers()], **found}
        causes = {name: str(one["first"]["cause"]) for name, one in answers.items() if "first" in one}
        if stateful := [name for name in asked if self.state_rule in rules_in(found[name])]:
            self._examine_alone(found, asked, stateful)
            causes = {}
        self._left_out = drop_consequences(found, causes, self.rules, self.follows)
        self._problems = found

    def _examine_alone(self, found: Problems, asked: Sequence[str], stateful: Sequence[str]) -> None:
        """Drops findings that a stateful class shows only after other cases, by running each alone.

        If equal processes differ, the cause is not state but chance or time.
        """
        for name in asked:
            rules = rules_in(found[name]) - {self.state_rule}
            if rules and "ended" not in self._answers[name]:
                answer = self._ask_all([name]).answers.get(name)
                alone = rules if answer is None else rules_in(answer["problems"])
                found[name] = [one for one in found[name] if one.rule in {*alone, self.state_rule}]
        again = stateful[:_MOST_ASKED_AGAIN]
        clocks = _CLOCKS if self.state_rule != _CHANCE else ()
        answers = [self._ask_all(again, pretended={"clock": clock}).answers for clock in clocks]
        given = [(name, *_given(of[name])) for of in answers for name in again if name in of]
        if len(set(given)) > len(again):
            for name in stateful:
                found[name] = [
                    one._replace(rule=_CHANCE) if one.rule == self.state_rule else one for one in found[name]
                ]


def _given(answer: Json) -> tuple[str, str]:
    """The class's results, first and repeated."""
    return answer.get("first", {}).get("brief", ""), answer.get("again", "")


def rules_in(problems: Iterable[Problem]) -> set[str]:
    """The broken rules."""
    return {problem.rule for problem in problems}


def drop_consequences(
    found: Problems,
    causes: Mapping[str, str],
    rules: Mapping[str, Rule],
    follows: Mapping[str, Collection[str]],
) -> dict[str, str]:
    """Removes consequences of other findings from ``found``; returns why, for each case left empty.

    ``causes`` are those of the comparable first outcomes; an empty one means a value.
    """
    broken = set().union(*map(rules_in, found.values()))
    derived = {rule for first in broken for rule in follows.get(first, ())}
    reasons = {}
    for case, problems in found.items():
        found[case] = [problem for problem in problems if problem.rule not in derived]
        if problems and not found[case]:
            reasons[case] = "it follows from another finding"
    every = set(causes.values())
    everywhere = len(causes) > _FEW and len(every) == 1 and "" not in every
    first: dict[str, tuple[str, Problem]] = {}
    for level in LEVELS:
        for case in causes:
            for problem in found[case]:
                if problem.cause and rules[problem.rule].level == level:
                    first.setdefault(problem.cause, (case, problem))
    if everywhere:
        mark = f" (in all {len(causes)} cases)"
        first = {
            cause: (case, problem._replace(sentence=problem.sentence.rstrip(".") + mark))
            for cause, (case, problem) in first.items()
        }
    if everywhere and UNREACHABLE in first:
        found |= {case: [] for case in causes}
        found["class"].append(first[UNREACHABLE][1])
        return dict.fromkeys(causes, "it needs something that is not available here")
    for case in causes:
        kept = [one for one in found[case] if not one.cause or first[one.cause][0] == case]
        if found[case] and not kept:
            reasons[case] = f"the same cause as in the case {first[found[case][0].cause][0]}"
        found[case] = [first[one.cause][1] if one.cause else one for one in kept]
    return reasons
