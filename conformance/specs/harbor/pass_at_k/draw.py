"""Random groups of trials that pass or fail."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.rewards import rewards_or_none
from conformance.drawing.source import Draw, Source

__all__ = ["INPUTS", "graded"]

_ONE = (1, 1.0)
_ZERO = (0, 0.0, -0.0)
_TASKS = ("t", "u", "10", "9", "__proto__", "é", "")
_TURNS = (4, 0, 1, 2, 5, 8, 11, 16, 20, 33)
_UP_TO = (4, 30, 90)


def graded(source: Source, spoilt: bool = True) -> list[dict[str, Any]]:
    """The trials of one group: plain passes and failures; with ``spoilt``, some have other rewards too.

    Either all tasks have equally many trials, or each trial is of a random task.
    """
    tasks = (
        source.sample(_TASKS, 3, 1)
        if source.below(2)
        else [f"t{index}" for index in range(source.below(7) + 1)]
    )
    share = source.below(11)
    odd = spoilt and source.chance(25)
    kind = source.below(20)
    in_turn = kind < 14
    if kind == 13:
        # More than twenty attempts at a task, few of which pass.
        tasks, share = tasks[:2], (share + 1) // 2
        count = 22 * len(tasks) + source.below(50)
    else:
        count = source.pick(_TURNS) if in_turn else source.below(source.pick(_UP_TO))
    trials = []
    for index in range(count):
        drawn = source.below(200)
        passed = drawn % 11 < share
        rewards: Any = {"reward": (_ONE if passed else _ZERO)[drawn % (2 if passed else 3)]}
        if drawn >= 193:
            rewards = rewards_or_none(source) if odd else None
        task = tasks[index % len(tasks)] if in_turn else source.pick(tasks)
        trials.append({"task": task, "rewards": rewards})
    return source.shuffled(trials) if 10 <= kind < 14 else trials


def _pass_at_k(source: Source) -> Any:
    return {"trials": graded(source)}


INPUTS: Mapping[str, Draw[Any]] = {"pass_at_k": _pass_at_k}
"""An input for every op of the section."""
