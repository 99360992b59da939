"""A submission's trials as attempts at tasks, in groups by benchmark, agent and model."""

import math
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from conformance.check.report import Checked
from conformance.check.trials.rows import TrialRow

__all__ = [
    "Attempt",
    "Double",
    "Exact",
    "Group",
    "StatedJob",
    "Submission",
    "exact",
    "short_names",
    "submissions",
]

Exact = int | Fraction
"""A number without rounding; most rewards are 0 and 1, and sums of ints are quick."""
_BEYOND = 2**1024
GroupKey = tuple[str, str, str]
"""Source, agent and model; empty where a record has none."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One trial, and the job that it is of."""

    job: str
    row: TrialRow


@dataclass(frozen=True, slots=True)
class Double:
    """A trial that stands in more than one job."""

    trial: str
    task: str
    jobs: list[str]
    same: bool
    """Whether its rewards are the same in all of them."""


@dataclass(frozen=True, slots=True)
class StatedJob:
    """The metrics that one job's `result.json` states of a group, and the group's trials in that job."""

    job: str
    metrics: list[dict[str, Any]]
    attempts: list[Attempt]
    planned: int | None


def exact(value: object) -> Exact | None:
    """A reward as it counts; None for one that is no number within the range of doubles."""
    if isinstance(value, float):
        if value.is_integer():
            return int(value)
        return Fraction(value) if math.isfinite(value) else None
    return int(value) if isinstance(value, int) and abs(value) < _BEYOND else None


def short_names(tasks: Collection[str]) -> dict[str, str]:
    """The names `org/task` that have the same task without `org/` beside them, with that name.

    harbor names the tasks of a package so and those of a registry not; where two organisations have a
    task of that name, they are left apart.
    """
    by_short: dict[str, list[str]] = {}
    for task in tasks:
        if "/" in task:
            by_short.setdefault(task.rpartition("/")[2], []).append(task)
    return {long[0]: short for short, long in by_short.items() if len(long) == 1 and short in tasks}


@dataclass
class Group:
    """The trials of one agent and model on one benchmark."""

    source: str
    agent: str
    model: str
    attempts: list[Attempt] = field(default_factory=list)
    planned: int | None = 0
    """The trials that its jobs planned; None where a job does not say, or has other groups too."""
    stated: list[StatedJob] = field(default_factory=list)

    @cached_property
    def tasks(self) -> dict[str, list[Attempt]]:
        """The attempts at each task, by name of the task, in the order in which they began."""
        found: dict[str, list[Attempt]] = {}
        for attempt in self.attempts:
            found.setdefault(self.renamed.get(attempt.row.task, attempt.row.task), []).append(attempt)
        for attempts in found.values():
            attempts.sort(key=_began)
        return dict(sorted(found.items()))

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Its tasks that stand under two names, by the longer one: see `short_names`."""
        return short_names({attempt.row.task for attempt in self.attempts})

    @cached_property
    def usual(self) -> int:
        """The number of attempts that most tasks have; of several such numbers the largest."""
        counts = Counter(len(attempts) for attempts in self.tasks.values())
        return max(counts, key=lambda number: (counts[number], number), default=0)

    @cached_property
    def reward_keys(self) -> list[str]:
        """The keys of its rewards, sorted."""
        return sorted({key for attempt in self.attempts for key in attempt.row.rewards or ()})

    @cached_property
    def doubles(self) -> list[Double]:
        """The trials that stand in more than one job, by name."""
        by_name: dict[str, list[Attempt]] = {}
        for attempt in self.attempts:
            by_name.setdefault(attempt.row.trial, []).append(attempt)
        return [
            Double(
                trial,
                found[0].row.task,
                sorted({attempt.job for attempt in found}),
                all(repr(attempt.row.rewards) == repr(found[0].row.rewards) for attempt in found),
            )
            for trial, found in sorted(by_name.items())
            if len(found) > 1
        ]

    @cached_property
    def uncounted(self) -> list[tuple[str, str, str]]:
        """Rewards that are no finite double: trial, reward key, the value as Python prints it."""
        return [
            (attempt.row.trial, key, str(value)[:40])
            for attempt in self.attempts
            for key, value in (attempt.row.rewards or {}).items()
            if exact(value) is None
        ]


def _began(attempt: Attempt) -> tuple[float, str, str]:
    started = attempt.row.started
    return (math.inf if started is None else started, attempt.job, attempt.row.trial)


@dataclass
class Submission:
    """A folder of jobs, or a job of its own."""

    name: str
    jobs: list[Checked] = field(default_factory=list)
    groups: dict[GroupKey, Group] = field(default_factory=dict)

    def add(self, job: Checked) -> None:
        """Counts a job in; its rows have to be there."""
        self.jobs.append(job)
        audit = job.audit
        if audit is None:
            return
        by_group: dict[GroupKey, list[Attempt]] = {}
        keys: dict[GroupKey, set[str]] = {}
        for row in audit.rows:
            key = (row.source or "", row.agent, row.model or "")
            by_group.setdefault(key, []).append(Attempt(job.path, row))
            keys.setdefault(key, set()).add(row.group)
        for key, attempts in by_group.items():
            group = self.groups.setdefault(key, Group(*key))
            group.attempts += attempts
            planned = audit.planned if len(by_group) == 1 else None
            group.planned = (
                None if None in (planned, group.planned) else (group.planned or 0) + (planned or 0)
            )
            finished = audit.state != "unfinished"  # what a live file states is of another moment
            names = sorted(keys[key]) if finished else ()
            metrics = [one for name in names for one in audit.stated.get(name, ())]
            group.stated.append(StatedJob(job.path, metrics, attempts, planned))

    def settle(self) -> None:
        """Puts its groups in order once all jobs are counted in."""
        self.groups = dict(sorted(self.groups.items()))
        if len(self.groups) == 1:  # whatever was planned was of this one, read or not
            next(iter(self.groups.values())).planned = self.planned

    @property
    def planned(self) -> int | None:
        """The trials that all of its jobs planned; None where one does not say."""
        numbers = [None if job.audit is None else job.audit.planned for job in self.jobs]
        known = [number for number in numbers if number is not None]
        return sum(known) if len(known) == len(numbers) else None


def submissions(jobs: Sequence[Checked]) -> list[Submission]:
    """The submissions of audited jobs, by name; a job of its own is one by itself."""
    found: dict[tuple[bool, str], Submission] = {}
    for job in jobs:
        own = (bool(job.submission), job.submission or job.path)
        found.setdefault(own, Submission(own[1])).add(job)
    for submission in found.values():
        submission.settle()
    return [found[own] for own in sorted(found, key=lambda own: (own[1], own[0]))]
