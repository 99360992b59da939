"""Holds a job that a runner wrote to the manifest: its trials one by one, then its result.

A trial that differs changes the job's figures too. Those are then not judged here: `check`
recomputes them from the trials as they are recorded.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from conformance.check.dataset.manifest import Expected, Manifest
from conformance.check.dataset.outcomes import (
    SHOWN,
    at,
    breaks,
    counted,
    differs,
    due_outcome,
    recorded_outcome,
    show,
)
from conformance.judging.comparison import Level
from conformance.wire.pointers import keys_of, pointer
from conformance.wire.text import shortened

__all__ = ["Finding", "Judge", "judge"]

Json = Any

RESULT = "result.json"
_LISTED = 10


@dataclass(frozen=True, slots=True)
class Finding:
    """One place where a job is not what the dataset makes of a conforming runner."""

    file: str
    """The file, below the job's directory."""
    pointer: str
    """Where in it, as a JSON pointer."""
    stands: str
    """What stands there."""
    due: str
    """What the rules give."""
    rule: str
    clause: str
    likely: str | None = None
    """The likely mistake."""
    task: str | None = None
    """``dataset/task``, where one task shows it."""
    vector: str | None = None
    breaks: Level = Level.VALUE
    """The lowest level of comparison at which this counts."""


@dataclass(slots=True)
class _Tally:
    """What has been seen of one dataset."""

    trials: Counter[str] = field(default_factory=Counter)
    differing: int = 0


class Judge:
    """Judges one job; trials may come in any order, and none is kept."""

    def __init__(self, manifest: Manifest) -> None:
        self._datasets = {expected.name: expected for expected in manifest.datasets}
        self._agent = manifest.agent
        self._tallies: dict[str, _Tally] = defaultdict(_Tally)

    @property
    def seen(self) -> list[str]:
        """The datasets that the job's trials belong to."""
        return [name for name in self._datasets if name in self._tallies]

    @property
    def differing(self) -> dict[str, int]:
        """Datasets whose job's figures are not judged, and how many of their trials differ."""
        return {name: tally.differing for name, tally in self._tallies.items() if tally.differing}

    # Trials

    def trial(self, folder: str, record: Json) -> Iterator[Finding]:
        """The findings on one trial's record; ``folder`` is the trial's, below the job's."""
        file = f"{folder}/{RESULT}"
        name = at(record, "task_name")
        expected = self._dataset_of(record, name)
        if expected is None:
            yield Finding(
                file,
                "/task_name",
                show(name),
                "a task of the dataset",
                "A job over the dataset holds trials of its tasks and no others.",
                "003-6-plan-names-verbatim",
            )
            return
        tally = self._tallies[expected.name]
        tally.trials[name] += 1
        found = [*self._agent_info(file, record), *self._outcome(file, record, expected, name)]
        tally.differing += bool(found)
        yield from found

    def _dataset_of(self, record: Json, name: Json) -> Expected | None:
        """The dataset that the record names, or else the first with such a task."""
        if not isinstance(name, str):
            return None
        source = at(record, "source")
        named = self._datasets.get(source) if isinstance(source, str) else None
        if named is not None:
            return named if name in named.tasks else None
        return next((expected for expected in self._datasets.values() if name in expected.tasks), None)

    def _agent_info(self, file: str, record: Json) -> Iterator[Finding]:
        agent = at(record, "agent_info", "name")
        if agent != self._agent:
            yield Finding(
                file,
                "/agent_info/name",
                show(agent),
                show(self._agent),
                f"The expectations are for the agent {self._agent}.",
                "003-3.3-evals-key-without-model",
                "Another agent was run.",
            )

    def _outcome(self, file: str, record: Json, expected: Expected, name: str) -> Iterator[Finding]:
        task = expected.tasks[name]
        common = {
            "rule": task["rule"],
            "clause": task["clause"],
            "likely": task["catches"],
            "task": f"{expected.name}/{name}",
            "vector": task["vector"],
        }
        for path, level in differs(task, record):
            yield Finding(file, path, recorded_outcome(record), due_outcome(task), **common, breaks=level)
        if task["steps"] is None:
            return
        steps = at(record, "step_results")
        steps = steps if isinstance(steps, list) else []
        if len(steps) != len(task["steps"]):
            stands, due = f"{len(steps)} steps", f"{len(task['steps'])} steps"
            yield Finding(file, "/step_results", stands, due, **common)
        for index, (step, due_step) in enumerate(zip(steps, task["steps"], strict=False)):
            for path, level in differs(due_step, step):
                place = pointer("step_results", index) + path
                yield Finding(
                    file, place, recorded_outcome(step), due_outcome(due_step), **common, breaks=level
                )

    # The job

    def finish(self, result: Json, line: str | None = None) -> Iterator[Finding]:
        """The findings on the job as a whole, once all trials have come.

        ``result`` is the content of result.json, None if there is none; where its JSON repeats a key
        of lists, the lists are to be joined (``join_repeated``). ``line`` is the outcome line of the
        job's log, if there is one.
        """
        if not self._tallies:
            yield Finding(
                RESULT,
                "",
                "no trial of the dataset",
                f"trials of {', '.join(self._datasets)}",
                "A job over the dataset holds trials of its tasks.",
                "003-6-plan-names-verbatim",
                "Another job's directory, or another dataset's manifest.",
            )
            return
        for name, tally in self._tallies.items():
            expected = self._datasets[name]
            miscounted = list(_counts(expected, tally))
            yield from miscounted
            if result is not None and not miscounted and not tally.differing:
                yield from self._group(expected, result)
                if len(self._tallies) == 1:
                    yield from self._whole(expected, result, line)

    def _group(self, expected: Expected, result: Json) -> Iterator[Finding]:
        key = expected.job["evals_key"]
        group = at(result, "stats", "evals", key)
        place = pointer("stats", "evals", key)
        if not isinstance(group, dict):
            groups = at(result, "stats", "evals")
            names = shortened(", ".join(groups), SHOWN) if isinstance(groups, dict) else show(groups)
            rule = "Without a model a group's key is agent and dataset, joined by two underscores."
            clause = "003-3.3-evals-key-without-model"
            yield Finding(RESULT, "/stats/evals", names, key, rule, clause)
            return
        for member, (rule, clause) in _GROUP_RULES.items():
            due = expected.job["group"][member]
            stands = group.get(member)
            if member in _LISTS_OF_TRIALS:
                stands = counted(stands)
            found = breaks(due, stands)
            if found is not None:
                yield Finding(
                    RESULT, f"{place}/{member}", show(stands), show(due), rule, clause, breaks=found
                )

    def _whole(self, expected: Expected, result: Json, line: str | None) -> Iterator[Finding]:
        for path, (rule, clause) in _COUNTER_RULES.items():
            *parents, last = keys_of(path)
            due = expected.job[last]
            stands = at(result, *parents, last)
            found = breaks(due, stands)
            if found is not None:
                yield Finding(RESULT, path, show(stands), show(due), rule, clause, breaks=found)
        if line is not None and line != expected.job["line"]:
            rule = "The outcome line follows from the result: sorted keys, the flat mean as score."
            yield Finding("", "", shortened(line, SHOWN), expected.job["line"], rule, "003-5-line-format")


