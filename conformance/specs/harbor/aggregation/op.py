"""Aggregation: combines the rewards of many trials into one metric."""

from conformance.registry.op import define

__all__ = ["OPS"]

OPS = (
    define(
        "aggregate",
        "aggregation",
        fallback_clause="003-6-exact-answers",
        weight=6,
        examples=120,
        input_numbers="rewards/*/*",
        ok_numbers="*",
    ),
)
