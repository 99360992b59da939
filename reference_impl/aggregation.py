"""Combines the rewards of many trials into one metric (003 §3).

The shape of the answer depends on the rewards. If all trials together use at most one key, the key is
dropped and the result is named after the metric: `{"mean": 0.5}`. With two or more keys there is a value
for each key, and the metric's name does not appear: `{"speed": 0.5, "tests": 1.0}`. A trial without rewards
counts as 0, and so does a key that a trial lacks.
"""

from collections.abc import Callable, Sequence

from .cpython312.summation import compensated_sum
from .verifier_result import Rewards

__all__ = ["DEFAULT_METRIC", "METRICS", "aggregate", "largest", "mean", "smallest"]


def mean(values: Sequence[int | float]) -> float:
    """The arithmetic mean: the sum by CPython 3.12, divided by the count (003 §3.2, §6).

        mean = sum(values) / len(values)

    An int sum is divided exactly and rounded once.

    Raises:
        ZeroDivisionError: there are no values.
        OverflowError: an int beyond the double range meets a float, or the mean is beyond it.
    """
    return compensated_sum(values) / len(values)


def largest(values: Sequence[int | float]) -> int | float:
    """The largest value by Python's `max`, the first of equal ones, with its type (003 §3.2).

    An int and a float are compared exactly. Every comparison with NaN is false, so a NaN that
    comes first stays, and one that comes later is ignored.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("the max of no values")
    return max(values)


def smallest(values: Sequence[int | float]) -> int | float:
    """The smallest value by Python's `min`; otherwise as `largest`.

    Raises:
        ValueError: there are no values.
    """
    if not values:
        raise ValueError("the min of no values")
    return min(values)


# Each metric by its name, 003 §3.2.
METRICS: dict[str, Callable[[Sequence[int | float]], int | float]] = {
    "mean": mean,
    "max": largest,
    "min": smallest,
    "sum": compensated_sum,
}
DEFAULT_METRIC = "mean"  # of a dataset without configured metrics, 003 §3.1


def aggregate(metric: str, rewards: Sequence[Rewards | None]) -> Rewards:
    """Combine the rewards of all trials, key by key, into the metric's value (003 §3.2).

    `rewards` has an entry per trial, in trial order, which matters for the last bit of a sum.
    Several keys are sorted by code point.

    Raises:
        KeyError: there is no such metric.
        ZeroDivisionError: the mean of no trials.
        ValueError: the max or min of no trials.
        OverflowError: as for `mean`; a sum can raise it too.
    """
    combine = METRICS[metric]

    # A trial without rewards has no keys, and every key that a trial lacks is 0 in that trial.
    measured = [reward or {} for reward in rewards]
    keys = sorted({key for reward in measured for key in reward})

    # One key in all trials, or none: each trial has one value at most, and the key is dropped.
    if len(keys) <= 1:
        return {metric: combine([next(iter(reward.values()), 0) for reward in measured])}

    # Several keys: each is combined by itself, and the metric's name is lost.
    return {key: combine([reward.get(key, 0) for reward in measured]) for key in keys}
