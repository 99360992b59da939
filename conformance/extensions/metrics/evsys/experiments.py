"""Finds out what an EvSys metric's number depends on. For the worker's part.

``contrasts.txt`` has lists of rewards whose numbers, together, show a fault.
"""

import math
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

SPREADS: dict[str, Callable[[list[float]], Rewards]] = {
    "tasks": lambda cells: [[cell] * 3 for cell in cells],
    "samples": lambda cells: [cells],
    "threes": lambda cells: [cells[at : at + 3] for at in range(0, len(cells), 3)],
    "wide": lambda cells: [[cell] * 6 for cell in cells],
    "alike": lambda cells: [cells] * 4,
    "uneven": lambda cells: [cells, [0.5], [0.25]],
}
"""How cells become the rewards of tasks."""


def _cell(word: str) -> float:
    value = float(word.rstrip("+-"))
    return math.nextafter(value, {"+": 9.0, "-": -9.0}.get(word[-1], value))


def contrasts(number: Callable[[Rewards], Any], passes: bool) -> Iterator[Finding]:
    """The findings of the table."""
    for line in Path(__file__).with_name("contrasts.txt").read_text("utf-8").splitlines():
        if line.startswith("#"):
            continue
        rule, spread, lists, wrong, sentence = (part.strip() for part in line.split("|"))
        if rule == "pass-threshold":
            rule = "threshold" if passes else "above-one"
        rows = [list(map(_cell, relations.expanded(row))) for row in lists.split(";")]
        for name in ("tasks", "samples") if spread == "both" else (spread,):
            numbers = [number(SPREADS[name](row)) for row in rows]
            if all(isinstance(one, float) for one in numbers) and relations.holds(wrong, numbers):
                yield rule, sentence.format(*numbers)
                break


def report(compute: Compute, passes: bool, seconds: float) -> dict[str, Any]:
    """The findings, as far as time allows; ``compute`` returns a float, or an exception's name."""
    found: dict[str, Any] = {"findings": [], "late": False}
    deadline, known = time.monotonic() + seconds, dict[str, Any]()

    def number(rewards: Rewards) -> Any:
        key = repr(rewards)
        if key not in known:
            if time.monotonic() > deadline:
                raise TimeoutError
            known[key] = compute([list(samples) for samples in rewards])
        return known[key]

    try:
        for finding in contrasts(number, passes):
            found["findings"].append(finding)
    except TimeoutError:
        found["late"] = True
    return found
