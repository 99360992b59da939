"""A submission's trials as attempts at tasks, grouped by benchmark, agent and model."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from conformance.extensions.audit.report import JobAudit
from conformance.extensions.audit.rows import TrialRow
from conformance.extensions.audit.under import Scores as UnderScores

FEWEST_IN_COMMON = 3
"""The least tasks that two datasets of one benchmark have in common."""


@dataclass(slots=True)
class JobShare:
    """A job's part of a group."""

    job: JobAudit
    rows: list[TrialRow]
    planned: int | None
    """The number of planned trials; None if unknown, or if the job has other groups too."""

    @property
    def keys(self) -> set[str]:
        """The evals keys of its trials."""
        return {row.group for row in self.rows}

    @property
    def metrics(self) -> list[dict[str, Any]]:
        """The metrics that its `result.json` states for the group; a running job's are of another moment."""
        if self.job.state == "unfinished":
            return []
        return [one for key in sorted(self.keys) for one in self.job.stated.get(key, ())]

    def under(self, rules: str) -> UnderScores | None:
        """The job's scores by other rules; None if they are not known."""
        return next((one for one in self.job.under if one.rules == rules), None)


def short_names(tasks: Collection[str]) -> dict[str, str]:
    """Maps names `org/task` to `task`, where the same task occurs under both names.

    harbor names the tasks of a package in the first way and those of a registry in the second; if two
    organisations have a task of that name, they stay separate.
    """
    by_short: dict[str, list[str]] = {}
    for task in tasks:
        if "/" in task:
            by_short.setdefault(task.rpartition("/")[2], []).append(task)
    return {long[0]: short for short, long in by_short.items() if len(long) == 1 and short in tasks}


@dataclass
class Group:
    """The trials of one agent and model on one benchmark."""

    benchmark: str
    """The benchmark, named after a dataset; equal for all groups of the benchmark."""
    agent: str
    model: str
    rows: list[TrialRow] = field(default_factory=list)
    shares: list[JobShare] = field(default_factory=list)
    planned: int | None = None
    """The trials that its jobs planned; None if a job's number is unknown, or it has other groups too."""
    document: dict[str, Any] = field(default_factory=dict)
    submission: str = ""

    @cached_property
    def source(self) -> str:
        """The dataset of most of its trials."""
        names = Counter(row.source or "" for row in self.rows)
        return min(names, key=lambda name: (-names[name], name))

    @property
    def who(self) -> str:
        """Agent and model."""
        return " / ".join(filter(None, (self.agent, self.model)))

    @cached_property
    def tasks(self) -> dict[str, list[TrialRow]]:
        """The attempts at each task by its name, in the order in which they started."""
        found: dict[str, list[TrialRow]] = {}
        for row in sorted(self.rows, key=lambda row: (row.started is None, row.started, row.job, row.trial)):
            found.setdefault(self.renamed.get(row.task, row.task), []).append(row)
        return dict(sorted(found.items()))

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Its tasks that have two names, by the longer one: see `short_names`."""
        return short_names({row.task for row in self.rows})

    @cached_property
    def usual(self) -> int:
        """The most common number of attempts per task; the largest if there are several."""
        counts = Counter(map(len, self.tasks.values()))
        return max(counts, key=lambda number: (counts[number], number), default=0)

    @cached_property
    def reward_keys(self) -> list[str]:
        """The reward keys, sorted."""
        return sorted({key for row in self.rows for key in row.rewards or ()})

    def under(self, rules: str) -> "Group | None":
        """The group with the rewards and tasks that other rules give its trials, without excluded ones.

        None if they are not known for one of its jobs.
        """
        rows = []
        for share in self.shares:
            if (scores := share.under(rules)) is None:
                return None
            for row in share.rows:
                trial = scores.trials.get(row.trial, row)
                if isinstance(trial, tuple):
                    row = replace(row, rewards=trial[0], task=trial[1], left_out=False)
                rows += [] if trial is None else [row]
        return Group(self.benchmark, self.agent, self.model, rows)

    def changes_under(self, rules: str) -> bool:
        """Whether other rules change a trial of the group, or a number that its jobs state."""
        return any(
            any(row.trial in scores.trials for row in share.rows)
            or any(scores.groups[key].changed() for key in share.keys & scores.groups.keys())
            for share in self.shares
            if (scores := share.under(rules)) is not None
        )

    def take(self, share: JobShare) -> None:
        """Adds a job's part; for two names of a benchmark it may state two means."""
        self.rows += share.rows
        last = self.shares[-1] if self.shares else None
        if last and last.job.path == share.job.path and not (last.metrics and share.metrics):
            last.rows = last.rows + share.rows
        else:
            self.shares.append(share)


def benchmarks(rows: Iterable[TrialRow], aliases: Mapping[str, str]) -> dict[str, str]:
    """Each dataset's benchmark, named after the dataset with most trials.

    Common tasks show which datasets belong together, and `aliases` with their last names.
    """
    names: dict[str, str] = {}
    tasks: dict[str, set[str]] = {}
    sizes = Counter[str]()
    for row in rows:
        source = row.source or ""
        name = names[source] = aliases.get(source, source)
        tasks.setdefault(name, set()).add(row.task.rpartition("/")[2])
        sizes[name] += 1
    found: dict[str, set[str]] = {}
    joined: dict[str, str] = {}
    for name in sorted(tasks, key=lambda name: (-sizes[name], name)):
        own = tasks[name]
        like = max(found, key=lambda other: len(own & found[other]), default=name)
        known = found.get(like, own)
        most = len(own & known)
        is_same = most >= FEWEST_IN_COMMON and 2 * most >= min(len(own), len(known))
        joined[name] = like if is_same else name
        found.setdefault(joined[name], set()).update(own)
    return {source: joined[name] for source, name in names.items()}


@dataclass
class Submission:
    """A folder of jobs, or a single job."""

    name: str
    jobs: Sequence[JobAudit]
    groups: list[Group]
    document: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, name: str, jobs: Sequence[JobAudit], benchmark: Mapping[str, str]) -> "Submission":
        """A submission of these jobs, whose rows must exist; `benchmark` maps datasets."""
        groups: dict[tuple[str, str, str], Group] = {}
        for job in jobs:
            own: dict[tuple[str, str, str], list[TrialRow]] = {}
            for row in job.rows:
                row.job = job.path
                own.setdefault((row.source or "", row.agent, row.model or ""), []).append(row)
            for (source, agent, model), rows in own.items():
                of = (benchmark.get(source, source), agent, model)
                group = groups.setdefault(of, Group(*of, submission=name))
                group.take(JobShare(job, rows, job.planned if len(own) == 1 else None))
        made = cls(name, jobs, sorted(groups.values(), key=lambda one: (one.source, one.agent, one.model)))
        for group in made.groups:  # all planned trials were of the only group, read or not
            alone = len(groups) == 1
            group.planned = made.planned if alone else _sum([share.planned for share in group.shares])
        return made

    @property
    def is_folder(self) -> bool:
        """Whether it is a folder of jobs."""
        return bool(self.jobs and self.jobs[0].submission)

    @property
    def planned(self) -> int | None:
        """The number of trials that all of its jobs planned; None if unknown for one of them."""
        return _sum([job.planned for job in self.jobs])


def _sum(numbers: Sequence[int | None]) -> int | None:
    return None if None in numbers else sum(number or 0 for number in numbers)
