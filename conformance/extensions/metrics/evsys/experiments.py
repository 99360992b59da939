"""Finds out what an EvSys metric's number depends on, varying one thing at a time. For the worker's part."""

import math
import random
import time
from collections.abc import Callable, Iterator
from typing import Any

Rewards = list[list[float]]
Compute = Callable[[Rewards], Any]
Finding = tuple[str, str]

REWARDS = (0.0, 1.0, 0.0, 1.0, 0.25, 0.5, 0.75)
BEYOND = (-0.5, -7.0, 1.5, 2.0, 5.0, 10.0, 60.0, 100.0)
BELOW, ABOVE = math.nextafter(1.0, 0.0), math.nextafter(1.0, 2.0)
TABLES, MANY, HUNDRED = 24, 151, 100
"""MANY is prime, so that tasks can't be split into equal parts."""
SHIFTED, STEP = 1e-6, 1e-4
"""A change that neither rounding nor a smooth function between neighbours explains."""
ELSEWHERE = (0.25, 0.5, 0.75, 1.25, 1.5, 2.0)
"""Rewards where rounding makes a step, but a threshold of 1.0 does not."""


class _Experiments:
    """One metric, at the numbers of tasks and samples that it accepts."""

    def __init__(self, compute: Compute, base: dict[str, Any], passes: bool, seconds: float) -> None:
        self.compute, self.passes = compute, passes
        self.counts = [len(samples) for samples in base["rewards"]]
        self.given = bool(base["values"])
        self.values = tuple(base["values"] or REWARDS)
        self.known: dict[str, Any] = {}
        self.deadline = time.monotonic() + seconds
        self.few: list[Rewards] = list(self.tables(self.counts, TABLES))

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

    def tables(self, counts: list[int], number: int) -> Iterator[Rewards]:
        chance = random.Random(f"{len(counts)} tasks")  # noqa: S311 - repeatable
        for _ in range(number):
            yield [[chance.choice(self.values) for _ in range(count)] for count in counts]
        for same in dict.fromkeys(self.values):
            yield [[same] * count for count in counts]

    def range(self, found: dict[str, Any]) -> None:
        """The range of numbers, and whether rewards inside and outside of 0 to 1 affect them."""
        seen: dict[Any, set[float]] = {}
        many = (self.counts * MANY)[:MANY]
        others = ([*self.counts, *self.counts[:1]], [1, 2, 4], [*self.counts, 0], many)
        for tables in (self.few, *(self.tables(counts, 6) for counts in others)):
            for table in tables:
                if isinstance(value := self.number(table), float):
                    seen.setdefault(tuple(map(len, table)), set()).add(value)
        values = {value for given in seen.values() for value in given}
        found["values"] = sorted(map(repr, values))
        found["unread"] = bool(values) and all(len(given) == 1 for given in seen.values())
        if found["unread"] and not self.given:
            found["scale"] = [reward for reward in BEYOND if self.differ(0.5, reward)]

    def matters(self, tables: list[Rewards], at: int, size: int = 1, *, samples: bool = False) -> bool:
        """Whether certain tasks, or samples of the first task, ever affect the number at a position.

        The same ones are moved to each position, so that order-independent metrics give equal results.
        """
        for table in tables:
            row: list[Any] = table[0] if samples else table
            block, rest = row[:size], row[size:]
            for reward in self.values if self.given else (0.0, 1.0, 0.5, -3.0, 5.0):
                new = [reward] * size if samples else [[reward] * len(one) for one in block]
                rows = [[*rest[:at], *cells, *rest[at:]] for cells in (block, new)]
                before, after = (self.number([one, *table[1:]] if samples else one) for one in rows)
                if before != after:
                    return True
        return False

    def unused_tasks(self) -> Iterator[Finding]:
        """Tasks that never count, although equally many others do."""
        count = len(self.counts)
        places = range(min(count, 12))
        used = [at for at in places if self.matters(self.few, at)]
        names = {0: "the first task's rewards", count - 1: "the last task's rewards"}
        unused = [at for at in places if at not in used] if used else []
        found = [names.get(at, f"the rewards of task {at + 1} of {count}") for at in unused]
        many = list(self.tables((self.counts * MANY)[:MANY], TABLES // 3))
        ends = {1: f"the last of {MANY} tasks' rewards"}
        ends[MANY - HUNDRED] = f"the rewards of all tasks beyond the {HUNDRED}th"
        for size, what in ends.items() if count > 1 else ():
            if self.matters(many, 0, size) and not self.matters(many, MANY - size, size):
                found.append(what)
        if found:
            yield "drops-tasks", f"Changing {found[-1]} never changes its number; changing others does."

    def unused_samples(self) -> Iterator[Finding]:
        """Samples that never count, although later ones do, or do if all tasks have as many, or one more."""

        def used(*counts: int) -> list[int]:
            tables = list(self.tables(list(counts), TABLES // 3))
            return [at for at in range(counts[0]) if self.matters(tables, at, samples=True)]

        least, others = min(self.counts, default=0), len(self.counts) - 1
        if not 2 < least < 12:
            return
        even, never = used(*[least] * (others + 1)), "never changes its number"
        gap = next((at for at in range(max(even, default=0)) if at not in even), None)
        if gap is not None:
            which = f"sample {gap + 1}" if gap else "the first sample"
            yield "drops-samples", f"Changing {which} of a task {never}; changing later ones does."
        elif even == [*range(least - 1)] and used(*[least + 1] * (others + 1)) != even:
            yield "drops-samples", f"Changing the last sample of a task {never}; changing others does."
        uneven = used(least, *[1] * others) if {1, 2} <= {*even} else []
        if 0 in uneven and 2 not in uneven:
            yield "drops-samples", f"Samples beyond the number that each other task has {never}."

    def cells(self, *rewards: float, tables: list[Rewards] | None = None) -> Iterator[list[Any]]:
        """The numbers for these rewards, each as one sample, as a task, and as everything."""
        yield [self.number([[reward] * count for count in self.counts]) for reward in rewards]
        for table in self.few if tables is None else tables:
            for at, samples in enumerate(table):
                for count in {1, len(samples)}:
                    rest = samples[count:]
                    yield [
                        self.number([*table[:at], [reward] * count + rest, *table[at + 1 :]])
                        for reward in rewards
                    ]

    def differ(self, *rewards: float, tables: list[Rewards] | None = None) -> bool:
        """Whether any two of these rewards give different numbers."""
        return any(len(set(map(repr, found))) > 1 for found in self.cells(*rewards, tables=tables))

    def jumps(self, one: float, other: float, tables: list[Rewards] | None = None) -> bool:
        """Whether two rewards give numbers whose difference rounding does not explain."""
        return any(
            not math.isclose(*pair, rel_tol=SHIFTED, abs_tol=STEP)
            for pair in self.cells(one, other, tables=tables)
            if all(isinstance(value, float) and not math.isnan(value) for value in pair)
        )

    def order(self) -> Iterator[Finding]:
        for table in self.few if len(set(self.counts)) == 1 else ():
            pair = self.number(table), self.number(table[::-1])
            same = math.isclose(*pair, rel_tol=SHIFTED, abs_tol=SHIFTED) if _floats(*pair) else True
            if not same:
                yield "task-order", "The same tasks in reverse order give another number."
                return

    def strict(self) -> Iterator[Finding]:
        """Whether there is a step only at 1.0, which counts as a reward just below it.

        The other rewards are not round numbers, so that a rounded mean is not halfway between two.
        """
        chance = random.Random("no round numbers")  # noqa: S311 - repeatable
        few = [[[chance.random() for _ in range(count)] for count in self.counts] for _ in range(TABLES // 4)]
        few += [[[round(cell) + cell / 64 for cell in cells] for cells in table] for table in few]
        steps = (self.jumps(math.nextafter(at, way), at, few) for at in ELSEWHERE for way in (-9, 9))
        if self.jumps(1.0, ABOVE, few) and not self.jumps(BELOW, 1.0, few) and not any(steps):
            text = "A reward of 1.0 counts as one just below it; one just above counts differently."
            yield "threshold" if self.passes else "above-one", text
        elif self.jumps(1.0, ABOVE) and not self.differ(0.0, 0.25, BELOW, ABOVE, 2.0):
            yield "above-one", "A reward of exactly 1.0 counts, and none above it."

    def clipped(self) -> Iterator[Finding]:
        """Rewards outside of 0 to 1 that count the same, although those inside count as they are."""
        if not (self.differ(0.25, 0.5) and self.differ(0.5, 0.75)):
            return
        found = [] if self.differ(1.0, 2.0, 7.0) else ["rewards above 1 as 1"]
        if self.differ(0.3, 0.6) and not self.differ(-1.0, -7.0):
            found.append("all rewards below 0 alike" if self.differ(0.0, -1.0) else "rewards below 0 as 0")
        if found:
            yield "clips", f"It takes {' and '.join(found)}."

    def zeros(self) -> Iterator[Finding]:
        """Whether a 0 is ignored, although a reward just above it counts."""
        some = [[0.5, 0.75, 0.25], [0.75, 0.5, 0.875]]
        with_one: dict[str, Callable[[float], Rewards]] = {
            "sample": lambda cell: [[cell, *some[0]], some[1]],
            "task": lambda cell: [[cell] * 3, *some],
        }
        for what, table in with_one.items():
            numbers = [self.number(one) for one in (table(0.0), table(1e-9), some)]
            if _floats(*numbers):
                at_zero, above, left_out = numbers
                if math.isclose(at_zero, left_out) and above < at_zero - STEP:
                    sentence = f"A {what} of 0.0 counts as if it were not there"
                    yield "zeros-left-out", f"{sentence}; one just above 0 lowers the number."
                    return

    def once(self) -> Iterator[Finding]:
        """Whether equal rewards count as one, although each of three different ones matters."""
        some, found = (0.125, 0.375, 0.875), []
        tables: dict[str, Callable[[list[float]], Rewards]] = {
            "tasks": lambda cells: [[cell] * 3 for cell in cells],
            "samples of a task": lambda cells: [cells],
        }
        for what, made in tables.items():
            changed = [[0.5 if at == place else cell for at, cell in enumerate(some)] for place in range(3)]
            doubled = [sorted((*some, cell)) for cell in some]
            base, *others = [self.number(made(list(cells))) for cells in (some, *changed, *doubled)]
            if _floats(base, *others):
                same = [math.isclose(base, one, rel_tol=1e-9, abs_tol=1e-12) for one in others]
                found += [what] if same == [False] * 3 + [True] * 3 else []
        if found:
            yield "equal-rewards", f"Equal rewards of {' and of '.join(found)} count as one."


def _floats(*numbers: Any) -> bool:
    return all(isinstance(number, float) for number in numbers)


def report(compute: Compute, base: dict[str, Any], passes: bool, seconds: float) -> dict[str, Any]:
    """Reports inputs that never matter, and influences that should not exist, as far as time allows.

    ``compute`` returns a float, or the name of an exception's type.
    """
    found: dict[str, Any] = {"values": [], "unread": False, "scale": [], "findings": [], "late": False}
    tried = _Experiments(compute, base, passes, seconds)
    try:
        tried.range(found)
        experiments = [] if found["unread"] else [tried.unused_tasks, tried.unused_samples, tried.order]
        if not tried.given:
            more = [tried.once, tried.clipped, tried.zeros]
            experiments += [tried.strict, *([] if found["unread"] else more)]
        for experiment in experiments:
            found["findings"] += experiment()
    except TimeoutError:
        found["late"] = True
    return found
