"""Reads a job's trials: each directory's record and reward files become a row, with any findings.

Mirrors of results often omit reward files. If no trial of a job has any, the records are checked alone; if
some have, each missing one is a finding. That is only known once all trials were read.
"""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import product
from typing import TYPE_CHECKING
from uuid import UUID

from conformance.extensions.audit.findings import Finding, Findings, Severity
from conformance.extensions.audit.formats import CLAUSE, JOB_FILE, Forms, Part, Record, Report, readings_of
from conformance.extensions.audit.listing import Listing
from conformance.extensions.audit.loading import Loaded, load
from conformance.extensions.audit.reading import Spent, pointer, read_file, show
from conformance.extensions.audit.rewards import Run, Verdict, best_reading, judge, read_files, with_nulls
from conformance.extensions.audit.rows import Row, policy_findings, policy_of
from conformance.judging.comparison import Level
from conformance.wire.untrusted_files import Folder, Refused
from reference_impl import AgentResult, Trial, VerifierResult
from reference_impl.multi_step import Step

if TYPE_CHECKING:
    from conformance.extensions.audit.against_dataset import AgainstDataset

_EPOCH = datetime(1970, 1, 1)
_MOST_UNKNOWN_MEMBERS = 200
_FEW_DIGITS = 3
"""The most different digits of an id that is a placeholder, such as one of zeros."""
_CLOCK_SET = 60.0
"""The most seconds by which a phase may exceed the trial's own time: clocks are adjusted while trials run."""
_BEHIND, _ZONES = 12 * 3600.0, 26 * 3600.0
"""The most seconds that local times are behind UTC, and between any two zones."""


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
    _present: bool = False
    _lacking: list[tuple[Row, Verdict]] = field(default_factory=list)
    """Trials whose verifier ran but left no reward file, with the verdict if other trials have some."""
    _unknown_members: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Members that no release writes, by place: the first file and the number of files that have it."""

    def read(self, folder: Folder, name: str) -> Row | None:
        """The trial in a directory; None if it has no record or an unusable one (which is then in `unread`).

        Raises:
            OverLimitError: with this one the job's trials are too much.
        """
        spent, file = self.spent, f"{name}/{JOB_FILE}"
        spent.file = file
        try:
            content = read_file(folder, JOB_FILE, spent.limits.record_bytes)
        except Refused as refused:
            self._refused(refused, file)
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
        if (record := loaded.record) is None:
            self.unread.add(name)
            return None
        if self.dataset is not None:
            self.dataset.trial(name, record)
        row = self._row(name, loaded.forms, record)
        self.sink.pending += policy_findings(record, file)
        self.sink.pending += _check_times(record, row, file)
        self._compare_with_files(folder, row, loaded, record)
        return row

    def settle(self) -> None:
        """Decides what is only known once all trials were read."""
        self.alone = bool(self._lacking) and not self._present
        for row, verdict in () if self.alone else self._lacking:
            self._settle(row, verdict)
        for place, (file, count) in self._unknown_members.items():
            what = f"a member that no harbor writes, in {count} record{'s' if count > 1 else ''}"
            note = Finding("schema", file, place, what, "no such member", CLAUSE, None, Level.BYTES)
            self.sink.pending.append(replace(note, severity_override=Severity.NOTE))

    def _refused(self, refused: Refused, file: str) -> None:
        self.sink.pending.append(Finding.refused(refused, file))

    def _settle(self, row: Row, verdict: Verdict) -> None:
        self.sink.pending += verdict.findings
        trial = row.trial
        if verdict.result is not trial.verifier_result or verdict.exception != trial.exception:
            row.trial = replace(trial, verifier_result=verdict.result, exception=verdict.exception)

    def _row(self, folder: str, forms: Forms, record: Record) -> Row:
        """The trial as recorded."""
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
        begun = _seconds(record.started_at)
        errors = [step.exception_info for step in steps or ()]
        return Row(
            *(trial, folder, forms, begun, record.finished_at, record.id, task),
            files={} if self.keep_files else None,
            step_errors=tuple([None if one is None else one.exception_type for one in errors]),
            overrides={
                one.exception_type: policy_of(one).has_valid_reward
                for one in (raised, *errors)
                if one is not None and one.policy_override
            },
        )

    def _compare_with_files(self, folder: Folder, row: Row, loaded: Loaded, record: Record) -> None:
        """Compares the record with its reward files, and the trial's rewards with those of its steps."""
        steps, whole = record.steps, row.trial.verifier_result
        if steps is None:
            runs = [self._run(folder, row, record, whole)]
            if runs[0].wrong is None and runs[0].stated.verifier_result is whole:
                return
        else:
            runs = []
            for at, step in enumerate(steps):
                result = with_nulls(step, lambda _: math.nan)
                runs.append(self._run(folder, row, step, result, f"/step_results/{at}"))
            row.steps = {step.step_name: run.stated for step, run in zip(steps, runs, strict=True)}
        questions = [run.wrong for run in runs if run.wrong is not None]
        lacking = bool(questions) and not any(run.there for run in runs if run.wrong is not None)
        verdict = judge(loaded, record, runs, [] if lacking else questions, self.listing)
        self._settle(row, verdict)
        row.strategy = verdict.strategy
        if lacking:
            later = judge(loaded, record, runs, questions, self.listing)
            later.findings = [one for one in later.findings if one not in verdict.findings]
            self._lacking.append((row, later))

    def _run(
        self, folder: Folder, row: Row, part: Record | Part, result: VerifierResult | None, place: str = ""
    ) -> Run:
        """A verifier run with that recorded `result`: the trial's, or that of the step at `place`."""
        raised = None if part.exception_info is None else part.exception_info.exception_type
        step = Step(result, raised, None)
        if result is None and part.verifier is None:
            return Run(step, step)
        name = part.step_name if isinstance(part, Part) else ""
        if place and (name in ("", ".", "..") or "/" in name or "\0" in name):
            what = (f"{place}/step_name", show(name), "the name of a directory", CLAUSE)
            self.sink.pending.append(Finding("schema", f"{row.folder}/{JOB_FILE}", *what))
            return Run(step, step)
        path = ("steps", name) if place else ()
        try:
            files = read_files(folder, path, self.spent)
            self._present |= bool(files)
            if row.files is not None:
                row.files = {**row.files, name: files}
            most, config = self.spent.limits.reward_keys, getattr(part, "config", None)
            readings = readings_of(row.forms, config)
            given, wrong = best_reading(files, part, readings, most, path, place)
        except Refused as refused:
            self._refused(refused, "/".join((row.folder, refused.where or "/".join((*path, "verifier")))))
            return Run(step, step)
        if wrong is not None:
            measured = None if given.error is not None else VerifierResult(given.rewards)
            return Run(step, Step(measured, raised or given.error, None), wrong, bool(files))
        recorded = part.verifier_result and part.verifier_result.rewards
        if result is not None and (place or None in (recorded or {}).values()):
            step = Step(VerifierResult(given.rewards), raised, None)  # it has NaN and the infinities
        return Run(step, step)


