"""Reads a job's trials: each directory's record and reward files become a row, with any findings.

Mirrors of results often omit reward files. If no trial of a job has any, the records are checked alone; if
some have, each missing one is a finding. That is only known once all trials were read.
"""

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from itertools import product
from types import NoneType
from typing import TYPE_CHECKING, Any, get_args
from uuid import UUID

import msgspec

from conformance.extensions.audit import formats, reading
from conformance.extensions.audit.findings import Finding, Findings, Severity
from conformance.extensions.audit.formats import CLAUSE, JOB_FILE, Forms, Part, Record, Report, Shape
from conformance.extensions.audit.listing import Listing
from conformance.extensions.audit.reading import Number, Spent, pointer, show
from conformance.extensions.audit.rewards import Run, Verdict, best_reading, judge, read_files, with_nulls
from conformance.extensions.audit.rows import Row, policy_findings, policy_of
from conformance.judging.comparison import Level
from conformance.wire.untrusted_files import Folder, Refused, allowed
from reference_impl import AgentResult, Trial, ValidationError, VerifierResult, validate_rewards
from reference_impl.multi_step import Step

if TYPE_CHECKING:
    from conformance.extensions.audit.against_dataset import AgainstDataset

Json = dict[str, Any]
_SPACE = b" \n\r\t"
_FEW, _MOST = 5, 1000
_COMMON_MEMBERS = frozenset({"trial_name", "task_name", "agent_info", "verifier_result", "exception_info"})
"""Every trial's record has some of these members."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?(Z|[+-]\d\d:\d\d)?", re.ASCII).fullmatch
_TIMES = ("started_at", "finished_at", "occurred_at")
_DEFAULT_VALUES: dict[str, Any] = {
    "id": UUID(int=0),
    "task_id": {},
    "config": {},
    "verifier": formats.Timing(None, None),
    "occurred_at": datetime(1970, 1, 1),
    **dict.fromkeys(
        ("trial_uri", "task_checksum", "version", "exception_message", "exception_traceback"), ""
    ),
    **dict.fromkeys(("started_at", "finished_at", "environment_setup", "agent_setup", "agent_execution")),
    **dict.fromkeys(("provider", "metadata", "verifier_environment_mode", *formats.NOT_ALWAYS)),
}
"""Replacements for wrong values of members that the audit does not need."""
_decode = msgspec.json.Decoder(Record).decode
_encode = msgspec.json.Encoder().encode
_READS = (msgspec.MsgspecError, RecursionError, ValueError, MemoryError)
"""The errors that decoding raises; text that is not UTF-8 is a ValueError."""
_EPOCH = datetime(1970, 1, 1)
_MOST_UNKNOWN_MEMBERS = 200
_FEW_DIGITS = 3
"""The most different digits of an id that is a placeholder, such as one of zeros."""
_CLOCK_SET = 60.0
"""The most seconds by which a phase may exceed the trial's own time: clocks are adjusted while trials run."""
_BEHIND, _ZONES = 12 * 3600.0, 26 * 3600.0
"""The most seconds that local times are behind UTC, and between any two zones."""


@dataclass(slots=True)
class Loaded:
    """A record that was read."""

    file: str
    record: Record | None = None
    """The record; None if it can't be used."""
    forms: Forms = ()
    """The forms that it may have."""
    findings: list[Finding] = field(default_factory=list)
    unknown_members: list[str] = field(default_factory=list)
    """Pointers to members that no release writes."""

    def add(self, kind: str, path: str, found: str, wanted: str, **more: Any) -> None:
        """Adds a finding."""
        self.findings.append(Finding(kind, self.file, path, found, wanted, **{"clause": CLAUSE, **more}))


