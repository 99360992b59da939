"""Metrics over several runs of one case."""

from typing import Any

from conformance.registry.op import Changing, define
from conformance.specs.harness_evals.described import does, files_are_json

__all__ = ["OPS"]


def _consistent(input_: Any, before: Any) -> bool:
    """A majority is measured in only one way."""
    if input_["measure_runs"] == "majority" and input_["a_measure_runs"] is not None:
        return False
    return files_are_json(input_, before)


OPS = (
    define(
        "harness.reliability",
        "harness-evals",
        fallback_clause="004-4.3-runs-asked",
        weight=2,
        shows=("*",),
        changing=Changing(sensible=_consistent),
        input_numbers="threshold k " + does("measure_runs", "a_measure_runs"),
        ok_files="score.json",
        ok_free_order=".",
    ),
)
