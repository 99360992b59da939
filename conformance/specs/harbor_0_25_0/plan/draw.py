"""Random inputs for plans with about one attempt, and often fewer."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harbor.plan.draw import INPUTS as BEFORE
from conformance.specs.harbor.plan.draw import listed

__all__ = ["INPUTS"]


def _plan_trials(source: Source) -> Any:
    if source.below(2):
        return {"n_attempts": source.pick((1, 0, -1, 2)), "tasks": listed(source), "agents": listed(source)}
    return BEFORE["plan_trials"](source)


INPUTS: Mapping[str, Draw[Any]] = {"plan_trials": _plan_trials}
"""An input for every op of the section that is drawn differently."""
