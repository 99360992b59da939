"""Computes scores by other rules: each group's metrics and pass@k as stated, as recorded, and recomputed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.extensions.audit.expected import Group, Header, MetricNames, expected
from conformance.extensions.audit.formats import JOB_FILE, NOT_FOUND
from conformance.extensions.audit.job_file import JobFile
from conformance.extensions.audit.reading import Limits, Members, plain
from conformance.extensions.audit.rewards import REWARD_FILE_ERRORS, FilesResult, read_rewards
from conformance.extensions.audit.rows import Row, rewards_of
from conformance.extensions.audit.rules import OWN, Rules
from conformance.wire.untrusted_files import Refused
from reference_impl import PydanticSerializationError, Trial, VerifierResult
from reference_impl.multi_step import Step, select_reward
from reference_impl.verifier_result import Rewards

Numbers = dict[str, Any]
"""Metrics as `0/mean`, and pass@k as `pass@2`."""


@dataclass(frozen=True, slots=True)
class GroupScores:
    """The scores of one group: as stated, by its release's own rules, and by other rules."""

    stated: Numbers
    own: Numbers
    """The scores by the rules of the release that wrote it."""
    under: Numbers

    def changed(self) -> dict[str, tuple[Any, Any]]:
        """Return the numbers that the other rules change: before (as stated, if they are) and after."""
        own, under = self.own, self.under
        names = [name for name in {**own, **under} if repr(own.get(name)) != repr(under.get(name))]
        return {name: (self.stated.get(name, own.get(name)), under.get(name)) for name in names}


@dataclass(slots=True)
class Scores:
    """A job's scores by other rules."""

    rules: Rules
    groups: dict[str, GroupScores] = field(default_factory=dict)
    changes: dict[str, list[str]] = field(default_factory=dict)
    """The names of the trials that the rules change, by a description of the change."""
    trials: dict[str, tuple[Rewards | None, str] | None] = field(default_factory=dict)
    """By name, the rewards and the task of each trial that counts differently; None if it is excluded.

    Trials with the same task are attempts at it.
    """
    unknown: list[str] = field(default_factory=list)
    """What can't be computed, and why."""

    def note_change(self, change: str, trial: str) -> None:
        """Record how the rules change a trial."""
        self.changes.setdefault(change, []).append(trial)

    def note_unknown(self, sentence: str) -> None:
        """Record what can't be computed, once."""
        if sentence not in self.unknown:
            self.unknown.append(sentence)


def scores_under(
    rules: Rules, rows: Sequence[Row], header: Header, file: JobFile, metrics: MetricNames
) -> Scores:
    """Compute the scores of a job's trials by other rules."""
    scores = Scores(rules)
    declared: dict[object, int] = {}  # the most steps that a trial of each task ran
    for row in rows if rules.steps is not None else ():
        if row.steps and row.task is not None:
            declared[row.task] = max(declared.get(row.task, 0), len(row.steps))
    again = [_rescored(row, rules, declared, scores) for row in rows]
    tasks: dict[str, set[str]] = {}
    for row in again:
        tasks.setdefault(row.trial.task_name, set()).add(repr(row.task))
    for before, row in zip(rows, again, strict=True):
        name, task = row.trial.trial_name, row.trial.task_name
        counted = OWN.includes(before, file.form)
        if not rules.includes(row, file.form):
            if counted:
                scores.note_change("left out", name)
            scores.trials[name] = None
            continue
        if not counted:
            scores.note_change("no longer left out", name)
        is_separate = len(tasks[task]) > 1 and rules.task(row) != task  # several tasks have this name
        if is_separate:
            scores.note_change("an attempt at a separate task", name)
        if not counted or row is not before or is_separate:
            scores.trials[name] = rewards_of(row.trial), rules.task(row) if is_separate else task
    if partial := sum(not row.whole for row in rows):
        scores.note_unknown(f"trials that are only in {JOB_FILE}: {partial}")
    try:
        own = expected(rows, header, file.form, metrics, file.metrics())
        changed = expected(again, header, file.form, metrics, file.metrics(), rules)
    except PydanticSerializationError as error:
        scores.note_unknown(f"harbor can't write this result: {error}")
        return scores
    for key, group in own.groups.items():
        if None in group.names:
            scores.note_unknown(f"a script computed a metric of {key}; it is taken as stated")
        by_rules = (result.groups.get(key, Group("")) for result in (own, changed))
        numbers = (_flat_numbers(entry.values, entry.pass_at_k) for entry in by_rules)
        scores.groups[key] = GroupScores(_stated_numbers(file.evals.get(key)), *numbers)
    if changed.failure is not None and own.failure is None:
        scores.note_unknown(f"the metric {changed.failure[1]} raises an error, so the job never finishes")
    return scores


