"""Random registries of metrics, and what is done to them."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.numbers import number
from conformance.drawing.source import Draw, Source
from conformance.specs.evsys.drawn import LABELS, key, task_rewards

__all__ = ["INPUTS", "classes", "registry"]

_ERRORS = ("ValueError", "ZeroDivisionError")
_FAILURES = (None, None, None, None, "", "No module named x")
_POINTS = ("z", "a", "b", "worst_task")


def classes(source: Source, raising: bool = True) -> dict[str, Any]:
    """Three classes by label; with ``raising`` some raise."""
    described = {}
    for label in LABELS:
        does = (
            {"raises": source.pick(_ERRORS)} if raising and source.chance(25) else {"returns": number(source)}
        )
        described[label] = {"name": key(source), **does}
    return described


def _pair(source: Source) -> list[str]:
    return [key(source), source.pick(LABELS)]


def _entry_point(source: Source, name: str) -> dict[str, Any]:
    return {"name": name, "registers": source.times(3, _pair), "fails": source.pick(_FAILURES)}


def _action(source: Source) -> Any:
    kind = source.below(5)
    if kind < 2:
        return {"do": "register", "key": key(source), "class": source.pick(LABELS)}
    if kind == 2:
        return {"do": "get", "key": key(source)}
    if kind == 3:
        return {
            "do": "load",
            "entry_points": [_entry_point(source, name) for name in source.sample(_POINTS, 3)],
        }
    return {"do": "evaluate", "metrics": source.times(4, key), "task_rewards": task_rewards(source)}


def registry(source: Source) -> Any:
    """Classes, and actions in order."""
    return {"classes": classes(source), "actions": source.items(_action, (8,))}


INPUTS: Mapping[str, Draw[Any]] = {"evsys.registry": registry}
"""An input for every op of the section."""
