"""Reads a job's trials: turns each directory's record and reward files into a row, with any findings.

Mirrors of results often omit reward files. If no trial of a job has any, only the records are checked. If
some have, each missing file is a finding, which is only known once all trials have been read.
"""

import math
import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args

import msgspec

from conformance.extensions.audit import formats, reading
from conformance.extensions.audit.findings import Finding, Findings, Severity
from conformance.extensions.audit.formats import CLAUSE, JOB_FILE, Forms, Part, Record, Shape
from conformance.extensions.audit.listing import Listing
from conformance.extensions.audit.reading import Number, Spent, pointer, show
from conformance.extensions.audit.rewards import Run, Verdict, best_reading, judge, read_files, restore_nulls
from conformance.extensions.audit.rows import (
    Row,
    agent_result,
    policy_findings,
    policy_of,
    seconds_of,
    time_findings,
)
from conformance.judging.levels import Level
from conformance.wire.untrusted_files import Folder, Refused, allowed
from reference_impl import Trial, ValidationError, VerifierResult, validate_rewards
from reference_impl.multi_step import Step

if TYPE_CHECKING:
    from conformance.extensions.audit.against_dataset import AgainstDataset

Json = dict[str, Any]
_SPACE = b" \n\r\t"
_FEW, _MOST = 5, 1000
_COMMON_MEMBERS = frozenset({"trial_name", "task_name", "agent_info", "verifier_result", "exception_info"})
"""Each trial's record has some of these members."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?(Z|[+-]\d\d:\d\d)?", re.ASCII).fullmatch
_TIMES = ("started_at", "finished_at", "occurred_at")
_decode = msgspec.json.Decoder(Record).decode
_encode = msgspec.json.Encoder().encode
_READS = (msgspec.MsgspecError, RecursionError, ValueError, MemoryError)
"""The errors of decoding; text that is not UTF-8 raises a ValueError."""
_MOST_UNKNOWN_MEMBERS = 200


@dataclass(slots=True)
class Loaded:
    """The result of reading a record."""

    file: str
    record: Record | None = None
    """The record; None if it can't be used."""
    forms: Forms = ()
    """The forms that the record may have."""
    findings: list[Finding] = field(default_factory=list)
    unknown_members: list[str] = field(default_factory=list)
    """Pointers to members that no release writes."""

    def add(self, kind: str, path: str, actual: str, wanted: str, **more: Any) -> None:
        """Add a finding."""
        self.findings.append(Finding(kind, self.file, path, actual, wanted, **{"clause": CLAUSE, **more}))


def load(content: bytes, file: str, spent: Spent) -> Loaded:
    """Read a trial's record.

    A record is as harbor writes it if decoding and encoding it gives the same text, except for white space.
    Any other record is read member by member.

    Raises:
        StopError: the records of the job have too many values.
    """
    loaded, limits = Loaded(file), spent.limits
    try:
        reading.require_few_values(content, limits.file_values)
        with suppress(*_READS):
            record = _decode(content) if reading.depth_of(content) <= reading.DEEPEST else None
            loaded.forms = () if record is None else formats.forms_of(record)
            encoded = _encode(record) if loaded.forms else b""
            if encoded and (  # in harbor's layout, or equal except for white space
                msgspec.json.format(encoded, indent=4) == content
                or encoded.translate(None, _SPACE) == content.translate(None, _SPACE)
            ):
                loaded.record = record
        if loaded.record is None:
            parsed = reading.parse(content, limits.file_values, "a trial's record in JSON")
            spent.add("all_values", content.count(b",") + content.count(b":"))
            _load_member_by_member(loaded, parsed)
        if (record := loaded.record) is not None:
            parts = (record, *(record.steps or ()))
            rewards = [len(part.verifier_result.rewards or ()) for part in parts if part.verifier_result]
            most_rewards = (max(rewards, default=0), limits.reward_keys)
            counts = {"steps": (len(parts) - 1, limits.steps), "rewards": most_rewards}
            for name, (count, most) in counts.items():
                if count > most:
                    raise Refused("too-large", f"{count} {name}", allowed(most, name, count))
            spent.add("all_rewards", sum(rewards))
    except Refused as refused:
        loaded.record = None
        clause = CLAUSE if refused.kind == "not-json" else None
        loaded.add(refused.kind, "", refused.found, refused.expected, clause=clause)
    return loaded


