"""A class under a contract, loaded and asked by a process of its own; what contracts share."""

import json
import os
import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from conformance.metric import worker
from conformance.metric.class_process import FIRST_SEED, Json, Said, ask
from conformance.metric.class_rounds import OtherRounds
from conformance.metric.confinement import MIB, Ended, Limits
from conformance.metric.findings import CannotTryError, Case, Finding, Reads, Result, Rule, repeat_words
from conformance.metric.first_causes import Problem, cause_of, left_out
from conformance.option_names import metric_option
from conformance.wire.text import shortened

__all__ = ["THE_CLASS", "ClassChecker", "Json", "Problem", "raised_text"]

_MOST_STOPS = 2
THE_CLASS = Case("class", "the class itself, before anything is asked of it")


class ClassChecker(ABC):
    """One class. The whole of it is asked at once, by as many processes as it takes."""

    contract: ClassVar[str]
    part: ClassVar[str]
    """The worker's part for the contract, a file beside this one."""
    rules: ClassVar[Mapping[str, Rule]]
    follows: ClassVar[Mapping[str, Collection[str]]] = {}
    """What follows from a rule that is broken, and is left out beside it."""
    state_rule: ClassVar[str]
    """The rule that the same case gives the same, whatever came before."""

    def __init__(
        self,
        target: str,
        *,
        limits: Limits,
        python: str | None = None,
        keep: Path | None = None,
        only: Sequence[str] = (),
        lock_writes: bool = True,
    ) -> None:
        self.target = target
        self.notes: list[str] = []
        self.reads: Reads | None = None
        self._limits, self._keep, self._only, self._lock_writes = limits, keep, only, lock_writes
        self._named_python = python
        self.cases: Sequence[Case] = (THE_CLASS, *self.more_cases())
        self._class: Json | None = None
        self._answers: dict[str, Json | Ended] = {}
        self._environment_read: set[str] = set()
        self._between: dict[str, list[Problem]] = {}
        """What differs between processes, by case."""
        self._problems: dict[str, list[Problem]] = {}
        self._left_out: dict[str, str] = {}
        self._failure: CannotTryError | None = None
        self._not_run = ""

    # What a contract adds

    @abstractmethod
    def more_cases(self) -> Sequence[Case]:
        """Its cases, but for the class itself."""

    @abstractmethod
    def request(self, case: str) -> Json:
        """What the worker is asked in a case."""

    @abstractmethod
    def given(self, case: str) -> str:
        """The case's input, to be shown."""

    @abstractmethod
    def of_the_class(self, described: Json) -> Iterator[Problem]:
        """What is wrong with the class itself."""

    @abstractmethod
    def of_the_answer(self, case: str, answer: Json) -> Iterator[Problem]:
        """What is wrong with an answer."""

    @abstractmethod
    def of_the_import(self, said: Json) -> Iterator[Problem]:
        """What can be said where the class could not be loaded; nothing, if it can't be tried."""

    @abstractmethod
    def unaskable(self, described: Json) -> bool:
        """Whether nothing can be asked of the class."""

    @abstractmethod
    def comparable(self, case: str) -> bool:
        """Whether a case has to give the same in another process."""

    @abstractmethod
    def same(self, one: Json, other: Json) -> bool:
        """Whether two outcomes are the same."""

    @abstractmethod
    def outcome_text(self, outcome: Json) -> str:
        """An outcome in a word."""

    def of_all(self) -> Iterator[Problem]:
        """What only all answers together show; notes are added here too."""
        return iter(())

    def cause(self, case: str, answer: Json | Ended) -> str | None:
        """What a raised exception goes back to; empty for an outcome, None where nothing can be told."""
        first = _said(answer).get("first")
        if first is None:
            return None
        return cause_of(first["raised"]) if "raised" in first else ""

    def settings(self) -> Json:
        """What else the worker has to know."""
        return {}

    def python(self) -> str:
        """The interpreter that loads the class.

        Raises:
            CannotTryError: there is none.
        """
        return self._named_python or sys.executable

    def words(self) -> Sequence[str]:
        """Further words of the command that repeats a case."""
        return ()

    # What all do

    def header(self) -> str:
        """What loads the class.

        Raises:
            CannotTryError: it can't be loaded.
        """
        described = self._described()
        return str(described.get("environment", "the class can't be loaded"))

    def check(self, case: Case) -> Result:
        """The findings of one case."""
        result = Result(case)
        described = self._described()
        if case != THE_CLASS and ("cannot" in described or self.unaskable(described)):
            result.not_run = "the class can't be made, or not asked"
        elif case.name not in self._problems:
            result.not_run = self._not_run or "it was not asked"
        elif case.name in self._left_out:
            result.not_run = self._left_out[case.name]
        named: dict[str, str] = {}
        for rule, sentence in [] if result.not_run else self._problems[case.name]:
            named.setdefault(rule, sentence)
        for rule, sentence in named.items():
            shown = "" if case == THE_CLASS else self.given(case.name)
            result.findings.append(Finding(self.rules[rule], case.name, sentence, shown, self._kept(case)))
        return result

    def repeat(self, case: str) -> str:
        """The command that repeats one case."""
        words = repeat_words(self.target, self.contract, case, self._named_python, self._limits.seconds)
        return shlex.join([*words, *self.words()])

    def _kept(self, case: Case) -> str | None:
        if self._keep is None or case == THE_CLASS:
            return None
        place = self._keep / case.name
        place.mkdir(parents=True, exist_ok=True)
        (place / "input.json").write_text(
            json.dumps(self.request(case.name), indent=2) + "\n", encoding="utf-8"
        )
        return str(place / "input.json")

    def _described(self) -> Json:
        if self._failure is not None:
            raise self._failure
        if self._class is None:
            try:
                self._ask()
                self._problems = self._judged()
            except CannotTryError as error:  # which is tried once, whoever asks again
                self._failure = error
                raise
        assert self._class is not None
        return self._class

    def _ask(self) -> None:
        waiting = [case.name for case in self.cases[1:] if not self._only or case.name in self._only]
        stops = 0
        while self._class is None or waiting:
            said = self._ask_all(waiting)
            self._class = self._class or said.described
            self._answers |= said.answers
            self._environment_read.update(said.environment_read)
            if said.unloaded is not None:
                self._could_not_load(said.unloaded)
                return
            if self._class is None:
                raise CannotTryError(self._why_not_loaded(said.ended))
            if self.unaskable(self._class):
                return
            waiting = [name for name in waiting if name not in self._answers]
            if waiting:
                self._answers[waiting.pop(0)] = said.ended
                stops += said.ended.stopped is not None
            if stops == _MOST_STOPS:
                self._not_run = "the class had to be stopped twice"
                return
        if not stops:
            self._ask_otherwise()

    def _ask_all(
        self,
        names: Sequence[str],
        *,
        quick: bool = False,
        primed: bool = False,
        seed: str = FIRST_SEED,
        variables: Mapping[str, str] | None = None,
    ) -> Said:
        job = {
            "part": str(Path(worker.__file__).with_name(self.part)),
            "target": self.target,
            "caller": os.getcwd(),
            "requests": [
                {"name": name, "quick": quick, "primed": primed, **self.request(name)} for name in names
            ],
            **self.settings(),
        }
        return ask(
            self.python(),
            job,
            limits=self._limits,
            lock_writes=self._lock_writes,
            seed=seed,
            variables=variables,
        )

    def _ask_otherwise(self) -> None:
        names = [name for name, answer in self._answers.items() if "first" in _said(answer)]
        before = {name: _said(self._answers[name])["first"] for name in names if self.comparable(name)}
        rounds = OtherRounds(self._ask_all, self.same, self.outcome_text, self.state_rule)
        rounds.go(before, self._environment_read)
        self._between, ended = rounds.problems, rounds.ended
        self._answers |= ended

    def _could_not_load(self, said: Json) -> None:
        if said["cannot"]:
            raise CannotTryError(str(said["cannot"]))
        if not list(self.of_the_import(said)):
            raise CannotTryError(f"loading {self.target} raised {raised_text(said['raised'])}")
        self._class = said

    def _judged(self) -> dict[str, list[Problem]]:
        """What is wrong, by case; what follows from something else that is told is left out."""
        described = self._class or {}
        loaded = "cannot" not in described
        found = {
            THE_CLASS.name: list(self.of_the_class(described) if loaded else self.of_the_import(described))
        }
        asked = [case.name for case in self.cases if case.name in self._answers]
        causes = {name: self.cause(name, self._answers[name]) for name in asked}
        for name in asked:
            answer = self._answers[name]
            problems: list[Problem] = []
            if isinstance(answer, Ended):
                problems += _of_the_end(answer, self._limits)
            else:
                if "unmade" in answer:
                    problems.append(
                        ("cannot-be-made", f"Making it again raised {raised_text(answer['unmade'])}")
                    )
                else:
                    problems += self.of_the_answer(name, answer)
                if answer["printed"]:
                    problems.append(("prints", f"It printed {answer['printed']} characters."))
            found[name] = [*problems, *self._between.get(name, [])]
        if loaded:
            found[THE_CLASS.name] += self.of_all()
        self._left_out = left_out(found, causes, self.rules, self.follows)
        return found

    def _why_not_loaded(self, ended: Ended) -> str:
        if ended.failure:
            return f"{self.python()} can't be started: {ended.failure}"
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        last = f": {shortened(said[-1], 200)}" if said else ""
        if ended.stopped == "time":
            seconds = f"{self._limits.seconds:g} seconds"
            longer = f"{metric_option('timeout')} N gives it longer"
            return f"{self.target} had not been loaded after {seconds} ({longer})"
        return f"the Python that loads {self.target} ended with {ended.code}{last}"


def _said(answer: Json | Ended) -> Json:
    return {} if isinstance(answer, Ended) else answer


def raised_text(raised: Mapping[str, Any]) -> str:
    """An exception in a sentence."""
    message = shortened(raised["message"], 200)
    return f"{raised['type']}: {message}" if message else str(raised["type"])


def _of_the_end(ended: Ended, limits: Limits) -> Iterator[Problem]:
    if ended.stopped == "time":
        yield (
            "never-ends",
            f"It had not answered after {limits.seconds:g} seconds, and was stopped "
            f"({metric_option('timeout')} N: longer).",
        )
    elif ended.stopped == "printed":
        yield "too-much", f"It printed over {limits.printed // MIB} MiB and was stopped."
    elif ended.stopped == "keeper":
        yield "ends-process", "It killed the process that watches over it, and was stopped."
    elif ended.stopped:
        yield "too-much", "It wrote too many files, or started too many processes, and was stopped."
    else:
        code = ended.code or 0
        yield (
            "ends-process",
            f"It ended its process, {f'with exit code {code}' if code >= 0 else f'by signal {-code}'}.",
        )
