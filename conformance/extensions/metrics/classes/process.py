"""Runs a class in separate processes, and compares their answers.

A single process hides class-level state, module caches and the order of sets. So a second process runs the
cases in reverse, each after another input, with another environment and a later clock. If its answers differ,
further processes find out whether state, the order of sets, the clock or the environment is the cause.
"""

import json
import os
import tempfile
import weakref
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

from conformance.confinement.bubblewrap import InterpreterError, Mounts, interpreter
from conformance.extensions.metrics.checker import CannotTryError, Rule
from conformance.extensions.metrics.classes import worker
from conformance.extensions.metrics.sandbox import watched
from conformance.extensions.metrics.sandbox.environments import DIFFERENT, FIRST, Environment, moments, second
from conformance.extensions.metrics.sandbox.limits import Ended, Limits, last_line
from conformance.extensions.metrics.sandbox.outputs import copies_of, remove
from conformance.extensions.metrics.sandbox.sandbox import Sandbox
from conformance.option_names import metric_option
from conformance.registry.spec import ADAPTERS
from conformance.wire.text import printable

__all__ = ["LATER", "Json", "Problem", "Problems", "Process", "Round", "compare_processes"]

Json = dict[str, Any]
_KIT = (str(Path(__file__).resolve().parents[1]), str(ADAPTERS))
_HIDDEN = "the file exists, but the sandbox shows a metric only the files of its own folder"
_FIXED = ("PATH", "HOME", "TMP", "TEMP", "PYTHON", "LD_", "LANG", "LC_")
"""Prefixes of variables that the kit sets, or that every process needs."""
LATER = 193 * 86_400.0 + 7 * 60 + 11
"""A clock shift in seconds: another season, weekday and last digit of the day."""
_PROCESSORS = {"processors": 3}
_MOST_AT_MOMENTS = 12
"""The most cases that are run at other times of year and day."""


class Problem(NamedTuple):
    """A broken rule, with a description."""

    rule: str
    sentence: str
    cause: str = ""
    """An exception's type and line, or `UNREACHABLE`; empty if there was none."""


Problems = dict[str, list[Problem]]


@dataclass(slots=True)
class Round:
    """One process's answers, and how it ended."""

    rules: Mapping[str, Rule]
    described: Json | None = None
    cannot: str | None = None
    answers: dict[str, Json] = field(default_factory=dict)
    """By case: the ``problems``; the ``first`` outcome (text, brief and cause), if comparable; whether it
    was ``steady``, and the part's own data."""
    inputs: dict[str, Json] = field(default_factory=dict)
    """By case: the ``input``, and a text about it (``given``)."""
    environment_read: list[str] = field(default_factory=list)
    """The environment variables that the class's own code read."""
    ended: Ended = field(default_factory=Ended)

    def receive(self, line: Json) -> None:
        """Process a line from the worker.

        Raises:
            ValueError, TypeError, KeyError, AttributeError: the worker did not write the line.
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
            self.described = {**line["class"], "findings": findings}
            self.described["askable"] = bool(line["class"]["askable"])
            for sentence, cause in line["class"].get("cannot", ()):
                if not cause or os.path.exists(cause):
                    self.cannot = self.cannot or printable(f"{sentence}: {_HIDDEN}" if cause else sentence)
        elif "environment_read" in line:
            self.environment_read = list(line["environment_read"])
        else:
            self.cannot = printable(line["cannot"])

    def _problem(self, rule: str, sentence: str, cause: Any = "") -> Problem:
        """Return a finding of the worker; its cause may be an existing file that the sandbox hides."""
        if rule not in self.rules:
            raise ValueError(f"there is no rule {rule!r}")
        if os.path.exists(str(cause)):
            return Problem(worker.UNREACHABLE, f"{printable(sentence)}: {_HIDDEN}.", worker.UNREACHABLE)
        return Problem(rule, printable(sentence), str(cause))


class Process:
    """Loads and calls a class, each time in a new process that sees a copy of the class's folder."""

    def __init__(self, target: str, python: str, limits: Limits, rules: Mapping[str, Rule]) -> None:
        """Find the interpreter, and copy the folder.

        Raises:
            CannotTryError: the interpreter can't be started.
        """
        self._target, self._python, self._limits, self._rules = target, python, limits, rules
        try:
            self._interpreter = interpreter(python, installed=True)
        except InterpreterError as error:
            raise CannotTryError(f"{python} can't be started: {error}") from None
        where = target.rpartition(":")[0]
        source = os.path.realpath(os.path.dirname(where) if where.endswith(".py") else os.getcwd())
        folder = Path(tempfile.mkdtemp(prefix="harbor-conformance-metric-")).resolve()
        self.remove = weakref.finalize(self, remove, folder)
        folder.chmod(0o755)
        copy, self.notes = copies_of(source, folder, (*self._interpreter.folders, *_KIT))
        self._mounts = Mounts(_KIT, [] if source in ("/", "/tmp") else [(str(copy), source)])

    def ask(self, job: Json, *, under: Environment, pretended: Mapping[str, float]) -> Round:
        """Run a job's requests, with the pretences of ``sandbox.watched``.

        Raises:
            CannotTryError: the class writes into the channel for answers.
        """
        answers = Round(self._rules)

        def receive(line: bytes) -> None:
            try:
                answers.receive(json.loads(line))
            except (ValueError, TypeError, KeyError, AttributeError):
                raise CannotTryError(f"{self._target} writes into the channel for answers") from None

        with Sandbox(self._limits, self._interpreter, self._mounts, host=under.host) as sandbox:
            call = under.call(sandbox, sandbox.path)
            call["environment"]["PYTHONDONTWRITEBYTECODE"] = "1"
            if "PYTHONPATH" in os.environ:
                call["environment"]["PYTHONPATH"] = os.environ["PYTHONPATH"]
            path = f"{sandbox.path}/job.json"
            settings = {"target": self._target, "caller": os.getcwd(), "watched": watched.__file__}
            text = json.dumps({**settings, "pretended": dict(pretended), **job})
            words = [self._interpreter.path, worker.__file__, path]
            ended = answers.ended = sandbox.call(words, files={path: text}, on_line=receive, **call)
        if answers.described is None and answers.cannot is None:
            last = ": ".join(filter(None, (str(ended.code), last_line(ended.stderr))))
            answers.cannot = f"Python ended while it loaded {self._target}: {last}"
            if ended.failure:
                answers.cannot = f"{self._python} can't be started: {ended.failure}"
            elif ended.stopped == "time":
                longer = f"{self._limits.seconds:g} seconds ({metric_option('timeout')} N raises the limit)"
                answers.cannot = f"{self._target} was not loaded within {longer}"
        return answers


