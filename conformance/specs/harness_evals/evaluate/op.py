"""An evaluation: metrics measured one after another, their failures caught."""

from conformance.registry.op import define
from conformance.specs.harness_evals.described import CHANGING, does

__all__ = ["OPS"]

OPS = (
    define(
        "harness.evaluate",
        "harness-evals",
        fallback_clause="004-8-order",
        weight=4,
        shows=("*",),
        changing=CHANGING,
        input_numbers="metrics/*/threshold " + does("metrics/*/measure", "metrics/*/a_measure"),
        ok_files="scores.json",
    ),
)
