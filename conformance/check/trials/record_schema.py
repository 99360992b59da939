"""What a trial's record has to be: its schema, and findings instead of schema errors."""

import copy
import functools
from collections.abc import Iterator
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError as SchemaError

from conformance.check.findings import Finding
from conformance.check.generations import RecordGeneration, record_generation
from conformance.check.reading.json_files import pointer, show
from conformance.check.trials.shapes import CLAUSE, NULLABLE
from conformance.judging.comparison import Level
from conformance.suite.schemas import schema, schema_registry

__all__ = ["schema_findings"]


def schema_findings(value: Any, file: str, generation: RecordGeneration | None = None) -> Iterator[Finding]:
    """What is wrong with a record's content, as releases of that generation write it; else 0.13.1."""
    for error in _validator(generation or record_generation(())).iter_errors(_looked_at(value)):
        yield from _schema_finding(error, file)


@functools.cache
def _validator(generation: RecordGeneration) -> Draft202012Validator:
    """What finds the faults of records of a generation: the schema of 0.13.1's with other members.

    What only another generation writes is allowed.
    """
    made = copy.deepcopy(schema("trial-result"))
    made["$id"] += f":{generation.first}"
    made["properties"]["verifier_environment_mode"] = {
        "description": "Where the verifier ran; null in a multi-step trial.",
        "enum": ["shared", "separate", None],
    }
    made["required"] = list(generation.record)
    report = made["$defs"]["agent-result-or-null"]["anyOf"][0]
    report["properties"]["model_usage"] = {
        "description": "Tokens and cost by model; null for none.",
        "type": ["object", "null"],
        "additionalProperties": {"description": "Of one model.", "type": "object"},
    }
    report["properties"]["output_logprobs"] = {
        "description": "Log probabilities, message by message; null for none.",
        "type": ["array", "null"],
    }
    report["required"] = list(generation.agent_result)
    if generation.provider_required:
        model = made["$defs"]["agent-info"]["properties"]["model_info"]["anyOf"][0]
        model["properties"]["provider"] = {"description": "Its provider.", "type": "string"}
    return Draft202012Validator(made, registry=schema_registry())


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
