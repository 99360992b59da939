"""`--dataset`: holds a job to the manifest of the kit's own tasks: each trial's outcome, then the result.

A trial that differs changes the job's figures too. Those are then not judged here: the audit recomputes them
from the trials as they are recorded.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.check.findings import Finding, Findings
from conformance.check.manifest import Expected, Manifest
from conformance.check.reading.json_files import Members, Number
from conformance.judging.comparison import Level
from conformance.wire.pointers import keys_of, pointer
from conformance.wire.text import shortened
from reference_impl.runner.wire import decode_number

__all__ = ["AgainstDataset", "join_repeated"]

Json = Any

_RESULT = "result.json"
_SHOWN = 200
"""Characters of a value that a finding repeats."""
_LISTED = 10
"""The most tasks that a finding names."""
_GROUP_RULES = {
    "n_trials": ("003-3.3-n-trials", "n_trials counts the trials with rewards, empty ones included."),
    "n_errors": ("003-3.3-n-errors", "n_errors counts the trials with an exception."),
    "metrics": (
        "003-3.3-metrics-list",
        "A group has one entry per metric of its dataset, over all its trials.",
    ),
    "pass_at_k": (
        "003-3.3-pass-at-k-stored",
        "pass@k is given where every trial passed or failed and every task was tried twice or more.",
    ),
    "reward_stats": ("003-3.3-reward-stats", "reward_stats lists the trials under each value of each key."),
    "exception_stats": ("003-3.3-exception-stats", "exception_stats lists the trials under each exception."),
}
_LISTS_OF_TRIALS = ("reward_stats", "exception_stats")
_COUNTER_RULES = {
    "/n_total_trials": ("003-6-plan-order", "n_total_trials is the number of planned trials."),
    "/stats/n_completed_trials": (
        "003-3.3-n-completed",
        "n_completed_trials counts every finished trial, errored ones included.",
    ),
    "/stats/n_errored_trials": ("003-3.3-n-errors", "n_errored_trials counts the trials with an exception."),
}


@dataclass(slots=True)
class _Tally:
    """What has been seen of one dataset."""

    trials: Counter[str] = field(default_factory=Counter)
    differing: int = 0


class AgainstDataset:
    """Judges one job as its trials are read, in any order; none is kept."""

    def __init__(self, manifest: Manifest, findings: Findings) -> None:
        self._datasets = {expected.name: expected for expected in manifest.datasets}
        self._agent = manifest.agent
        self._findings = findings
        self._tallies: dict[str, _Tally] = defaultdict(_Tally)

    @property
    def datasets(self) -> list[str]:
        """The datasets that the job's trials belong to."""
        return [name for name in self._datasets if name in self._tallies]

    def trial(self, folder: str, record: Json) -> None:
        """Judges a trial's record; ``folder`` is the trial's, below the job's."""
        file, name = f"{folder}/{_RESULT}", get_path(record, "task_name")
        expected = self._dataset_of(record, name)
        if expected is None:
            self._add(
                *("dataset-task", file, "/task_name", show(name), "a task of the dataset"),
                (
                    "003-6-plan-names-verbatim",
                    "A job over the dataset has trials of its tasks and no others.",
                ),
            )
            return
        tally = self._tallies[expected.name]
        tally.trials[name] += 1
        agent = get_path(record, "agent_info", "name")
        differs = agent != self._agent
        if differs:
            self._add(
                *("dataset-task", file, "/agent_info/name", show(agent), show(self._agent)),
                ("003-3.3-evals-key-without-model", f"The expectations are for the agent {self._agent}."),
                likely="Another agent was run.",
            )
        for finding in _outcomes(file, record, expected, name):
            differs = True
            self._findings.add(finding)
        tally.differing += differs

    def _dataset_of(self, record: Json, name: Json) -> Expected | None:
        """The dataset that the record names, or else the first with such a task."""
        if not isinstance(name, str):
            return None
        source = get_path(record, "source")
        named = self._datasets.get(source) if isinstance(source, str) else None
        if named is not None:
            return named if name in named.tasks else None
        return next((expected for expected in self._datasets.values() if name in expected.tasks), None)

    def finish(self, result: Json, line: str | None = None) -> None:
        """Judges the job as a whole, once all trials have come.

        ``result`` is the content of result.json, None if it can't be read; ``line`` is the outcome line of
        the job's log, if there is one.
        """
        result = _joined(result)
        if not self._tallies:
            self._add(
                *("dataset-job", _RESULT, "", "no trial of the dataset"),
                f"trials of {', '.join(self._datasets)}",
                ("003-6-plan-names-verbatim", "A job over the dataset has trials of its tasks."),
                likely="Another job's directory, or another dataset's manifest.",
            )
        for name, tally in self._tallies.items():
            expected = self._datasets[name]
            counted_right = self._counts(expected, tally)
            if result is not None and counted_right and not tally.differing:
                self._group(expected, result)
                if len(self._tallies) == 1:
                    self._whole(expected, result, line)
            if tally.differing:
                trials = "a trial differs" if tally.differing == 1 else f"{tally.differing} trials differ"
                self._findings.note(f"the figures of {name} are not held to the manifest: {trials}")

    def _counts(self, expected: Expected, tally: _Tally) -> bool:
        """Whether each task was tried as often as it should have been."""
        groups: dict[int, list[str]] = defaultdict(list)
        for name in expected.tasks:
            if tally.trials[name] != expected.attempts:
                groups[tally.trials[name]].append(name)
        for count, names in sorted(groups.items()):
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            self._add(
                *("dataset-job", "", "", f"{count} trials of {', '.join(names[:_LISTED])}{more}"),
                f"{expected.attempts} trials of each task of {expected.name}",
                (
                    "003-6-plan-order",
                    "A job tries each task as often as it is asked to, and every trial leaves a record.",
                ),
                likely=f"The job was not run with {expected.attempts} attempts (-k {expected.attempts}).",
            )
        return not groups

    def _group(self, expected: Expected, result: Json) -> None:
        key = expected.job["evals_key"]
        groups = get_path(result, "stats", "evals")
        group = get_path(groups, key)
        if not isinstance(group, dict):
            names = shortened(", ".join(groups), _SHOWN) if isinstance(groups, dict) else show(groups)
            rule = "Without a model a group's key is agent and dataset, joined by two underscores."
            clause = "003-3.3-evals-key-without-model"
            self._add("dataset-job", _RESULT, "/stats/evals", names, key, (clause, rule))
            return
        for member, rules in _GROUP_RULES.items():
            actual = group.get(member)
            actual = _counted(actual) if member in _LISTS_OF_TRIALS else actual
            self._value(pointer("stats", "evals", key, member), expected.job["group"][member], actual, rules)

    def _whole(self, expected: Expected, result: Json, line: str | None) -> None:
        for path, rules in _COUNTER_RULES.items():
            keys = keys_of(path)
            self._value(path, expected.job[keys[-1]], get_path(result, *keys), rules)
        if line is not None and line != expected.job["line"]:
            rule = "The outcome line follows from the result: sorted keys, the flat mean as score."
            self._add(
                *("dataset-job", "", "", shortened(line, _SHOWN), expected.job["line"]),
                ("003-5-line-format", rule),
            )

    def _value(self, path: str, expected: Json, actual: Json, rules: tuple[str, str]) -> None:
        level = _breaks(expected, actual)
        if level is not None:
            self._add("dataset-job", _RESULT, path, show(actual), show(expected), rules, breaks=level)

    def _add(
        self,
        kind: str,
        file: str,
        path: str,
        found: str,
        expected: str,
        rules: tuple[str, str],
        likely: str | None = None,
        breaks: Level = Level.VALUE,
    ) -> None:
        clause, rule = rules
        self._findings.add(Finding(kind, file, path, found, expected, clause, likely, breaks, rule))


