"""Mistakes in what a sum is made of: ints, widths, zeros, NaN."""

import math
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.hooks import Number, as_double, naive_sum
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import summation

in_compensated_sum = family("aggregate", of=summation.compensated_sum, clause="003-6-sum-int-exact")
in_is_long = family("aggregate", of=summation._is_long, clause="003-6-sum-int-overflow-plain")
mistakes = family("aggregate", clause="003-6-sum-int-overflow-plain")

Sum = Callable[[Iterable[Number]], Number]


@in_compensated_sum.replaced(
    clause="003-3.2-sum-type",
    invited_by="Rust's iter().sum::<f64>(), Go's float64, C++'s std::accumulate with 0.0",
)
def doubles_added_plainly(values: Any) -> Any:
    """All numbers become doubles and are added left to right, ints too.
    A list of f64 has no ints, and its iterator has a sum()."""
    return float(naive_sum(map(as_double, values)))


@in_compensated_sum.wrapped(
    clause="003-3.2-sum-type", invited_by="typed models with a float field, Rust, Go, numpy.float64"
)
def float_sum_of_ints(add: Callable[..., Any], values: Any) -> Any:
    """A sum of ints is turned into a float. A metric is declared as a float."""
    return as_double(add(values))


@in_compensated_sum.wrapped(invited_by="Go's int64, Java's long, Rust in release mode, numpy.int64")
def int_sum_wraps(add: Sum, values: Iterable[Number]) -> Number:
    """A sum of ints wraps around at 64 bits. A 64-bit int is the widest that most languages have."""
    result = add(values)
    return (result + 2**63) % 2**64 - 2**63 if isinstance(result, int) else result


@in_compensated_sum.wrapped(invited_by="Rust's saturating_add, Guava's saturatedAdd")
def int_sum_saturates(add: Sum, values: Iterable[Number]) -> Number:
    """A sum of ints stops at the largest or smallest 64-bit int. It avoids the overflow without an error."""
    result = add(values)
    return max(-(2**63), min(2**63 - 1, result)) if isinstance(result, int) else result


@in_is_long.replaced(invited_by="ports written from the algorithm's description")
def no_border_at_64_bits(value: Any) -> Any:
    """Sums treat ints beyond 64 bits like smaller ones and go on compensating.
    That CPython leaves its fast path there shows only in its C source."""
    return isinstance(value, int)


@mistakes.changed(invited_by="CPython on Windows, ports with a 32-bit int")
def border_at_32_bits(reference: Variant) -> None:
    """Sums leave the compensated path at ints beyond 32 bits.
    The border is that of C's long, which has 32 bits on Windows."""
    reference.replace((summation, "LONG_MIN"), -(2**31))
    reference.replace((summation, "LONG_MAX"), 2**31 - 1)


@mistakes.changed(clause="003-6-sum-big-int-in-float-phase", invited_by="hand-written ports")
def correction_lost_at_big_ints(reference: Variant) -> None:
    """The correction gathered so far is dropped where an int beyond 64 bits ends compensation.
    The early way out of the loop is easily left without the last step."""

    def around(add: Callable[..., float]) -> Callable[..., float]:
        module = reference.its(summation)

        def total(start: float, remaining: Iterable[Number]) -> float:
            values = list(remaining)
            big = next(
                (n for n, v in enumerate(values) if isinstance(v, int) and not module._is_long(v)), None
            )
            return add(start, iter(values)) if big is None else float(naive_sum([start, *values]))

        return total

    reference.wrap(summation._sum_from_float, around)


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


@in_compensated_sum.wrapped(clause="003-6-sum-non-finite", invited_by="math.fsum, checks with isfinite")
def sum_overflow_refused(add: Sum, values: Iterable[Number]) -> Number:
    """A sum of finite floats that becomes infinite is an OverflowError.
    math.fsum raises it, and an infinite score looks like a fault."""
    listed = list(values)
    result = add(listed)
    if math.isinf(as_double(result)) and all(math.isfinite(as_double(value)) for value in listed):
        raise OverflowError("the sum overflows")
    return result


@in_compensated_sum.replaced(
    clause="003-6-ieee-double", invited_by="Python's Decimal, BigDecimal, decimal.js, SQL's NUMERIC"
)
def decimal_sum(values: Iterable[Number]) -> Number:
    """Floats are added as the decimal fractions that they are printed as. 0.1 + 0.2 is 0.3 there."""
    listed = list(values)
    if all(isinstance(value, int) for value in listed):
        return sum(listed)
    return float(sum((Decimal(repr(value)) for value in listed), Decimal(0)))


@in_compensated_sum.wrapped(
    clause="003-6-sum-starts-at-int-zero",
    invited_by="reduce without a start value, Rust's float sum since 1.83, math.fsum since 3.14",
)
def minus_zero_sum(add: Sum, values: Iterable[Number]) -> Number:
    """A sum of nothing but -0.0 is -0.0. The sum starts at the first value or at -0.0, not at the int 0."""
    listed = list(values)
    only = listed and all(isinstance(v, float) and math.copysign(1, v) < 0 == v for v in listed)
    return -0.0 if only else add(listed)


@in_compensated_sum.wrapped(clause="003-3.2-empty-list-sum", invited_by="numpy.sum, Rust, Go, Java, pandas")
def empty_sum_is_float(add: Sum, values: Iterable[Number]) -> Number:
    """The sum over no trials is 0.0. The running total starts as a float."""
    listed = list(values)
    return add(listed) if listed else 0.0


@in_compensated_sum.wrapped(
    clause="003-3.2-trial-order", invited_by="set comprehensions, SQL's UNION and SUM(DISTINCT)"
)
def equal_rewards_added_once(add: Callable[..., Any], values: Any) -> Any:
    """Equal rewards are added once.
    The values pass through a set, or through the keys of reward_stats, where each stands once."""
    return add(dict.fromkeys(values))


@in_compensated_sum.wrapped(
    clause="003-6-nan-propagates", invited_by="JavaScript's || 0, numpy.nan_to_num, numpy.nansum, pandas' sum"
)
def nan_added_as_zero(add: Callable[..., Any], values: Any) -> Any:
    """NaN counts as 0 in a sum. `value || 0` replaces NaN as well as a missing value."""
    return add([0 if value != value else value for value in values])