def compare_processes(
    ask: Callable[..., Round], state_rule: str, before: Mapping[str, Json], environment_read: Collection[str]
) -> tuple[Problems, dict[str, Ended]]:
    """Compare further processes with the first one's outcomes.

    Returns the differences by case, and how a process ended, by the case that it did not answer.
    """
    problems: Problems = {}
    steady = dict(before)
    names = sorted(name for name in environment_read if not name.startswith(_FIXED))

    def differ(round_: Round) -> list[str]:
        firsts = {name: answer["first"] for name, answer in round_.answers.items() if "first" in answer}
        # the class may reject the values of its variables, as valid ones are unknown
        known = [name for name in steady if name in firsts and not (names and firsts[name]["cause"])]
        return [name for name in known if firsts[name]["brief"] != steady[name]["brief"]]

    def note(rule: str, round_: Round, where: str, case: str) -> None:
        difference = printable(worker.describe_difference(steady.pop(case), round_.answers[case]["first"]))
        problems.setdefault(case, []).append(Problem(rule, f"It gives {difference} {where}."))

    if not before:
        return {}, {}
    environment = replace(second(), variables=(*second().variables, *((name, "7") for name in names)))
    backwards = list(before)[::-1]
    primed = {"quick": True, "primed": True, "under": environment}
    after = ask(backwards, **primed, pretended={"clock": LATER, **_PROCESSORS})
    if len(after.answers) < len(backwards):  # compiled code may not work with a changed clock
        after = ask(backwards, **primed)
    waiting = {*differ(after)}
    for rule, where, options in _conditions(state_rule, environment):
        if not waiting:
            break
        round_ = ask(list(before), quick=True, **options) if options else after
        for name in waiting.intersection(differ(round_)):
            note(rule, round_, where, name)
        waiting &= steady.keys()
    left = [name for name in backwards if name not in after.answers]
    steady = {name: first for name, first in steady.items() if name not in left}
    if "=clock" in after.environment_read and steady:
        sampled, coming = list(steady)[:_MOST_AT_MOMENTS], list(moments())
        clocks = [ahead for _, ahead in coming]
        round_ = ask(sampled, quick=True, pretended={"clock": 0.0}, clocks=clocks)
        for name in differ(round_):
            when = (when for when, ahead in coming if ahead == round_.answers[name].get("ahead"))
            note("repeats", round_, next(when, "at another time"), name)
    return problems, dict.fromkeys(left[:1], after.ended)


def _conditions(state_rule: str, environment: Environment) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield a rule, the condition that breaks it, and how to create it; the last one covers the rest."""
    yield state_rule, "in an identical process", {"under": FIRST}
    seed = f"in a process with another hash seed (PYTHONHASHSEED={environment.hash_seed})"
    yield "hash-order", seed, {"under": replace(FIRST, hash_seed=environment.hash_seed)}
    ahead = {"clock": LATER}  # other zones have other dates
    yield state_rule, "where the clock is half a year ahead", {"pretended": ahead}
    elsewhere = {"under": replace(environment, hash_seed=FIRST.hash_seed), "pretended": _PROCESSORS}
    yield "environment", f"in another environment: {DIFFERENT}", elsewhere
    yield state_rule, "in another process, with the cases in reverse order, each after a similar one", {}
