"""The consumer: the outcome line for `result.json`, and reading the line."""

from conformance.registry.op import define

__all__ = ["OPS"]

OPS = (
    define(
        "outcome",
        "outcome",
        fallback_clause="003-6-exact-answers",
        weight=4,
        source="document-003-5",
        shows=("reason_code", "read_outcome"),
        ok_lines="line",
        content_schemas=("outcome",),
    ),
    define(
        "read_outcome",
        "outcome",
        fallback_clause="003-6-exact-answers",
        weight=3,
        source="decision-table",
        shows=("reason_code", "outcome"),
        input_numbers="returncode",
        ok_numbers="score",
        ok_free_order=".",
    ),
)
