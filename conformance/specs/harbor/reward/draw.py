"""Random reward files."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.files import reward_files
from conformance.drawing.source import Draw

__all__ = ["INPUTS"]

INPUTS: Mapping[str, Draw[Any]] = {"parse_reward": lambda source: {"files": reward_files(source)}}
"""An input for every op of the section."""
