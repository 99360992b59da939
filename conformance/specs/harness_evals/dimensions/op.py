"""The summary of scores by dimension."""

from conformance.registry.op import define
from conformance.specs.harness_evals.described import CHANGING

__all__ = ["OPS"]

OPS = (
    define(
        "harness.dimensions",
        "harness-evals",
        fallback_clause="004-8-summary-rates",
        weight=2,
        shows=("*",),
        changing=CHANGING,
        input_numbers="cases/*/*/value cases/*/*/threshold",
        ok_files="summary.json",
    ),
)
