"""Checks a class in separate processes; shared by the contracts for classes."""

import json
import sys
from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from conformance.extensions.metrics import checker
from conformance.extensions.metrics.checker import THE_CLASS, CannotTryError, Case, Options, Result
from conformance.extensions.metrics.classes import process
from conformance.extensions.metrics.classes.process import LATER, Json, Problem, Problems, Process, Round
from conformance.extensions.metrics.classes.worker import UNREACHABLE
from conformance.extensions.metrics.sandbox.environments import FIRST, Environment
from conformance.extensions.metrics.sandbox.limits import Ended
from conformance.wire.text import printable

__all__ = ["ClassChecker"]

_MOST_STOPS, _MOST_ASKED_AGAIN, _FEW = 2, 6, 3
_CHANCE = "repeats"
"""The rule that neither chance nor time may affect a class's results."""
_CLOCKS = [0.0, 2 * LATER, 4 * LATER]


class ClassChecker(checker.Checker):
    """Checks one class. All cases are run first, in as many processes as needed."""

    part: ClassVar[Path]
    """The contract's part of the worker, a file that runs in the class's process."""
    cases: ClassVar[Sequence[Case]]
    state_rule: ClassVar[str]
    """The rule that a case always gives the same result, whatever was called before."""

    def __init__(self, target: str, options: Options) -> None:
        super().__init__(target, options)
        self.described: Json = {}
        """The worker's description of the class; empty while unknown."""
        self.answers: dict[str, Json] = {}
        """The answers by case, as in a `Round`."""
        self.problems: Problems = {}
        self.left_out: dict[str, str] = {}
        """Why cases were not run, or are not reported."""
        self._inputs: dict[str, Json] = {}
        self._process: Process

    def check_all_answers(self) -> Iterable[Problem]:
        """Return findings that depend on all answers; also adds notes."""
        return ()

    @abstractmethod
    def settings(self) -> Json:
        """Return additional settings for the worker."""

    def python(self) -> str:
        """Return the interpreter that loads the class.

        Raises:
            CannotTryError: there is none.
        """
        return self.options.python or sys.executable

    def header(self) -> str:
        """Run all cases; return a line that says where the class is loaded."""
        self._process = Process(self.target, self.python(), self.options.limits, self.rules)
        self.notes += self._process.notes
        try:
            self.judge(self._ask())
        except CannotTryError:
            self._process.remove()
            raise
        return str(self.described.get("environment", "the class can't be loaded"))

    def examine(self, result: Result) -> None:
        """Add the findings of one case."""
        case = result.case
        if case != THE_CLASS and not self.described["askable"]:
            result.not_run = "the class can't be instantiated or called"
        else:
            reason = None if case.name in self.problems else "it was not called"
            result.not_run = self.left_out.get(case.name, reason)
        problems = [] if result.not_run else self.problems[case.name]
        first = {problem.rule: problem.sentence for problem in reversed(problems)}
        given = self._inputs.get(case.name, {})
        files = {"input.json": json.dumps(given["input"], indent=2).encode() + b"\n"} if given else {}
        for rule in dict.fromkeys(problem.rule for problem in problems):
            self.add(result, rule, first[rule], printable(given.get("given", "")), files)

    def ask(
        self,
        names: Sequence[str],
        *,
        under: Environment = FIRST,
        pretended: Mapping[str, float] | None = None,
        **how: Any,
    ) -> Round:
        """Run cases in a process; ``how`` has the worker's options ``quick``, ``primed`` and ``clocks``."""
        requests = [{"name": name, **how} for name in names]
        job = {"part": str(self.part), "requests": requests, **self.settings()}
        return self._process.ask(job, under=under, pretended=pretended or {})

    def _ask(self) -> Problems:
        """Run all cases; return the differences between processes.

        Raises:
            CannotTryError: the class can't be loaded or instantiated here.
        """
        names = [case.name for case in self.cases if case != THE_CLASS]
        waiting = [name for name in names if not self.options.only or name in self.options.only]
        read: set[str] = set()
        stops = 0
        while not self.described or (waiting and self.described["askable"] and stops < _MOST_STOPS):
            answers = self.ask(waiting)
            if answers.cannot is not None:
                raise CannotTryError(answers.cannot)
            assert answers.described is not None
            self.described = self.described or answers.described
            self.answers |= answers.answers
            self.notes += (str(one["note"]) for one in answers.answers.values() if "note" in one)
            self._inputs |= answers.inputs
            read.update(answers.environment_read)
            waiting = [name for name in waiting if name not in self.answers]
            if waiting and self.described["askable"]:
                self.answers[waiting.pop(0)] = self._answer_at_end(answers.ended)
                stops += answers.ended.stopped is not None
        if stops == _MOST_STOPS:
            self.left_out |= dict.fromkeys(waiting, "the class had to be stopped twice")
        if stops or not all(answer.get("steady", True) for answer in self.answers.values()):
            return {}  # comparing processes would add nothing
        before = {name: answer["first"] for name, answer in self.answers.items() if answer.get("compared")}
        between, ended = process.compare_processes(self.ask, self.state_rule, before, read)
        self.answers |= {name: self._answer_at_end(how) for name, how in ended.items()}
        return between

    def _answer_at_end(self, ended: Ended) -> Json:
        """Return the answer to a case during which the process ended."""
        code = ended.code or 0
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        of_itself = "ends-process", f"It ended its process, {how}."
        why = ended.why_stopped(self.options.limits) if ended.stopped else of_itself
        return {"problems": [Problem(*why)], "ended": True}

    def judge(self, between: Problems) -> None:
        """Collect the findings by case, without consequences of other findings."""
        answers = {case.name: self.answers[case.name] for case in self.cases if case.name in self.answers}
        found = {THE_CLASS.name: [*self.described["findings"], *self.check_all_answers()]}
        found |= {name: [*one["problems"], *between.get(name, [])] for name, one in answers.items()}
        causes = {name: str(one["first"]["cause"]) for name, one in answers.items() if "first" in one}
        if stateful := [name for name in answers if self.state_rule in rules_in(found[name])]:
            causes = {}
            if self.state_rule != _CHANCE:
                self._separate_chance(found, stateful)
        self.left_out |= self._drop_consequences(found, causes)
        if UNREACHABLE in rules_in(found[THE_CLASS.name]):
            others = found.keys() - {THE_CLASS.name}
            self.left_out |= dict.fromkeys(others, "it needs something that is not available here")
        self.problems = found

    def _separate_chance(self, found: Problems, stateful: Sequence[str]) -> None:
        """If equal processes give different results, blame chance or time instead of state."""
        again = stateful[:_MOST_ASKED_AGAIN]
        answers = [self.ask(again, pretended={"clock": clock}).answers for clock in _CLOCKS]
        given = {(name, one.get("first", {}).get("brief", "")) for of in answers for name, one in of.items()}
        for name in stateful if len(given) > len(again) else ():
            found[name] = [
                one._replace(rule=_CHANCE) if one.rule == self.state_rule else one for one in found[name]
            ]

    def _drop_consequences(self, found: Problems, causes: Mapping[str, str]) -> dict[str, str]:
        """Remove consequences of other findings from ``found``; return the reason for each case left empty.

        ``causes`` has the cause of each comparable first outcome, which is empty for a value.
        """
        broken = set().union(*map(rules_in, found.values()))
        derived = {rule.name for rule in self.rules.values() if broken.intersection(rule.follows.split())}
        reasons = {}
        for case, problems in found.items():
            found[case] = [problem for problem in problems if problem.rule not in derived]
            if problems and not found[case]:
                reasons[case] = "it follows from another finding"
        everywhere = len(causes) > _FEW and len({*causes.values()}) == 1 and "" not in causes.values()
        mark = f" (in all {len(causes)} cases)"
        first: dict[str, tuple[str, Problem]] = {}
        for level in checker.LEVELS:
            for case in causes:
                for one in found[case]:
                    if one.cause and self.rules[one.rule].level == level:
                        marked = one._replace(sentence=one.sentence.rstrip(".") + mark) if everywhere else one
                        first.setdefault(one.cause, (case, marked))
        if everywhere and UNREACHABLE in first:
            found[THE_CLASS.name].append(first[UNREACHABLE][1])
            return reasons
        for case in causes:
            kept = [one for one in found[case] if not one.cause or first[one.cause][0] == case]
            if found[case] and not kept:
                reasons[case] = f"the same cause as in the case {first[found[case][0].cause][0]}"
            found[case] = [first[one.cause][1] if one.cause else one for one in kept]
        return reasons


def rules_in(problems: Iterable[Problem]) -> set[str]:
    """Return the broken rules."""
    return {problem.rule for problem in problems}
