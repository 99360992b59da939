"""Finds out what an EvSys metric's number depends on. For the worker's part.

``contrasts.txt`` has lists of rewards whose numbers show a fault; what takes many lists is here.
"""

import math
import random
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
CHANGES = (0.0, 1.0, 0.5, -3.0, 5.0)
TABLES, MANY, HUNDRED, FEW = 24, 151, 100, 5
"""MANY is prime, so that tasks can't be split into equal parts."""
SPREADS: dict[str, Callable[[list[float]], Rewards]] = {
    "tasks": lambda cells: [[cell] * 3 for cell in cells],
    "samples": lambda cells: [cells],
}


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

    def used(self, count: int, make: Callable[[list[float]], Rewards], size: int = 1) -> list[int]:
        """The places of a list, or of a long one its ends, at which a block ever affects the number.

        The same block is moved to each place, so that order-independent metrics give equal results.
        """
        contexts = [table[0] for table in self.tables([count - size])]

        def matters(at: int) -> bool:
            return any(
                self.number(make([*rest[:at], *[one] * size, *rest[at:]]))
                != self.number(make([*rest[:at], *[0.25] * size, *rest[at:]]))
                for rest in contexts
                for one in CHANGES
            )

        return [at for at in (range(count) if count <= FEW else (0, count - size)) if matters(at)]

    def unused_tasks(self) -> Iterator[Finding]:
        """Tasks that never count, although equally many others do."""
        for count, size in ((FEW, 1), (MANY, 1), (MANY, MANY - HUNDRED)):
            used = self.used(count, lambda cells: [[cell] * 6 for cell in cells], size)
            places = range(count) if count <= FEW else (0, count - size)
            gap = next((at for at in places if at not in used), None)
            if used and gap is not None:
                which = f"those of task {gap + 1}" if size == 1 else f"all beyond task {gap}"
                text = f"Of {count} tasks' rewards, changing {which} never changes its number"
                yield "drops-tasks", f"{text}; changing others does."
                return

    def unused_samples(self) -> Iterator[Finding]:
        """Samples that never count, although later ones do, or do if all tasks have as many, or one more."""
        alike = lambda cells: [cells, [0.5] * len(cells), [0.25] * len(cells)]  # noqa: E731
        even, more, never = self.used(3, alike), self.used(4, alike), "never changes its number"
        gap = next((at for at in range(max(even, default=0)) if at not in even), None)
        if gap is not None:
            yield "drops-samples", f"Changing sample {gap + 1} of a task {never}; changing later ones does."
        elif even == [0, 1] and more != even:
            yield "drops-samples", f"Changing the last sample of a task {never}; changing others does."
        elif even == [0, 1, 2] and self.used(3, lambda cells: [cells, [0.5], [0.25]]) == [0]:
            yield "drops-samples", f"Samples beyond the number that each other task has {never}."

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
            rows = [list(map(cell, row.split())) for row in lists.split(";")]
            for make in SPREADS.values() if spread == "both" else [SPREADS[spread]]:
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
            if not found["unread"]:
                findings += [*tried.unused_tasks(), *tried.unused_samples()]
            unread = ("threshold", "above-one") if found["unread"] else [one[0] for one in findings]
            found["findings"] = [one for one in findings if one[0] in unread]
    except TimeoutError:
        found["late"] = True
    return found
