"""Whether an EvSys metric's number depends on each task, and on rewards out of 0 to 1.

For the worker's part evsys_part.
"""

import random
from collections.abc import Callable, Iterator
from typing import Any

Rewards = list[list[float]]
Compute = Callable[[Rewards], dict[str, Any]]

REWARDS = (0.0, 1.0, 0.0, 1.0, 0.25, 0.5, 0.75)
TABLES, MANY, FEW = 24, 150, 4
HUNDRED = 100


def varied(compute: Compute) -> dict[str, Any]:
    """What never matters, and all numbers that came."""
    values: set[str] = set()

    def number(rewards: Rewards) -> str:
        outcome = compute([list(samples) for samples in rewards])
        text = str(outcome["value"]["text"]) if "value" in outcome else f"raised {outcome['raised']['type']}"
        if "value" in outcome:
            values.add(text)
        return text

    ignored = []
    for count, last, what in (
        (FEW, slice(FEW - 1, FEW), "the last task's rewards"),
        (MANY, slice(MANY - 1, MANY), f"the last of {MANY} tasks' rewards"),
        (MANY, slice(HUNDRED, MANY), f"the rewards of all tasks beyond the {HUNDRED}th"),
    ):
        tables = list(_tables(count))
        if _matters(number, tables, slice(0, last.stop - last.start)) and not _matters(number, tables, last):
            ignored.append(what)
    return {"ignored": ignored, "clips": _clips(number), "values": sorted(values)}


def _tables(count: int) -> Iterator[Rewards]:
    chance = random.Random(f"{count} tasks")  # noqa: S311 - repeatable
    for _ in range(TABLES if count == FEW else TABLES // 3):
        yield [[chance.choice(REWARDS) for _ in range(3)] for _ in range(count)]
    for same in (0.0, 0.5, 1.0):
        yield [[same] * 3 for _ in range(count)]


def _matters(number: Callable[[Rewards], str], tables: list[Rewards], where: slice) -> bool:
    for table in tables:
        before = number(table)
        for reward in (0.0, 1.0, 0.5, -3.0, 5.0):
            changed = list(table)
            changed[where] = [[reward] * 3 for _ in changed[where]]
            if number(changed) != before:
                return True
    return False


def _clips(number: Callable[[Rewards], str]) -> list[str]:
    """Rewards beyond 0 to 1 that count as 0 and 1, though those between count as they are."""
    tables = list(_tables(FEW))

    def differ(one: float, other: float) -> bool:
        if number([[one] * 3] * FEW) != number([[other] * 3] * FEW):
            return True
        for table in tables:
            for at in range(FEW):
                for count in (1, 3):
                    pair = []
                    for reward in (one, other):
                        changed = list(table)
                        changed[at] = [reward] * count + changed[at][count:]
                        pair.append(number(changed))
                    if pair[0] != pair[1]:
                        return True
        return False

    if not (differ(0.25, 0.5) and differ(0.5, 0.75)):
        return []
    clips = ["rewards above 1 as 1"] if not differ(1.0, 2.0) and not differ(2.0, 7.0) else []
    return clips + (["rewards below 0 as 0"] if not differ(0.0, -1.0) and not differ(-1.0, -7.0) else [])
