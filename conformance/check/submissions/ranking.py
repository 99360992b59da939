"""A leaderboard: submissions side by side on each benchmark, and what their order hangs on."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from conformance.check.submissions.attempts import short_names
from conformance.check.submissions.rollup import GroupRollUp, RollUp
from conformance.check.submissions.scores import HARBOR

__all__ = ["Entry", "Leaderboard", "Order", "leaderboards"]

OTHER_ORDERS = ("planned", "scored", "task-records", "errors-as-zero", "best-attempt")
"""The denominators under which a leaderboard is ranked anew."""
MOST_RANKED = 2000
MOST_NAMED = 3


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a leaderboard."""

    name: str
    """The submission's, with agent and model where it has several."""
    roll_up: RollUp
    group: GroupRollUp
    rank: int | None
    """By harbor's mean, 1 for the highest; equal scores share one. None without a score."""
    missing: list[str]
    """Tasks that more than half of the entries have, and this one has not."""


@dataclass(frozen=True, slots=True)
class Order:
    """How the order is another under another denominator."""

    denominator: str
    swapped: int
    """Pairs of entries that change places."""
    first: list[tuple[str, str]]
    """The pairs that are nearest to the top: who is before whom by harbor's mean."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """The submissions on one benchmark."""

    source: str
    entries: list[Entry]
    """By name."""
    tasks: int
    """Tasks that any entry has."""
    orders: list[Order]
    """The denominators under which the order is another."""


def leaderboards(found: Sequence[RollUp]) -> list[Leaderboard]:
    """The benchmarks that submissions have trials of, by name; none where there is one submission alone."""
    if len(found) < 2:
        return []
    by_source: dict[str, list[tuple[RollUp, GroupRollUp]]] = {}
    for roll_up in found:
        for group in roll_up.groups:
            by_source.setdefault(group.group.source, []).append((roll_up, group))
    return [_leaderboard(source, entries) for source, entries in sorted(by_source.items())]


def _leaderboard(source: str, found: Sequence[tuple[RollUp, GroupRollUp]]) -> Leaderboard:
    several = Counter(roll_up.name for roll_up, _ in found)
    short = short_names({task for _, group in found for task in group.group.tasks})
    tasks = [{short.get(task, task) for task in group.group.tasks} for _, group in found]
    having = Counter(task for of in tasks for task in of)
    common = sorted(task for task, count in having.items() if 2 * count > len(found))
    values = [_value(group, HARBOR) for _, group in found]
    entries = []
    for (roll_up, group), value, own in zip(found, values, tasks, strict=True):
        name = roll_up.name
        if several[name] > 1:
            name += f" ({' / '.join(filter(None, (group.group.agent, group.group.model)))})"
        rank = None
        if value is not None:
            rank = 1 + sum(other is not None and other > value for other in values)
        missing = [task for task in common if task not in own]
        entries.append(Entry(name, roll_up, group, rank, missing))
    entries.sort(key=lambda entry: entry.name)
    orders = [_order(entries, denominator) for denominator in OTHER_ORDERS]
    return Leaderboard(source, entries, len(having), [order for order in orders if order.swapped])


def _value(group: GroupRollUp, denominator: str) -> float | None:
    score = group.main.by.get(denominator)
    return None if score is None else score.value


def _order(entries: Sequence[Entry], denominator: str) -> Order:
    """The pairs that stand the other way round under another denominator."""
    ranked = []
    for entry in entries:
        here, there = _value(entry.group, HARBOR), _value(entry.group, denominator)
        if here is not None and there is not None:
            ranked.append((-here, entry.name, there))
    ranked.sort()
    ranked = ranked[:MOST_RANKED]
    swapped = 0
    first: list[tuple[str, str]] = []
    for at, (here, name, there) in enumerate(ranked):
        for other_here, other, other_there in ranked[at + 1 :]:
            if here < other_here and there < other_there:
                swapped += 1
                if len(first) < MOST_NAMED:
                    first.append((name, other))
    return Order(denominator, swapped, first)
