"""Random cases, each evaluated with several metrics."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harness_evals.drawn import DIMENSIONS, ODD, dimension, does, name, threshold

__all__ = ["INPUTS"]

_ENTRIES = ("evaluate", "evaluate", "a_evaluate", "assert_test")


def _metric(source: Source) -> dict[str, Any]:
    return {
        "name": name(source),
        "dimension": dimension(source) if source.chance(20) else source.pick(DIMENSIONS),
        "threshold": source.pick(ODD) if source.chance(3) else threshold(source),
        "measure": does(source),
        "a_measure": does(source) if source.chance(20) else None,
    }


def _evaluate(source: Source) -> Any:
    return {"entry": source.pick(_ENTRIES), "metrics": source.items(_metric, (5,))}


INPUTS: Mapping[str, Draw[Any]] = {"harness.evaluate": _evaluate}
"""An input for every op of the section."""
