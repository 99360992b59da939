"""Random inputs for metric resolution, with tasks whose sources are those of the datasets, or others."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harbor.metric_resolution.draw import INPUTS as BEFORE

__all__ = ["INPUTS"]

_SOURCES = ("x", "d", "y", "e", None, "", "adhoc", "o/d", "my__data", "名", "X")


def _resolve_metrics(source: Source) -> Any:
    input_ = BEFORE["resolve_metrics"](source)
    if source.below(3):
        input_["sources"] = [source.pick(_SOURCES) for _ in range(source.between(0, 4))]
    return input_


INPUTS: Mapping[str, Draw[Any]] = {"resolve_metrics": _resolve_metrics}
"""An input for every op of the section that is drawn differently."""
