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
        input_ = self._inputs.get(case.name, {})
        files = {"input.json": json.dumps(input_["input"], indent=2).encode() + b"\n"} if input_ else {}
        for rule in dict.fromkeys(problem.rule for problem in problems):
            self.add(result, rule, first[rule], printable(input_.get("given", "")), files)

    def ask(
        self,
        names: Sequence[str],
        *,
        under: Environment = FIRST,
        pretended: Mapping[str, float] | None = None,
        **options: Any,
    ) -> Round:
        """Run cases in a process; ``how`` has the worker's options ``quick``, ``primed`` and ``clocks``."""
        requests = [{"name": name, **options} for name in names]
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
            self.notes += (str(answer["note"]) for answer in answers.answers.values() if "note" in answer)
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
        self.answers |= {name: self._answer_at_end(ending) for name, ending in ended.items()}
        return between

    def _answer_at_end(self, ended: Ended) -> Json:
        """Return the answer to a case during which the process ended."""
        code = ended.code or 0
        ending = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        of_itself = "ends-process", f"It ended its process, {ending}."
        why = ended.why_stopped(self.options.limits) if ended.stopped else of_itself
        return {"problems": [Problem(*why)], "ended": True}

    def judge(self, between: Problems) -> None:
        """Collect the findings by case, without consequences of other findings."""
        answers = {case.name: self.answers[case.name] for case in self.cases if case.name in self.answers}
        by_case = {THE_CLASS.name: [*self.described["findings"], *self.check_all_answers()]}
        by_case |= {name: [*reply["problems"], *between.get(name, [])] for name, reply in answers.items()}
        causes = {name: str(reply["first"]["cause"]) for name, reply in answers.items() if "first" in reply}
        if stateful := [name for name in answers if self.state_rule in rules_in(by_case[name])]:
            causes = {}
            if self.state_rule != _CHANCE:
                self._separate_chance(by_case, stateful)
        self.left_out |= self._drop_consequences(by_case, causes)
        if UNREACHABLE in rules_in(by_case[THE_CLASS.name]):
            cases = by_case.keys() - {THE_CLASS.name}
            self.left_out |= dict.fromkeys(cases, "it needs something that is not available here")
        self.problems = by_case

    def _separate_chance(self, by_case: Problems, stateful: Sequence[str]) -> None:
        """If equal processes give different results, blame chance or time instead of state."""
        again = stateful[:_MOST_ASKED_AGAIN]
        rounds = [self.ask(again, pretended={"clock": clock}).answers.items() for clock in _CLOCKS]
        briefs = {(name, reply.get("first", {}).get("brief", "")) for row in rounds for name, reply in row}
        for name in stateful if len(briefs) > len(again) else ():
            by_case[name] = [
                old._replace(rule=_CHANCE) if old.rule == self.state_rule else old for old in by_case[name]
            ]

    def _drop_consequences(self, by_case: Problems, causes: Mapping[str, str]) -> dict[str, str]:
        """Remove consequences of other findings from ``found``; return the reason for each case left empty.

        ``causes`` has the cause of each comparable first outcome, which is empty for a value.
        """
        broken = set().union(*map(rules_in, by_case.values()))
        derived = {rule.name for rule in self.rules.values() if broken.intersection(rule.follows.split())}
        reasons = {}
        for case, problems in by_case.items():
            by_case[case] = [problem for problem in problems if problem.rule not in derived]
            if problems and not by_case[case]:
                reasons[case] = "it follows from another finding"
        everywhere = len(causes) > _FEW and len({*causes.values()}) == 1 and "" not in causes.values()
        mark = f" (in all {len(causes)} cases)"
        first: dict[str, tuple[str, Problem]] = {}
        for level in checker.LEVELS:
            for case in causes:
                for problem in by_case[case]:
                    if problem.cause and self.rules[problem.rule].level == level:
                        sentence = problem.sentence.rstrip(".") + mark if everywhere else problem.sentence
                        first.setdefault(problem.cause, (case, problem._replace(sentence=sentence)))
        if everywhere and UNREACHABLE in first:
            by_case[THE_CLASS.name].append(first[UNREACHABLE][1])
            return reasons
        for case in causes:
            kept = [item for item in by_case[case] if not item.cause or first[item.cause][0] == case]
            if by_case[case] and not kept:
                reasons[case] = f"the same cause as in the case {first[by_case[case][0].cause][0]}"
            by_case[case] = [first[item.cause][1] if item.cause else item for item in kept]
        return reasons


def rules_in(problems: Iterable[Problem]) -> set[str]:
    """Return the broken rules."""
    return {problem.rule for problem in problems}
