"""Random exit codes of tests."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source

__all__ = ["INPUTS"]


def _exit_code(source: Source) -> Any:
    drawn = source.below(256)
    return {"exit_code": drawn % 21 if drawn % 2 else drawn}


INPUTS: Mapping[str, Draw[Any]] = {"terminal_bench_reward": _exit_code}
"""An input for every op of the section."""
