"""Groups each submission's trials by benchmark, agent and model, and summarises them.

A summary has the coverage, the scores, the stated scores, and remarks on anything unusual.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import permutations
from typing import Any

from conformance.extensions.audit.metadata import Metadata
from conformance.extensions.audit.report import UNFINISHED, VERDICTS, JobAudit, first_few
from conformance.extensions.audit.rows import TrialRow
from conformance.extensions.audit.submissions import scores as scoring
from conformance.extensions.audit.under import Scores as UnderScores
from conformance.outcomes.words import counted


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
        """The group's metrics in `result.json`; none for a running job, which may be out of date."""
        if self.job.state == "unfinished":
            return []
        return [metric for key in sorted(self.keys) for metric in self.job.stated.get(key, ())]

    def under(self, rules: str) -> UnderScores | None:
        """Return the job's scores by other rules; None if they are unknown."""
        return next((scores for scores in self.job.under if scores.rules.name == rules), None)


def short_names(tasks: Collection[str]) -> dict[str, str]:
    """Map names `org/task` to `task`, where the same task occurs under both names.

    Harbor uses the first form for the tasks of a package and the second for those of a registry. If two
    organisations have a task with this name, the tasks stay separate.
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
    """The name of the benchmark, which is one of its datasets."""
    agent: str
    model: str
    rows: list[TrialRow] = field(default_factory=list)
    shares: list[JobShare] = field(default_factory=list)
    planned: int | None = None
    """The number of planned trials; None if a job's is unknown, or a job has other groups too."""
    document: dict[str, Any] = field(default_factory=dict)
    submission: str = ""

    @cached_property
    def source(self) -> str:
        """The dataset that most of its trials belong to."""
        names = Counter(row.source or "" for row in self.rows)
        return min(names, key=lambda name: (-names[name], name))

    @property
    def agent_and_model(self) -> str:
        """The agent and the model."""
        return " / ".join(filter(None, (self.agent, self.model)))

    @cached_property
    def tasks(self) -> dict[str, list[TrialRow]]:
        """The attempts at each task, by name, in the order in which they started."""
        attempts: dict[str, list[TrialRow]] = {}
        for row in sorted(self.rows, key=lambda row: (row.started is None, row.started, row.job, row.trial)):
            attempts.setdefault(self.renamed.get(row.task, row.task), []).append(row)
        return dict(sorted(attempts.items()))

    @cached_property
    def renamed(self) -> dict[str, str]:
        """Maps the longer name of tasks with two names to the shorter one; see `short_names`."""
        return short_names({row.task for row in self.rows})

    @cached_property
    def usual(self) -> int:
        """The most common number of attempts at a task; the largest if there are several."""
        counts = Counter(map(len, self.tasks.values()))
        return max(counts, key=lambda number: (counts[number], number), default=0)

    @cached_property
    def reward_keys(self) -> list[str]:
        """The reward keys, sorted."""
        return sorted({key for row in self.rows for key in row.rewards or ()})

    def under(self, rules: str) -> "Group | None":
        """Return the group with the rewards and tasks by other rules, without excluded trials.

        Returns None if they are unknown for one of its jobs.
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
        """Return whether other rules change a trial of the group, or a number that its jobs state."""
        return any(
            any(row.trial in scores.trials for row in share.rows)
            or any(scores.groups[key].changed() for key in share.keys & scores.groups.keys())
            for share in self.shares
            if (scores := share.under(rules)) is not None
        )

    def add_share(self, share: JobShare) -> None:
        """Add a job's part; with two names of the benchmark, the job may state two means."""
        self.rows += share.rows
        last = self.shares[-1] if self.shares else None
        if last and last.job.path == share.job.path and not (last.metrics and share.metrics):
            last.rows = last.rows + share.rows
        else:
            self.shares.append(share)