def load(content: bytes, file: str, spent: Spent) -> Loaded:
    """Reads a trial's record.

    A record that encodes to the same text again, except for white space, is as harbor writes it. Any other
    record is read member by member.

    Raises:
        StopError: the records of the job have too many values.
    """
    made, limits = Loaded(file), spent.limits
    try:
        reading.require_few_values(content, limits.file_values)
        with suppress(*_READS):
            record = _decode(content) if reading.depth_of(content) <= reading.DEEPEST else None
            made.forms = () if record is None else formats.forms_of(record)
            encoded = _encode(record) if made.forms else b""
            if encoded and (  # in harbor's layout, or equal except for white space
                msgspec.json.format(encoded, indent=4) == content
                or encoded.translate(None, _SPACE) == content.translate(None, _SPACE)
            ):
                made.record = record
        if made.record is None:
            parsed = reading.parse(content, limits.file_values, "a trial's record in JSON")
            spent.add("all_values", content.count(b",") + content.count(b":"))
            _load_member_by_member(made, parsed)
        if (record := made.record) is not None:
            parts = (record, *(record.steps or ()))
            rewards = [len(one.verifier_result.rewards or ()) for one in parts if one.verifier_result]
            most_rewards = (max(rewards, default=0), limits.reward_keys)
            every = {"steps": (len(parts) - 1, limits.steps), "rewards": most_rewards}
            for of, (count, most) in every.items():
                if count > most:
                    raise Refused("too-large", f"{count} {of}", allowed(most, of, count))
            spent.add("all_rewards", sum(rewards))
    except Refused as refused:
        made.record = None
        clause = CLAUSE if refused.kind == "not-json" else None
        made.add(refused.kind, "", refused.what, refused.due, clause=clause)
    return made


def _load_member_by_member(made: Loaded, parsed: Any) -> None:
    """Reads a record that is not as harbor writes it, and reports the differences."""
    for place in reading.repeated(parsed):
        made.add("duplicate-key", place, "the key occurs twice", "each key once", clause="003-3.3-text")
    for path, leaf in reading.walk(parsed):
        if isinstance(leaf, Number) and leaf.text in ("NaN", "Infinity", "-Infinity"):
            likely, rule = "NaN or an infinity is spelled out, which is not JSON", "003-6-nan-in-result"
            made.add("not-json", pointer(*path), leaf.text, "null", clause=rule, likely=likely)
    value = reading.plain(parsed, finite=True)
    if not isinstance(value, dict) or not value.keys() & _COMMON_MEMBERS:
        keys = list(value)[:_FEW] if isinstance(value, dict) else []
        members = f"an object of {', '.join(map(show, keys))}" if keys else show(value)
        return made.add("schema", "", members, "a trial's record; this is from another tool")
    steps = value.get("step_results")
    parts = (value, *(steps if isinstance(steps, list) else ()))
    reports = (part.get("agent_result") for part in parts if isinstance(part, dict))
    report = next((one for one in reports if isinstance(one, dict)), {})
    later = {"step_results"} if formats.is_later_config(value.get("config")) else set()
    form = formats.nearest_record_form({*value, *later}, report)
    known, before = len(made.findings), {finding.path for finding in made.findings}
    value = _fit_object(value, Record, form, "", made)
    faults = [one for one in made.findings[known:] if one.path not in before][:_MOST]
    made.findings[known:] = faults
    try:
        made.record = msgspec.convert(value, Record, strict=not faults)
        made.forms = (form,) if faults else formats.forms_of(made.record) or (form,)
    except _READS:
        if not made.findings:
            made.add("schema", "", "a record that harbor does not read", "a trial's record")
    return None


