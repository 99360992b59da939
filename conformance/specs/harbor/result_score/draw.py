"""Random inputs for the score: the same as for the outcome line."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw
from conformance.specs.harbor.results import result_file

__all__ = ["INPUTS"]

INPUTS: Mapping[str, Draw[Any]] = {"result_score": result_file}
"""An input for every op of the section."""
