"""Random inputs for the keys that group trials."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harbor.drawn import name

__all__ = ["INPUTS"]


def _evals_key(source: Source) -> Any:
    agent = name(source)
    model, dataset = (None if source.chance(30) else name(source) for _ in range(2))
    return {"agent": agent, "model": model, "source": dataset}


INPUTS: Mapping[str, Draw[Any]] = {"evals_key": _evals_key}
"""An input for every op of the section."""
