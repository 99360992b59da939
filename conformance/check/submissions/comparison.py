"""Compares two submissions task by task.

Of the tasks that both have, each gives the difference of its two means, `d_t`. Their mean over `T` tasks
has the standard error `sqrt(sum (d_t - mean)^2 / (T-1) / T)`: what both find hard is in neither. The sign
test asks how likely so uneven a count of tasks gained and lost would be if either were as likely.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from conformance.check.submissions.attempts import Attempt, Exact, Group, short_names
from conformance.check.submissions.rollup import RollUp
from conformance.check.submissions.scores import Z, values_of

__all__ = ["CompareError", "Compared", "TaskPair", "compared", "counterparts"]

_MOST_SQUARE = 2**1000


class CompareError(Exception):
    """Two submissions that can't be compared; the message says what to do."""


@dataclass(frozen=True, slots=True)
class TaskPair:
    """One task that both have."""

    task: str
    means: tuple[float, float]
    attempts: tuple[int, int]
    """Those that count."""
    flip: int
    """1 where all of the first one's attempts have the reward 1 and all of the second one's 0; -1 where it
    is the reverse; else 0."""

    @property
    def difference(self) -> float:
        """The second's mean less the first's."""
        return self.means[1] - self.means[0]


@dataclass(frozen=True, slots=True)
class Compared:
    """Two submissions on one benchmark."""

    source: str
    key: str
    agents: tuple[str, str]
    """Agent and model of each."""
    pairs: list[TaskPair]
    """By name of the task."""
    only: tuple[list[str], list[str]]
    """The tasks that only the first has, and only the second."""
    unscored: tuple[list[str], list[str]]
    """Common tasks without a trial that counts, in the first and in the second."""
    means: tuple[float, float] | None = None
    """Over the common tasks; None where there is none."""
    difference: float | None = None
    standard_error: float | None = None
    gained: int = 0
    """Tasks where the second one's mean is higher."""
    lost: int = 0
    fractional: bool = True
    """Whether all rewards are from 0 to 1."""
    notes: list[str] = field(default_factory=list)

    @property
    def interval(self) -> tuple[float, float] | None:
        """95 % of the difference."""
        if self.difference is None or self.standard_error is None:
            return None
        return self.difference - Z * self.standard_error, self.difference + Z * self.standard_error

    @property
    def sign_test(self) -> float:
        """The two-sided probability of so uneven a count of gains and losses, if either were as likely."""
        tasks, fewer = self.gained + self.lost, min(self.gained, self.lost)
        ways = way = 1
        for number in range(fewer):
            way = way * (tasks - number) // (number + 1)
            ways += way
        return float(min(Fraction(1), Fraction(2 * ways, 2**tasks)))

    def flipped(self, way: int) -> list[str]:
        """The tasks that go from all passed to all failed (1), or the reverse (-1)."""
        return [pair.task for pair in self.pairs if pair.flip == way]


def counterparts(one: RollUp, other: RollUp) -> list[tuple[Group, Group]]:
    """The groups that are compared: of each benchmark that both have the only one, or the same agent's.

    Raises:
        CompareError: there is no such benchmark, or several agents and no way to tell which.
    """
    found = []
    left, right = _by_source(one), _by_source(other)
    for source in sorted(left.keys() & right.keys()):
        first, second = left[source], right[source]
        if len(first) == len(second) == 1:
            found.append((first[0], second[0]))
            continue
        same = {(group.agent, group.model): group for group in second}
        pairs = [(group, same[key]) for group in first if (key := (group.agent, group.model)) in same]
        if not pairs:
            raise CompareError(
                f"several agents or models ran {source or 'tasks of no dataset'}, and none in both: "
                "name folders with one of them each"
            )
        found += pairs
    if len(left) == len(right) == 1 and not found:  # a dataset may have another name in another release
        first, second = next(iter(left.values())), next(iter(right.values()))
        if len(first) == len(second) == 1 and _tasks_of(first[0]) & _tasks_of(second[0]):
            return [(first[0], second[0])]
    if not found:
        raise CompareError("the two have no benchmark in common, nor tasks of the same names")
    return found


def _by_source(one: RollUp) -> dict[str, list[Group]]:
    found: dict[str, list[Group]] = {}
    for group in one.groups:
        found.setdefault(group.group.source, []).append(group.group)
    return found


def _tasks_of(group: Group) -> set[str]:
    return {task.rpartition("/")[2] for task in group.tasks}


