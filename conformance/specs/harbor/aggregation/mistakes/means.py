"""Mistakes in the mean: how it is divided, and what it is without values."""

import math
import statistics
from collections.abc import Callable, Sequence

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number, as_double, single_precision
from conformance.mistakes.variant import Variant

Mean = Callable[[Sequence[Number]], Number]


def _total(reference: Variant, values: Sequence[Number]) -> Number:
    total: Number = reference.module("aggregation").compensated_sum(values)
    return total


def _refuse_none(values: Sequence[Number]) -> None:
    if not values:
        raise ZeroDivisionError("the mean of no values")


@mistake(
    "running-mean",
    says="a mean is updated value by value, by a share of the difference",
    op="aggregate",
    clause="003-3.2-mean-division",
    why="It needs no list and cannot overflow.",
    invited_by="Welford's method, streaming statistics, incremental dashboards",
)
def _(reference: Variant) -> None:
    def mean(values: Sequence[Number]) -> float:
        _refuse_none(values)
        result = 0.0
        for count, value in enumerate(map(as_double, values), start=1):
            result += (value - result) / count
        return result

    reference.replace("aggregation.mean", mean)


@mistake(
    "mean-multiplied-back",
    says="a mean is updated by multiplying the last one by its count, adding and dividing again",
    op="aggregate",
    clause="003-3.2-mean-division",
    why="Only the mean and the count were stored.",
    invited_by="leaderboards that keep a mean and a count",
)
def _(reference: Variant) -> None:
    def mean(values: Sequence[Number]) -> float:
        _refuse_none(values)
        result = 0.0
        for count, value in enumerate(map(as_double, values)):
            result = (result * count + value) / (count + 1)
        return result

    reference.replace("aggregation.mean", mean)


@mistake(
    "mean-of-shares",
    says="every value is divided by the count first, and the shares are added",
    op="aggregate",
    clause="003-3.2-mean-division",
    why="It looks the same on paper, and weights work this way.",
    invited_by="weighted averages, dot products, SQL expressions",
)
def _(reference: Variant) -> None:
    def mean(values: Sequence[Number]) -> Number:
        _refuse_none(values)
        return _total(reference, [as_double(value) / len(values) for value in values])

    reference.replace("aggregation.mean", mean)


@mistake(
    "mean-by-reciprocal",
    says="a sum is multiplied by 1/n, where it should be divided by n",
    op="aggregate",
    clause="003-3.2-mean-division",
    why="Multiplication is faster than division.",
    invited_by="-freciprocal-math, torch kernels, graphics code",
)
def _(reference: Variant) -> None:
    reference.replace("aggregation.mean", lambda values: _total(reference, values) * (1.0 / len(values)))


@mistake(
    "int-sum-rounded-before-division",
    says="a sum of ints is rounded to a double before it is divided",
    op="aggregate",
    clause="003-3.2-mean-int-exact",
    why="Elsewhere an int has to be converted before it can be divided to a fraction.",
    invited_by="Rust's `as f64`, Go's float64(), Java's casts, numpy",
)
def _(reference: Variant) -> None:
    reference.replace("aggregation.mean", lambda values: as_double(_total(reference, values)) / len(values))


@mistake(
    "mean-floors",
    says="the mean of ints is their integer quotient, rounded down",
    op="aggregate",
    clause="003-3.2-mean-division",
    why="An int divided by an int is an int there.",
    invited_by="Python 2, Python's //, Ruby",
)
def _(reference: Variant) -> None:
    def around(mean: Mean) -> Mean:
        def floored(values: Sequence[Number]) -> Number:
            total = _total(reference, values)
            return total // len(values) if isinstance(total, int) else mean(values)

        return floored

    reference.wrap("aggregation.mean", around)