def _report(stated: Report | None) -> AgentResult | None:
    if stated is None:
        return None
    return AgentResult(stated.n_input_tokens, stated.n_cache_tokens, stated.n_output_tokens, stated.cost_usd)


def _check_times(record: Record, row: Row, file: str) -> Iterator[Finding]:
    """Reports an end before its start, or the first phase that exceeds the trial's own time."""
    begun, ended, text = row.started, _seconds(record.finished_at), _format_time
    if begun is None or ended is None:
        return
    if ended < begun:
        begin = f"not before {text(record.started_at)}, when the trial began"
        yield Finding("time", file, "/finished_at", show(text(record.finished_at)), begin, CLAUSE)
        return
    for phase, end in product(("agent_execution", "verifier"), ("started_at", "finished_at")):
        moment = getattr(getattr(record, phase), end, None)
        at = _seconds(moment)
        if at is not None and not begun - _CLOCK_SET <= at <= ended + _CLOCK_SET:
            within = f"between {text(record.started_at)} and {text(record.finished_at)}, the trial's times"
            what = (show(text(moment)), within, CLAUSE, "the phase is copied from another trial")
            yield Finding("time", file, pointer(phase, end), *what)
            return


def between_trials(rows: Sequence[Row], listing: Listing, ended: datetime | None) -> Iterator[Finding]:
    """Reports an id that two trials have, and trials that end after the job that lists them has `ended`.

    A job's times are local and have no zone, and it may be resumed in another zone.
    """
    counts: Counter[UUID | None] = Counter(row.id for row in rows if row.id is not None)
    last = _seconds(ended)
    firsts: dict[UUID | None, Row] = {}
    for row in sorted((row for row in rows if counts[row.id] > 1), key=lambda row: row.folder):
        first = firsts.setdefault(row.id, row)
        if first is not row and row.id is not None and len({*row.id.hex}) > _FEW_DIGITS:
            wanted, file = f"an id of its own; {show(first.folder)} has it too", f"{row.folder}/{JOB_FILE}"
            yield Finding("duplicate-trial", file, "/id", f"the id {row.id}", wanted, CLAUSE)
    for row in rows if last is not None else ():
        at, local = _seconds(row.ended), row.ended is not None and row.ended.tzinfo is None
        late = at is not None and last is not None and at > last + (_ZONES if local else _BEHIND) + _CLOCK_SET
        if late and row.trial.trial_name in listing:
            wanted = f"not after {_format_time(ended)}, when the job finished, in any time zone"
            what = (show(_format_time(row.ended)), wanted, CLAUSE, "the trial was run again elsewhere")
            yield Finding("time", f"{row.folder}/{JOB_FILE}", "/finished_at", *what)


def _format_time(moment: datetime | None) -> str:
    """The time in harbor's format."""
    return "" if moment is None else moment.isoformat().replace("+00:00", "Z")


def _seconds(moment: datetime | None) -> float | None:
    """Seconds by a clock that all of a job's trials share."""
    if moment is None or moment.tzinfo is not None:
        return None if moment is None else moment.timestamp()
    return (moment - _EPOCH).total_seconds()
