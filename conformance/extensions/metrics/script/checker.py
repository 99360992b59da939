"""Checks a metric script: finds trials that it accepts, varies them, and judges the outputs."""

import os
import re
import shlex
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from conformance.extensions.metrics.checker import Case, Checker, Options, Result
from conformance.extensions.metrics.script.experiments import SCRIPT_CASES, Problems
from conformance.extensions.metrics.script.runner import ScriptRunner
from conformance.extensions.metrics.script.runs import Problem, ScriptRun, ScriptText, Shape, Violation
from conformance.extensions.metrics.script.session import (
    FAILING,
    Needs,
    ScriptSession,
    StoppedError,
    cause_of,
)
from conformance.option_names import metric_option
from conformance.wire.text import shortened
from reference_impl.metric_script import METRIC_JSON, REWARDS_JSONL, rewards_jsonl

__all__ = ["ScriptChecker"]

_SOURCE = Case("source", "the script's text")
_NO_BLOCK = "It has no inline metadata, so uv uses a project in its working directory, if there is one."
_OPTIONS = ", ".join(map(metric_option, ("like", "key", "trials", "values")))
_SEARCH, _CASE, _MORE = 4, 10, 10.0
"""The time for the search and for one case: factors for a run's time limit, and seconds added to both."""
_LINES_SHOWN = 8
_ALLOWED = {"no-trials": {"empty-object", "first-value"}, "odd": {"nan-out"}}
_ALWAYS_REPORTED = {"repeats", "values-order"}
"""Rules whose violations count even if equal runs differ."""
_REFUSES = re.compile(r'File "([^"\n]+)", line \d+.*\n\s+(raise|assert)\b')


