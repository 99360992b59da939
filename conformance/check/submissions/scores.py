"""A group's score under each denominator in use, each with its spread.

With `s_t` the sum of a task's rewards, `n_t` the number of its attempts that count, `T` the number of
tasks: a mean over trials is `m = sum s_t / sum n_t`, one over tasks `m = (1/T) sum s_t/n_t`. Their
standard errors take the tasks for a sample of tasks, whose attempts hang together:
`sqrt(T/(T-1) sum (s_t - m n_t)^2) / sum n_t`, and `sqrt(sum (s_t/n_t - m)^2 / (T-1) / T)`.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from conformance.check.submissions.attempts import Attempt, Exact, Group, exact
from reference_impl.pass_at_k import GradedTrial, pass_at_k

__all__ = ["DENOMINATORS", "HARBOR", "Score", "Scores", "interval", "scores", "values_of"]

HARBOR = "records"
"""The denominator of harbor's mean."""
DENOMINATORS = {
    "records": "all records, unscored trials as zero (harbor's mean)",
    "planned": "all trials planned, missing and unscored ones as zero",
    "scored": "scored trials, the others left out",
    "task-records": "the mean over tasks of each task's mean, unscored trials as zero",
    "task-attempts": "the mean over tasks, missing attempts and unscored trials as zero",
    "task-scored": "the mean over tasks of each task's mean, unscored trials left out",
    "errors-as-zero": "all records, trials with an exception as zero whatever their reward",
    "errors-left-out": "trials without an exception, unscored ones as zero",
    "best-attempt": "the mean over tasks of the best attempt",
    "first-attempt": "the mean over tasks of the first attempt, unscored as zero",
}
"""What a score is divided by, in words."""

_CHOICES = {"best-attempt", "first-attempt"}
MOST_ATTEMPTS = 100
"""Attempts whose scores are given one by one."""
MOST_FOR_PASS_AT_K = 250
"""Attempts at each task."""
Z = 1.959963984540054
"""Standard errors on each side of the mean in an interval of 95 %."""
_ZERO: Exact = 0


@dataclass(frozen=True, slots=True)
class Score:
    """A score under one denominator."""

    value: float
    over: int
    """The number that the sum is divided by: trials, or tasks."""
    standard_error: float | None = None
    """Over tasks; None for a single task, and where the denominator counts what belongs to no task."""


@dataclass(frozen=True, slots=True)
class Scores:
    """All about one reward key of a group."""

    key: str
    scored: int
    """Trials with a reward of that key that counts."""
    by: dict[str, Score]
    """Under each denominator that is defined, in the order of `DENOMINATORS`."""
    pass_at_k: dict[int, float]
    attempts: list[tuple[float, int]]
    """The first attempts' score, the second attempts'…, each with the number of tasks that have one; of
    many the first hundred."""
    attempts_error: float | None
    """The standard error of `task-records` where the tasks are given and only the attempts vary."""
    fractional: bool
    """Whether all rewards are from 0 to 1."""
    values: dict[str, list[Exact | None]] = field(default_factory=dict)
    """Each task's rewards in the order of its attempts, None for an unscored one."""

    @property
    def extent(self) -> list[str]:
        """The denominators of the lowest and the highest mean; a choice of attempts is no mean of all."""
        means = {name: score.value for name, score in self.by.items() if name not in _CHOICES}
        if not means:
            return []
        return [min(means, key=lambda name: means[name]), max(means, key=lambda name: means[name])]

    @property
    def unscored(self) -> int:
        """Trials without such a reward."""
        return sum(len(values) for values in self.values.values()) - self.scored


def values_of(tasks: dict[str, list[Attempt]], key: str) -> dict[str, list[Exact | None]]:
    """Each task's rewards of a key; None where there is none that counts."""
    return {
        task: [exact((attempt.row.rewards or {}).get(key)) for attempt in attempts]
        for task, attempts in tasks.items()
    }


def interval(score: Score, fractional: bool) -> tuple[float, float] | None:
    """The 95 % interval of a score, within 0 and 1 where its rewards are."""
    if score.standard_error is None:
        return None
    low, high = score.value - Z * score.standard_error, score.value + Z * score.standard_error
    return (max(low, 0.0), min(high, 1.0)) if fractional else (low, high)


def scores(group: Group, key: str) -> Scores:
    """The group's scores by one reward key."""
    return scores_of(group.tasks, key, group.planned, group.usual)


