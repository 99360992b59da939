"""Random inputs for aggregation: a metric, and the rewards of several trials."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.rewards import reward_list
from conformance.drawing.source import Draw, Source

__all__ = ["INPUTS"]

_METRICS = ("mean", "sum", "mean", "sum", "mean", "sum", "max", "min")


def _aggregate(source: Source) -> Any:
    return {"metric": source.pick(_METRICS), "rewards": reward_list(source)}


INPUTS: Mapping[str, Draw[Any]] = {"aggregate": _aggregate}
"""An input for every op of the section."""
