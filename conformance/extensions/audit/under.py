"""Scores by other rules: each group's metrics and pass@k as stated, as recorded, and by these rules."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.extensions.audit.expected import Expected, Header, expected
from conformance.extensions.audit.formats import JOB_FILE
from conformance.extensions.audit.job_file import JobFile
from conformance.extensions.audit.limits import Limits, Spent
from conformance.extensions.audit.metrics import MetricNames
from conformance.extensions.audit.reading import Members, plain
from conformance.extensions.audit.rewards import FilesResult, RewardFiles
from conformance.extensions.audit.rows import Row, rewards_of
from conformance.extensions.audit.rules import OWN, Rules
from conformance.wire.untrusted_files import Refused
from reference_impl import PydanticSerializationError, Trial, VerifierResult
from reference_impl.multi_step import Step, select_reward
from reference_impl.verifier_result import Rewards

_NOT_FOUND = "RewardFileNotFoundError"
_OF_FILES = {_NOT_FOUND, "RewardFileEmptyError", "VerifierOutputParseError", "ValidationError"}
Numbers = dict[str, Any]
"""Metrics as `0/mean`, and pass@k as `pass@2`."""


@dataclass(frozen=True, slots=True)
class GroupScores:
    """The scores of one group."""

    stated: Numbers
    own: Numbers
    """The scores by the rules of the release that wrote it."""
    under: Numbers

    def changed(self) -> dict[str, tuple[Any, Any]]:
        """The numbers that these rules change: as stated (else by the release's own rules), and by these."""
        return {
            name: (self.stated.get(name, self.own.get(name)), self.under.get(name))
            for name in {**self.own, **self.under}
            if repr(self.own.get(name)) != repr(self.under.get(name))
        }


@dataclass(frozen=True, slots=True)
class UnderTrial:
    """A trial as it counts by the rules."""

    rewards: Rewards | None
    task: str
    """Trials with the same text are attempts at one task."""


@dataclass(slots=True)
class Scores:
    """A job's scores by some rules."""

    rules: str
    text: str
    source: str
    groups: dict[str, GroupScores] = field(default_factory=dict)
    changes: dict[str, list[str]] = field(default_factory=dict)
    """How the rules change trials, in words, with the trials' names."""
    trials: dict[str, UnderTrial | None] = field(default_factory=dict)
    """The trials that count differently, by name; None for one that is excluded."""
    unknown: list[str] = field(default_factory=list)
    """What can't be determined, and why."""


def scores_under(
    rules: Rules, rows: Sequence[Row], header: Header, file: JobFile, metrics: MetricNames
) -> Scores:
    """The scores of a job's trials, in their order, by other rules."""
    made = Scores(rules.name, rules.text, rules.source)
    changes = made.changes
    declared = {} if rules.steps is None else _declared(rows)
    files = RewardFiles(Spent(Limits()))
    again = [_rescored(row, rules, files, declared, changes, made.unknown) for row in rows]
    shared = _shared_names(again)
    for before, row in zip(rows, again, strict=True):
        name, task = row.trial.trial_name, row.trial.task_name
        counted = OWN.takes(before, file.form)
        if not rules.takes(row, file.form):
            if counted:
                changes.setdefault("left out", []).append(name)
            made.trials[name] = None
            continue
        if not counted:
            changes.setdefault("no longer left out", []).append(name)
        if not counted or row is not before or (task in shared and rules.task(row) != task):
            if task in shared and rules.task(row) != task:
                changes.setdefault("an attempt at a separate task", []).append(name)
                task = rules.task(row)
            made.trials[name] = UnderTrial(rewards_of(row.trial), task)
    partial = sum(not row.whole for row in rows)
    if partial:
        made.unknown.append(f"trials that only {JOB_FILE} knows: {partial}")
    stated = file.metrics()
    try:
        own = expected(rows, header, file.form, metrics, stated)
        other = expected(again, header, file.form, metrics, stated, rules)
    except PydanticSerializationError as error:
        made.unknown.append(f"harbor can't write this result: {error}")
        return made
    for key in own.groups:
        if None in own.names[key]:
            made.unknown.append(f"a script computed a metric of {key}; it is taken as stated")
        made.groups[key] = GroupScores(_stated(file.evals.get(key)), _numbers(own, key), _numbers(other, key))
    if other.failure is not None and own.failure is None:
        made.unknown.append(f"the metric {other.failure[1]} raises, so the job never finishes")
    return made


def _rescored(
    row: Row,
    rules: Rules,
    files: RewardFiles,
    declared: dict[object, int],
    changes: dict[str, list[str]],
    unknown: list[str],
) -> Row:
    """The row with the rewards that it has by the rules."""
    trial, steps = row.trial, dict(row.steps)
    if rules.reading is not None:
        kept = {path: given for path, given in (row.files or {}).items() if given}
        verified = trial.verifier_result is not None or trial.exception in _OF_FILES
        if not kept or not verified:
            if trial.verifier_result is not None or trial.exception in _OF_FILES - {_NOT_FOUND}:
                _add(unknown, "trials have no reward files: their rewards stay as recorded")
            return row
        read = {path: _read(files, given, rules.reading) for path, given in kept.items()}
        if None in read.values():
            _add(unknown, "reward files can't be read by these rules: the rewards stay as recorded")
            return row
        if not steps:
            return _changed(row, *_outcome(trial.verifier_result, trial.exception, read.get("")), changes)
        for path, given in read.items():
            if path in steps:
                result, raised = _outcome(steps[path].verifier_result, steps[path].exception, given)
                steps[path] = Step(result, raised, None)
        errors = tuple(step.exception for step in steps.values())
        row = row if errors == row.step_errors else replace(row, step_errors=errors)
    elif rules.steps is None or not steps:
        return row
    if row.strategy is None:
        _add(unknown, "multi-step trials do not show how their rewards follow from their steps")
        return row
    ran = list(steps.values())
    if rules.steps is None:
        return _changed(row, select_reward(row.strategy, ran), trial.exception, changes)
    _add(unknown, "a task's declared steps are assumed to be those that one of its trials ran")
    whole = rules.steps(row.strategy, ran, declared.get(row.task, len(ran)))
    return _changed(row, whole, trial.exception, changes)


def _read(files: RewardFiles, given: dict[str, bytes], reading: str) -> FilesResult | None:
    try:
        return files.given(given, reading)
    except (Refused, RecursionError):
        return None


def _outcome(
    result: VerifierResult | None, exception: str | None, given: FilesResult | None
) -> tuple[VerifierResult | None, str | None]:
    """The outcome of a verifier run with that outcome and these files."""
    if given is None or (result is None and exception not in _OF_FILES):
        return result, exception
    if given.error is not None:
        return None, given.error if result is not None or exception is None else exception
    return VerifierResult(given.rewards), None if result is None else exception


def _changed(
    row: Row, result: VerifierResult | None, exception: str | None, changes: dict[str, list[str]]
) -> Row:
    """The row with another outcome; records the change if there is one."""
    trial = row.trial
    made = replace(trial, verifier_result=result, exception=exception)
    before, after = _shown(trial), _shown(made)
    if before == after:
        return row
    changes.setdefault(f"{after} instead of {before}", []).append(trial.trial_name)
    return replace(row, trial=made)


def _shown(trial: Trial) -> str:
    rewards = rewards_of(trial)
    return (trial.exception or "not scored") if rewards is None else repr(rewards)


def _add(unknown: list[str], sentence: str) -> None:
    if sentence not in unknown:
        unknown.append(sentence)


def _declared(rows: Iterable[Row]) -> dict[object, int]:
    """The steps of each task, as far as any of its trials ran them."""
    made: dict[object, int] = {}
    for row in rows:
        if row.steps and row.task is not None:
            made[row.task] = max(made.get(row.task, 0), len(row.steps))
    return made


def _shared_names(rows: Iterable[Row]) -> set[str]:
    """The names that more than one task has."""
    tasks: dict[str, set[str]] = {}
    for row in rows:
        tasks.setdefault(row.trial.task_name, set()).add(repr(row.task))
    return {name for name, of in tasks.items() if len(of) > 1}


def _numbers(made: Expected, key: str) -> Numbers:
    values = made.values.get(key, [])
    found = {f"{at}/{name}": number for at, one in enumerate(values) for name, number in (one or {}).items()}
    return found | {f"pass@{k}": number for k, number in made.pass_at_k.get(key, {}).items()}


def _stated(group: Any) -> Numbers:
    """The numbers of a group in the file, right or wrong."""
    if not isinstance(group, Members):
        return {}
    metrics, passes = group.get("metrics"), group.get("pass_at_k")
    found: Numbers = {}
    for at, entry in enumerate(metrics if isinstance(metrics, list) else ()):
        if isinstance(entry, Members):
            found |= {f"{at}/{name}": plain(number) for name, number in entry}
    if isinstance(passes, Members):
        found |= {f"pass@{k}": plain(number) for k, number in passes}
    return found
