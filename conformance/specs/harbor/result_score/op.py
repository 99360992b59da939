"""The score alone, from the same file as in `outcome`."""

from conformance.registry.op import define

__all__ = ["OPS"]

OPS = (
    define(
        "result_score",
        "result-score",
        fallback_clause="003-6-exact-answers",
        weight=2,
        source="document-003-5",
        shows=("outcome",),
        ok_numbers="score",
    ),
)