def _load_member_by_member(loaded: Loaded, parsed: Any) -> None:
    """Read a record that is not as harbor writes it, and report the differences."""
    for where in reading.repeated(parsed):
        loaded.add("duplicate-key", where, "the key occurs twice", "each key once", clause="003-3.3-text")
    for path, leaf in reading.walk(parsed):
        if isinstance(leaf, Number) and leaf.text in ("NaN", "Infinity", "-Infinity"):
            likely, rule = "NaN or an infinity is spelled out: JSON has neither", "003-6-nan-in-result"
            loaded.add("not-json", pointer(*path), leaf.text, "null", clause=rule, likely=likely)
    value = reading.plain(parsed, finite=True)
    if not isinstance(value, dict) or not value.keys() & _COMMON_MEMBERS:
        keys = list(value)[:_FEW] if isinstance(value, dict) else []
        members = f"an object of {', '.join(map(show, keys))}" if keys else show(value)
        return loaded.add("schema", "", members, "a trial's record; this file is from another tool")
    steps = value.get("step_results")
    parts = (value, *(steps if isinstance(steps, list) else ()))
    reports = (part.get("agent_result") for part in parts if isinstance(part, dict))
    report = next((item for item in reports if isinstance(item, dict)), {})
    later = {"step_results"} if formats.is_later_config(value.get("config")) else set()
    form = formats.nearest_record_form({*value, *later}, report)
    known, before = len(loaded.findings), {finding.path for finding in loaded.findings}
    value = _fit_object(value, Record, form, "", loaded)
    faults = [finding for finding in loaded.findings[known:] if finding.path not in before][:_MOST]
    loaded.findings[known:] = faults
    try:
        loaded.record = msgspec.convert(value, Record, strict=not faults)
        loaded.forms = (form,) if faults else formats.forms_of(loaded.record) or (form,)
    except _READS:
        if not loaded.findings:
            loaded.add("schema", "", "a record that harbor can't read", "a trial's record")
    return None


def _fit_object(value: Json, shape: type[Shape], form: formats.RecordForm, path: str, loaded: Loaded) -> Json:
    """Return the object as harbor reads it; report missing, unknown and wrong members."""
    expected, fitted = form.members(shape), dict[str, Any]()
    base = re.sub(r"^/step_results/\d+", "/step_results/*", path)
    loaded.unknown_members += [base + pointer(name) for name in value if name not in shape.__struct_fields__]
    for info in msgspec.structs.fields(shape):
        name, full, member = info.name, path + pointer(info.name), value.get(info.name)
        inner, required = formats.inner_type(info.type), NoneType not in get_args(info.type)
        if name not in value:
            if name in expected:
                wanted = "a member" if required else "a member, null if there is no value"
                loaded.add("schema", full, "nothing", wanted, breaks=Level.VALUE if required else Level.BYTES)
            if info.required and (name in formats.DEFAULT_VALUES or not required):
                fitted[name] = formats.DEFAULT_VALUES.get(name)
        elif inner is Part and isinstance(member, list) and all(isinstance(step, dict) for step in member):
            steps = enumerate(member)
            fitted[name] = [_fit_object(step, Part, form, f"{full}/{index}", loaded) for index, step in steps]
        elif inner not in (None, Part) and isinstance(member, dict):
            fitted[name] = _fit_object(member, inner, form, full, loaded)
        else:
            fitted[name] = _fit_value(member, info, full, loaded)
        if name == "provider" and name in value and member is None and form.provider_required:
            loaded.add("schema", full, "null", "its provider")
    return fitted