@dataclass
class Submission:
    """A folder of jobs, or a single job."""

    name: str
    jobs: Sequence[JobAudit]
    groups: list[Group]
    document: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def from_jobs(cls, name: str, jobs: Sequence[JobAudit], benchmark: Mapping[str, str]) -> "Submission":
        """Group the rows of jobs by benchmark, agent and model; `benchmark` maps datasets to benchmarks."""
        groups: dict[tuple[str, str, str], Group] = {}
        for job in jobs:
            own: dict[tuple[str, str, str], list[TrialRow]] = {}
            for row in job.rows:
                row.job = job.path
                own.setdefault((row.source or "", row.agent, row.model or ""), []).append(row)
            for (source, agent, model), rows in own.items():
                group_key = (benchmark.get(source, source), agent, model)
                group = groups.setdefault(group_key, Group(*group_key, submission=name))
                group.add_share(JobShare(job, rows, job.planned if len(own) == 1 else None))
        ordered = sorted(groups.values(), key=lambda item: (item.source, item.agent, item.model))
        submission = cls(name, jobs, ordered)
        for group in submission.groups:  # a single group has all planned trials, even those not read
            single = len(groups) == 1
            group.planned = submission.planned if single else _sum([share.planned for share in group.shares])
        return submission

    @property
    def is_folder(self) -> bool:
        """Whether the submission is a folder of jobs, not a single job."""
        return bool(self.jobs and self.jobs[0].submission)

    @property
    def planned(self) -> int | None:
        """The number of planned trials of all its jobs; None if unknown for one of them."""
        return _sum([job.planned for job in self.jobs])


def _sum(numbers: Sequence[int | None]) -> int | None:
    return None if None in numbers else sum(number or 0 for number in numbers)


Json = dict[str, Any]
MOST_KEYS = 20
"""The most reward keys of a group that get scores."""
MOST_GROUPS = 1000
"""The most groups of a submission that are summarised."""
_MOST_COPIES = 100
"""The most trials with the same start that are compared."""
MOST = 1000
"""The most duplicate trials that are listed."""


def roll_ups(
    jobs: Sequence[JobAudit], metadata: Mapping[str, Sequence[Metadata]], benchmark: Mapping[str, str]
) -> list[Submission]:
    """Summarise the submissions of audited jobs, sorted by name; `benchmark` maps datasets to benchmarks.

    A job that is not in a folder of jobs is a submission by itself.
    """
    owned: dict[tuple[str, bool], list[JobAudit]] = {}
    for job in jobs:
        owned.setdefault((job.submission or job.path, bool(job.submission)), []).append(job)
    submissions = [Submission.from_jobs(own[0], owned[own], benchmark) for own in sorted(owned)]
    for submission, notes in zip(submissions, _notes_on_copies(submissions), strict=True):
        roll_up(submission, metadata.get(submission.name, ()))
        submission.document["notes"] += notes
    return submissions


def _notes_on_copies(submissions: Sequence[Submission]) -> list[list[str]]:
    """For each submission, note the trials that also occur under another name or in another submission.

    Two trials of a task don't start in the same microsecond; times in whole seconds prove nothing.
    """
    begun: dict[tuple[str, float], list[tuple[int, str]]] = {}
    for index, submission in enumerate(submissions):
        for row in (row for group in submission.groups for row in group.rows):
            if row.started is not None and row.started % 1:
                begun.setdefault((row.task.rpartition("/")[2], row.started), []).append((index, row.trial))
    copies: dict[tuple[int, int], list[str]] = {}
    for same in begun.values():
        for (index, name), (other_index, twin) in permutations(same[:_MOST_COPIES], 2):
            if index != other_index:
                copies.setdefault((index, other_index), []).append(name)
            elif name < twin:
                copies.setdefault((index, index), []).append(f"{name} and {twin}")
    notes: list[list[str]] = [[] for _ in submissions]
    for (index, other_index), names in sorted(copies.items()):
        where = "here under two names" if index == other_index else f"also in {submissions[other_index].name}"
        notes[index].append(f"{counted(len(names), 'trial')} {where}: {first_few(sorted(set(names)))}")
    return notes


def roll_up(submission: Submission, metadata: Sequence[Metadata]) -> Submission:
    """Summarise one submission with its metadata."""
    groups, notes = submission.groups[:MOST_GROUPS], list[str]()
    for group in groups:
        where = f"{group.source or 'adhoc'} / {group.agent_and_model}: " if len(groups) > 1 else ""
        notes += [where + text for text in _summarise_group(group)]
    notes += _notes_on_jobs(submission)
    verdicts = Counter(job.verdict for job in submission.jobs)
    submission.document = {
        "name": submission.name,
        "jobs": {verdict: verdicts[verdict] for verdict in reversed(VERDICTS)},
        "planned": submission.planned,
        "metadata": [asdict(file) for file in metadata],
        "groups": [group.document for group in groups],
        "notes": list(dict.fromkeys(notes)),
    }
    return submission


