"""The templates on the document's page, as printed."""

from typing import Any

from conformance.registry.op import Changing, define
from conformance.specs.harness_evals.described import files_are_json

__all__ = ["OPS"]

_GIVEN = {
    "deterministic": {"output", "expected"},
    "operational": {"latency_ms", "max_value"},
    "reliability": {"runs", "value"},
    "llm": {"judge"},
    "embedding": {"vectors"},
}


def _as_the_template_takes_it(input_: Any, before: Any) -> bool:
    parts = input_["given"]
    if set(parts) != _GIVEN[input_["template"]] or len(parts.get("vectors", "12")) != 2:
        return False
    return files_are_json(input_, before)


OPS = (
    define(
        "harness.template",
        "harness-evals",
        fallback_clause="004-4-templates-as-printed",
        weight=2,
        shows=("*",),
        changing=Changing(sensible=_as_the_template_takes_it),
        input_numbers="threshold given/latency_ms given/max_value given/value given/vectors/*/*",
        ok_files="score.json",
    ),
)
