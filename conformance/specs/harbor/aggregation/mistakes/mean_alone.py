"""Mistakes in one metric alone, where the sum beside it, pass@k and steps stay as they are.

A fork that patches one metric's class makes them: the others add by code of their own.
"""

import statistics
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number, Rewards, naive_sum
from conformance.mistakes.variant import Variant
from reference_impl import aggregation

Trials = Sequence[Rewards | None]
Combine = Callable[[Sequence[Number]], Number]


@way("aggregate", clause="003-3.2-mean-division")
def in_metric_mean(reference: Variant, compute: Callable[[Combine, Sequence[Number]], Number]) -> None:
    """Changes the metric mean, of a list with at least one value."""
    metrics = reference.get((aggregation, "METRICS"))
    due = metrics["mean"]
    metrics["mean"] = lambda values: compute(due, values) if values else due(values)


@in_metric_mean.made(
    clause="003-6-sum-compensated", invited_by="a loop in the class of one metric, functools.reduce"
)
def naive_sum_in_mean(_: Combine, values: Sequence[Number]) -> Number:
    """The metric mean adds left to right without compensation, and the metric sum does not.
    The mean was rewritten as a loop, and the sum was left alone."""
    return naive_sum(values) / len(values)


@family("aggregate", clause="003-3.2-mean-division").changed(invited_by="statistics.fmean")
def exact_sum_in_mean(reference: Variant) -> None:
    """The metric mean is statistics.fmean: exact, rounded once, with errors of its own, and no sum is.
    The standard library has a faster mean than its own sum divided by a count."""
    reference.get((aggregation, "METRICS"))["mean"] = statistics.fmean


@in_metric_mean.made(clause="003-6-exact-answers", invited_by="round(x, 4) in the class of one metric")
def metric_mean_rounded(mean: Combine, values: Sequence[Number]) -> Number:
    """The metric mean is rounded to four decimals, and no other mean is.
    Leaderboards show no more, and the mean of steps is not shown."""
    return round(mean(values), 4)


@in_metric_mean.made(clause="003-3.2-mean-division", invited_by="min(1, max(0, x)), numpy.clip in a metric")
def clamped_rewards_in_mean(mean: Combine, values: Sequence[Number]) -> Number:
    """The metric mean takes rewards below 0 for 0 and those above 1 for 1, and other metrics do not.
    A score is a share, and its parts are made so where it is computed."""
    return mean([min(1, max(0, value)) for value in values])


@way("aggregate", clause="003-3.2-none-is-zero")
def trials_of_mean(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Changes the trials before the metric mean is taken of them."""

    def around(aggregate: Callable[[str, Trials], Rewards]) -> Any:
        return lambda metric, trials: aggregate(metric, change(trials) if metric == "mean" else trials)

    reference.wrap(aggregation.aggregate, around)


@trials_of_mean.made(invited_by="a filter in the class of one metric, scores of finished trials")
def null_trials_left_out_of_mean(trials: Trials) -> Trials:
    """The metric mean is taken over the trials that have rewards, and other metrics count the rest as 0.
    A mean over what was measured is what a report of a broken run should show."""
    return [rewards for rewards in trials if rewards is not None]


@way("aggregate", clause="003-3.2-empty-list-max-min")
def in_metric_max(reference: Variant, compute: Callable[[Sequence[Number]], Number]) -> None:
    """Replaces the metric max."""
    reference.get((aggregation, "METRICS"))["max"] = compute


@in_metric_max.made(invited_by="max(values, default=0) in the class of one metric")
def empty_max_is_zero(values: Sequence[Number]) -> Number:
    """The metric max over no trials is 0, and min over none is refused.
    Python's max has a default, and only one of the two was given it."""
    return max(values, default=0)
