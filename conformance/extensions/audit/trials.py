"""Reads a job's trials: each directory's record and reward files become a row, with any findings.

Mirrors of results often omit reward files. If no trial of a job has any, the records are checked alone; if
some have, each missing one is a finding. That is only known once all trials were read.
"""

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from conformance.extensions.audit.findings import Finding, Findings, Severity
from conformance.extensions.audit.formats import CLAUSE, JOB_FILE, Forms, Part, Record, Report, readings_of
from conformance.extensions.audit.listing import Listing
from conformance.extensions.audit.loading import Loaded, load
from conformance.extensions.audit.reading import Spent, pointer, read_file, show
from conformance.extensions.audit.rewards import Difference, RewardFiles, Verdict, judge, with_nulls
from conformance.extensions.audit.rows import Row, policy_findings, policy_of
from conformance.judging.comparison import Level
from conformance.wire.untrusted_files import Folder, Refused
from reference_impl import AgentResult, Trial, VerifierResult
from reference_impl.multi_step import Step

if TYPE_CHECKING:
    from conformance.extensions.audit.against_dataset import AgainstDataset

_EPOCH = datetime(1970, 1, 1)
_MOST_UNKNOWN_MEMBERS = 200
_CLOCK_SET = 60.0
"""The most seconds by which a phase may exceed the trial's own time: clocks are adjusted while trials run."""


class _Run(NamedTuple):
    """One verifier run: its result by the record and by its files, and where the two differ."""

    stated: Step
    found: Step
    wrong: Difference | None = None
    there: bool = True
    """Whether there are reward files."""


@dataclass(slots=True)
class TrialReader:
    """Reads trials, one after another."""

    spent: Spent
    listing: Listing
    sink: Findings
    keep_files: bool = False
    """Whether rows keep their reward files."""
    dataset: "AgainstDataset | None" = None
    """Also checks the records, if the job's trials are the kit's datasets."""
    forms: Counter[Forms] = field(default_factory=Counter)
    """The forms that the records may have."""
    unread: set[str] = field(default_factory=set)
    """Directories whose trials could not be read."""
    alone: bool = False
    """Whether the trials were checked by their records alone; known once all were read."""
    _files: RewardFiles = field(init=False)
    _present: bool = False
    _lacking: list[tuple[Row, Verdict]] = field(default_factory=list)
    """Trials whose verifier ran but left no reward file, with the verdict if other trials have some."""
    _unknown_members: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Members that no release writes, by place: the first file and the number of files that have it."""

    def __post_init__(self) -> None:
        self._files = RewardFiles(self.spent)

    def read(self, folder: Folder, name: str) -> Row | None:
        """The trial in a directory; None if it has no record or an unusable one (which is then in `unread`).

        Raises:
            OverLimitError: with this one the job's trials are too much.
        """
        spent = self.spent
        file = spent.file = f"{name}/{JOB_FILE}"
        try:
            content = read_file(folder, JOB_FILE, spent.limits.record_bytes)
        except Refused as refused:
            self.sink.pending.append(Finding.refused(refused, file))
            self.unread.add(name)
            return None
        if content is None:
            return None
        spent.add("all_bytes", len(content))
        loaded = load(content, file, spent)
        del content  # it may be large
        self.sink.pending += loaded.findings
        for place in loaded.unknown_members:
            place = place if len(self._unknown_members) < _MOST_UNKNOWN_MEMBERS else ""
            first, count = self._unknown_members.get(place, (file, 0))
            self._unknown_members[place] = (first, count + 1)
        if loaded.forms:
            self.forms[loaded.forms] += 1
        if loaded.record is None:
            self.unread.add(name)
            return None
        if self.dataset is not None:
            self.dataset.trial(name, loaded.record)
        return self._row(folder, name, loaded, loaded.record)

    def settle(self) -> None:
        """Decides what is only known once all trials were read."""
        self.alone = bool(self._lacking) and not self._present
        for row, verdict in () if self.alone else self._lacking:
            self.sink.pending += verdict.findings
            _settle(row, verdict)
        for place, (file, count) in self._unknown_members.items():
            what = f"a member that no harbor writes, in {count} record{'s' if count > 1 else ''}"
            note = Finding("schema", file, place, what, "no such member", CLAUSE, None, Level.BYTES)
            self.sink.pending.append(replace(note, severity_override=Severity.NOTE))

    def _row(self, folder: Folder, name: str, loaded: Loaded, record: Record) -> Row:
        raised, model, steps = record.exception_info, record.agent_info.model_info, record.steps
        trial = Trial(
            record.task_name,
            record.trial_name,
            record.source,
            record.agent_info.name,
            None if model is None else model.name,
            with_nulls(record, partial(self.listing.null, record.trial_name)),
            None if raised is None else raised.exception_type,
            _report(record.agent_result),
            None if steps is None else [_report(step.agent_result) for step in steps],
        )
        task = (tuple(record.task_id.items()), record.task_checksum) if record.task_id else None
        begun, ended = (_seconds(moment) for moment in (record.started_at, record.finished_at))
        row = Row(trial, name, loaded.forms, begun, task, files={} if self.keep_files else None)
        errors = [step.exception_info for step in steps or ()]
        row.step_errors = tuple([None if one is None else one.exception_type for one in errors])
        row.overrides = {
            one.exception_type: policy_of(one).has_valid_reward
            for one in (raised, *errors)
            if one is not None and one.policy_override
        }
        self.sink.pending += policy_findings(record, loaded.file)
        self.sink.pending += _check_times(record, begun, ended, loaded.file)
        self._compare_with_files(folder, row, loaded, record)
        return row

    def _compare_with_files(self, folder: Folder, row: Row, loaded: Loaded, record: Record) -> None:
        """Compares the record with its reward files, and the trial's rewards with those of its steps."""
        steps, whole = record.steps, row.trial.verifier_result
        if steps is None:
            runs = [self._run(folder, row, record, whole)]
            if runs[0].wrong is None and runs[0].stated.verifier_result is whole:
                return
        else:
            runs = [
                self._run(folder, row, step, with_nulls(step, lambda _: math.nan), f"/step_results/{at}")
                for at, step in enumerate(steps)
            ]
            row.steps = {step.step_name: run.stated for step, run in zip(steps, runs, strict=True)}
        questions = [run.wrong for run in runs if run.wrong is not None]
        lacking = not any(run.there for run in runs if run.wrong is not None)
        decide = partial(judge, loaded, record, [run.stated for run in runs], [run.found for run in runs])
        verdict = decide([] if lacking else questions, self.listing)
        self.sink.pending += verdict.findings
        _settle(row, verdict)
        row.strategy = verdict.strategy
        if questions and lacking:
            later = decide(questions, self.listing)
            later.findings = [one for one in later.findings if one not in verdict.findings]
            self._lacking.append((row, later))

    def _run(
        self, folder: Folder, row: Row, part: Record | Part, result: VerifierResult | None, place: str = ""
    ) -> _Run:
        """A verifier run with that recorded `result`: the trial's, or that of the step at `place`."""
        raised = None if part.exception_info is None else part.exception_info.exception_type
        step = Step(result, raised, None)
        unread = _Run(step, step)
        if result is None and part.verifier is None:
            return unread
        name = part.step_name if isinstance(part, Part) else ""
        if place and (name in ("", ".", "..") or "/" in name or "\0" in name):
            what = (f"{place}/step_name", show(name), "the name of a directory", CLAUSE)
            self.sink.pending.append(Finding("schema", f"{row.folder}/{JOB_FILE}", *what))
            return unread
        path = ("steps", name) if place else ()
        where = f"{row.folder}/{'/'.join((*path, 'verifier'))}"
        try:
            files = self._files.read(folder, path)
            self._present |= bool(files)
            if row.files is not None:
                row.files = {**row.files, name: files}
            readings = readings_of(row.forms, getattr(part, "config", None))
            given, wrong = self._files.best(files, part, readings, path, place)
        except Refused as refused:
            at = f"{row.folder}/{refused.where}" if refused.where else where
            self.sink.pending.append(Finding.refused(refused, at))
            return unread
        if wrong is not None:
            found = None if given.error is not None else VerifierResult(given.rewards)
            return _Run(step, Step(found, raised or given.error, None), wrong, bool(files))
        recorded = part.verifier_result and part.verifier_result.rewards
        if result is not None and (place or None in (recorded or {}).values()):
            step = Step(VerifierResult(given.rewards), raised, None)  # it has NaN and the infinities
        return _Run(step, step, there=bool(files))