def _rescored(row: Row, rules: Rules, declared: dict[object, int], scores: Scores) -> Row:
    """Return the row with its rewards by other rules."""
    trial, steps = row.trial, dict(row.steps)
    if rules.reading is not None:
        kept = {path: files for path, files in (row.files or {}).items() if files}
        verified = trial.verifier_result is not None or trial.exception in REWARD_FILE_ERRORS
        if not kept or not verified:
            if trial.verifier_result is not None or trial.exception in REWARD_FILE_ERRORS - {NOT_FOUND}:
                scores.note_unknown("trials have no reward files: their recorded rewards are used")
            return row
        try:
            most = Limits().reward_keys
            read = {path: read_rewards(files, rules.reading, most) for path, files in kept.items()}
        except Refused:
            scores.note_unknown("reward files can't be read by these rules: the recorded rewards are used")
            return row
        if not steps:
            return _with_outcome(row, *_rerun(trial.verifier_result, trial.exception, read.get("")), scores)
        for path, measured in read.items():
            if path in steps:
                result, raised = _rerun(steps[path].verifier_result, steps[path].exception, measured)
                steps[path] = Step(result, raised, None)
        errors = tuple(step.exception for step in steps.values())
        row = row if errors == row.step_errors else replace(row, step_errors=errors)
    elif rules.steps is None or not steps:
        return row
    if row.strategy is None:
        scores.note_unknown("multi-step trials do not show how their rewards are computed from their steps")
        return row
    ran = list(steps.values())
    if rules.steps is None:
        return _with_outcome(row, select_reward(row.strategy, ran), trial.exception, scores)
    scores.note_unknown("a task is assumed to declare as many steps as any of its trials ran")
    whole = rules.steps(row.strategy, ran, declared.get(row.task, len(ran)))
    return _with_outcome(row, whole, trial.exception, scores)


def _rerun(
    result: VerifierResult | None, exception: str | None, measured: FilesResult | None
) -> tuple[VerifierResult | None, str | None]:
    """Return the outcome of a verifier run, given its recorded outcome and its files."""
    if measured is None or (result is None and exception not in REWARD_FILE_ERRORS):
        return result, exception
    if measured.error is not None:
        return None, measured.error if result is not None or exception is None else exception
    return VerifierResult(measured.rewards), None if result is None else exception


def _with_outcome(row: Row, result: VerifierResult | None, exception: str | None, scores: Scores) -> Row:
    """Return the row with another outcome; record the change if there is one."""
    trial = replace(row.trial, verifier_result=result, exception=exception)
    before, after = _outcome_text(row.trial), _outcome_text(trial)
    if before == after:
        return row
    scores.note_change(f"{after} instead of {before}", trial.trial_name)
    return replace(row, trial=trial)


def _outcome_text(trial: Trial) -> str:
    rewards = rewards_of(trial)
    return (trial.exception or "not scored") if rewards is None else repr(rewards)


def _flat_numbers(entries: Sequence[Any], passes: Mapping[Any, Any]) -> Numbers:
    metrics = ((index, entry) for index, entry in enumerate(entries) if isinstance(entry, dict))
    numbers = {f"{index}/{name}": number for index, entry in metrics for name, number in entry.items()}
    return numbers | {f"pass@{k}": number for k, number in passes.items()}


def _stated_numbers(group: Any) -> Numbers:
    """Return a group's numbers in the file, right or wrong."""
    members = plain(group) if isinstance(group, Members) else {}
    metrics, passes = members.get("metrics"), members.get("pass_at_k")
    return _flat_numbers(
        metrics if isinstance(metrics, list) else [], passes if isinstance(passes, dict) else {}
    )
