"""Runs a metric script and caches the results; finds trials that it accepts, and keys that it reads.

Trials with the key ``reward`` are tried first. Then other keys, values and numbers of trials are tried, one
or two at a time: those in the script's text or its first error message, and usual ones. The cases vary the
first trials that work and whose rewards change the output.
"""

import json
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Any

from conformance.extensions.metrics.checker import Reads
from conformance.extensions.metrics.sandbox.environments import FIRST
from conformance.extensions.metrics.script import runs
from conformance.extensions.metrics.script.runner import ScriptRunner
from conformance.extensions.metrics.script.runs import PLAIN, RunOptions, ScriptRun, ScriptText, Shape, Trials

__all__ = ["FAILING", "Needs", "ScriptSession", "StoppedError", "cause_of", "differ", "numbers"]

FAILING = (
    *("exit-code", "no-output", "not-json", "not-an-object", "empty-object", "first-value"),
    "writes-elsewhere",
)
_REPEATS = 4
EQUAL_RUNS, SEEDS = 6, ("2", "3", "4")
"""How often equal trials are run with the same hash seed, and the other hash seeds."""


class StoppedError(Exception):
    """A run had to be stopped, or all runs took too long in total."""


class ScriptSession:
    """One script, the shape of its trials, and its cached runs.

    Methods that run the script raise StoppedError if a run had to be stopped, and CannotTryError if it can't
    be run.
    """

    def __init__(self, runner: ScriptRunner, text: ScriptText, shape: Shape) -> None:
        self.runner, self.text, self.shape = runner, text, shape
        self.asked: list[ScriptRun] = []
        """The runs since this list was last cleared."""
        self.until = math.inf
        """The deadline for starting new runs, by `time.monotonic`."""
        self._known: dict[object, list[ScriptRun]] = {}

    @property
    def null(self) -> float | None:
        """null, or 0 if the script fails for null, which another case reports."""
        return None if self.shape.nulls else 0.0

    def other_key(self) -> str:
        """Return a key that the trials don't have."""
        return next(name for name in ("other", "another", "third") if name not in self.shape.keys)

    def ask(self, trials: Trials, options: RunOptions = PLAIN, *, again: int = 0) -> ScriptRun:
        """Run the script; a repeated call with an equal ``again`` returns the cached run."""
        key = (json.dumps(trials), options, again)
        if key not in self._known:
            if time.monotonic() > self.until:
                raise StoppedError
            self._known[key] = [self.runner.run(trials, options)]
        return self._record(self._known[key])[0]

    def ask_quietly(self, trials: Trials, options: RunOptions = PLAIN, *, again: int = 0) -> ScriptRun:
        """Run the script without recording its problems, which another case reports."""
        outcome = self.ask(trials, options, again=again)
        self.asked.pop()
        return outcome

    def all(self, *lists: Trials, quietly: bool = False) -> list[ScriptRun]:
        """Run several lists; ``quietly`` if the script may reject them."""
        return list(map(self.ask_quietly if quietly else self.ask, lists))

    def run_consecutively(self, lists: Sequence[Trials]) -> ScriptRun:
        """Run lists one after another, as in a job; return the last run."""
        key = json.dumps(lists)
        if key not in self._known:
            self._known[key] = self.runner.run_consecutively(lists)
        return self._record(self._known[key])[-1]

    def equal_runs(self) -> tuple[list[ScriptRun], list[ScriptRun]]:
        """Run equal trials with the same hash seed, and with others, each in a new folder.

        The trials have additional keys if the script accepts them, so that the order of sets can matter.
        """
        make = self.shape.trials
        more = self.ask_quietly([trial and {**trial, self.other_key(): 0.5} for trial in make(1.0, 1.0, 1.0)])
        names = () if cause_of(more) else ("other", "another", "third", "fourth", "fifth")
        added = {name: n / 8 for n, name in enumerate(names, start=1) if name not in self.shape.keys}
        trials = [trial and {**trial, **added} for trial in make(0.25, self.null, 1.0, 0.0)]
        same = [self.ask(trials, again=again) for again in range(EQUAL_RUNS)]
        return same, [self.ask(trials, RunOptions(under=replace(FIRST, hash_seed=seed))) for seed in SEEDS]

    def steady(self) -> bool:
        """Return whether equal runs give equal results; otherwise, differences prove nothing."""
        runs_before = len(self.asked)
        (first, *same), reseeded = self.equal_runs()
        del self.asked[runs_before:]
        exact = all(not differ(first, run, 0.0) for run in same)
        return exact and not any(differ(first, run) for run in reseeded)

    def unsteady(self, trials: Trials) -> runs.Violation | None:
        """Return the violation of `repeats` if repeated trials give different results."""
        first, *further = [self.ask_quietly(trials, again=again) for again in range(_REPEATS)]
        for run in further:
            if first.usable and run.usable and differ(first, run, 0.0):
                text = f"The same rewards gave {runs.brief(first.value)} and {runs.brief(run.value)}."
                return "repeats", text, run
        return None

    def _record(self, runs: list[ScriptRun]) -> list[ScriptRun]:
        self.asked += runs
        if runs[-1].ended.stopped:
            raise StoppedError
        return runs


