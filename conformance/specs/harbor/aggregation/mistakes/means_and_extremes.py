"""Mistakes in the mean, the largest and the smallest."""

import math
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number, as_double, single_precision
from conformance.mistakes.variant import Variant
from reference_impl import aggregation

in_mean = family("aggregate", of=aggregation.mean, clause="003-3.2-mean-division")
mistakes = family("aggregate")
in_largest = family("aggregate", of=aggregation.largest)
in_smallest = family("aggregate", of=aggregation.smallest, clause="003-3.2-first-of-equals")
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


@in_mean.replaced(invited_by="Python's statistics.mean")
def statistics_mean(values: Sequence[Number]) -> float:
    """A mean is exact and rounded once, and a whole mean of ints is an int.
    The standard library has a function of that name."""
    return statistics.mean(values)


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


Choose = Callable[[Sequence[Number]], Number]


@way("aggregate", clause="003-3.2-max-min-verbatim")
def wrap_both(reference: Variant, around: Callable[[Choose], Choose]) -> None:
    """Wraps the choice of the largest and of the smallest."""
    reference.wrap(aggregation.largest, around)
    reference.wrap(aggregation.smallest, around)


@way("aggregate")
def by_key(reference: Variant, key: Callable[[Number], Any]) -> None:
    """Compares by ``key`` where the values are compared themselves."""

    def around(choose: Callable[..., Number], best: Callable[..., Number]) -> Choose:
        return lambda values: best(values, key=key) if values else choose(values)

    reference.wrap(aggregation.largest, lambda choose: around(choose, max))
    reference.wrap(aggregation.smallest, lambda choose: around(choose, min))


@in_largest.wrapped(
    clause="003-3.2-first-of-equals",
    invited_by="Rust's Iterator::max_by, sorted lists read from the end, loops with >=",
)
def max_takes_last_of_equals(choose: Choose, values: Sequence[Number]) -> Number:
    """Of equal operands max returns the last.
    Rust's max_by keeps the later of two equals, while its min_by keeps the earlier."""
    best = choose(values)
    return next((value for value in reversed(values) if value == best), best)


@in_smallest.wrapped(invited_by="hand-written loops with <=, Java's Collectors.minBy in parallel streams")
def min_takes_last_of_equals(choose: Choose, values: Sequence[Number]) -> Number:
    """Of equal operands min returns the last. A loop with <= replaces what is equal."""
    best = choose(values)
    return next((value for value in reversed(values) if value == best), best)


@mistakes.changed(
    clause="003-3.2-max-min-nan",
    invited_by="C's MAX macro, JavaScript's reduce with a ternary, Go before 1.21",
)
def kept_operand_must_win(reference: Variant) -> None:
    """Max and min replace the operand kept so far unless it compares strictly greater or less.
    `a > b ? a : b` reads like a maximum, but equals and NaN go to b."""

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


@wrap_both.made(
    clause="003-3.2-max-min-nan", invited_by="numpy.max, Math.max in JavaScript and Java, Go's built-in max"
)
def nan_poisons_extremes(choose: Choose) -> Choose:
    """Max and min are NaN as soon as one value is. IEEE's maximum and array libraries pass NaN on."""
    return lambda values: next((value for value in values if value != value), None) or choose(values)


@wrap_both.made(
    clause="003-3.2-max-min-nan", invited_by="pandas, numpy.nanmax, Rust's f64::max, C's fmax, SQL"
)
def nan_skipped_by_extremes(choose: Choose) -> Choose:
    """Max and min pass over NaN, also in the first place.
    Table libraries take NaN for a missing value, and C's fmax ignores it."""
    return lambda values: choose([value for value in values if value == value] or values)


@by_key.made(
    clause="003-3.2-max-min-nan",
    invited_by="Java's Double.compare, Rust's ordered-float, PostgreSQL, Julia's isless",
)
def nan_is_largest(value: Number) -> Any:
    """Max and min take NaN for the largest number. A total order has to put NaN somewhere."""
    return (value != value, 0 if value != value else value)


@mistakes.changed(
    clause="003-3.2-first-of-equals",
    invited_by="Math.max in JavaScript and Java, Rust's total_cmp, Go's built-in max",
)
def minus_zero_below_zero(reference: Variant) -> None:
    """Max and min take -0.0 for less than 0.0. A total order tells the zeros apart."""

    def around(choose: Choose, sign: int) -> Choose:
        def zeros_apart(values: Sequence[Number]) -> Number:
            best = choose(values)
            if best != 0:
                return best
            zeros = [value for value in values if value == 0]
            return next((zero for zero in zeros if math.copysign(1, zero) == sign), best)

        return zeros_apart

    reference.wrap(aggregation.largest, lambda choose: around(choose, 1))
    reference.wrap(aggregation.smallest, lambda choose: around(choose, -1))


@wrap_both.made(invited_by="Rust's f64, Go's float64, Java's DoubleStream, numpy.float64")
def extremes_as_doubles(choose: Choose) -> Choose:
    """Max and min return a float, also of ints. A list of doubles holds no ints."""
    return lambda values: as_double(choose(values))


@wrap_both.made(invited_by="numpy arrays, pandas columns, Julia's promotion, R's vectors")
def mixed_extremes_become_floats(choose: Choose) -> Choose:
    """Max and min return a float as soon as one of the values is a float.
    An array has one type for all its values."""

    def promoted(values: Sequence[Number]) -> Number:
        mixed = any(isinstance(value, float) for value in values)
        return choose([as_double(value) for value in values] if mixed else values)

    return promoted


@by_key.made(
    clause="003-3.2-exact-comparison", invited_by="C, Java, Rust's `as f64`, SQL's numeric promotion"
)
def extremes_compare_doubles(value: Number) -> Any:
    """Max and min compare ints after rounding them to doubles.
    Mixed operands are promoted before they are compared."""
    return as_double(value)


@in_largest.wrapped(clause="003-3.2-max-min-verbatim", invited_by="hand-written loops, unsigned types")
def max_starts_at_zero(choose: Choose, values: Sequence[Number]) -> Number:
    """Max is never below 0. The best so far starts at 0, and rewards are thought to be positive."""
    return 0 if values and choose(values) < 0 else choose(values)


@mistakes.changed(
    clause="003-3.2-empty-list-max-min",
    invited_by="Math.max() in JavaScript, folds in Rust and Haskell, numpy's initial=",
)
def extremes_start_at_infinity(reference: Variant) -> None:
    """Max and min start at an infinity, which stands in for no trials and for NaN in the first place.
    It is the neutral element."""
    reference.replace(aggregation.largest, lambda values: max([-math.inf, *values]))
    reference.replace(aggregation.smallest, lambda values: min([math.inf, *values]))


@wrap_both.made(
    clause="003-3.2-empty-list-max-min", invited_by="max(…, default=0), unwrap_or(0), Go's zero values"
)
def empty_extremes_are_zero(choose: Choose) -> Choose:
    """Max and min over no trials are 0. A default avoids the error."""
    return lambda values: choose(values) if values else 0
