"""Results as JSON lines."""

from conformance.registry.op import define
from conformance.specs.harness_evals.described import CHANGING

__all__ = ["OPS"]

OPS = (
    define(
        "harness.json",
        "harness-evals",
        fallback_clause="004-8-json-record",
        weight=2,
        shows=("*",),
        changing=CHANGING,
        input_numbers="cases/*/scores/*/value cases/*/scores/*/threshold "
        "cases/*/scores/*/scoring_duration_ms",
        ok_json_lines="results.jsonl",
    ),
)