def _outcomes(file: str, record: Json, expected: Expected, name: str) -> Iterator[Finding]:
    """Where the outcome of a trial, or of one of its steps, is another than expected."""
    task = expected.tasks[name]

    def finding(path: str, found: str, due: str, level: Level = Level.VALUE) -> Finding:
        where = ("dataset-task", file, path, found, due, task["clause"], task["catches"], level)
        return Finding(*where, task["rule"], f"{expected.name}/{name}", task["vector"])

    for path, level in _differs(task, record):
        yield finding(path, _recorded(record), _expected(task), level)
    if task["steps"] is None:
        return
    steps = get_path(record, "step_results")
    steps = steps if isinstance(steps, list) else []
    if len(steps) != len(task["steps"]):
        yield finding("/step_results", f"{len(steps)} steps", f"{len(task['steps'])} steps")
    for index, (step, due) in enumerate(zip(steps, task["steps"], strict=False)):
        for path, level in _differs(due, step):
            yield finding(pointer("step_results", index) + path, _recorded(step), _expected(due), level)


def _differs(due: Mapping[str, Json], record: Json) -> Iterator[tuple[str, Level]]:
    """The first place where a trial's or a step's record is another than expected, if there is one."""
    result = get_path(record, "verifier_result")
    rewards = get_path(result, "rewards")
    if get_path(record, "exception_info", "exception_type") != due["exception"]:
        yield "/exception_info", Level.VALUE
    elif (result is not None) != due["verified"]:
        yield "/verifier_result", Level.VALUE
    elif due["rewards"] is None or not isinstance(rewards, dict) or set(rewards) != set(due["rewards"]):
        if rewards is not None or due["rewards"] is not None:
            yield "/verifier_result/rewards", Level.VALUE
    else:
        for key, spelled in due["rewards"].items():
            number = decode_number(spelled)
            finite = isinstance(number, int) or math.isfinite(number)
            level = _breaks(number if finite else None, rewards[key])  # a record has null for NaN
            if level is not None:
                yield pointer("verifier_result", "rewards", key), level
                return


