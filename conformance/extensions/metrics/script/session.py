"""Runs a metric script on trials, with cached results."""

import contextlib
import json
import math
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timezone

from conformance.extensions.metrics.sandbox.environments import FIRST, moments
from conformance.extensions.metrics.script import runs
from conformance.extensions.metrics.script.runner import ScriptRunner
from conformance.extensions.metrics.script.runs import PLAIN, How, ScriptRun, ScriptText, Shape, Trials

__all__ = ["FAILING", "ScriptSession", "StoppedError", "cause_of", "differ", "later", "numbers"]

FAILING = (
    *("exit-code", "no-output", "not-json", "not-an-object", "empty-object", "first-value"),
    "writes-elsewhere",
)
"""The rules that a run without a value may break."""
_AGAIN = 4
"""The number of repetitions before a difference counts."""
EQUAL_RUNS, SEEDS = 6, ("2", "3", "4")
"""The number of runs of equal trials with the same hash seed, and the other hash seeds."""


class StoppedError(Exception):
    """A run had to be stopped, or all runs together took too long; no more runs for now."""


class ScriptSession:
    """One script, and the shape of its trials.

    Methods that run the script raise StoppedError if a run had to be stopped, and CannotTryError if it can't
    run.
    """

    def __init__(self, runner: ScriptRunner, text: ScriptText, shape: Shape) -> None:
        self.runner, self.text, self.shape = runner, text, shape
        self.asked: list[ScriptRun] = []
        """The runs since this list was last cleared."""
        self.until = math.inf
        """The deadline for new runs, by `time.monotonic`."""
        self._known: dict[object, list[ScriptRun]] = {}

    def each(self, *values: float | None) -> list[runs.Rewards]:
        """Trials with the same value under every key; None is a trial without rewards."""
        return self.shape.trials(*values)

    @contextlib.contextmanager
    def literal(self, is_literal: bool) -> Iterator[None]:
        """Rewards are as they are, whatever rewards the script needs."""
        shape = self.shape
        self.shape = replace(shape, levels={}) if is_literal else shape
        yield
        self.shape = shape

    @property
    def null(self) -> float | None:
        """null, or 0 if the script fails on null, which another case reports."""
        return None if self.shape.nulls else 0.0

    def other(self) -> str:
        """A key that the trials don't have."""
        return next(name for name in ("other", "another", "third") if name not in self.shape.keys)

    def ask(self, trials: Trials, how: How = PLAIN, *, again: int = 0) -> ScriptRun:
        """The result of a run; equal runs are repeated only with another ``again``."""
        key = (json.dumps(trials), how, again)
        if key not in self._known:
            if time.monotonic() > self.until:
                raise StoppedError
            self._known[key] = [self.runner.run(trials, how)]
        return self._taken(self._known[key])[0]

    def ask_quietly(self, trials: Trials, how: How = PLAIN, *, again: int = 0) -> ScriptRun:
        """A run whose other problems another case reports."""
        outcome = self.ask(trials, how, again=again)
        self.asked.pop()
        return outcome

    def all(self, *lists: Trials, quietly: bool = False) -> list[ScriptRun]:
        """The results for several lists; ``quietly`` if the script may refuse them."""
        return list(map(self.ask_quietly if quietly else self.ask, lists))

    def run_consecutively(self, lists: Sequence[Trials]) -> ScriptRun:
        """The last of consecutive runs in one folder, as in a job."""
        key = json.dumps(lists)
        if key not in self._known:
            self._known[key] = self.runner.run_in_turn(lists)
        return self._taken(self._known[key])[-1]

    def equal_runs(self) -> tuple[list[ScriptRun], list[ScriptRun]]:
        """The results for equal trials with the same hash seed, and with others, in separate folders.

        The trials have additional keys if the script accepts them, so that the order of sets matters.
        """
        more = self.ask_quietly([one and {**one, self.other(): 0.5} for one in self.each(1.0, 1.0, 1.0)])
        names = () if cause_of(more) else ("other", "another", "third", "fourth", "fifth")
        added = {name: at / 8 for at, name in enumerate(names, start=1) if name not in self.shape.keys}
        trials = [one and {**one, **added} for one in self.each(0.25, self.null, 1.0, 0.0)]
        same = [self.ask(trials, again=again) for again in range(EQUAL_RUNS)]
        return same, [self.ask(trials, How(under=replace(FIRST, hash_seed=seed))) for seed in SEEDS]

    def steady(self) -> bool:
        """Whether equal runs give equal results; otherwise differences mean nothing."""
        asked = len(self.asked)
        (first, *same), others = self.equal_runs()
        del self.asked[asked:]
        exact = all(not differ(first, run, 0.0) for run in same)
        return exact and not any(differ(first, run) for run in others)

    def unsteady(self, trials: Trials) -> runs.Violation | None:
        """The violation of `repeats`, if repeated trials give another result."""
        one, *others = [self.ask_quietly(trials, again=again) for again in range(_AGAIN)]
        for other in others:
            if one.usable and other.usable and differ(one, other, 0.0):
                text = f"The same rewards gave {runs.shown(one.value)} and {runs.shown(other.value)}."
                return "repeats", text, other
        return None

    def _taken(self, runs: list[ScriptRun]) -> list[ScriptRun]:
        self.asked += runs
        if runs[-1].ended.stopped:
            raise StoppedError
        return runs


def cause_of(outcome: ScriptRun) -> tuple[str, str] | None:
    """Why a run gave no value: the rule, and the script's message without numbers."""
    for rule, sentence in outcome.problems:
        if rule in FAILING:
            detail = re.sub(r"\d+", "0", sentence) if rule in ("exit-code", "writes-elsewhere") else ""
            return rule, detail
    return None


def differ(one: ScriptRun, other: ScriptRun, tolerance: float = 1e-9) -> bool:
    """Whether two runs gave different values, or only one gave a value."""
    if one.usable and other.usable:
        return not runs.alike(one.value, other.value, tolerance)
    return (cause_of(one) is None) != (cause_of(other) is None)


def numbers(outcome: ScriptRun) -> dict[str, float]:
    """The numbers in a run's output by name, without bools."""
    found = outcome.value.items() if isinstance(outcome.value, dict) else ()
    return {name: one for name, one in found if isinstance(one, int | float) and not isinstance(one, bool)}


def later() -> Iterator[tuple[str, How]]:
    """Future moments in words, and how to run at each of them."""
    now = datetime.now(timezone.utc)
    for moment in moments(now):
        ahead = (("clock", (moment - now).total_seconds()),)
        yield f"on {moment:%A, %d %B %Y, at %H:%M} UTC", How(pretended=ahead)
