"""Finds out what an EvSys metric's number depends on. For the worker's part.

``contrasts.txt`` has lists of rewards whose numbers show a fault; what takes many lists is here.
"""

import math
import random
import re
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

worker: Any = sys.modules["_harbor_conformance_worker"]
relations: Any = worker.sibling(str(Path(__file__).parent), "relations")
Rewards = list[list[float]]
Compute = Callable[[Rewards], Any]
Finding = tuple[str, str]

REWARDS = (0.0, 1.0, 0.0, 1.0, 0.25, 0.5, 0.75)
BEYOND = (-0.5, -7.0, 1.5, 2.0, 5.0, 10.0, 60.0, 100.0)
TABLES, MANY = 24, 151
SPREADS: dict[str, Callable[[list[float]], Rewards]] = {
    "tasks": lambda cells: [[cell] * 3 for cell in cells],
    "samples": lambda cells: [cells],
    "wide": lambda cells: [[cell] * 6 for cell in cells],
    "alike": lambda cells: [cells] * 4,
    "uneven": lambda cells: [cells, [0.5], [0.25]],
}
_REPEATED = re.compile(r"\(([^)]*)\)\*(\d+)")


class _Experiments:
    """One metric, at the numbers of tasks and samples that it accepts."""

    def __init__(self, compute: Compute, base: dict[str, Any], passes: bool, seconds: float) -> None:
        self.compute, self.passes = compute, passes
        self.counts = [len(samples) for samples in base["rewards"]]
        self.given, self.usual = bool(base["values"]), not (base["values"] or base["special"])
        self.values = tuple(base["values"] or REWARDS)
        self.known: dict[str, Any] = {}
        self.deadline = time.monotonic() + seconds

    def number(self, rewards: Rewards) -> Any:
        """The number for rewards.

        Raises:
            TimeoutError: the time for experiments is over.
        """
        key = repr(rewards)
        if key not in self.known:
            if time.monotonic() > self.deadline:
                raise TimeoutError
            self.known[key] = self.compute([list(samples) for samples in rewards])
        return self.known[key]

    def tables(self, counts: list[int], number: int = TABLES // 4) -> Iterator[Rewards]:
        chance = random.Random(f"{len(counts)} tasks")  # noqa: S311 - repeatable
        for _ in range(number):
            yield [[chance.choice(self.values) for _ in range(count)] for count in counts]
        for same in dict.fromkeys(self.values):
            yield [[same] * count for count in counts]

    def range(self, found: dict[str, Any]) -> None:
        """The range of numbers, and whether rewards inside and outside of 0 to 1 affect them."""
        seen: dict[Any, set[float]] = {}
        counts = self.counts
        tables = list(self.tables(counts, TABLES))
        for others in ([*counts, *counts[:1]], [1, 2, 4], [*counts, 0], (counts * MANY)[:MANY]):
            tables += self.tables(others)
        for table in tables:
            if isinstance(value := self.number(table), float):
                seen.setdefault(tuple(map(len, table)), set()).add(value)
        values = {value for given in seen.values() for value in given}
        found["values"] = sorted(map(repr, values))
        found["unread"] = bool(values) and all(len(given) == 1 for given in seen.values())
        if found["unread"] and not self.given:
            usual = self.number([[0.5] * count for count in counts])
            pairs = ((at, self.number([[at] * count for count in counts])) for at in BEYOND)
            found["scale"] = [reward for reward, number in pairs if number != usual]

    def contrasts(self) -> Iterator[Finding]:
        """The findings of the table."""

        def cell(word: str) -> float:
            value = float(word.rstrip("+-"))
            return math.nextafter(value, {"+": 9.0, "-": -9.0}.get(word[-1], value))

        for line in Path(__file__).with_name("contrasts.txt").read_text("utf-8").splitlines():
            if line.startswith("#"):
                continue
            rule, spread, lists, wrong, sentence = (part.strip() for part in line.split("|"))
            if rule == "pass-threshold":
                rule = "threshold" if self.passes else "above-one"
            whole = _REPEATED.sub(lambda found: f"{found[1]} " * int(found[2]), lists)
            rows = [list(map(cell, row.split())) for row in whole.split(";")]
            for name in ("tasks", "samples") if spread == "both" else (spread,):
                make = SPREADS[name]
                numbers = [self.number(make(row)) for row in rows]
                if all(isinstance(number, float) for number in numbers) and relations.holds(wrong, numbers):
                    yield rule, sentence
                    break


def report(compute: Compute, base: dict[str, Any], passes: bool, seconds: float) -> dict[str, Any]:
    """Reports inputs that never matter, and influences that should not exist, as far as time allows.

    ``compute`` returns a float, or the name of an exception's type.
    """
    found: dict[str, Any] = {"values": [], "unread": False, "scale": [], "findings": [], "late": False}
    tried = _Experiments(compute, base, passes, seconds)
    try:
        tried.range(found)
        if tried.usual:
            findings = list(tried.contrasts())
            unread = ("threshold", "above-one") if found["unread"] else [one[0] for one in findings]
            found["findings"] = [one for one in findings if one[0] in unread]
    except TimeoutError:
        found["late"] = True
    return found