def _summarise_group(group: Group) -> Iterator[str]:
    """Summarise one group of a submission; yield a sentence for anything unusual about it."""
    errored = [row for row in group.rows if row.exception is not None]
    counts = {task: len(rows) for task, rows in group.tasks.items()}
    keys = group.reward_keys or ["reward"]  # if there are too many: `reward` and the first ones
    rolled = [*keys[: MOST_KEYS - 1], "reward"] if "reward" in keys[MOST_KEYS:] else keys[:MOST_KEYS]
    scores = [scoring.scores_of(group.tasks, key, group.planned, group.usual) for key in rolled]
    doubles = scoring.duplicate_trials(group.rows)
    shares, several = [(share.job.path, share.metrics, share.rows) for share in group.shares], len(keys) > 1
    group.document = {
        "source": group.source or None,
        "agent": group.agent,
        "model": group.model or None,
        "tasks": len(counts),
        "attempts": group.usual,
        "planned": group.planned,
        "records": len(group.rows),
        "errored": len(errored),
        "errored_scored": sum(row.rewards is not None for row in errored),
        "fewer": {task: count for task, count in counts.items() if count < group.usual},
        "more": {task: count for task, count in counts.items() if count > group.usual},
        "doubles": doubles[:MOST],
        "scores": [
            {**score, "stated": scoring.stated_score(shares, score, several=several)} for score in scores
        ],
    }
    yield from scoring.remarks(group.document)
    records, planned = len(group.rows), group.planned
    if planned is not None and planned != records:
        gap = f"{planned - records} missing" if planned > records else f"{records - planned} too many"
        yield f"{planned} trials planned, {records} recorded: {gap}"
    if group.renamed:
        pairs = [f"{long}, {short}" for long, short in sorted(group.renamed.items())]
        yield f"{counted(len(pairs), 'task')} with two names, counted as one: {first_few(pairs, 1)}"
    if len(scores) < len(group.reward_keys):
        yield f"only {len(scores)} of {len(group.reward_keys)} reward keys are summarised"
    if doubles:
        unlike = sum(not double["same"] for double in doubles)
        unlike_text = f", {unlike} with different rewards" if unlike else ""
        named = first_few(double["trial"] for double in doubles)
        yield f"{counted(len(doubles), 'trial')} in more than one job{unlike_text}: {named}"
    uncounted = [
        f"{key} {str(value)[:40]} of {row.trial}"
        for row in sorted(group.rows, key=lambda row: row.trial)
        for key, value in (row.rewards or {}).items()
        if scoring.exact(value) is None
    ]
    if uncounted:
        yield f"{counted(len(uncounted), 'reward')} ignored because not finite: {first_few(uncounted, 1)}"


def _notes_on_jobs(submission: Submission) -> Iterator[str]:
    if len(submission.groups) > MOST_GROUPS:
        count = f"{MOST_GROUPS} of {len(submission.groups)} datasets, agents and models"
        yield f"only {count} are summarised"
    unplanned = sum(job.state is not None and job.planned is None for job in submission.jobs)
    if unplanned:
        yield f"{scoring.jobs_that_do_not(unplanned)} state the number of planned trials"
    yield from _notes_on_reuse(submission.jobs)
    live = [job for job in submission.jobs if job.verdict == UNFINISHED]
    if live:
        records = sum(len(job.rows) for job in live)
        yield f"{counted(len(live), 'job')} unfinished: their {records} records count"


def _notes_on_reuse(jobs: Sequence[JobAudit]) -> Iterator[str]:
    """Yield a note for each diff job about the trials that it reuses."""
    known = {job.id: job for job in jobs if job.id}
    for job in (job for job in jobs if job.diff_of):
        sources = [known[name] for name in job.diff_of if known.get(name, job) is not job]
        if not sources:
            yield f"{job.path} is a diff of a job that was not audited: the reused trials are unknown"
            continue
        tried = Counter(row.task for source in sources for row in source.rows)
        tried.subtract(Counter(row.task for row in job.rows))
        reused = +tried
        text = ", ".join(source.path for source in sources)
        text += f": {first_few(sorted(reused))}" if reused else ""
        yield f"{job.path} reuses {counted(reused.total(), 'trial')} of {text}"
