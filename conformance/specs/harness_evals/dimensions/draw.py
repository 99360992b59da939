"""Random scores of several cases, for the summary."""

import json
from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harness_evals.drawn import BORDER, DIMENSIONS, UNIT, metadata, name, unit

__all__ = ["INPUTS"]


def _score(source: Source) -> Any:
    odd = source.below(40)
    if odd >= 38:
        return None
    value = source.pick(BORDER) if odd == 37 else unit(source)
    described = metadata(source) if odd % 3 == 2 else None
    if described is None and odd % 5 < 4:
        described = {"text": json.dumps({"dimension": source.pick(DIMENSIONS)})}
    return {"name": name(source), "value": value, "threshold": source.pick(UNIT), "metadata": described}


def _dimensions(source: Source) -> Any:
    return {"cases": source.items(lambda source: source.times(5, _score), (5,))}


INPUTS: Mapping[str, Draw[Any]] = {"harness.dimensions": _dimensions}
"""An input for every op of the section."""