def compared(one: Group, other: Group, key: str | None = None, left_out: bool = False) -> Compared:
    """Two groups by a reward key, the only one or `reward` where none is given.

    Unscored trials count as zero, or are `left_out`.

    Raises:
        CompareError: there is no such reward, or several and none is called `reward`.
    """
    key = _key(one, other, key)
    short = short_names({*one.tasks, *other.tasks})
    first, second = (_values(group, key, short, left_out) for group in (one, other))
    pairs = []
    means: list[tuple[Fraction, Fraction]] = []
    for task in sorted(first.keys() & second.keys()):
        of = (first[task], second[task])
        if of[0] and of[1]:
            mean = (Fraction(sum(of[0], 0)) / len(of[0]), Fraction(sum(of[1], 0)) / len(of[1]))
            means.append(mean)
            shown = (_double(mean[0]), _double(mean[1]))
            pairs.append(TaskPair(task, shown, (len(of[0]), len(of[1])), _flip(*of)))
    flat = [value for values in (*first.values(), *second.values()) for value in values]
    result = Compared(
        one.source or other.source,
        key,
        (_who(one), _who(other)),
        pairs,
        (sorted(first.keys() - second.keys()), sorted(second.keys() - first.keys())),
        (_empty(first, second), _empty(second, first)),
        fractional=all(0 <= value <= 1 for value in flat),
        notes=_notes(one, other),
    )
    return _with_statistics(result, means) if means else result


def _key(one: Group, other: Group, key: str | None) -> str:
    known = sorted({*one.reward_keys, *other.reward_keys})
    if key is not None:
        if key not in known:
            raise CompareError(f"no trial has a reward {key!r}: there is {', '.join(known) or 'none'}")
        return key
    if len(known) > 1 and "reward" not in known:
        raise CompareError(f"there are several rewards, choose one with --key: {', '.join(known)}")
    return known[0] if len(known) == 1 else "reward"


def _values(group: Group, key: str, short: Mapping[str, str], left_out: bool) -> dict[str, list[Exact]]:
    tasks: dict[str, list[Attempt]] = {}
    for task, attempts in group.tasks.items():
        tasks.setdefault(short.get(task, task), []).extend(attempts)
    return {
        task: [value or 0 for value in values if value is not None or not left_out]
        for task, values in values_of(tasks, key).items()
    }


def _empty(these: Mapping[str, Sequence[Exact]], those: Mapping[str, Sequence[Exact]]) -> list[str]:
    return sorted(task for task, values in these.items() if not values and task in those)


def _flip(first: Sequence[Exact], second: Sequence[Exact]) -> int:
    ends = {*first}, {*second}
    return 1 if ends == ({1}, {0}) else -1 if ends == ({0}, {1}) else 0


def _who(group: Group) -> str:
    return " / ".join(filter(None, (group.agent, group.model)))


def _notes(one: Group, other: Group) -> list[str]:
    notes = []
    if one.source != other.source:
        names = [group.source or "no dataset" for group in (one, other)]
        notes.append(f"the datasets have two names: {names[0]} and {names[1]}")
    ids = [{attempt.row.trial for attempt in group.attempts} for group in (one, other)]
    if both := sorted(ids[0] & ids[1]):
        more = ", …" if len(both) > 1 else ""
        notes.append(f"{len(both)} trial{'s' if more else ''} stand in both: {both[0]}{more}")
    return notes


def _with_statistics(result: Compared, means: Sequence[tuple[Fraction, Fraction]]) -> Compared:
    tasks = len(means)
    sides = [sum((mean[side] for mean in means), Fraction(0)) / tasks for side in (0, 1)]
    difference = sides[1] - sides[0]
    error = None
    if tasks > 1:
        squares = sum(((b - a - difference) ** 2 for a, b in means), Fraction(0))
        error = math.sqrt(squares / (tasks - 1) / tasks) if squares < _MOST_SQUARE else None
    return replace(
        result,
        means=(_double(sides[0]), _double(sides[1])),
        difference=_double(difference),
        standard_error=error,
        gained=sum(b > a for a, b in means),
        lost=sum(b < a for a, b in means),
    )


def _double(value: Fraction) -> float:
    """The nearest double; the largest one where the value is beyond."""
    try:
        return float(value)
    except OverflowError:
        return math.copysign(1.7976931348623157e308, value)
