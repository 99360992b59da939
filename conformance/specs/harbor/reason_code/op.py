"""The consumer: codes for error texts."""

from conformance.registry.op import define

__all__ = ["OPS"]

OPS = (
    define(
        "reason_code", "outcome", fallback_clause="003-6-exact-answers", weight=3, source="decision-table"
    ),
)
