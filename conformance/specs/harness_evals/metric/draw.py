"""Random arguments for metrics."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harness_evals.drawn import dimension, name, threshold

__all__ = ["INPUTS", "metric"]

_BASES = ("BaseMetric", "SafetyMetric", "ReliabilityMetric")
_METHODS: tuple[list[str], ...] = ([], ["measure"], ["measure_runs"])
_OTHERS = ("treshold", "weight", "n")


def metric(source: Source) -> dict[str, Any]:
    """A metric's arguments, and the methods that its class implements."""
    base = source.pick(_BASES)
    usual = ["measure_runs"] if base == "ReliabilityMetric" else ["measure"]
    return {
        "base": base,
        "implements": list(source.pick(_METHODS)) if source.chance(20) else usual,
        "name": None if source.chance(10) else name(source),
        "dimension": None if source.chance(30) else dimension(source),
        "threshold": None if source.chance(40) else threshold(source),
        "k": None if source.below(2) == 0 else source.pick((0, 1, 5, -1, 2.5, 10**20)),
        "others": {source.pick(_OTHERS): 0.5} if source.chance(20) else {},
    }


INPUTS: Mapping[str, Draw[Any]] = {"harness.metric": metric}
"""An input for every op of the section."""
