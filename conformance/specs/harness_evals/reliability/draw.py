"""Random runs of one case, and a metric for them."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harness_evals.drawn import does, runs, threshold

__all__ = ["INPUTS", "reliability"]

_ENTRIES = ("measure", "a_measure", "evaluate", "a_evaluate")


def reliability(source: Source) -> Any:
    """A reliability metric, and its runs."""
    majority = source.chance(40)
    return {
        "entry": source.pick(_ENTRIES),
        "threshold": threshold(source),
        "k": source.pick((0, 1, 2, 5, 10)),
        "runs": runs(source),
        "measure_runs": "majority" if majority else does(source),
        "a_measure_runs": does(source) if not majority and source.chance(30) else None,
    }


INPUTS: Mapping[str, Draw[Any]] = {"harness.reliability": reliability}
"""An input for every op of the section."""
