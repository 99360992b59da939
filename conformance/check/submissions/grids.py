"""Trials as a picture has them: tasks by attempts, a cell each, as many as there is room for in a report."""

import sys
from collections.abc import Sequence
from typing import Any

from conformance.check.submissions.attempts import Attempt, Exact
from conformance.check.submissions.rollup import GroupRollUp
from conformance.check.submissions.scores import Scores
from conformance.wire.text import encodable

__all__ = ["MOST_ATTEMPTS", "MOST_CELLS", "grids"]

MOST_CELLS = 50_000
"""Cells of all grids of a report."""
MOST_ATTEMPTS = 100
"""Attempts at a task that have a cell."""
_LONGEST = 200
"""Characters of a task's name, which may be as long as a file."""
_UNSCORED, _MISSING, _RAISED = "-", ".", "!"


def grids(groups: Sequence[GroupRollUp]) -> list[dict[str, Any]]:
    """A grid for each group, as the schema ``submission`` has it.

    Where not all have room, each group's main reward is cut to a share, the same for all that need more,
    and other rewards are shown as long as there is room. So what is left out hangs on the report alone.
    """
    wide = [min(max(map(len, one.group.tasks.values()), default=0), MOST_ATTEMPTS) for one in groups]
    sizes = [len(one.group.tasks) * width for one, width in zip(groups, wide, strict=True)]
    share = _share(sizes)
    shown = [min(size, share) // width if width else 0 for size, width in zip(sizes, wide, strict=True)]
    room = MOST_CELLS - sum(tasks * width for tasks, width in zip(shown, wide, strict=True))
    made = []
    for one, width, tasks in zip(groups, wide, shown, strict=True):
        keys = [one.main]
        for scores in one.scores:
            if scores is not one.main and tasks * width <= room:
                room -= tasks * width
                keys.append(scores)
        made.append(_grid(one, sorted(keys, key=one.scores.index), tasks))
    return made


def _share(sizes: Sequence[int]) -> int:
    """The most cells that each may have, so that all together have room."""
    room, left = MOST_CELLS, len(sizes)
    for size in sorted(sizes):
        if size * left > room:
            return room // left
        room, left = room - size, left - 1
    return MOST_CELLS


def _grid(one: GroupRollUp, keys: Sequence[Scores], tasks: int) -> dict[str, Any]:
    shown = list(one.group.tasks.items())[:tasks]
    return {
        "tasks": [encodable(task[:_LONGEST]) for task, _ in shown],
        "rewards": [
            {
                "key": encodable(scores.key),
                "cells": [_row(scores.values[task], of, one.group.usual) for task, of in shown],
            }
            for scores in keys
        ],
        "left_out": {
            "tasks": len(one.group.tasks) - len(shown),
            "attempts": sum(max(len(of) - MOST_ATTEMPTS, 0) for _, of in shown),
            "keys": max(len(one.group.reward_keys), 1) - len(keys),
        },
    }


def _row(values: Sequence[Exact | None], attempts: Sequence[Attempt], due: int) -> str:
    cells = [
        (_UNSCORED if attempt.row.exception is None else _RAISED)
        if value is None
        else _number(value) + (_RAISED if attempt.row.exception is not None else "")
        for value, attempt in zip(values[:MOST_ATTEMPTS], attempts, strict=False)
    ]
    return " ".join(cells + [_MISSING] * (min(due, MOST_ATTEMPTS) - len(cells)))


def _number(value: Exact) -> str:
    if value in (0, 1):
        return str(value)
    try:
        return f"{float(value):.17g}" if isinstance(value, int) else repr(float(value))
    except OverflowError:  # an int between the largest double and the next power of two
        return repr(sys.float_info.max if value > 0 else -sys.float_info.max)
