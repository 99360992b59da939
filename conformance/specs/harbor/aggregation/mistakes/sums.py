"""Mistakes in sums: the order of the addition, its compensation, and the types of the numbers."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number, as_double, for_doubles, naive_sum
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import summation

mistakes = family("aggregate")
in_compensated_sum = family("aggregate", of=summation.compensated_sum, clause="003-6-sum-int-exact")


@way("aggregate", clause="003-6-sum-compensated")
def double_sums(reference: Variant, add: Callable[[Sequence[float]], float]) -> None:
    """Adds lists of ints exactly, and all others as doubles, with ``add``."""
    reference.replace(summation.compensated_sum, for_doubles(add))


@in_compensated_sum.replaced(
    clause="003-6-sum-compensated", invited_by="Python before 3.12, Rust, Go, JavaScript, Java"
)
def naive_sum_(values: Iterable[Number]) -> Number:
    """Sums are added left to right without compensation.
    The document says that sum is naive, and every language's loop is."""
    return naive_sum(values)


@in_compensated_sum.replaced(
    clause="003-6-sum-compensated", invited_by="math.fsum, statistics.fmean, Shewchuk sums, decimal types"
)
def exact_sum(values: Iterable[Number]) -> Number:
    """Sums are exact and rounded once.
    An exact sum is more accurate, and the name of Python's own function suggests it."""
    listed = list(values)
    return math.fsum(listed) if any(isinstance(value, float) for value in listed) else sum(listed)


@in_compensated_sum.replaced(clause="003-3.2-sum-type", invited_by="math.fsum for every sum")
def sums_by_fsum(values: Iterable[Number]) -> Number:
    """Sums are math.fsum's: exact, rounded once, and a double even if all values are ints.
    The standard library has a function for exact addition."""
    return math.fsum(values)


@double_sums.made(invited_by="Julia, Rayon, fork-join pools, SQL engines")
def pairwise_sum(values: Sequence[float]) -> float:
    """Sums are split into halves, which are added separately.
    Divide and conquer keeps errors small and can run in parallel."""
    if len(values) < 2:
        return sum(values, 0.0)
    middle = len(values) // 2
    return pairwise_sum(values[:middle]) + pairwise_sum(values[middle:])


@double_sums.made(invited_by="numpy.sum, numpy.mean, pandas without bottleneck")
def numpy_sum(values: Sequence[float]) -> float:
    """Sums are numpy's: eight running totals for eight values or more, added pairwise.
    An array's sum looks like any other, and adds fewer than eight values one by one."""
    if len(values) < 8:
        return float(naive_sum(values))
    if len(values) > 128:
        middle = len(values) // 2
        middle -= middle % 8
        return numpy_sum(values[:middle]) + numpy_sum(values[middle:])
    whole = len(values) - len(values) % 8
    a, b, c, d, e, f, g, h = (naive_sum(values[lane:whole:8]) for lane in range(8))
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for value in values[whole:]:
        total += value
    return float(total)


@double_sums.made(invited_by="textbooks, the accurate and kahan crates, D3's older fsum")
def kahan_sum(values: Sequence[float]) -> float:
    """Sums are Kahan's: the correction is subtracted from the next value, not collected separately.
    Kahan's is the best-known compensated sum; Neumaier's is an improvement of it."""
    total = error = 0.0
    for value in values:
        corrected = value - error
        new_total = total + corrected
        error = (new_total - total) - corrected
        total = new_total
    return total


@double_sums.made(invited_by="DoubleStream.sum and average, DoubleSummaryStatistics")
def java_stream_sum(values: Sequence[float]) -> float:
    """Sums are those of Java's streams: Kahan's, with the last correction subtracted at the end.
    DoubleStream compensates too, so it looks like CPython's sum."""
    total = error = simple = 0.0
    for value in values:
        corrected = value - error
        new_total = total + corrected
        error = (new_total - total) - corrected
        total = new_total
        simple += value
    result = total - error
    return simple if math.isnan(result) and math.isinf(simple) else result


@double_sums.made(
    clause="003-6-sum-first-float", invited_by="ports of Neumaier's sum to languages with doubles only"
)
def compensated_from_zero(values: Sequence[float]) -> float:
    """Sums are compensated from the first value on, ints and all, as in the textbook.
    Neumaier's sum starts at 0.0, and no text mentions that CPython adds the first float plainly."""
    total = correction = 0.0
    for value in values:
        correction += _error(total, value, total + value)
        total += value
    return total + correction if math.isfinite(correction) else total


def _error(total: float, value: float, new_total: float) -> float:
    """The rounding error of an addition, from the operand of smaller magnitude."""
    return (total - new_total) + value if abs(total) >= abs(value) else (value - new_total) + total