def _fit_object(value: Json, shape: type[Shape], form: formats.RecordForm, path: str, made: Loaded) -> Json:
    """The object as harbor reads it; reports missing, unknown or wrong members."""
    expected, fitted = form.members(shape), dict[str, Any]()
    every = re.sub(r"^/step_results/\d+", "/step_results/*", path)
    made.unknown_members += [every + pointer(name) for name in value if name not in shape.__struct_fields__]
    for one in msgspec.structs.fields(shape):
        name, place, member = one.name, path + pointer(one.name), value.get(one.name)
        inner, required = _inner_type(one.type), NoneType not in get_args(one.type)  # as harbor reads it
        if name not in value:
            if name in expected:
                wanted = "a member" if required else "a member, null if there is no value"
                made.add("schema", place, "nothing", wanted, breaks=Level.VALUE if required else Level.BYTES)
            if one.required and (name in _DEFAULT_VALUES or not required):
                fitted[name] = _DEFAULT_VALUES.get(name)
        elif inner is Part and isinstance(member, list) and all(isinstance(step, dict) for step in member):
            steps = enumerate(member)
            fitted[name] = [_fit_object(step, Part, form, f"{place}/{at}", made) for at, step in steps]
        elif inner not in (None, Part) and isinstance(member, dict):
            fitted[name] = _fit_object(member, inner, form, place, made)
        else:
            fitted[name] = _fit_value(member, one, place, made)
        if name == "provider" and name in value and member is None and form.provider_required:
            made.add("schema", place, "null", "its provider")
    return fitted


def _inner_type(of: Any) -> type[Shape] | None:
    """The shape of a member of that type, or of the items of its list."""
    if args := get_args(of):
        return next((inner for one in args if (inner := _inner_type(one)) is not None), None)
    return of if isinstance(of, type) and issubclass(of, Shape) else None


def _fit_value(member: Any, of: msgspec.structs.FieldInfo, place: str, made: Loaded) -> Any:
    """The value as harbor reads it; reports a value that no release writes."""
    wanted, stated = _fault(member, of), member
    if of.name in _TIMES and isinstance(member, str) and not _MOMENT(member):
        made.add("schema", place, show(member), "a time in harbor's format")
        return member if wanted is None else _DEFAULT_VALUES[of.name]
    if wanted is None:
        return member
    wrong = [key for key in member if _fault({"": member[key]}, of)] if isinstance(member, dict) else []
    for key in wrong[:1]:
        stated, place = member[key], place + pointer(key)
    made.add("schema", place, show(stated), wanted)
    if of.name == "rewards" and isinstance(member, dict):
        numbers = {key: one for key, one in member.items() if one is not None}
        with suppress(ValidationError):
            return dict.fromkeys(member) | (validate_rewards(numbers) or {})
    return _DEFAULT_VALUES.get(of.name, member)


def _fault(value: Any, of: msgspec.structs.FieldInfo) -> str | None:
    """What is expected instead of a value; None if it is of the member's type."""
    try:
        msgspec.convert(value, of.type)
    except msgspec.ValidationError as error:
        found = re.match(r"Expected `(.*)`, got `", str(error))
        return found[1].replace(" | ", " or ") if found else str(error).partition(" - at ")[0]
    except (RecursionError, OverflowError):
        return "a value that harbor writes"
    return None


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
            StopError: with this one the job's trials are too much.
        """
        spent, file = self.spent, f"{name}/{JOB_FILE}"
        spent.file = file
        try:
            content = reading.read_file(folder, JOB_FILE, spent.limits.record_bytes)
        except Refused as refused:
            self.sink.refuse(refused, file)
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
        self._compare_with_files(folder, row, record, {one.path for one in loaded.findings})
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

    def _compare_with_files(self, folder: Folder, row: Row, record: Record, known: set[str]) -> None:
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
        lacking = bool(questions) and all(one.given.error == formats.NOT_FOUND for one in questions)
        verdict = judge(record, row.folder, known, runs, [] if lacking else questions, self.listing)
        self._settle(row, verdict)
        row.strategy = verdict.strategy
        if lacking:
            later = judge(record, row.folder, known, runs, questions, self.listing)
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
            readings = formats.readings_of(row.forms, config)
            given, wrong = best_reading(files, part, readings, most, path, place)
        except Refused as refused:
            self.sink.refuse(refused, "/".join((row.folder, refused.where or "/".join((*path, "verifier")))))
            return Run(step, step)
        if wrong is not None:
            measured = None if given.error is not None else VerifierResult(given.rewards)
            return Run(step, Step(measured, raised or given.error, None), wrong)
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
