"""The base classes of metrics, and their constructors' arguments."""

from conformance.registry.op import define
from conformance.specs.harness_evals.described import CHANGING

__all__ = ["OPS"]

OPS = (
    define(
        "harness.metric",
        "harness-evals",
        fallback_clause="004-1-name-and-threshold",
        weight=1,
        shows=("*",),
        changing=CHANGING,
        input_numbers="threshold k others/*",
        ok_numbers="threshold k",
        ok_free_order=".",
    ),
)
