"""Mistakes in means and extremes, and in the metric mean alone."""

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.other_numbers import Number, Rewards, as_double, naive_sum, single_precision
from conformance.mistakes.variant import Variant
from reference_impl import aggregation

in_mean = family("aggregate", of=aggregation.mean, clause="003-3.2-mean-division")
mistakes = family("aggregate")
Mean = Callable[[Sequence[Number]], Number]
Choose = Callable[[Sequence[Number]], Number]


def _total(reference: Variant, values: Sequence[Number]) -> Number:
    total: Number = reference.its(aggregation).compensated_sum(values)
    return total


def _refuse_none(values: Sequence[Number]) -> None:
    if not values:
        raise ZeroDivisionError("the mean of no values")


@in_mean.replaced(invited_by="Welford's method, streaming statistics, incremental dashboards")
def running_mean(values: Sequence[Number]) -> float:
    """A mean is updated value by value, by a fraction of the difference.
    It needs no list and cannot overflow."""
    _refuse_none(values)
    result = 0.0
    for count, value in enumerate(map(as_double, values), start=1):
        result += (value - result) / count
    return result


@in_mean.replaced(invited_by="weighted averages, dot products, SQL expressions")
def mean_of_shares(reference: Variant, values: Sequence[Number]) -> Number:
    """Every value is divided by the count first, and the quotients are added.
    It is equivalent on paper, and weighted means do it."""
    _refuse_none(values)
    return _total(reference, [as_double(value) / len(values) for value in values])


@in_mean.replaced(
    clause="003-3.2-mean-int-exact", invited_by="Rust's `as f64`, Go's float64(), Java's casts, numpy"
)
def int_sum_rounded_before_division(reference: Variant, values: Any) -> Any:
    """A sum of ints is rounded to a double before it is divided.
    In other languages an int must be converted to a float before a true division."""
    return as_double(_total(reference, values)) / len(values)


@in_mean.wrapped(invited_by="Python 2, Python's //, Ruby")
def mean_floors(reference: Variant, mean: Mean, values: Sequence[Number]) -> Number:
    """The mean of ints is their integer quotient, rounded down.
    Dividing an int by an int gives an int there."""
    total = _total(reference, values)
    return total // len(values) if isinstance(total, int) else mean(values)


@in_mean.wrapped(invited_by="Go, Rust, Java, C, C#, SQL's AVG of integers")
def mean_truncates(reference: Variant, mean: Mean, values: Sequence[Number]) -> Number:
    """The mean of ints is their integer quotient, rounded towards zero.
    Dividing an int by an int gives an int there."""
    total = _total(reference, values)
    if not isinstance(total, int):
        return mean(values)
    quotient = abs(total) // len(values)
    return quotient if total >= 0 else -quotient


@in_mean.wrapped(clause="003-3.2-mean-overflow", invited_by="JavaScript, Ruby, Java's BigInteger.doubleValue")
def mean_overflow_is_infinity(reference: Variant, mean: Mean, values: Sequence[Number]) -> Number:
    """A mean of ints beyond the double range is infinite.
    Conversion to double never fails in most languages."""
    try:
        return mean(values)
    except OverflowError:
        return math.copysign(math.inf, 1 if _total(reference, values) > 0 else -1)


@in_mean.replaced(invited_by="Python's statistics.mean")
def statistics_mean(values: Sequence[Number]) -> float:
    """A mean is exact and rounded once, and a whole mean of ints is an int.
    The standard library has a function of that name."""
    return statistics.mean(values)


@in_mean.wrapped(
    clause="003-6-ieee-double", invited_by="torch.tensor(…).mean(), JAX, f32 in Rust, float in C"
)
def single_precision_mean(mean: Callable[..., Any], values: Any) -> Any:
    """Means are rounded to single precision. A tensor of rewards has 32-bit floats by default."""
    return single_precision(mean(values))


@in_mean.wrapped(clause="003-3.2-empty-list-mean", invited_by="defensive guards, max(1, n)")
def empty_mean_is_zero(mean: Callable[..., Any], values: Any) -> Any:
    """The mean over no trials is 0.0.
    A guard against division by zero returns a value that seems harmless."""
    return mean(values) if values else 0.0


@mistakes.changed(clause="003-3.2-empty-list-max-min", invited_by="if not values: return 0.0")
def no_trials_are_zero(reference: Variant) -> None:
    """The metrics mean, max and min over no trials are 0.0.
    A guard at the top returns a value that seems harmless."""

    def guarded(combine: Choose) -> Choose:
        return lambda values: combine(values) if values else 0.0

    metrics = reference.get((aggregation, "METRICS"))
    metrics.update({name: guarded(metrics[name]) for name in ("mean", "max", "min")})


@mistakes.changed(
    clause="003-3.2-max-min-nan",
    invited_by="C's MAX macro, JavaScript's reduce with a ternary, Go before 1.21",
)
def kept_operand_must_win(reference: Variant) -> None:
    """Max and min replace the operand kept so far unless it compares strictly greater or less.
    `a > b ? a : b` looks like a maximum, but selects b if they are equal or NaN."""

    def around(choose: Choose, wins: Callable[[Number, Number], bool]) -> Choose:
        def fold(values: Sequence[Number]) -> Number:
            if not values:
                return choose(values)
            best = values[0]
            for value in values[1:]:
                best = best if wins(best, value) else value
            return best

        return fold

    reference.wrap(aggregation.largest, lambda choose: around(choose, lambda a, b: a > b))
    reference.wrap(aggregation.smallest, lambda choose: around(choose, lambda a, b: a < b))


