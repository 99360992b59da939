"""Random benchmarks, each with a metric to compute."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.evsys.drawn import BUILT_INS, key, task_rewards

__all__ = ["INPUTS"]


def _compute(source: Source) -> Any:
    metric = key(source) if source.chance(15) else source.pick(BUILT_INS)
    return {"metric": metric, "task_rewards": task_rewards(source)}


INPUTS: Mapping[str, Draw[Any]] = {"evsys.compute": _compute}
"""An input for every op of the section."""
