"""Random inputs for plans: attempts, tasks and agents, some of them duplicates."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.numbers import small_int
from conformance.drawing.source import Draw, Source

__all__ = ["INPUTS", "listed"]

_NAMES = ("t1", "t2", "b", "a", "")


def listed(source: Source, least: int = 0) -> list[str]:
    """``least`` to four names of tasks or agents."""
    return [source.pick(_NAMES) for _ in range(source.between(least, 4))]


def _plan_trials(source: Source) -> Any:
    return {
        "n_attempts": min(max(small_int(source), -3), 12),
        "tasks": listed(source),
        "agents": listed(source),
    }


INPUTS: Mapping[str, Draw[Any]] = {"plan_trials": _plan_trials}
"""An input for every op of the section."""