def cause_of(outcome: ScriptRun) -> tuple[str, str] | None:
    """Return why a run gave no value: the rule, and the script's message without numbers; None if it did."""
    for rule, sentence in outcome.problems:
        if rule in FAILING:
            detail = re.sub(r"\d+", "0", sentence) if rule in ("exit-code", "writes-elsewhere") else ""
            return rule, detail
    return None


def differ(first: ScriptRun, second: ScriptRun, tolerance: float = 1e-9) -> bool:
    """Return whether two runs gave different values, or only one gave a value."""
    if first.usable and second.usable:
        return not runs.equal_outputs(first.value, second.value, tolerance)
    return (cause_of(first) is None) != (cause_of(second) is None)


def numbers(outcome: ScriptRun) -> dict[str, float]:
    """Return the numbers in a run's output by name, without bools."""
    pairs = outcome.value.items() if isinstance(outcome.value, dict) else ()
    return {name: num for name, num in pairs if isinstance(num, int | float) and not isinstance(num, bool)}


Values = tuple[float, ...]
USUAL: Values = (1.0, 0.0, 0.5)
LOW: Values = (0.25, 0.125, 0.125)
"""Values whose mean, median, extremes and shares above any threshold up to 1 differ from the usual ones."""
_OTHERS: tuple[Values, ...] = (LOW, (1.0, 1.0, 1.0), (0.0, 0.0, 0.0), (0.75, 0.0, 0.625))
_UNKNOWN_KEY = "unheard-of"
_INVENTED = ("reward", "quality", "speed", "style", "cost", "safety", "depth", "tone")
_COUNTS = (*range(1, 65), 72, 80, 96, 100, 128, 150, 200, 250, 256, 300, 500, 512, 1000)
_LEVELS: tuple[tuple[Any, ...], ...] = (
    *((0.0, 1.0), (0, 1), (*range(1, 6),), (*range(1, 11),), (*range(101),), (*map(float, range(101)),)),
    *((0.125, 0.25, 0.5, 0.75, 1.0), (-1.0, -0.5, 0.0, 0.5, 1.0), ("0.0", "0.5", "1.0")),
)
_MOST_TRIED, _MOST_ALONE, _MOST_TOGETHER = 400, 6, 4
_QUOTED = re.compile(r"""['"`]([^'"`\n]{1,64})['"`]""")
_NOT_ABOUT_INPUT = re.compile(
    r"(SyntaxError|IndentationError|ImportError|ModuleNotFoundError)\b|not-(json|an-object)"
)