def scores_of(tasks: dict[str, list[Attempt]], key: str, planned: int | None, usual: int) -> Scores:
    """The scores of attempts at `tasks`; `usual` is the number of attempts that a task is due."""
    values = values_of(tasks, key)
    zeroed = {task: [value or _ZERO for value in of] for task, of in values.items()}
    known = {task: [value for value in of if value is not None] for task, of in values.items()}
    calm = {
        task: [zeroed[task][at] for at, attempt in enumerate(attempts) if attempt.row.exception is None]
        for task, attempts in tasks.items()
    }
    stern = {
        task: [
            zeroed[task][at] if attempt.row.exception is None else _ZERO
            for at, attempt in enumerate(attempts)
        ]
        for task, attempts in tasks.items()
    }
    due = {task: of + [_ZERO] * (usual - len(of)) for task, of in zeroed.items()}
    best = {task: [max(of)] for task, of in zeroed.items()}
    first = {task: of[:1] for task, of in zeroed.items()}
    total = sum((sum(of, _ZERO) for of in zeroed.values()), _ZERO)
    found = {
        "records": _over_trials(zeroed),
        # Where more trials are there than were planned, a share of those planned would say nothing.
        "planned": _number(total, planned) if planned and planned >= sum(map(len, tasks.values())) else None,
        "scored": _over_trials(known),
        "task-records": _over_tasks(zeroed),
        "task-attempts": _over_tasks(due),
        "task-scored": _over_tasks(known),
        "errors-as-zero": _over_trials(stern),
        "errors-left-out": _over_trials(calm),
        "best-attempt": _over_tasks(best),
        "first-attempt": _over_tasks(first),
    }
    flat = [value for of in known.values() for value in of]
    return Scores(
        key,
        len(flat),
        {name: score for name in DENOMINATORS if (score := found[name]) is not None},
        _pass_at_k(tasks),
        _each_attempt(zeroed),
        _error_of_attempts(zeroed),
        all(0 <= value <= 1 for value in flat),
        values,
    )


def _number(total: Exact, over: int, error: float | None = None) -> Score | None:
    try:
        return Score(float(Fraction(total) / over), over, error)
    except OverflowError:
        return None


def _root(square: Exact) -> float | None:
    try:
        return math.sqrt(square)
    except OverflowError:
        return None


def _sums(tasks: dict[str, list[Exact]]) -> list[tuple[Exact, int, int]]:
    """The sums of tasks with a trial, the number of their trials, and how many tasks have both."""
    counts = Counter((sum(of, _ZERO), len(of)) for of in tasks.values() if of)
    return [(total, trials, count) for (total, trials), count in counts.items()]  # mostly few


def _over_trials(tasks: dict[str, list[Exact]]) -> Score | None:
    """The mean over trials; None where there is none."""
    sums = _sums(tasks)
    if not sums:
        return None
    total = sum((of * count for of, _, count in sums), _ZERO)
    trials = sum(number * count for _, number, count in sums)
    mean, over = Fraction(total) / trials, sum(count for _, _, count in sums)
    error = None
    if over > 1:
        squares = sum((count * (of - mean * number) ** 2 for of, number, count in sums), Fraction(0))
        error = _root(squares * Fraction(over, over - 1) / trials**2)
    return _number(total, trials, error)


def _over_tasks(tasks: dict[str, list[Exact]]) -> Score | None:
    """The mean over tasks of their means; tasks without a trial are left out. None where none is left."""
    means = [(Fraction(of) / number, count) for of, number, count in _sums(tasks)]
    if not means:
        return None
    total = sum((one * count for one, count in means), Fraction(0))
    over = sum(count for _, count in means)
    error = None
    if over > 1:
        squares = sum((count * (one - total / over) ** 2 for one, count in means), Fraction(0))
        error = _root(squares / (over - 1) / over)
    return _number(total, over, error)


def _each_attempt(tasks: dict[str, list[Exact]]) -> list[tuple[float, int]]:
    found = []
    for at in range(min(max(map(len, tasks.values()), default=0), MOST_ATTEMPTS)):
        values = [of[at] for of in tasks.values() if len(of) > at]
        score = _number(sum(values, _ZERO), len(values))
        if score is not None:
            found.append((score.value, len(values)))
    return found


def _error_of_attempts(tasks: dict[str, list[Exact]]) -> float | None:
    """`sqrt(sum v_t/n_t) / T`, `v_t` the variance of a task's rewards; None where a task has one attempt."""
    variances = Fraction(0)
    for of in tasks.values():
        if len(of) < 2:
            return None
        mean = Fraction(sum(of, _ZERO)) / len(of)
        variances += sum(((one - mean) ** 2 for one in of), Fraction(0)) / (len(of) - 1) / len(of)
    return _root(variances / len(tasks) ** 2) if tasks else None


def _pass_at_k(tasks: dict[str, list[Attempt]]) -> dict[int, float]:
    """Harbor's pass@k over all of the attempts, tasks by name."""
    trials: Sequence[GradedTrial] = [
        GradedTrial(task, attempt.row.rewards) for task, attempts in tasks.items() for attempt in attempts
    ]
    return pass_at_k(trials)
