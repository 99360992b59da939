"""A separate process that loads a class and calls it, and its answers."""

import json
import os
import tempfile
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from conformance.confinement.bubblewrap import Mounts
from conformance.confinement.interpreters import InterpreterError, interpreter
from conformance.extensions.metrics.classes import worker
from conformance.extensions.metrics.findings import CannotTryError, Rule
from conformance.extensions.metrics.sandbox import watched
from conformance.extensions.metrics.sandbox.environments import Environment
from conformance.extensions.metrics.sandbox.limits import Ended, Limits
from conformance.extensions.metrics.sandbox.neighbours import copy_visible
from conformance.extensions.metrics.sandbox.outputs import remove
from conformance.extensions.metrics.sandbox.room import Room
from conformance.option_names import metric_option
from conformance.registry.spec import ADAPTERS
from conformance.wire.text import printable, shortened

__all__ = ["Json", "Problem", "Problems", "Process", "Round"]

Json = dict[str, Any]
_KIT = (str(Path(__file__).resolve().parents[1]), str(ADAPTERS))
"""The kit's files that run with the class."""
_HIDDEN = "the file exists, but the kit shows a metric only the files of its own folder"


class Problem(NamedTuple):
    """A broken rule, with a description."""

    rule: str
    sentence: str
    cause: str = ""
    """Identifies an exception: its type and line, or `UNREACHABLE`; empty if there was none."""


Problems = dict[str, list[Problem]]
"""Problems by case."""


@dataclass(slots=True)
class Round:
    """One process's answers, and how it ended."""

    rules: Mapping[str, Rule]
    described: Json | None = None
    """The class's description."""
    cannot: str | None = None
    """Why it can't be checked."""
    answers: dict[str, Json] = field(default_factory=dict)
    """By case: the ``problems``; the ``first`` outcome (text, brief and cause), if comparable; the repeated
    outcome (``again``), whether it was ``steady``, and data of the contract's part."""
    inputs: dict[str, Json] = field(default_factory=dict)
    """By case: its ``input``, and the ``given`` text."""
    environment_read: list[str] = field(default_factory=list)
    """The environment variables that the class's own code read."""
    ended: Ended = field(default_factory=Ended)

    def hear(self, line: Json) -> None:
        """Processes a line of the worker.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: the line is not from the worker.
        """
        if "given" in line:
            self.inputs[str(line["case"])] = line
        elif "case" in line:
            if "first" in line:
                first = {name: str(line["first"][name]) for name in ("text", "brief", "cause")}
                hidden = os.path.exists(first["cause"])
                line["first"] = first | ({"cause": worker.UNREACHABLE} if hidden else {})
            problems = [self._problem(*finding) for finding in line["findings"]]
            self.answers[str(line["case"])] = {**line, "problems": problems}
        elif "class" in line:
            findings = [self._problem(*finding) for finding in line["class"]["findings"]]
            self.described = {
                **line["class"],
                "findings": findings,
                "askable": bool(line["class"]["askable"]),
            }
            for sentence, cause in line["class"].get("cannot", ()):
                if not cause or os.path.exists(cause):
                    self.cannot = self.cannot or printable(f"{sentence}: {_HIDDEN}" if cause else sentence)
        elif "environment_read" in line:
            self.environment_read = list(line["environment_read"])
        else:
            self.cannot = printable(line["cannot"])

    def _problem(self, rule: str, sentence: str, cause: Any = "") -> Problem:
        """A finding of the worker; if the cause is an existing file, the sandbox hides it."""
        if rule not in self.rules:
            raise ValueError(f"there is no rule {rule!r}")
        if os.path.exists(str(cause)):
            return Problem(worker.UNREACHABLE, f"{printable(sentence)}: {_HIDDEN}.", worker.UNREACHABLE)
        return Problem(rule, printable(sentence), str(cause))


class Process:
    """Loads and calls a class in a new process each time, which sees a copy of the class's folder."""

    def __init__(self, target: str, python: str, limits: Limits, rules: Mapping[str, Rule]) -> None:
        """Finds the interpreter.

        Raises:
            CannotTryError: it can't be started.
        """
        self._target, self._python, self._limits, self._rules = target, python, limits, rules
        try:
            self._interpreter = interpreter(python, installed=True)
        except InterpreterError as error:
            raise CannotTryError(f"{python} can't be started: {error}") from None
        where = target.rpartition(":")[0]
        source = os.path.realpath(os.path.dirname(where) if where.endswith(".py") else os.getcwd())
        copy = Path(tempfile.mkdtemp(prefix="harbor-conformance-metric-")).resolve()
        self.remove = weakref.finalize(self, remove, copy)
        copy.chmod(0o755)
        copies = [] if source in ("/", "/tmp") else [(str(copy), source)]
        whole = not copies or copy_visible(source, copy, (*self._interpreter.folders, *_KIT))
        self._mounts = Mounts(readable=_KIT, copies=copies)
        only = f"Only a part of {source} is available to it: the folder is too large."
        self.notes = [] if whole else [only]

    def ask(self, job: Json, *, under: Environment, pretended: Mapping[str, float]) -> Round:
        """Runs a job's requests, with the pretences of ``sandbox.watched``.

        Raises:
            CannotTryError: the class writes into the answers' channel.
        """
        answers = Round(self._rules)

        def hear(line: bytes) -> None:
            try:
                answers.hear(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError):
                raise CannotTryError(f"{self._target} writes into the kit's own channel") from None

        with Room(self._limits, self._interpreter, self._mounts, host=under.host) as room:
            call = under.call(room, room.path)
            call["environment"]["PYTHONDONTWRITEBYTECODE"] = "1"
            if "PYTHONPATH" in os.environ:
                call["environment"]["PYTHONPATH"] = os.environ["PYTHONPATH"]
            path = f"{room.path}/job.json"
            given = {"target": self._target, "caller": os.getcwd(), "watched": watched.__file__}
            text = json.dumps({**given, "pretended": dict(pretended), **job})
            words = [self._interpreter.path, worker.__file__, path]
            ended = answers.ended = room.call(words, files={path: text}, on_line=hear, **call)
        if answers.described is None and answers.cannot is None:
            lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()
            last = f": {shortened(lines[-1], 200)}" if lines else ""
            answers.cannot = f"the Python that loads {self._target} ended with {ended.code}{last}"
            if ended.failure:
                answers.cannot = f"{self._python} can't be started: {ended.failure}"
            elif ended.stopped == "time":
                longer = f"{self._limits.seconds:g} seconds ({metric_option('timeout')} N raises the limit)"
                answers.cannot = f"{self._target} had not been loaded after {longer}"
        return answers
