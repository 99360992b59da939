"""Reads a trial's record: quickly if it is as harbor writes it, else piece by piece."""

from datetime import datetime
from typing import Any

import msgspec

from conformance.check.findings import Finding
from conformance.check.json_files import Members, NotJsonError, Number, leaves, parse, repeated
from conformance.check.shapes import CLAUSE, NULLABLE, RecordShape, quick
from reference_impl import ValidationError, validate_rewards

__all__ = ["RECORD", "read_record"]

RECORD = "result.json"
"""The name of a trial's record in its directory, and of the job's result in the job's."""

_TEXT_CLAUSE = "003-3.3-text"
_UNUSED: dict[str, Any] = {
    "id": "00000000-0000-0000-0000-000000000000",
    "trial_uri": "",
    "task_id": {},
    "task_checksum": "",
    "config": {},
}
"""What the audit does not look at."""


def read_record(content: bytes, file: str, explain: bool) -> tuple[RecordShape | None, list[Finding]]:
    """The record, None if nothing can be made of it, and what is wrong with its text.

    Without `explain` it is not held to the schema.
    """
    shape = quick(content)
    if shape is not None:
        return shape, []
    try:
        value = parse(content)
    except NotJsonError as error:
        return None, [Finding("not-json", file, "", str(error), "a trial's record in JSON", CLAUSE)]
    found = [
        Finding("duplicate-key", file, place, "the key stands twice", "each key once", _TEXT_CLAUSE)
        for place in repeated(value)
    ]
    value = _plain(value, file, found)
    if explain:
        from conformance.check.record_schema import schema_findings  # rarely needed, and slow to load

        known = {finding.path for finding in found}
        found += [one for one in schema_findings(value, file) if one.path not in known]
    return _lenient(value), found


def _plain(value: Any, file: str, found: list[Finding]) -> Any:
    """The value as Python has it; NaN and infinities, which harbor writes as null, become null."""
    for place, leaf in leaves(value):
        if isinstance(leaf, Number) and leaf.text in ("NaN", "Infinity", "-Infinity"):
            likely = "NaN or an infinity is spelled out, which is no JSON"
            found.append(Finding("not-json", file, place, leaf.text, "null", "003-6-nan-in-result", likely))
    return _without_constants(value)


def _without_constants(value: Any) -> Any:
    if isinstance(value, Members):
        return {key: _without_constants(member) for key, member in value}
    if isinstance(value, list):
        return [_without_constants(member) for member in value]
    if isinstance(value, Number):
        return None if value.text.endswith(("N", "y")) else value.value
    return value


# What can be made of a record that is not as harbor writes it


def _lenient(value: Any) -> RecordShape | None:
    """The record as harbor's own reader would understand it, None if it would not."""
    try:
        return msgspec.convert(_filled(value), RecordShape, strict=False)
    except (msgspec.MsgspecError, RecursionError, ValueError, TypeError, KeyError):
        return None


def _kept(value: Any, *names: str, nullable: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise TypeError("an object is due here")
    made = {name: value[name] for name in names}
    return made | {name: value.get(name) for name in NULLABLE[nullable]}


def _filled(value: Any) -> dict[str, Any]:
    made = {
        **_UNUSED,
        **_kept(value, "task_name", "trial_name", "agent_info", nullable=""),
        "config": value["config"] if isinstance(value.get("config"), dict) else {},
    }
    agent = _kept(made["agent_info"], "name", nullable="agent_info") | {"version": ""}
    if agent["model_info"] is not None:
        agent["model_info"] = _kept(agent["model_info"], "name", nullable="model_info")
        agent["model_info"]["provider"] = None
    made["agent_info"] = agent
    _fill_result(made)
    for name in ("environment_setup", "agent_setup"):
        made[name] = None
    if made["step_results"] is not None:
        steps = [_kept(step, "step_name", nullable="step") for step in made["step_results"]]
        for step in steps:
            _fill_result(step)
        made["step_results"] = steps
    made["finished_at"] = None
    made["started_at"] = _moment(made["started_at"])
    return made


def _moment(value: Any) -> datetime | None:
    try:
        return msgspec.convert(value, datetime)
    except msgspec.ValidationError:
        return None


def _fill_result(made: dict[str, Any]) -> None:
    """What a trial and a step have in common."""
    if made["agent_result"] is not None:
        made["agent_result"] = _kept(made["agent_result"], nullable="agent_result") | {
            "rollout_details": None,
            "metadata": None,
        }
    if made["verifier_result"] is not None:
        rewards = _kept(made["verifier_result"], nullable="verifier_result")["rewards"]
        made["verifier_result"] = {"rewards": None if rewards is None else _rewards(rewards)}
    if made["exception_info"] is not None:
        kept = _kept(made["exception_info"], "exception_type", nullable="timing")
        made["exception_info"] = {
            "exception_type": kept["exception_type"],
            "exception_message": "",
            "exception_traceback": "",
            "occurred_at": "2000-01-01T00:00:00",
        }
    made["agent_execution"] = None
    if made["verifier"] is not None:
        made["verifier"] = {"started_at": None, "finished_at": None}


def _rewards(value: Any) -> dict[str, Any]:
    """Null stays: it stands for NaN and the infinities."""
    if not isinstance(value, dict):
        raise TypeError("an object is due here")
    try:
        numbers = validate_rewards({key: item for key, item in value.items() if item is not None}) or {}
    except ValidationError as error:
        raise TypeError(str(error)) from error
    return {key: numbers.get(key) for key in value}
