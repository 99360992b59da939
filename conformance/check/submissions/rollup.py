"""Rolls a submission up: what it covers, its scores, which of them it states, and what is remarkable."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from conformance.check.report import UNFINISHED, VERDICTS, Checked, many
from conformance.check.submissions.attempts import Double, Group, Submission, submissions
from conformance.check.submissions.contradictions import contradictions
from conformance.check.submissions.figures import figure, under
from conformance.check.submissions.metadata import Metadata, read_metadata
from conformance.check.submissions.remarks import Remark
from conformance.check.submissions.scores import HARBOR, Score, Scores, scores
from conformance.check.submissions.stated import Claim, JobsClaim, claims, jobs_claim

__all__ = ["GroupRollUp", "RollUp", "roll_up", "roll_ups"]

HANGS = 0.01
"""The difference between two ways to count unscored trials from which on it is said, a hundredth, unless the
standard error is larger."""
MOST_KEYS = 20
"""Reward keys of a group that have scores."""
MOST_GROUPS = 1000
"""Groups of a submission that are rolled up."""


@dataclass(frozen=True, slots=True)
class GroupRollUp:
    """One benchmark, agent and model of a submission."""

    group: Group
    scores: list[Scores]
    """By reward key; one under the key `reward` where no trial has any."""
    stated: list[JobsClaim]
    """What the jobs state, for each of the scores."""
    errored: int
    errored_scored: int
    """Of these, the trials with a reward nonetheless."""
    fewer: dict[str, int]
    """Tasks with fewer attempts than most have, with their number."""
    more: dict[str, int]
    doubles: list[Double]

    @property
    def main(self) -> Scores:
        """The scores that a table shows: of the key `reward`, or of the first one."""
        return next((one for one in self.scores if one.key == "reward"), self.scores[0])


@dataclass(frozen=True, slots=True)
class RollUp:
    """A submission."""

    submission: Submission
    groups: list[GroupRollUp]
    metadata: list[Metadata]
    claims: list[Claim]
    """The numbers of its metadata that state a score."""
    jobs: dict[str, int] = field(default_factory=dict)
    """The number of its jobs by verdict, one of `VERDICTS`."""
    remarks: list[Remark] = field(default_factory=list)

    @property
    def notes(self) -> list[str]:
        """What is remarkable, in sentences."""
        return list(dict.fromkeys(remark.text for remark in self.remarks))

    @property
    def name(self) -> str:
        """The folder of its jobs."""
        return self.submission.name


def roll_ups(jobs: Sequence[Checked], folders: Mapping[str, str] | None = None) -> list[RollUp]:
    """The submissions of audited jobs, by name; `folders` are theirs on this machine, for metadata."""
    folders = folders or {}
    return [
        roll_up(one, read_metadata(folders[one.name]) if one.name in folders else [])
        for one in submissions(jobs)
    ]


def roll_up(submission: Submission, metadata: Sequence[Metadata] = ()) -> RollUp:
    """One submission, with what it says of itself."""
    groups = [_group(group) for group in list(submission.groups.values())[:MOST_GROUPS]]
    found = [one for group in groups for one in group.scores]
    stated = claims(metadata, found)
    verdicts = Counter(job.verdict for job in submission.jobs)
    jobs = {verdict: verdicts[verdict] for verdict in reversed(VERDICTS)}
    remarks = [remark for group in groups for remark in _remarks(group, len(groups) > 1)]
    if len(submission.groups) > MOST_GROUPS:
        told = f"{MOST_GROUPS} of {len(submission.groups)} datasets, agents and models"
        remarks.append(Remark("cut", f"only {told} are rolled up", f"only {told}"))
    unplanned = sum(job.audit is not None and job.audit.planned is None for job in submission.jobs)
    if unplanned:
        text = f"{_jobs(unplanned)} not say how many trials were planned"
        remarks.append(Remark("unplanned", text, many(unplanned, "job"), unplanned))
    if jobs[UNFINISHED]:
        live = [job.audit for job in submission.jobs if job.verdict == UNFINISHED]
        records = sum(len(audit.rows) for audit in live if audit is not None)
        text = f"{many(len(live), 'job')} unfinished: {records} records there are counted"
        told = f"{many(len(live), 'job')}, {many(records, 'record')}"
        remarks.append(Remark("unfinished", text, told, records))
    for claim in stated:
        if HARBOR not in claim.by:
            text = f"{claim.file} states {claim.path} {claim.text}: {under(claim.by)}"
            told = f"{claim.path} {claim.text} ({under(claim.by[:1])})"
            remarks.append(Remark("claim", text, told, not claim.by))
    remarks += [Remark("metadata", text, text) for text in contradictions(metadata, submission)]
    return RollUp(submission, groups, list(metadata), stated, jobs, remarks)


def _jobs(number: int) -> str:
    return "1 job does" if number == 1 else f"{number} jobs do"


def _rolled_keys(group: Group) -> list[str]:
    """The reward keys with scores: all, or of very many `reward` and the first ones."""
    keys = group.reward_keys or ["reward"]
    first = keys[:MOST_KEYS]
    return first if "reward" not in keys or "reward" in first else [*first[:-1], "reward"]


def _group(group: Group) -> GroupRollUp:
    found = [scores(group, key) for key in _rolled_keys(group)]
    errored = [one for one in group.attempts if one.row.exception is not None]
    counts = {task: len(attempts) for task, attempts in group.tasks.items()}
    return GroupRollUp(
        group,
        found,
        [jobs_claim(group, one) for one in found],
        len(errored),
        sum(one.row.rewards is not None for one in errored),
        {task: count for task, count in counts.items() if count < group.usual},
        {task: count for task, count in counts.items() if count > group.usual},
        group.doubles,
    )


def _far(one: Score, other: Score, fractional: bool) -> bool:
    """Whether two scores are apart by more than is worth no word, and than chance may bring."""
    apart, scale = abs(one.value - other.value), 1.0 if fractional else abs(other.value)
    return apart > 0 and apart >= HANGS * scale and apart > (one.standard_error or 0.0)


def _remarks(one: GroupRollUp, named: bool) -> list[Remark]:
    """What is remarkable about a group; it is `named` where there are several."""
    found = [*_on_scores(one), *_on_attempts(one)]
    if not named:
        return found
    where = " / ".join(filter(None, (one.group.source or "adhoc", one.group.agent, one.group.model)))
    return [
        replace(remark, text=f"{where}: {remark.text}", told=f"({where}) {remark.told}") for remark in found
    ]


def _on_scores(one: GroupRollUp) -> Iterator[Remark]:
    records = len(one.group.attempts)
    for found in one.scores:
        zero, left = found.by.get("records"), found.by.get("scored")
        key = f"the score {found.key}" if len(one.scores) > 1 else "the score"
        if zero and left and _far(zero, left, found.fractional):
            of = " as zero, ".join(figure(score.value, found.fractional) for score in (zero, left))
            of += f" left out ({found.unscored} of {records}"
            short = f"{found.key}: {of})" if len(one.scores) > 1 else f"{of})"
            weight = abs(zero.value - left.value)
            text = f"{key} hangs on what unscored trials count: {of} unscored)"
            yield Remark("hangs", text, short, weight)
        elif left is None and records:
            yield Remark("unscored", f"no trial has a score: {records} unscored", f"({records})", records)
    for claim in one.stated:
        if claim.odd:
            what = ", ".join(sorted(claim.odd)[:3]) + (", …" if len(claim.odd) > 3 else "")
            text = f"{_jobs(len(claim.odd))} not state harbor's mean of the trials there: {what}"
            yield Remark("odd", text, many(len(claim.odd), "job"), len(claim.odd))


def _on_attempts(one: GroupRollUp) -> Iterator[Remark]:
    records, planned = len(one.group.attempts), one.group.planned
    if planned is not None and planned != records:
        missing = planned - records
        what = f"{missing} missing" if missing > 0 else f"{-missing} more than that"
        text = f"{planned} trials planned, {records} records: {what}"
        told = f"{missing} of {planned}" if missing > 0 else f"{-missing} beside {planned}"
        yield Remark("missing" if missing > 0 else "beyond", text, told, abs(missing) / max(planned, 1))
    if one.group.renamed:
        long, short = min(one.group.renamed.items())
        tasks = many(len(one.group.renamed), "task")
        example = f"{long}, {short}" + (", …" if len(one.group.renamed) > 1 else "")
        text = f"{tasks} under two names, each taken for one: {example}"
        yield Remark("names", text, f"{tasks} ({example})", len(one.group.renamed))
    if len(one.scores) < len(one.group.reward_keys):
        told = f"only {len(one.scores)} of {len(one.group.reward_keys)} reward keys"
        yield Remark("cut", f"{told} are rolled up", told)
    if one.doubles:
        unlike = sum(not double.same for double in one.doubles)
        told = many(len(one.doubles), "trial")
        other = f", {unlike} with different rewards" if unlike else ""
        named = ", ".join(double.trial for double in one.doubles[:3]) + (", …" if one.doubles[3:] else "")
        text = f"{told} in more than one job{other}: {named}"
        yield Remark("double", text, f"{len(one.doubles)}{other}", len(one.doubles) + unlike)
    if one.group.uncounted:
        trial, key, value = one.group.uncounted[0]
        example = f"{key} {value} of {trial}" + (", …" if one.group.uncounted[1:] else "")
        told = many(len(one.group.uncounted), "reward")
        text = f"{told} left out as no finite number: {example}"
        yield Remark("number", text, f"{told} ({example})", len(one.group.uncounted))