class Needs:
    """The result of a search for inputs that the script accepts; it sets the session's shape."""

    def __init__(self, session: ScriptSession, fixed: Sequence[str] = (), seconds: float = math.inf) -> None:
        """Run the script several times, and set the session's shape to one that it accepts.

        The search ends after some ``seconds``, or if a run had to be stopped. The user's choices among
        ``keys``, ``trials`` and ``values`` are ``fixed``.

        Raises:
            StoppedError: the first run had to be stopped.
            CannotTryError: it can't be run.
        """
        self._session, self._fixed, self._begin = session, fixed, session.shape
        self.tried = 0
        self.reads: Reads | None = None
        """The keys that it reads; None if unknown."""
        self.ignored = False
        """Whether rewards from 0 to 1 never affected the output, under any key."""
        self.texts = False
        """Whether only texts affected the output, which are not rewards."""
        self.ended_early: ScriptRun | bool = False
        """Whether the search ended early, or the run that had to be stopped."""
        session.until = time.monotonic() + seconds
        self.first = self._run(session.shape)
        """The run of the initial trials."""
        messages = " ".join(why for rule, why in self.first.problems if rule == "exit-code")
        keys = dict.fromkeys((*session.text.keys, *_QUOTED.findall(messages.partition(": ")[2])))
        self._candidates = [key for key in keys if key not in session.shape.keys]
        self.works = False
        try:
            self._find_shape()
            if self.works:
                self._check_trial_counts()
                if self._run(session.shape).usable:
                    self._find_keys_read()
                null = session.ask_quietly(session.shape.trials(1.0, None, 0.5))
                session.shape = replace(session.shape, nulls=cause_of(null) is None)
        except StoppedError:
            self.works = self.works or cause_of(self.first) is None
            self.ended_early = next((run for run in session.asked[-1:] if run.ended.stopped), True)
        finally:
            session.until = math.inf

    def _run(self, shape: Shape) -> ScriptRun:
        self.tried += 1
        return self._session.ask_quietly(_plain(shape))

    def _find_shape(self) -> None:
        """Set the first shape whose rewards matter, or else the first that works."""
        if _NOT_ABOUT_INPUT.search(str(cause_of(self.first))):
            few_and_many = (replace(self._begin, count=count) for count in (1, 130))
            self.works = any(cause_of(self._run(shape)) is None for shape in few_and_many)
            return
        working: Shape | None = None
        for shape in self._shapes():
            if self.tried > _MOST_TRIED:
                break
            outcome = self._run(shape)
            if cause_of(outcome) is None:
                self.works, working = True, working or shape
                if self._rewards_matter(shape, outcome):
                    changed = shape.levels != self._begin.levels
                    self.ignored = changed and cause_of(self._run(replace(shape, levels={}))) is None
                    texts = isinstance(next(iter(shape.levels.values()), (0,))[0], str)
                    self.texts = texts and self.ignored
                    self._session.shape = self._begin if self.texts else shape
                    return
        self.ignored = self.works
        self._session.shape = working or self._begin

    def _rewards_matter(self, shape: Shape, outcome: ScriptRun) -> bool:
        """Return whether rewards of all keys, or of one, affect the output for a working shape."""
        lists = [_plain(shape, values) for values in _OTHERS]
        for key in shape.keys[:_MOST_TOGETHER]:
            pairs = zip(_plain(shape), lists[0], strict=True)
            lists.append([{**(trial or {}), key: (variant or {})[key]} for trial, variant in pairs])
        runs = (self._session.ask_quietly(trials) for trials in lists)
        return any(cause_of(run) is None and differ(outcome, run) for run in runs)

    def _shapes(self) -> Iterator[Shape]:
        """Yield the initial shape, then some with other keys, values or numbers of trials, or two of them."""
        yield self._begin
        text, names = self._session.text, self._candidates
        more = dict.fromkeys((*self._begin.keys, *_INVENTED))
        named = [tuple(names), (*self._begin.keys, *names)] if names else []
        named += [(name,) for name in names[:_MOST_ALONE]]
        keys = [*named, *((*more,)[:number] for number in range(2, len(more) + 1))]
        levels = [{"": scale} for scale in (*_LEVELS, *((text.keys[:12],) if text.keys else ()))]
        in_message = [int(number) for number in re.findall(r"\b\d{1,4}\b", str(self.first.problems))]
        counts = [count for count in dict.fromkeys((*in_message, *text.numbers, *_COUNTS)) if count]
        failed = cause_of(self.first) is not None
        keys, named = ([], []) if "keys" in self._fixed else (keys, named)
        levels = [] if "values" in self._fixed else levels
        counts = [] if "trials" in self._fixed or not failed else counts
        for name, values in (("keys", keys), ("levels", levels), ("count", counts)):
            yield from (replace(self._begin, **{name: value}) for value in values)  # type: ignore[arg-type]
        yield from (replace(self._begin, keys=group, levels=level) for group, level in product(named, levels))
        yield from (replace(self._begin, keys=group, count=n) for group, n in product(keys, counts[:6]))

    def _check_trial_counts(self) -> None:
        """Find whether other numbers of trials work."""
        shape = self._session.shape

        def works(count: int) -> bool:
            return cause_of(self._session.ask_quietly(_plain(replace(shape, count=count)))) is None

        counts = {shape.count + 1, shape.count + 130, min(shape.count, len(USUAL))}
        self._session.shape = replace(shape, exact=not all(map(works, counts)))

    def _find_keys_read(self) -> None:
        """Find the keys that affect the output, and use them for the trials from now on."""
        session, shape = self._session, self._session.shape
        keys = shape.keys
        if self.ignored and not shape.levels:
            return
        if "keys" not in self._fixed and not shape.levels:
            wide = dict.fromkeys((*keys, *self._candidates), USUAL)
            keys = keys if cause_of(self._run_with(wide)) is not None else tuple(wide)
        base = dict.fromkeys(keys, USUAL)
        plain = self._run_with(base)
        reacting = tuple(key for key in keys if differ(plain, self._run_with({**base, key: LOW})))
        if differ(plain, self._run_with({**base, _UNKNOWN_KEY: LOW})):
            if session.steady():
                alien, changed = self._run_with({_UNKNOWN_KEY: USUAL}), self._run_with({_UNKNOWN_KEY: LOW})
                all_read = cause_of(alien) is None and differ(alien, changed)
                self.reads = Reads(() if all_read else reacting, all_read)
            return
        self.reads = Reads(reacting or shape.keys)
        needed = reacting if cause_of(self._run_with(dict.fromkeys(reacting, USUAL))) is None else keys
        if reacting:
            session.shape = replace(shape, keys=needed)

    def _run_with(self, values: Mapping[str, Values]) -> ScriptRun:
        """Run trials with these values for each key, repeated as needed."""
        shape = self._session.shape
        trials = [{key: shape.value(values[key][i % 3], key) for key in values} for i in range(shape.count)]
        return self._session.ask_quietly(trials)


def _plain(shape: Shape, values: Values = USUAL) -> Trials:
    """Return as many trials as the shape has, with these values, repeated as needed."""
    return replace(shape, exact=False).trials(*(values[index % len(values)] for index in range(shape.count)))
