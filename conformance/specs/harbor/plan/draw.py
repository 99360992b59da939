"""Random inputs of plans: attempts, tasks and agents, some of them twice."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.numbers import small_int
from conformance.drawing.source import Draw, Source

__all__ = ["INPUTS", "listed"]

_NAMES = ("t1", "t2", "b", "a", "")


def listed(source: Source, least: int = 0) -> list[str]:
    """Names of tasks or agents, ``least`` to four of them."""
    return [source.pick(_NAMES) for _ in range(source.between(least, 4))]


def _plan_trials(source: Source) -> Any:
    return {"n_attempts": small_int(source), "tasks": listed(source), "agents": listed(source)}


INPUTS: Mapping[str, Draw[Any]] = {"plan_trials": _plan_trials}
"""An input for every op of the section."""