def _breaks(expected: Json, actual: Json) -> Level | None:
    """The lowest level at which two JSON values differ, order of keys aside; None if at none."""
    if isinstance(expected, dict) and isinstance(actual, dict) and set(expected) == set(actual):
        levels = [_breaks(expected[key], actual[key]) for key in expected]
        return min((level for level in levels if level is not None), default=None)
    if isinstance(expected, list) and isinstance(actual, list) and len(expected) == len(actual):
        levels = list(map(_breaks, expected, actual))
        return min((level for level in levels if level is not None), default=None)
    if _is_number(expected) and _is_number(actual) and expected == actual:
        same_zero = expected != 0 or math.copysign(1.0, expected) == math.copysign(1.0, actual)
        return None if type(expected) is type(actual) and same_zero else Level.EXACT
    return None if type(expected) is type(actual) and expected == actual else Level.VALUE


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _counted(value: Json, depth: int = 2) -> Json:
    """Lists of trials replaced by their lengths, down to ``depth`` objects deep."""
    if isinstance(value, dict) and depth > 0:
        return {key: _counted(item, depth - 1) for key, item in value.items()}
    return len(value) if isinstance(value, list) else value


def get_path(value: Json, *path: str) -> Json:
    """The value at a path of keys, or of attributes of a record's shape; None where there is none."""
    for key in path:
        value = value.get(key) if isinstance(value, dict) else getattr(value, key, None)
    return value


def _recorded(record: Json) -> str:
    """A trial's or step's outcome as it is recorded."""
    exception, result = get_path(record, "exception_info"), get_path(record, "verifier_result")
    rewards = show(get_path(result, "rewards")) if result is not None else "not verified"
    if exception is None:
        return rewards
    kind, message = get_path(exception, "exception_type"), get_path(exception, "exception_message")
    text = f"{kind if isinstance(kind, str) else show(kind)}: {message if isinstance(message, str) else ''}"
    return shortened(f"{text.rstrip(': ')}; {rewards}", _SHOWN)


def _expected(task: Mapping[str, Json]) -> str:
    """A trial's or step's outcome as the manifest has it."""
    if task["exception"] is not None:
        return str(task["exception"])
    if not task["verified"] or task["rewards"] is None:
        return "rewards null" if task["verified"] else "no verifier result"
    special = any(isinstance(value, str) for value in task["rewards"].values())
    return show(task["rewards"]) + (", recorded as null" if special else "")


def show(value: Json) -> str:
    """A value as JSON for people, cut where it is long."""
    try:
        return shortened(json.dumps(value, ensure_ascii=False), _SHOWN)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__}"


def join_repeated(members: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    """An object of which lists under one key are joined; otherwise the last member of a key counts."""
    joined: dict[str, Json] = {}
    for key, value in members:
        before = joined.get(key)
        joined[key] = before + value if isinstance(before, list) and isinstance(value, list) else value
    return joined


def _joined(value: Any) -> Any:
    """The value as Python's json would give it, but with the lists under one key joined."""
    if isinstance(value, Members):
        members = []
        for key, member in value:  # no comprehension: it would take a second frame for each level
            members.append((key, _joined(member)))
        return join_repeated(members)
    if isinstance(value, list):
        items = []
        for member in value:
            items.append(_joined(member))
        return items
    return value.value if isinstance(value, Number) else value
