"""`--dataset`: holds a job to the manifest of the kit's tasks: each trial's outcome, and their number."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from conformance.extensions.audit.findings import Finding, Findings
from conformance.extensions.audit.manifest import Expected, Manifest
from conformance.judging.comparison import Level
from conformance.wire.pointers import pointer
from conformance.wire.text import printable, shortened
from reference_impl.runner.wire import decode_number

__all__ = ["AgainstDataset", "rule_lines"]

Json = Any

_RESULT = "result.json"
_SHOWN = 200
"""Characters of a value that a finding repeats."""
_LISTED = 10
"""The most tasks that a finding names."""
_TASKS = 6
"""Of each rule."""


class AgainstDataset:
    """Judges one job as its trials are read, in any order; none is kept."""

    def __init__(self, manifest: Manifest, findings: Findings) -> None:
        self._datasets = {expected.name: expected for expected in manifest.datasets}
        self._agent = manifest.agent
        self._findings = findings
        self._trials: dict[str, Counter[str]] = defaultdict(Counter)
        """How often each task was tried, by dataset."""

    @property
    def datasets(self) -> list[str]:
        """The datasets that the job's trials belong to."""
        return [name for name in self._datasets if name in self._trials]

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
        self._trials[expected.name][name] += 1
        agent = get_path(record, "agent_info", "name")
        if agent != self._agent:
            self._add(
                *("dataset-task", file, "/agent_info/name", show(agent), show(self._agent)),
                ("003-3.3-evals-key-without-model", f"The expectations are for the agent {self._agent}."),
                likely="Another agent was run.",
            )
        for finding in _outcomes(file, record, expected, name):
            self._findings.add(finding)

    def _dataset_of(self, record: Json, name: Json) -> Expected | None:
        """The dataset that the record names, or else the first with such a task."""
        if not isinstance(name, str):
            return None
        source = get_path(record, "source")
        named = self._datasets.get(source) if isinstance(source, str) else None
        if named is not None:
            return named if name in named.tasks else None
        return next((expected for expected in self._datasets.values() if name in expected.tasks), None)

    def finish(self) -> None:
        """Judges the job as a whole, once all trials have come: whether it has the dataset's trials.

        Its figures follow from its trials, and the audit recomputes them anyway.
        """
        if not self._trials:
            self._add(
                *("dataset-job", _RESULT, "", "no trial of the dataset"),
                f"trials of {', '.join(self._datasets)}",
                ("003-6-plan-names-verbatim", "A job over the dataset has trials of its tasks."),
                likely="Another job's directory, or another dataset's manifest.",
            )
        for name, trials in self._trials.items():
            self._counts(self._datasets[name], trials)

    def _counts(self, expected: Expected, trials: Counter[str]) -> None:
        """Each task has to be tried as often as the dataset asks for."""
        groups: dict[int, list[str]] = defaultdict(list)
        for name in expected.tasks:
            if trials[name] != expected.attempts:
                groups[trials[name]].append(name)
        for count, names in sorted(groups.items()):
            more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
            rule = "A job tries each task as often as it is asked to, and every trial leaves a record."
            self._add(
                *("dataset-job", "", "", f"{count} trials of {', '.join(names[:_LISTED])}{more}"),
                f"{expected.attempts} trials of each task of {expected.name}",
                ("003-6-plan-order", rule),
                likely=f"The job was not run with {expected.attempts} attempts (-k {expected.attempts}).",
            )

    def _add(
        self,
        kind: str,
        file: str,
        path: str,
        found: str,
        expected: str,
        rules: tuple[str, str],
        likely: str | None = None,
    ) -> None:
        clause, rule = rules
        self._findings.add(Finding(kind, file, path, found, expected, clause, likely, rule=rule))


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
    """The lowest level at which two rewards differ; None if at none."""
    if type(expected) is type(actual) and expected == actual:
        return Level.EXACT if expected == 0 and str(expected) != str(actual) else None  # 0.0 and -0.0
    numbers = all(isinstance(one, int | float) and not isinstance(one, bool) for one in (expected, actual))
    return Level.EXACT if numbers and expected == actual else Level.VALUE


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
    """A trial's or step's outcome, as in the manifest."""
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


def rule_lines(findings: Iterable[Finding], statements: Mapping[str, str]) -> list[str]:
    """Each clause with its statement, how often it is broken and the dataset's tasks that show it."""
    counts: dict[str, int] = defaultdict(int)
    tasks: dict[str, dict[str, None]] = defaultdict(dict)
    for finding in findings:
        if finding.clause is not None:
            counts[finding.clause] += 1
            if finding.task is not None:
                tasks[finding.clause][finding.task] = None
    if not counts:
        return []
    width = max(len(str(count)) for count in counts.values())
    lines = ["rules broken, with the number of findings:"]
    for clause, count in sorted(counts.items()):
        shown = list(tasks[clause])
        more = f" and {len(shown) - _TASKS} more" if len(shown) > _TASKS else ""
        names = f" ({', '.join(map(printable, shown[:_TASKS]))}{more})" if shown else ""
        lines.append(f"    {count:{width}} {clause}: {statements.get(clause, '')}{names}")
    return lines
