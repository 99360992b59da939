"""A class under a contract, loaded and asked by a process of its own; what contracts share."""

import json
import os
import shlex
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from conformance.metric import worker
from conformance.metric.confinement import MIB, Ended, Limits, run_confined
from conformance.metric.findings import CannotTryError, Case, Finding, Result, Rule, repeat_words
from conformance.metric.scratch import environment, scratch_folder, subfolders, work_folder
from conformance.wire.text import shortened

__all__ = ["ClassChecker", "Json", "raised_text"]

Json = dict[str, Any]
Problem = tuple[str, str]
"""A rule's name and one sentence."""

_MOST_STOPS = 2
_SELF = Case("class", "the class itself, before anything is asked of it")


class ClassChecker(ABC):
    """One class. The whole of it is asked at once, by as many processes as it takes."""

    contract: ClassVar[str]
    part: ClassVar[str]
    """The worker's part for the contract, a file beside this one."""
    rules: ClassVar[Mapping[str, Rule]]

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
        self._limits, self._keep, self._only, self._lock_writes = limits, keep, only, lock_writes
        self._named_python = python
        self.cases: Sequence[Case] = (_SELF, *self.more_cases())
        self._class: Json | None = None
        self._answers: dict[str, Json | Ended] = {}
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
        problems: list[Problem] = []
        if case == _SELF:
            problems += (
                self.of_the_import(described) if "cannot" in described else self.of_the_class(described)
            )
        elif "cannot" in described or self.unaskable(described):
            result.not_run = "the class can't be made, or not asked"
        elif case.name not in self._answers:
            result.not_run = self._not_run or "it was not asked"
        else:
            answer = self._answers[case.name]
            problems += (
                _of_the_end(answer, self._limits)
                if isinstance(answer, Ended)
                else self.of_the_answer(case.name, answer)
            )
            if not isinstance(answer, Ended) and answer["printed"]:
                problems.append(("prints", f"It printed {answer['printed']} characters."))
        named: dict[str, str] = {}
        for rule, sentence in problems:
            named.setdefault(rule, sentence)
        for rule, sentence in named.items():
            shown = "" if case == _SELF else self.given(case.name)
            result.findings.append(Finding(self.rules[rule], case.name, sentence, shown, self._kept(case)))
        return result

    def repeat(self, case: str) -> str:
        """The command that repeats one case."""
        words = repeat_words(self.target, self.contract, case, self._named_python, self._limits.seconds)
        return shlex.join([*words, *self.words()])

    def _kept(self, case: Case) -> str | None:
        if self._keep is None or case == _SELF:
            return None
        place = self._keep / case.name
        place.mkdir(parents=True, exist_ok=True)
        (place / "input.json").write_text(
            json.dumps(self.request(case.name), indent=2) + "\n", encoding="utf-8"
        )
        return str(place / "input.json")

    def _described(self) -> Json:
        if self._class is None:
            self._ask()
        assert self._class is not None
        return self._class

    def _ask(self) -> None:
        waiting = [case.name for case in self.cases[1:] if not self._only or case.name in self._only]
        stops = 0
        while self._class is None or waiting:
            ended = self._ask_all(waiting)
            if self._class is None:
                raise CannotTryError(self._why_not_loaded(ended))
            if "cannot" in self._class:
                return
            waiting = [name for name in waiting if name not in self._answers]
            if waiting:
                self._answers[waiting.pop(0)] = ended
                stops += ended.stopped is not None
            if stops == _MOST_STOPS:
                self._not_run = "the class had to be stopped twice"
                return

    def _ask_all(self, names: Sequence[str]) -> Ended:
        job = {
            "part": str(Path(worker.__file__).with_name(self.part)),
            "target": self.target,
            "caller": os.getcwd(),
            "requests": [{"name": name, **self.request(name)} for name in names],
            **self.settings(),
        }

        def hear(line: bytes) -> None:
            try:
                said = json.loads(line)
                if "case" in said:
                    self._answers[str(said["case"])] = said
                elif "class" in said:
                    self._class = said["class"]
                else:
                    self._could_not_load(said)
            except (ValueError, TypeError, KeyError):
                raise CannotTryError(f"{self.target} writes into the kit's own channel") from None

        with scratch_folder() as folder:
            work_folder(folder)
            (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
            return run_confined(
                [self.python(), worker.__file__, str(folder / "job.json")],
                folder=folder,
                cwd=subfolders(folder)[0],
                environment={**environment(folder), "PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"},
                limits=self._limits,
                lock_writes=self._lock_writes,
                on_line=hear,
            )

    def _could_not_load(self, said: Json) -> None:
        if said["cannot"]:
            raise CannotTryError(str(said["cannot"]))
        if not list(self.of_the_import(said)):
            raise CannotTryError(f"loading {self.target} raised {raised_text(said['raised'])}")
        self._class = said

    def _why_not_loaded(self, ended: Ended) -> str:
        if ended.failure:
            return f"{self.python()} can't be started: {ended.failure}"
        said = ended.stderr.decode("utf-8", "replace").strip().splitlines()
        last = f": {shortened(said[-1], 200)}" if said else ""
        if ended.stopped == "time":
            seconds = f"{self._limits.seconds:g} seconds"
            return f"{self.target} had not been loaded after {seconds} (--timeout N gives it longer)"
        return f"the Python that loads {self.target} ended with {ended.code}{last}"


def raised_text(raised: Mapping[str, Any]) -> str:
    """An exception in a sentence."""
    message = shortened(raised["message"], 200)
    return f"{raised['type']}: {message}" if message else str(raised["type"])


def _of_the_end(ended: Ended, limits: Limits) -> Iterator[Problem]:
    if ended.stopped == "time":
        yield (
            "never-ends",
            f"It had not answered after {limits.seconds:g} seconds, and was stopped (--timeout N: longer).",
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
