"""A score: its value, its threshold, whether it passed, as JSON."""

from conformance.registry.op import define
from conformance.specs.harness_evals.described import CHANGING

__all__ = ["OPS"]

OPS = (
    define(
        "harness.score",
        "harness-evals",
        fallback_clause="004-1-returns-score",
        weight=2,
        shows=("*",),
        changing=CHANGING,
        input_numbers="value threshold scoring_duration_ms",
        ok_files="score.json",
    ),
)
