"""What a trial's record has to be: its schema, and findings instead of schema errors."""

from collections.abc import Iterator
from typing import Any

from jsonschema.exceptions import ValidationError as SchemaError

from conformance.check.findings import Finding
from conformance.check.reading.json_files import pointer, show
from conformance.check.trials.shapes import CLAUSE, NULLABLE
from conformance.judging.comparison import Level
from conformance.suite.schemas import validator

__all__ = ["schema_findings"]


def schema_findings(value: Any, file: str) -> Iterator[Finding]:
    """What is wrong with a record's content."""
    for error in validator("trial-result").iter_errors(_looked_at(value)):
        yield from _schema_finding(error, file)


def _looked_at(value: Any) -> Any:
    """The record without what its schema leaves open, which may be large."""
    if not isinstance(value, dict):
        return value
    config = value.get("config")
    made = {**value, "config": {}} if isinstance(config, dict) else dict(value)
    steps = value.get("step_results")
    if isinstance(steps, list):
        made["step_results"] = [_reported(step) for step in steps]
    return _reported(made)


def _reported(part: Any) -> Any:
    """A trial or step without its agent's own account."""
    report = part.get("agent_result") if isinstance(part, dict) else None
    if not isinstance(report, dict):
        return part
    made = dict(report)
    if isinstance(report.get("rollout_details"), list):
        made["rollout_details"] = []
    if isinstance(report.get("metadata"), dict):
        made["metadata"] = {}
    return {**part, "agent_result": made}


def _schema_finding(error: SchemaError, file: str) -> Iterator[Finding]:
    """A finding for each member at fault, and not for what a branch of `anyOf` could have been."""
    if error.validator == "anyOf" and error.context:
        branches: dict[Any, list[SchemaError]] = {}
        for inner in error.context:
            branches.setdefault(inner.schema_path[0], []).append(inner)
        fitting = [
            inner
            for inner in branches.values()
            if not any(part.validator == "type" and not part.path for part in inner)
        ]
        if fitting:
            for inner in min(fitting, key=len):
                yield from _schema_finding(inner, file)
            return
    place = pointer(*error.absolute_path)
    instance: Any = error.instance
    schema: Any = error.schema
    if error.validator == "additionalProperties" and isinstance(instance, dict):
        for key in instance.keys() - schema["properties"].keys():
            what = f"a member {show(key)}"
            yield Finding(
                "schema", file, place + pointer(key), what, "no such member", CLAUSE, None, Level.BYTES
            )
    elif error.validator == "required" and isinstance(instance, dict):
        missing = next(key for key in schema["required"] if f"'{key}' is" in error.message)
        optional = any(missing in names for names in NULLABLE.values())
        level = Level.BYTES if optional else Level.VALUE
        due = "a member, null if there is nothing to say" if optional else "a member"
        yield Finding("schema", file, place + pointer(missing), "nothing", due, CLAUSE, None, level)
    else:
        due = str(schema.get("description") or error.message) if isinstance(schema, dict) else error.message
        yield Finding("schema", file, place, show(instance), due, CLAUSE)