def _fit_value(member: Any, info: msgspec.structs.FieldInfo, path: str, loaded: Loaded) -> Any:
    """Return the value as harbor reads it; report a value that no release writes."""
    wanted, stated = formats.expected_type(member, info), member
    if info.name in _TIMES and isinstance(member, str) and not _MOMENT(member):
        loaded.add("schema", path, show(member), "a time in harbor's format")
        return member if wanted is None else formats.DEFAULT_VALUES[info.name]
    if wanted is None:
        return member
    members = member.items() if isinstance(member, dict) else ()
    wrong = [(key, value) for key, value in members if formats.expected_type({"": value}, info)]
    for key, value in wrong[:1]:
        stated, path = value, path + pointer(key)
    loaded.add("schema", path, show(stated), wanted)
    if info.name == "rewards" and isinstance(member, dict):
        numbers = {key: number for key, number in member.items() if number is not None}
        with suppress(ValidationError):
            return dict.fromkeys(member) | (validate_rewards(numbers) or {})
    return formats.DEFAULT_VALUES.get(info.name, member)


@dataclass(slots=True)
class TrialReader:
    """Reads trials one after another."""

    spent: Spent
    listing: Listing
    sink: Findings
    keep_files: bool = False
    """Whether rows store their reward files."""
    dataset: "AgainstDataset | None" = None
    """Compares the records with the kit's datasets, if the job ran them."""
    forms: Counter[Forms] = field(default_factory=Counter)
    """The forms that the records may have."""
    unread: set[str] = field(default_factory=set)
    """Directories whose trials could not be read."""
    without_files: bool = False
    """Whether no trial has reward files; known once all were read."""
    _present: bool = False
    _lacking: list[tuple[Row, Verdict]] = field(default_factory=list)
    """Trials whose verifier ran but left no reward file, with the verdict in case other trials have some."""
    _unknown_members: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Members that no release writes, by pointer: the first file that has it, and the number of files."""

    def read(self, folder: Folder, name: str) -> Row | None:
        """Read the trial in a directory; None if it has no record, or an unusable one, which `unread` lists.

        Raises:
            StopError: the job's trials exceed a limit.
        """
        spent, file = self.spent, f"{name}/{JOB_FILE}"
        spent.file = file
        try:
            content = reading.read_file(folder, JOB_FILE, spent.limits.record_bytes)
        except Refused as refused:
            self.sink.add_refusal(refused, file)
            self.unread.add(name)
            return None
        if content is None:
            return None
        spent.add("all_bytes", len(content))
        loaded = load(content, file, spent)
        del content  # it may be large
        self.sink.pending += loaded.findings
        for path in loaded.unknown_members:
            path = path if len(self._unknown_members) < _MOST_UNKNOWN_MEMBERS else ""
            first, count = self._unknown_members.get(path, (file, 0))
            self._unknown_members[path] = (first, count + 1)
        if loaded.forms:
            self.forms[loaded.forms] += 1
        if (record := loaded.record) is None:
            self.unread.add(name)
            return None
        if self.dataset is not None:
            self.dataset.trial(name, record)
        row = self._row(name, loaded.forms, record)
        self.sink.pending += policy_findings(record, file)
        self.sink.pending += time_findings(record, row, file)
        self._compare_with_files(folder, row, record, {finding.path for finding in loaded.findings})
        return row

    def finish(self) -> None:
        """Add the findings that depend on all trials."""
        self.without_files = bool(self._lacking) and not self._present
        for row, verdict in () if self.without_files else self._lacking:
            self._apply_verdict(row, verdict)
        for path, (file, count) in self._unknown_members.items():
            description = f"a member that no release writes, in {count} record{'s' if count > 1 else ''}"
            note = Finding("schema", file, path, description, "no such member", CLAUSE, None, Level.BYTES)
            self.sink.pending.append(replace(note, severity_override=Severity.NOTE))

    def _apply_verdict(self, row: Row, verdict: Verdict) -> None:
        self.sink.pending += verdict.findings
        row.trial = replace(row.trial, verifier_result=verdict.result, exception=verdict.exception)

    def _row(self, folder: str, forms: Forms, record: Record) -> Row:
        """Return the row for a trial as recorded."""
        raised, model, steps = record.exception_info, record.agent_info.model_info, record.steps
        trial = Trial(
            record.task_name,
            record.trial_name,
            record.source,
            record.agent_info.name,
            None if model is None else model.name,
            restore_nulls(record, partial(self.listing.null, record.trial_name)),
            None if raised is None else raised.exception_type,
            agent_result(record.agent_result),
            None if steps is None else [agent_result(step.agent_result) for step in steps],
        )
        task = (tuple(record.task_id.items()), record.task_checksum) if record.task_id else None
        begun = seconds_of(record.started_at)
        errors = [step.exception_info for step in steps or ()]
        return Row(
            *(trial, folder, forms, begun, record.finished_at, record.id, task),
            files={} if self.keep_files else None,
            step_errors=tuple([None if error is None else error.exception_type for error in errors]),
            overrides={
                error.exception_type: policy_of(error).has_valid_reward
                for error in (raised, *errors)
                if error is not None and error.policy_override
            },
        )

    def _compare_with_files(self, folder: Folder, row: Row, record: Record, known: set[str]) -> None:
        """Compare the record with its reward files, and the trial's rewards with those of its steps."""
        steps, whole = record.steps, row.trial.verifier_result
        if steps is None:
            runs = [self._run(folder, row, record, whole)]
            if runs[0].wrong is None and runs[0].stated.verifier_result is whole:
                return
        else:
            runs = []
            for index, step in enumerate(steps):
                result = restore_nulls(step, lambda _: math.nan)
                runs.append(self._run(folder, row, step, result, f"/step_results/{index}"))
            row.steps = {step.step_name: run.stated for step, run in zip(steps, runs, strict=True)}
        questions = [run.wrong for run in runs if run.wrong is not None]
        lacking = bool(questions) and all(gap.result.error == formats.NOT_FOUND for gap in questions)
        verdict = judge(record, row.folder, known, runs, [] if lacking else questions, self.listing)
        self._apply_verdict(row, verdict)
        row.strategy = verdict.strategy
        if lacking:
            later = judge(record, row.folder, known, runs, questions, self.listing)
            later.findings = [finding for finding in later.findings if finding not in verdict.findings]
            self._lacking.append((row, later))

    def _run(
        self, folder: Folder, row: Row, part: Record | Part, result: VerifierResult | None, prefix: str = ""
    ) -> Run:
        """Return the trial's verifier run, or the one of the step at `prefix`, with its recorded `result`."""
        raised = None if part.exception_info is None else part.exception_info.exception_type
        step = Step(result, raised, None)
        if result is None and part.verifier is None:
            return Run(step, step)
        name = part.step_name if isinstance(part, Part) else ""
        if prefix and (name in ("", ".", "..") or "/" in name or "\0" in name):
            details = (f"{prefix}/step_name", show(name), "the name of a directory", CLAUSE)
            self.sink.pending.append(Finding("schema", f"{row.folder}/{JOB_FILE}", *details))
            return Run(step, step)
        path = ("steps", name) if prefix else ()
        try:
            files = read_files(folder, path, self.spent)
            self._present |= bool(files)
            if row.files is not None:
                row.files = {**row.files, name: files}
            most, config = self.spent.limits.reward_keys, getattr(part, "config", None)
            readings = formats.readings_of(row.forms, config)
            measurement, wrong = best_reading(files, part, readings, most, path, prefix)
        except Refused as refused:
            self.sink.add_refusal(
                refused, "/".join((row.folder, refused.where or "/".join((*path, "verifier"))))
            )
            return Run(step, step)
        if wrong is not None:
            measured = None if measurement.error is not None else VerifierResult(measurement.rewards)
            return Run(step, Step(measured, raised or measurement.error, None), wrong)
        recorded = part.verifier_result and part.verifier_result.rewards
        if result is not None and (prefix or None in (recorded or {}).values()):
            step = Step(VerifierResult(measurement.rewards), raised, None)  # with the values of nulls
        return Run(step, step)