def judge(
    manifest: Manifest,
    trials: Iterable[tuple[str, Json]],
    result: Json,
    line: str | None = None,
) -> list[Finding]:
    """All findings on a job: ``trials`` are the trials' folders and records, ``result`` its result."""
    court = Judge(manifest)
    found = [finding for folder, record in trials for finding in court.trial(folder, record)]
    return [*found, *court.finish(result, line)]


def join_repeated(members: list[tuple[str, Json]]) -> dict[str, Json]:
    """For ``json.loads(…, object_pairs_hook=…)``: lists under one key are joined, otherwise the last wins."""
    joined: dict[str, Json] = {}
    for key, value in members:
        before = joined.get(key)
        joined[key] = before + value if isinstance(before, list) and isinstance(value, list) else value
    return joined


_LISTS_OF_TRIALS = ("reward_stats", "exception_stats")
_GROUP_RULES = {
    "n_trials": ("n_trials counts the trials with rewards, empty ones included.", "003-3.3-n-trials"),
    "n_errors": ("n_errors counts the trials with an exception.", "003-3.3-n-errors"),
    "metrics": (
        "A group has one entry per metric of its dataset, over all its trials.",
        "003-3.3-metrics-list",
    ),
    "pass_at_k": (
        "pass@k stands where every trial passed or failed and every task was tried twice or more.",
        "003-3.3-pass-at-k-stored",
    ),
    "reward_stats": ("reward_stats lists the trials under each value of each key.", "003-3.3-reward-stats"),
    "exception_stats": ("exception_stats lists the trials under each exception.", "003-3.3-exception-stats"),
}
_COUNTER_RULES = {
    "/n_total_trials": ("n_total_trials is the number of planned trials.", "003-6-plan-order"),
    "/stats/n_completed_trials": (
        "n_completed_trials counts every finished trial, errored ones included.",
        "003-3.3-n-completed",
    ),
    "/stats/n_errored_trials": ("n_errored_trials counts the trials with an exception.", "003-3.3-n-errors"),
}


def _counts(expected: Expected, tally: _Tally) -> Iterator[Finding]:
    """Tasks that were tried more or less often than they should have been."""
    groups: dict[int, list[str]] = defaultdict(list)
    for name in expected.tasks:
        if tally.trials[name] != expected.attempts:
            groups[tally.trials[name]].append(name)
    for count, names in sorted(groups.items()):
        more = f" and {len(names) - _LISTED} more" if len(names) > _LISTED else ""
        yield Finding(
            "",
            "",
            f"{count} trials of {', '.join(names[:_LISTED])}{more}",
            f"{expected.attempts} trials of each task of {expected.name}",
            "A job tries each task as often as it is asked to, and every trial leaves a record.",
            "003-6-plan-order",
            f"The job was not run with {expected.attempts} attempts (-k {expected.attempts}).",
        )
