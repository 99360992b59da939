"""Random texts for the matcher of reason codes."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.reasons import reason
from conformance.drawing.source import Draw, Source

__all__ = ["INPUTS"]


def _reason_code(source: Source) -> Any:
    return {"text": None if source.chance(3) else reason(source)}


INPUTS: Mapping[str, Draw[Any]] = {"reason_code": _reason_code}
"""An input for every op of the section."""
