"""Random registries of metrics, and actions on them."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.numbers import number
from conformance.drawing.source import Draw, Source
from conformance.specs.evsys.drawn import LABELS, key, task_rewards

__all__ = ["INPUTS", "classes", "registry"]

_ERRORS = ("ValueError", "ZeroDivisionError")
_FAILURES = (None, None, None, None, "", "No module named x")
_POINTS = ("z", "a", "b", "worst_task")
_COMPUTED = ("worst_task", "task_count")


def classes(source: Source, raising: bool = True) -> dict[str, Any]:
    """Three classes by label; with ``raising`` some raise."""
    return {label: {"name": _key_or_none(source), **_behaviour(source, raising)} for label in LABELS}


def _behaviour(source: Source, raising: bool) -> dict[str, Any]:
    if raising and source.chance(25):
        return {"raises": source.pick(_ERRORS)} if source.below(3) else {"returns": None}
    return {"returns": number(source)} if source.below(4) else {"computes": source.pick(_COMPUTED)}


def _key_or_none(source: Source) -> str | None:
    return None if source.below(8) == 7 else key(source)


def _pair(source: Source) -> list[str | None]:
    return [_key_or_none(source), source.pick(LABELS)]


def _entry_point(source: Source, name: str) -> dict[str, Any]:
    point = {"name": name, "registers": source.times(3, _pair), "fails": source.pick(_FAILURES)}
    return {**point, "gets": source.times(2, key)} if source.below(4) == 3 else point


def _action(source: Source) -> Any:
    kind = source.below(5)
    if kind < 2:
        return {"do": "register", "key": _key_or_none(source), "class": source.pick(LABELS)}
    if kind == 2:
        return {"do": "get", "key": key(source)}
    if kind == 3:
        return {
            "do": "load",
            "entry_points": [_entry_point(source, name) for name in source.sample(_POINTS, 3)],
        }
    action = "score" if source.below(3) == 2 else "evaluate"
    return {"do": action, "metrics": source.times(4, key), "task_rewards": task_rewards(source)}


def registry(source: Source) -> Any:
    """Classes, and actions in order."""
    return {"classes": classes(source), "actions": source.items(_action, (8,))}


INPUTS: Mapping[str, Draw[Any]] = {"evsys.registry": registry}
"""An input for every op of the section."""