def _settle(row: Row, verdict: Verdict) -> None:
    trial = row.trial
    if verdict.result is not trial.verifier_result or verdict.exception != trial.exception:
        row.trial = replace(trial, verifier_result=verdict.result, exception=verdict.exception)


def _report(stated: Report | None) -> AgentResult | None:
    if stated is None:
        return None
    return AgentResult(stated.n_input_tokens, stated.n_cache_tokens, stated.n_output_tokens, stated.cost_usd)


def _check_times(record: Record, begun: float | None, ended: float | None, file: str) -> Iterator[Finding]:
    """Reports an end before its start, or the first phase that exceeds the trial's own time."""
    if begun is None or ended is None:
        return
    if ended < begun:
        begin = f"not before {_format_time(record.started_at)}, when the trial began"
        what = (show(_format_time(record.finished_at)), begin)
        yield Finding("time", file, "/finished_at", *what, CLAUSE)
        return
    for phase in ("agent_execution", "verifier"):
        for end in ("started_at", "finished_at"):
            moment = getattr(getattr(record, phase), end, None)
            at = _seconds(moment)
            if at is not None and not begun - _CLOCK_SET <= at <= ended + _CLOCK_SET:
                stated, first, last = map(_format_time, (moment, record.started_at, record.finished_at))
                place, within = pointer(phase, end), f"between {first} and {last}, the trial's times"
                likely = "the phase is copied from another trial"
                yield Finding("time", file, place, show(stated), within, CLAUSE, likely)
                return


def _format_time(moment: datetime | None) -> str:
    """The time in harbor's format."""
    return "" if moment is None else moment.isoformat().replace("+00:00", "Z")


def _seconds(moment: datetime | None) -> float | None:
    """Seconds by a clock that all of a job's trials share."""
    if moment is None or moment.tzinfo is not None:
        return None if moment is None else moment.timestamp()
    return (moment - _EPOCH).total_seconds()
