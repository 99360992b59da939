"""Random rewards of trials, for a metric script."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw
from conformance.specs.metric_script.drawn import trials

__all__ = ["INPUTS"]

INPUTS: Mapping[str, Draw[Any]] = {"rewards_jsonl": lambda source: {"rewards": trials(source)}}
"""An input for every op of the section."""
