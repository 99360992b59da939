"""Reads a trial's record, and finds out what is wrong with its text."""

import re
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from types import NoneType
from typing import Any, get_args
from uuid import UUID

import msgspec

from conformance.extensions.audit import formats, reading
from conformance.extensions.audit.findings import Finding
from conformance.extensions.audit.formats import CLAUSE, Forms, Part, Record, RecordForm, Shape
from conformance.extensions.audit.reading import Number, pointer, show
from conformance.judging.comparison import Level
from conformance.wire.untrusted_files import Refused, allowed
from reference_impl import ValidationError, validate_rewards

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


def load(content: bytes, file: str, spent: reading.Spent) -> Loaded:
    """Reads a trial's record.

    A record that encodes to the same text again, except for white space, is as harbor writes it. Any other
    record is read member by member.

    Raises:
        OverLimitError: the records of the job have too many values.
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
        made.findings.append(Finding.refused(refused, file, CLAUSE if refused.kind == "not-json" else None))
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


def _fit_object(value: Json, shape: type[Shape], form: RecordForm, path: str, made: Loaded) -> Json:
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
    if wanted is None:
        if of.name in _TIMES and isinstance(member, str) and not _MOMENT(member):
            made.add("schema", place, show(member), "a time in harbor's format")
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
        if of.name in _TIMES and isinstance(value, str) and not _MOMENT(value):
            return "a time in harbor's format"
        found = re.match(r"Expected `(.*)`, got `", str(error))
        return found[1].replace(" | ", " or ") if found else str(error).partition(" - at ")[0]
    except (RecursionError, OverflowError):
        return "a value that harbor writes"
    return None