class ScriptChecker(Checker):
    """Checks one script under the contract harbor-metric."""

    contract = "harbor-metric"
    stops = ("never-ends", "too-much")
    cases = (*(script_case.case for script_case in SCRIPT_CASES.values()), _SOURCE)

    def __init__(self, target: str, options: Options) -> None:
        super().__init__(target, options)
        self._fixed = [name for name in ("keys", "trials", "values") if getattr(options, name)]
        self._script = Path(os.path.abspath(target))
        shape = Shape.beginning(options.keys, options.trials, options.like or (), options.values)
        runner = ScriptRunner(self._script, options.limits, options.python)
        self._session = ScriptSession(runner, ScriptText.read(self._script), shape)
        self._needs: Needs | None = None
        self._seen: dict[object, str] = {}

    def header(self) -> str:
        """Create the script's environment; return the version of uv."""
        environment = self._session.runner.prepare()
        self.notes += environment.notes
        return environment.version

    def examine(self, result: Result) -> None:
        """Run the script in one case."""
        case = result.case
        if case == _SOURCE:
            if not self._session.runner.prepare().has_header:
                self.add(result, "metadata-block", _NO_BLOCK, "")
            return
        entry, session = SCRIPT_CASES[case.name], self._session
        violations: list[Violation] = []
        try:
            if self._needs is None:
                self._needs = Needs(session, self._fixed, _SEARCH * self.options.limits.seconds + _MORE)
                self.reads = self._needs.reads
                self.notes += self._notes_on_needs(self._needs)
            needs = self._needs
            session.asked.clear()
            session.until = time.monotonic() + _CASE * self.options.limits.seconds + _MORE
            if isinstance(needs.ended_early, ScriptRun):
                violations += ((*problem, needs.ended_early) for problem in needs.ended_early.problems)
                needs.ended_early = True
            if not needs.works and self._seen:
                result.not_run = "the script fails for every input: fix that first"
                return
            if not needs.works:
                rule, sentence = _problem(needs.first)
                if needs.tried > len(SCRIPT_CASES):
                    sentence += f" ({needs.tried} other lists were tried; describe its input with {_OPTIONS})"
                violations.append((rule, sentence, needs.first))
                session.asked.append(needs.first)
            elif session.shape.exact and entry.group == "number":
                result.not_run = f"it needs {session.shape.count} trials"
                return
            else:
                violations += self._findings_on_needs(needs) if case.name == "one-key" else ()
                if needs.texts and case.name == "keys":
                    violations.append(("constant", "Only texts change its output.", needs.first))
                for problem in (item for experiment in entry.experiments for item in experiment(session)):
                    if problem[0] in _ALWAYS_REPORTED:
                        violations.append(problem)
                    elif session.steady():  # otherwise, differences prove nothing
                        violations.append(session.unsteady(problem[2].trials) or problem)
        except StoppedError:
            session.asked[:] = [run for run in session.asked[-1:] if run.ended.stopped]
            if not session.asked:
                result.not_run = (
                    f"the script's runs take too long in total ({metric_option('timeout')} N allows more)"
                )
        self._judge(result, entry.group, violations)

    def needed(self) -> Sequence[str]:
        """Return options for the keys that were found."""
        keys = self._session.shape.keys
        named = self.options.keys or (keys != Shape().keys and not self._fixed)
        return [word for key in keys if named for word in ("--key", key)]

    def _notes_on_needs(self, needs: Needs) -> Iterator[str]:
        shape, words = self._session.shape, []
        if needs.ended_early:
            yield f"The search for its input took too long and was ended: describe it with {_OPTIONS}."
        if needs.reads is not None and needs.works:
            names = ", ".join(needs.reads.names) or "nothing"
            sentence = f"It reads: {'every key of a trial' if needs.reads.every else names}."
            if not self.options.keys and shape.keys != Shape().keys:
                words += [f"{metric_option('key')} {shlex.quote(key)}" for key in shape.keys]
            if "trials" not in self._fixed and shape.exact:
                words.append(f"{metric_option('trials')} {shape.count}")
            if "values" not in self._fixed and shape.levels:
                named = ",".join(map(str, next(iter(shape.levels.values()))))
                words.append(f"{metric_option('values')} {shortened(named, 60)}")
            yield sentence + (f" Its trials are made with {' '.join(words)}." if words else "")

    def _findings_on_needs(self, needs: Needs) -> Problems:
        """Return the finding for three plain trials, if it accepts only others."""
        shape, cause = self._session.shape, cause_of(needs.first)
        if shape.exact and "trials" not in self._fixed:
            single = self._session.ask_quietly(shape.trials(1.0)[:1])
            fitting = f"It needs {shape.count} trials, but a job passes 1, then 2, and so on"
            yield "other-shapes", f"{fitting}: {_problem(single)[1]}", single
        elif cause is not None and shape.levels and "values" not in self._fixed and not needs.ignored:
            levels = ", ".join(map(str, next(iter(shape.levels.values()))[:6]))
            first = self._session.ask_quietly(Shape(shape.keys).trials(1.0, 0.0, 0.5))
            rule, sentence = _problem(first)
            if len(shape.keys) > 1 or self._refused(first):
                rule = "other-shapes"
            yield rule, f"It works with rewards such as {levels}. With 1.0, 0.0, 0.5: {sentence}", first

    def _refused(self, outcome: ScriptRun) -> bool:
        """Return whether its own code rejected the input, instead of crashing."""
        stderr = outcome.ended.stderr.decode("utf-8", "replace")
        raised = _REFUSES.findall(stderr)
        own = any(os.path.basename(file) == self._script.name for file, _ in raised[-1:])
        return own or "Traceback (most recent call last)" not in stderr

    def _judge(self, result: Result, group: str, problems: Sequence[Violation]) -> None:
        """Turn observations into findings, without repeated ones and consequences of others."""
        by_cause: dict[object, Violation] = {}
        for rule, sentence, outcome in problems:
            by_cause.setdefault(cause_of(outcome) or rule, (rule, sentence, outcome))
        for outcome in self._session.asked:
            for rule, sentence in outcome.problems:
                key: object = cause_of(outcome) if rule in FAILING else rule
                counts = rule if key in self._seen else self._rule_in_group(rule, group, outcome)
                if counts:
                    by_cause.setdefault(key, (counts, sentence, outcome))
        before = [self._seen[key] for key in by_cause if key in self._seen]
        for key, (rule, sentence, outcome) in by_cause.items():
            if key not in self._seen and not {*self.rules[rule].follows.split()}.intersection(
                map(str, self._seen)
            ):
                self._seen[key] = result.case.name
                data = rewards_jsonl(outcome.trials)
                files = {REWARDS_JSONL: data}
                files |= {} if outcome.written is None else {METRIC_JSON: outcome.written}
                lines = [shortened(line, 200) for line in data.decode().splitlines()]
                more = [f"… {len(lines)} lines in all"] if len(lines) > _LINES_SHOWN else []
                input_text = "\n".join([*lines[:_LINES_SHOWN], *more]) or "(no bytes)"
                self.add(result, rule, sentence, input_text, files)
        if before and not result.findings:
            result.not_run = f"it has the same findings as case {before[0]}"

    def _rule_in_group(self, rule: str, group: str, outcome: ScriptRun) -> str:
        """Return the rule for a problem in a group of cases; empty if it is allowed there."""
        if rule in _ALLOWED.get(group, ()):
            return ""
        if rule == "exit-code" and group == "number" and self._refused(outcome):
            return "other-shapes"
        own = rule == "writes-elsewhere" or rule not in (*FAILING, "value-kind" if group == "odd" else "")
        own = own or group in ("ordinary", "number")
        return rule if own else "odd-numbers" if group == "odd" else group


def _problem(outcome: ScriptRun) -> Problem:
    """Return why a run gave no value."""
    return next((problem for problem in outcome.problems if problem[0] in FAILING), ("", "it works"))
