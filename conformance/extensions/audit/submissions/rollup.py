"""Summarises a submission: its coverage, its scores, which of them it states, and anything unusual."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from itertools import permutations
from typing import Any

from conformance.extensions.audit.metadata import Metadata, claims
from conformance.extensions.audit.report import UNFINISHED, VERDICTS, JobAudit, few
from conformance.extensions.audit.rows import TrialRow
from conformance.extensions.audit.submissions import scores as scoring
from conformance.extensions.audit.submissions.attempts import Group, Submission, benchmarks
from conformance.outcomes.words import counted

Json = dict[str, Any]
MIN_REPORTED_EFFECT = 0.01
"""The least reported effect of how unscored trials are counted, unless the standard error is larger."""
MOST_KEYS = 20
"""The most reward keys of a group that get scores."""
MOST_GROUPS = 1000
"""The most groups of a submission that are summarised."""
_MOST_COPIES = 100
"""The most trials with the same time that are compared."""
MOST = 1000
"""The most duplicate trials that are listed."""


def roll_ups(
    jobs: Sequence[JobAudit],
    metadata: Mapping[str, Sequence[Metadata]],
    aliases: Mapping[str, str] | None = None,
) -> list[Submission]:
    """The submissions of audited jobs by name, each with its `metadata`; `aliases` are of datasets.

    A job outside of any folder of jobs is a submission by itself.
    """
    benchmark = benchmarks((row for job in jobs for row in job.rows), aliases or {})
    owned: dict[tuple[str, bool], list[JobAudit]] = {}
    for job in jobs:
        owned.setdefault((job.submission or job.path, bool(job.submission)), []).append(job)
    found = [Submission.of(own[0], owned[own], benchmark) for own in sorted(owned)]
    for one, notes in zip(found, _on_copies(found), strict=True):
        roll_up(one, metadata.get(one.name, ()))
        one.document["notes"] += notes
    return found


def _on_copies(found: Sequence[Submission]) -> list[list[str]]:
    """For each submission, its trials that also occur under another name or in another submission.

    Two trials of a task don't start in the same microsecond; times without microseconds prove nothing.
    """
    begun: dict[tuple[str, float], list[tuple[int, str]]] = {}
    for at, one in enumerate(found):
        for row in (row for group in one.groups for row in group.rows):
            if row.started is not None and row.started % 1:
                begun.setdefault((row.task.rpartition("/")[2], row.started), []).append((at, row.trial))
    copies: dict[tuple[int, int], list[str]] = {}
    for same in begun.values():
        for (at, name), (other, twin) in permutations(same[:_MOST_COPIES], 2):
            if at != other:
                copies.setdefault((at, other), []).append(name)
            elif name < twin:
                copies.setdefault((at, at), []).append(f"{name} and {twin}")
    notes: list[list[str]] = [[] for _ in found]
    for (at, other), names in sorted(copies.items()):
        of = "twice here, under two names" if at == other else f"of {found[other].name} too"
        notes[at].append(f"{counted(len(names), 'trial')} {of}: {few(sorted(set(names)))}")
    return notes


def roll_up(submission: Submission, metadata: Sequence[Metadata]) -> Submission:
    """Summarises one submission with its metadata."""
    groups, notes = submission.groups[:MOST_GROUPS], list[str]()
    for group in groups:
        where = f"{group.source or 'adhoc'} / {group.who}: " if len(groups) > 1 else ""
        notes += [where + text for text in _rolled(group)]
    stated = list(claims(metadata, [one for group in groups for one in group.document["scores"]]))
    notes += _on_jobs(submission)
    for claim in stated:
        if scoring.HARBOR not in claim["by"]:
            by = scoring.under(claim["by"])
            notes.append(f"{claim['file']} states {claim['path']} {claim['text']}: {by}")
    verdicts = Counter(job.verdict for job in submission.jobs)
    submission.document = {
        "name": submission.name,
        "jobs": {verdict: verdicts[verdict] for verdict in reversed(VERDICTS)},
        "planned": submission.planned,
        "metadata": [asdict(one) for one in metadata],
        "claims": stated,
        "groups": [group.document for group in groups],
        "notes": list(dict.fromkeys(notes)),
    }
    return submission


def _rolled(group: Group) -> Iterator[str]:
    """Summarises one benchmark, agent and model of a submission; gives anything unusual about it."""
    errored = [row for row in group.rows if row.exception is not None]
    counts = {task: len(rows) for task, rows in group.tasks.items()}
    keys = group.reward_keys or ["reward"]  # if there are too many: `reward` and the first ones
    rolled = [*keys[: MOST_KEYS - 1], "reward"] if "reward" in keys[MOST_KEYS:] else keys[:MOST_KEYS]
    scores = [scoring.scores_of(group.tasks, key, group.planned, group.usual) for key in rolled]
    doubles = _duplicate_trials(group.rows)
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
        "scores": [{**one, "stated": _jobs_claim(group, one)} for one in scores],
    }
    yield from _on_scores(group.document)
    records, planned = len(group.rows), group.planned
    if planned is not None and planned != records:
        what = f"{planned - records} missing" if planned > records else f"{records - planned} more than that"
        yield f"{planned} trials planned, {records} records: {what}"
    if group.renamed:
        pairs = [f"{long}, {short}" for long, short in sorted(group.renamed.items())]
        yield f"{counted(len(pairs), 'task')} under two names, each counted as one: {few(pairs, 1)}"
    if len(scores) < len(group.reward_keys):
        yield f"only {len(scores)} of {len(group.reward_keys)} reward keys are summarised"
    if doubles:
        unlike = sum(not one["same"] for one in doubles)
        other = f", {unlike} with different rewards" if unlike else ""
        named = few(one["trial"] for one in doubles)
        yield f"{counted(len(doubles), 'trial')} in more than one job{other}: {named}"
    rows = sorted(group.rows, key=lambda row: row.trial)
    every = ((key, value, row.trial) for row in rows for key, value in (row.rewards or {}).items())
    uncounted = [f"{key} {str(of)[:40]} of {name}" for key, of, name in every if scoring.exact(of) is None]
    if uncounted:
        yield f"{counted(len(uncounted), 'reward')} left out because they are not finite: {few(uncounted, 1)}"


def _duplicate_trials(rows: Sequence[TrialRow]) -> list[Json]:
    """The trials that are in more than one job, by name."""
    by_name: dict[str, list[TrialRow]] = {}
    for row in rows:
        by_name.setdefault(row.trial, []).append(row)
    doubles = []
    for trial in sorted(trial for trial, found in by_name.items() if found[1:]):
        found = by_name[trial]
        jobs, same = sorted({row.job for row in found}), len({repr(row.rewards) for row in found}) == 1
        doubles.append({"trial": trial, "task": found[0].task, "jobs": jobs, "same": same})
    return doubles


def _jobs_do_not(count: int) -> str:
    return "1 job does not" if count == 1 else f"{count} jobs do not"


def _on_jobs(submission: Submission) -> Iterator[str]:
    if len(submission.groups) > MOST_GROUPS:
        of = f"{MOST_GROUPS} of {len(submission.groups)} datasets, agents and models"
        yield f"only {of} are summarised"
    unplanned = sum(job.state is not None and job.planned is None for job in submission.jobs)
    if unplanned:
        yield f"{_jobs_do_not(unplanned)} say how many trials were planned"
    yield from _reuses(submission.jobs)
    live = [job for job in submission.jobs if job.verdict == UNFINISHED]
    if live:
        records = sum(len(job.rows) for job in live)
        yield f"{counted(len(live), 'job')} unfinished: {records} records there are counted"


def _on_scores(group: Json) -> Iterator[str]:
    for found in group["scores"]:
        zero, left, share = found["by"].get("records"), found["by"].get("scored"), scoring.is_share(found)
        if zero and left and zero["over"] == group["records"]:  # else a release excluded some
            apart, scale = abs(zero["value"] - left["value"]), 1.0 if share else abs(left["value"])
            if 0 < apart >= MIN_REPORTED_EFFECT * scale and apart > (zero["standard_error"] or 0.0):
                of = " as zero, ".join(scoring.figure(score["value"], share) for score in (zero, left))
                key = f"{found['key']}: " if len(group["scores"]) > 1 else ""
                counts = f"({found['unscored']} of {group['records']} unscored)"
                yield f"the score depends on how unscored trials count: {key}{of} left out {counts}"
        elif not left and group["records"]:
            yield f"no trial has a score: {group['records']} unscored"
    for found in group["scores"]:
        if odd := found["stated"]["odd"]:
            yield f"{_jobs_do_not(len(odd))} state harbor's mean of the trials there: {few(sorted(odd))}"


def _reuses(jobs: Sequence[JobAudit]) -> Iterator[str]:
    """A note for each diff job among these about the trials that it reuses."""
    known = {job.id: job for job in jobs if job.id}
    for job in (job for job in jobs if job.diff_of):
        sources = [known[name] for name in job.diff_of if known.get(name, job) is not job]
        if not sources:
            yield f"{job.path} is a diff of a job that is not here: the trials that it reuses are unknown"
            continue
        tried = Counter(row.task for one in sources for row in one.rows)
        tried.subtract(Counter(row.task for row in job.rows))
        reused = +tried
        of = ", ".join(one.path for one in sources) + (f": {few(sorted(reused))}" if reused else "")
        yield f"{job.path} reuses {counted(reused.total(), 'trial')} of {of}"


def _jobs_claim(group: Group, found: Mapping[str, Any]) -> Json:
    """The score of one reward key that a group's jobs state, and the denominators that give it, as reported.

    `value` is the mean over the jobs, weighted by their records; null if one of them states none. `odd`
    names the jobs whose stated value differs from harbor's mean.
    """
    key, names = found["key"], (found["key"],) if len(group.reward_keys) > 1 else ("mean", found["key"])
    values, records, odd, unstated = list[float](), 0, list[str](), 0
    for share in group.shares:
        stated = (metric.get(name) for metric in share.metrics for name in names)
        numbers = (one for one in stated if isinstance(one, int | float) and not isinstance(one, bool))
        value = scoring.nearest_double(next(numbers, math.nan))
        if value is None or not math.isfinite(value):
            unstated += 1
            continue
        values.append(value * len(share.rows))
        records += len(share.rows)
        own = scoring.harbor_mean(share.rows, key)
        odd += [] if own is not None and scoring.giving(value, {scoring.HARBOR: own}) else [share.job.path]
    mean = math.fsum(values) / records if records and not unstated else math.nan
    whole = mean if math.isfinite(mean) else None
    by = [] if whole is None else scoring.giving(whole, scoring.by_denominator(found))
    return {"value": whole, "by": by, "odd": odd, "unstated": unstated}