@mistake(
    "mean-truncates",
    says="the mean of ints is their integer quotient, rounded towards zero",
    op="aggregate",
    clause="003-3.2-mean-division",
    why="An int divided by an int is an int there.",
    invited_by="Go, Rust, Java, C, C#, SQL's AVG of integers",
)
def _(reference: Variant) -> None:
    def around(mean: Mean) -> Mean:
        def truncated(values: Sequence[Number]) -> Number:
            total = _total(reference, values)
            if not isinstance(total, int):
                return mean(values)
            quotient = abs(total) // len(values)
            return quotient if total >= 0 else -quotient

        return truncated

    reference.wrap("aggregation.mean", around)


@mistake(
    "mean-overflow-is-infinity",
    says="a mean of ints beyond the double range is infinite",
    op="aggregate",
    clause="003-3.2-mean-overflow",
    why="Conversion to double never fails in most languages.",
    invited_by="JavaScript, Ruby, Java's BigInteger.doubleValue",
)
def _(reference: Variant) -> None:
    def around(mean: Mean) -> Mean:
        def unbounded(values: Sequence[Number]) -> Number:
            try:
                return mean(values)
            except OverflowError:
                return math.copysign(math.inf, 1 if _total(reference, values) > 0 else -1)

        return unbounded

    reference.wrap("aggregation.mean", around)


@mistake(
    "statistics-mean",
    says="a mean is exact and rounded once, and a whole mean of ints is an int",
    op="aggregate",
    clause="003-3.2-mean-division",
    why="The standard library has a function of that name.",
    invited_by="Python's statistics.mean",
)
def _(reference: Variant) -> None:
    reference.replace("aggregation.mean", statistics.mean)


@mistake(
    "single-precision-mean",
    says="means are rounded to single precision",
    op="aggregate",
    clause="003-6-ieee-double",
    why="A tensor of rewards has 32-bit floats unless told otherwise.",
    invited_by="torch.tensor(…).mean(), JAX, f32 in Rust, float in C",
)
def _(reference: Variant) -> None:
    reference.wrap("aggregation.mean", lambda mean: lambda values: single_precision(mean(values)))


@mistake(
    "mean-rounded-to-four",
    says="means are rounded to four decimals",
    op="aggregate",
    clause="003-6-exact-answers",
    why="Leaderboards show no more, and the rounding moved into the arithmetic.",
    invited_by="round(x, 4), toFixed(4), display code",
)
def _(reference: Variant) -> None:
    reference.wrap("aggregation.mean", lambda mean: lambda values: round(mean(values), 4))


@mistake(
    "nan-left-out-of-mean",
    says="NaN values are left out of a mean, and of its count",
    op="aggregate",
    clause="003-6-nan-propagates",
    why="Table libraries take NaN for a missing value.",
    invited_by="pandas' mean with skipna, numpy.nanmean, R's na.rm, SQL's AVG",
)
def _(reference: Variant) -> None:
    def around(mean: Mean) -> Mean:
        def skipping(values: Sequence[Number]) -> Number:
            measured = [value for value in values if value == value]
            return mean(measured or values)

        return skipping

    reference.wrap("aggregation.mean", around)


@mistake(
    "empty-mean-is-zero",
    says="the mean over no trials is 0.0",
    op="aggregate",
    clause="003-3.2-empty-list-mean",
    why="A guard against division by zero returns what seems harmless.",
    invited_by="defensive guards, max(1, n)",
)
def _(reference: Variant) -> None:
    reference.wrap("aggregation.mean", lambda mean: lambda values: mean(values) if values else 0.0)


@mistake(
    "empty-mean-is-nan",
    says="the mean over no trials is NaN",
    op="aggregate",
    clause="003-3.2-empty-list-mean",
    why="0.0 divided by 0 is no error there.",
    invited_by="JavaScript, Rust, Go, Java, numpy, pandas",
)
def _(reference: Variant) -> None:
    nan = float("nan")
    reference.wrap("aggregation.mean", lambda mean: lambda values: mean(values) if values else nan)
