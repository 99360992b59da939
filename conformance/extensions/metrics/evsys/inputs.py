"""The cases for EvSys metrics, with rewards that are derived from those that a metric accepts.

Used by the checker, and by the worker's part in the metric's process.
"""

import json
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any, NamedTuple

Rewards = list[list[float]]

USUAL: Rewards = [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]


class Given(NamedTuple):
    """A case."""

    about: str
    rewards: Rewards
    group: str = "ordinary"
    """The aspect that varies: ordinary (rewards), shape, tuples, empty, sampleless, odd, ints or overflow."""
    do: str = "compute"
    """compute; repeat; others or growing (the instance computes these before it is called again); vary."""


_NAMED = {"usual": USUAL, "many": [[(task * 7 + i) % 11 / 10 for i in range(5)] for task in range(2000)]}
_ROWS = json.loads(Path(__file__).with_name("cases.json").read_text("utf-8"))
CASES = {
    name: Given(**{**row, "rewards": _NAMED.get(str(row["rewards"]), row["rewards"])})
    for name, row in _ROWS.items()
}


def candidate_rewards(settings: dict[str, Any]) -> Iterator[Rewards]:
    """Yield candidate rewards: the user's, the usual ones, then other counts, and ints."""
    trials, values = settings["trials"], settings["values"]
    if settings["like"]:
        yield settings["like"]
    many = (*range(1, 65), 100, 128, 256)
    counts = [(4, 3), *((tasks, size) for tasks in (4, 1) for size in many), *((size, 3) for size in many)]
    counts += [(tasks, samples) for tasks in range(2, 11) for samples in range(1, 11)]
    usual = [reward for samples in USUAL for reward in samples]
    for cells in (values,) if values else (usual, [int(cell) for cell in usual]):
        for tasks, samples in counts:
            source = cycle(cells)
            yield [list(islice(source, trials or samples)) for _ in range(tasks)]


def rewards_of(case: str, base: dict[str, Any]) -> Rewards:
    """Return a case's rewards, with the counts and values of `base` if the metric accepts only some."""
    row = CASES[case]
    if case == "usual" or row.do in ("others", "growing", "vary") or row.group == "tuples":
        turn = len(base["rewards"]) // 2 if row.do == "growing" else 0
        return [*base["rewards"][turn:], *base["rewards"][:turn]]
    cells = [reward for samples in row.rewards for reward in samples]
    if base["values"] and row.group in ("ordinary", "shape", "ints"):
        values = cycle(base["values"])
        places = {cell: next(values) for cell in dict.fromkeys(cells)}
        cells = [places[cell] for cell in cells]
    special = base["special"] and row.group in ("ordinary", "ints", "odd", "overflow")
    return reshape(cells, base["rewards"] if special else row.rewards)


def reshape(cells: list[float], like: Rewards) -> Rewards:
    """Return rewards in the shape of others, in order, repeated as needed."""
    source = cycle(cells)
    return [list(islice(source, len(samples))) for samples in like]


def similar_rewards(rewards: Rewards) -> list[Rewards]:
    """Return other rewards that share the shape, all values, or the first or last task with these."""
    cells = [reward for samples in rewards for reward in samples]
    half = reshape([0.5 * cell + 0.125 for cell in cells], rewards)
    moved = [reshape(cells[1:] + cells[:1], rewards), reshape(cells[::-1], rewards), rewards[::-1]]
    return [half, *moved, [*rewards[:1], *half[1:]], [*half[:-1], *rewards[-1:]], rewards[:-1]]


def rewards_between(case: str, rewards: Rewards) -> list[Rewards]:
    """Return the rewards that an instance computes before it is called again."""
    if CASES[case].do == "others":
        return [[[0.0]], [[1.0, 1.0]], [], *similar_rewards(rewards)]
    if CASES[case].do != "growing":
        return []
    return [
        [*rewards[:index], samples[:count]]
        for index, samples in enumerate(rewards[:12])
        for count in range(1, min(len(samples), 6) + 1)
    ]
