"""Mistakes in the mean: how it is divided, and what it is without values."""

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.hooks import Number, as_double, single_precision
from conformance.mistakes.variant import Variant
from reference_impl import aggregation

in_mean = family("aggregate", of=aggregation.mean, clause="003-3.2-mean-division")
mistakes = family("aggregate")

Mean = Callable[[Sequence[Number]], Number]


def _total(reference: Variant, values: Sequence[Number]) -> Number:
    total: Number = reference.its(aggregation).compensated_sum(values)
    return total


def _refuse_none(values: Sequence[Number]) -> None:
    if not values:
        raise ZeroDivisionError("the mean of no values")


@in_mean.replaced(invited_by="Welford's method, streaming statistics, incremental dashboards")
def running_mean(values: Sequence[Number]) -> float:
    """A mean is updated value by value, by a share of the difference.
    It needs no list and cannot overflow."""
    _refuse_none(values)
    result = 0.0
    for count, value in enumerate(map(as_double, values), start=1):
        result += (value - result) / count
    return result


@in_mean.replaced(invited_by="leaderboards that keep a mean and a count")
def mean_multiplied_back(values: Sequence[Number]) -> float:
    """A mean is updated by multiplying the last one by its count, adding and dividing again.
    Only the mean and the count were stored."""
    _refuse_none(values)
    result = 0.0
    for count, value in enumerate(map(as_double, values)):
        result = (result * count + value) / (count + 1)
    return result


@in_mean.replaced(invited_by="weighted averages, dot products, SQL expressions")
def mean_of_shares(reference: Variant, values: Sequence[Number]) -> Number:
    """Every value is divided by the count first, and the shares are added.
    It looks the same on paper, and weights work this way."""
    _refuse_none(values)
    return _total(reference, [as_double(value) / len(values) for value in values])


@in_mean.replaced(invited_by="-freciprocal-math, torch kernels, graphics code")
def mean_by_reciprocal(reference: Variant, values: Any) -> Any:
    """A sum is multiplied by 1/n, where it should be divided by n. Multiplication is faster than division."""
    return _total(reference, values) * (1.0 / len(values))


@in_mean.replaced(
    clause="003-3.2-mean-int-exact", invited_by="Rust's `as f64`, Go's float64(), Java's casts, numpy"
)
def int_sum_rounded_before_division(reference: Variant, values: Any) -> Any:
    """A sum of ints is rounded to a double before it is divided.
    Elsewhere an int has to be converted before it can be divided to a fraction."""
    return as_double(_total(reference, values)) / len(values)


@in_mean.wrapped(invited_by="Python 2, Python's //, Ruby")
def mean_floors(reference: Variant, mean: Mean, values: Sequence[Number]) -> Number:
    """The mean of ints is their integer quotient, rounded down. An int divided by an int is an int there."""
    total = _total(reference, values)
    return total // len(values) if isinstance(total, int) else mean(values)


@in_mean.wrapped(invited_by="Go, Rust, Java, C, C#, SQL's AVG of integers")
def mean_truncates(reference: Variant, mean: Mean, values: Sequence[Number]) -> Number:
    """The mean of ints is their integer quotient, rounded towards zero.
    An int divided by an int is an int there."""
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


@mistakes.changed(clause="003-3.2-mean-division", invited_by="Python's statistics.mean")
def statistics_mean(reference: Variant) -> None:
    """A mean is exact and rounded once, and a whole mean of ints is an int.
    The standard library has a function of that name."""
    reference.replace(aggregation.mean, statistics.mean)


@in_mean.wrapped(
    clause="003-6-ieee-double", invited_by="torch.tensor(…).mean(), JAX, f32 in Rust, float in C"
)
def single_precision_mean(mean: Callable[..., Any], values: Any) -> Any:
    """Means are rounded to single precision. A tensor of rewards has 32-bit floats unless told otherwise."""
    return single_precision(mean(values))


@in_mean.wrapped(clause="003-6-exact-answers", invited_by="round(x, 4), toFixed(4), display code")
def mean_rounded_to_four(mean: Callable[..., Any], values: Any) -> Any:
    """Means are rounded to four decimals.
    Leaderboards show no more, and the rounding moved into the arithmetic."""
    return round(mean(values), 4)


@in_mean.wrapped(
    clause="003-6-nan-propagates", invited_by="pandas' mean with skipna, numpy.nanmean, R's na.rm, SQL's AVG"
)
def nan_left_out_of_mean(mean: Mean, values: Sequence[Number]) -> Number:
    """NaN values are left out of a mean, and of its count. Table libraries take NaN for a missing value."""
    measured = [value for value in values if value == value]
    return mean(measured or values)


@in_mean.wrapped(clause="003-3.2-empty-list-mean", invited_by="defensive guards, max(1, n)")
def empty_mean_is_zero(mean: Callable[..., Any], values: Any) -> Any:
    """The mean over no trials is 0.0. A guard against division by zero returns what seems harmless."""
    return mean(values) if values else 0.0


@in_mean.wrapped(clause="003-3.2-empty-list-mean", invited_by="JavaScript, Rust, Go, Java, numpy, pandas")
def empty_mean_is_nan(mean: Callable[..., Any], values: Any) -> Any:
    """The mean over no trials is NaN. 0.0 divided by 0 is no error there."""
    nan = float("nan")
    return mean(values) if values else nan
