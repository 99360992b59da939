"""Random scores: values at the borders, odd types, missing data."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw
from conformance.specs.harness_evals.drawn import score

__all__ = ["INPUTS"]

INPUTS: Mapping[str, Draw[Any]] = {"harness.score": score}
"""An input for every op of the section."""