@way("aggregate", clause="003-6-sum-compensated")
def compensated_by(
    reference: Variant, error: Callable[[float, float, float], float] = _error, *, ints: bool = False
) -> None:
    """Changes how the floats (with ``ints``, all numbers) after the first float are compensated."""
    module = reference.its(summation)

    def add(total: float, remaining: Iterator[Number]) -> float:
        correction = 0.0
        for value in remaining:
            if isinstance(value, float) or ints:
                correction += error(total, float(value), total + float(value))
                total += float(value)
            elif module._is_long(value):
                total += float(value)
            else:
                return float(module._compensated(total, correction)) + value
        return float(module._compensated(total, correction))

    reference.replace(summation._sum_from_float, add)


@mistakes.changed(clause="003-6-sum-int-in-float-phase", invited_by="CPython 3.14")
def ints_compensated(reference: Variant) -> None:
    """Ints after a float are compensated like floats.
    CPython 3.14 does so, while 3.12, which harbor's image runs, does not."""
    compensated_by(reference, ints=True)


@compensated_by.made(invited_by="hand-written ports, fast two-sum without its precondition")
def compensation_without_comparison(total: float, value: float, new_total: float) -> float:
    """The error of an addition is always taken as if the total were the larger operand.
    The comparison looks like an optimisation, and Kahan's sum has none."""
    return (total - new_total) + value


@compensated_by.made(invited_by="hand-written ports")
def compensation_compares_signed(total: float, value: float, new_total: float) -> float:
    """The error of an addition is taken by comparing the operands with their signs.
    The two calls of abs() are easily forgotten, and positive rewards never show it."""
    return (total - new_total) + value if total >= value else (value - new_total) + total


@family("aggregate", of=summation._compensated, clause="003-6-sum-final-correction").replaced(
    invited_by="hand-written ports"
)
def correction_unchecked(total: Any, correction: Any) -> Any:
    """The correction is added to a sum even if it is infinite or NaN.
    Published versions of Neumaier's sum do not check it."""
    return total + correction


Sum = Callable[[Iterable[Number]], Number]


@in_compensated_sum.replaced(
    clause="003-3.2-sum-type",
    invited_by="Rust's iter().sum::<f64>(), Go's float64, C++'s std::accumulate with 0.0",
)
def doubles_added_plainly(values: Any) -> Any:
    """All numbers become doubles and are added left to right, ints too.
    A list of f64 has no ints, and its iterator has a sum()."""
    return float(naive_sum(map(as_double, values)))


@in_compensated_sum.wrapped(invited_by="Go's int64, Java's long, Rust in release mode, numpy.int64")
def int_sum_wraps(add: Sum, values: Iterable[Number]) -> Number:
    """A sum of ints wraps around at 64 bits. The widest int of most languages has 64 bits."""
    result = add(values)
    return (result + 2**63) % 2**64 - 2**63 if isinstance(result, int) else result


@family("aggregate", of=summation._is_long, clause="003-6-sum-int-overflow-plain").replaced(
    invited_by="ports written from the algorithm's description"
)
def no_border_at_64_bits(value: Any) -> Any:
    """Sums treat ints beyond 64 bits like smaller ones and go on compensating.
    Only CPython's C source shows that it leaves its fast path there."""
    return isinstance(value, int)


@in_compensated_sum.wrapped(
    clause="003-6-sum-overflow-error",
    invited_by="JavaScript's Number(bigint), Go's big.Float, Ruby, Java's BigInteger.doubleValue",
)
def huge_int_becomes_infinity(add: Sum, values: Iterable[Number]) -> Number:
    """An int beyond the double range becomes infinite when it meets a float.
    Conversion to double never fails in most languages."""
    listed = list(values)
    if any(isinstance(value, float) for value in listed):
        listed = [value if math.isfinite(as_double(value)) else as_double(value) for value in listed]
    return add(listed)


@in_compensated_sum.wrapped(invited_by="Rust in debug mode, Java's Math.addExact, Swift, PostgreSQL")
def big_int_sum_refused(add: Sum, values: Iterable[Number]) -> Number:
    """A sum of ints that leaves 64 bits is an OverflowError. Checked arithmetic stops there."""
    result = add(values)
    if isinstance(result, int) and not -(2**63) <= result < 2**63:
        raise OverflowError("integer overflow")
    return result


@in_compensated_sum.wrapped(
    clause="003-3.2-trial-order", invited_by="set comprehensions, SQL's UNION and SUM(DISTINCT)"
)
def equal_rewards_added_once(add: Callable[..., Any], values: Any) -> Any:
    """Equal rewards are added once.
    The values are kept in a set, or are the keys of reward_stats, where each appears once."""
    return add(dict.fromkeys(values))