@mistakes.changed(
    clause="003-3.2-exact-comparison", invited_by="C, Java, Rust's `as f64`, SQL's numeric promotion"
)
def extremes_compare_doubles(reference: Variant) -> None:
    """Max and min compare ints after rounding them to doubles.
    Mixed operands are promoted before they are compared."""

    def around(best: Callable[..., Number]) -> Callable[[Choose], Choose]:
        return lambda choose: lambda values: best(values, key=as_double) if values else choose(values)

    reference.wrap(aggregation.largest, around(max))
    reference.wrap(aggregation.smallest, around(min))


Trials = Sequence[Rewards | None]
Combine = Callable[[Sequence[Number]], Number]


@way("aggregate", clause="003-3.2-mean-division")
def in_metric_mean(reference: Variant, compute: Callable[[Combine, Sequence[Number]], Number]) -> None:
    """Changes the metric mean of a non-empty list."""
    metrics = reference.get((aggregation, "METRICS"))
    due = metrics["mean"]
    metrics["mean"] = lambda values: compute(due, values) if values else due(values)


@in_metric_mean.made(
    clause="003-6-sum-compensated", invited_by="a loop in the class of one metric, functools.reduce"
)
def naive_sum_in_mean(_: Combine, values: Sequence[Number]) -> Number:
    """The metric mean adds left to right without compensation, and the metric sum does not.
    The mean was rewritten as a loop, and the sum was not."""
    return naive_sum(values) / len(values)


@family("aggregate", clause="003-3.2-mean-division").changed(invited_by="statistics.fmean")
def exact_sum_in_mean(reference: Variant) -> None:
    """Only the metric mean uses statistics.fmean: exact, rounded once, with its own errors.
    The standard library's fmean is more accurate than a sum divided by a count."""
    reference.get((aggregation, "METRICS"))["mean"] = statistics.fmean


def _rounded(name: str, word: str, digits: int) -> Case:
    return Case(
        name,
        f"only the metric mean is rounded to {word} decimals",
        "Leaderboards show no more, and the mean of steps is not shown.",
        f"round(x, {digits}) in the class of one metric",
        digits,
    )


@family("aggregate", clause="003-6-exact-answers").each(
    _rounded("metric-mean-in-hundredths", "two", 2),
    _rounded("metric-mean-in-thousandths", "three", 3),
    _rounded("metric-mean-rounded", "four", 4),
    _rounded("metric-mean-in-millionths", "six", 6),
)
def metric_mean_rounded(reference: Variant, digits: int) -> None:
    """Makes the metric mean round."""
    metrics = reference.get((aggregation, "METRICS"))
    due = metrics["mean"]
    metrics["mean"] = lambda values: round(due(values), digits)


@in_metric_mean.made(clause="003-3.2-mean-division", invited_by="min(1, max(0, x)), numpy.clip in a metric")
def clamped_rewards_in_mean(mean: Combine, values: Sequence[Number]) -> Number:
    """Only the metric mean clamps rewards to the range from 0 to 1.
    A score should be between 0 and 1, so its parts are clamped where it is computed."""
    return mean([min(1, max(0, value)) for value in values])


@family("aggregate", of=aggregation.aggregate, clause="003-3.2-none-is-zero").wrapped(
    invited_by="a filter in the class of one metric, scores of finished trials"
)
def null_trials_left_out_of_mean(aggregate: Callable[..., Any], metric: str, trials: Trials) -> Any:
    """Only the metric mean leaves out trials without rewards; other metrics count them as 0.
    The report of a broken run should show the mean of what was measured."""
    return aggregate(metric, [one for one in trials if one is not None or metric != "mean"])


@mistakes.changed(
    clause="003-3.2-empty-list-max-min", invited_by="max(values, default=0) in the class of one metric"
)
def empty_max_is_zero(reference: Variant) -> None:
    """The metric max over no trials is 0, and min over none is refused.
    Python's max accepts a default, and only one of the two calls has it."""
    reference.get((aggregation, "METRICS"))["max"] = lambda values: max(values, default=0)


@way("aggregate", clause="003-3.2-max-min-nan")
def both_extremes(reference: Variant, around: Callable[[Choose], Choose]) -> None:
    """Wraps the choice of the largest and of the smallest."""
    reference.wrap(aggregation.largest, around)
    reference.wrap(aggregation.smallest, around)


@family("aggregate", of=aggregation.largest, clause="003-3.2-max-min-verbatim").wrapped(
    invited_by="hand-written loops, Go's zero values, unsigned types"
)
def max_starts_at_zero(choose: Choose, values: Sequence[Number]) -> Number:
    """Max is never below 0, and ignores a NaN that comes first. The best so far starts at 0, an int."""
    return choose([0, *values] if values else values)


@both_extremes.made(invited_by="numpy.max, Math.max in JavaScript and Java, Go's built-in max")
def nan_poisons_extremes(choose: Choose) -> Choose:
    """Max and min are NaN as soon as one value is. IEEE's maximum and array libraries pass NaN on."""
    return lambda values: next((value for value in values if value != value), None) or choose(values)
