"""A metric script, run, and the use of its output."""

from typing import Any

from conformance.registry.op import Changing, define

__all__ = ["OPS"]


def _same_script(input_: Any, before: Any) -> bool:
    """A changed script could do anything to this machine."""
    return input_["script"] is None or input_["script"] == before["script"]


OPS = (
    define(
        "metric_script",
        "metric-script",
        fallback_clause="000-out-unchecked",
        weight=0.004,  # each input starts two processes
        examples=10,
        shows=("*",),
        changing=Changing(sensible=_same_script),
        input_numbers="rewards/*/*",
        ok_parsed="metric.json",
    ),
)
