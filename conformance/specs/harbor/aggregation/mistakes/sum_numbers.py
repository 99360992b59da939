"""Mistakes in what a sum is made of: ints, widths, zeros, NaN."""

import math
from collections.abc import Callable, Iterable
from decimal import Decimal

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number, as_double, naive_sum
from conformance.mistakes.variant import Variant

Sum = Callable[[Iterable[Number]], Number]


@mistake(
    "doubles-added-plainly",
    says="all numbers become doubles and are added left to right, ints too",
    op="aggregate",
    clause="003-3.2-sum-type",
    why="A list of f64 has no ints, and its iterator has a sum().",
    invited_by="Rust's iter().sum::<f64>(), Go's float64, C++'s std::accumulate with 0.0",
)
def _(reference: Variant) -> None:
    reference.replace(
        "cpython312.summation.compensated_sum", lambda values: float(naive_sum(map(as_double, values)))
    )


@mistake(
    "float-sum-of-ints",
    says="a sum of ints is turned into a float",
    op="aggregate",
    clause="003-3.2-sum-type",
    why="A metric is declared as a float.",
    invited_by="typed models with a float field, Rust, Go, numpy.float64",
)
def _(reference: Variant) -> None:
    reference.wrap("cpython312.summation.compensated_sum", lambda add: lambda values: as_double(add(values)))


@mistake(
    "int-sum-wraps",
    says="a sum of ints wraps around at 64 bits",
    op="aggregate",
    clause="003-6-sum-int-exact",
    why="A 64-bit int is the widest that most languages have.",
    invited_by="Go's int64, Java's long, Rust in release mode, numpy.int64",
)
def _(reference: Variant) -> None:
    def around(add: Sum) -> Sum:
        def total(values: Iterable[Number]) -> Number:
            result = add(values)
            return (result + 2**63) % 2**64 - 2**63 if isinstance(result, int) else result

        return total

    reference.wrap("cpython312.summation.compensated_sum", around)


@mistake(
    "int-sum-saturates",
    says="a sum of ints stops at the largest or smallest 64-bit int",
    op="aggregate",
    clause="003-6-sum-int-exact",
    why="It avoids the overflow without an error.",
    invited_by="Rust's saturating_add, Guava's saturatedAdd",
)
def _(reference: Variant) -> None:
    def around(add: Sum) -> Sum:
        def total(values: Iterable[Number]) -> Number:
            result = add(values)
            return max(-(2**63), min(2**63 - 1, result)) if isinstance(result, int) else result

        return total

    reference.wrap("cpython312.summation.compensated_sum", around)


@mistake(
    "no-border-at-64-bits",
    says="sums treat ints beyond 64 bits like smaller ones and go on compensating",
    op="aggregate",
    clause="003-6-sum-int-overflow-plain",
    why="That CPython leaves its fast path there shows only in its C source.",
    invited_by="ports written from the algorithm's description",
)
def _(reference: Variant) -> None:
    reference.replace("cpython312.summation._is_long", lambda value: isinstance(value, int))


@mistake(
    "border-at-32-bits",
    says="sums leave the compensated path at ints beyond 32 bits",
    op="aggregate",
    clause="003-6-sum-int-overflow-plain",
    why="The border is that of C's long, which has 32 bits on Windows.",
    invited_by="CPython on Windows, ports with a 32-bit int",
)
def _(reference: Variant) -> None:
    reference.replace("cpython312.summation.LONG_MIN", -(2**31))
    reference.replace("cpython312.summation.LONG_MAX", 2**31 - 1)


@mistake(
    "correction-lost-at-big-ints",
    says="the correction gathered so far is dropped where an int beyond 64 bits ends compensation",
    op="aggregate",
    clause="003-6-sum-big-int-in-float-phase",
    why="The early way out of the loop is easily left without the last step.",
    invited_by="hand-written ports",
)
def _(reference: Variant) -> None:
    def around(add: Callable[..., float]) -> Callable[..., float]:
        module = reference.module("cpython312.summation")

        def total(start: float, remaining: Iterable[Number]) -> float:
            values = list(remaining)
            big = next(
                (n for n, v in enumerate(values) if isinstance(v, int) and not module._is_long(v)), None
            )
            return add(start, iter(values)) if big is None else float(naive_sum([start, *values]))

        return total

    reference.wrap("cpython312.summation._sum_from_float", around)


@mistake(
    "huge-int-becomes-infinity",
    says="an int beyond the double range becomes infinite when it meets a float",
    op="aggregate",
    clause="003-6-sum-overflow-error",
    why="Conversion to double never fails in most languages.",
    invited_by="JavaScript's Number(bigint), Go's big.Float, Ruby, Java's BigInteger.doubleValue",
)
def _(reference: Variant) -> None:
    def around(add: Sum) -> Sum:
        def total(values: Iterable[Number]) -> Number:
            listed = list(values)
            if any(isinstance(value, float) for value in listed):
                listed = [value if math.isfinite(as_double(value)) else as_double(value) for value in listed]
            return add(listed)

        return total

    reference.wrap("cpython312.summation.compensated_sum", around)


@mistake(
    "big-int-sum-refused",
    says="a sum of ints that leaves 64 bits is an OverflowError",
    op="aggregate",
    clause="003-6-sum-int-exact",
    why="Checked arithmetic stops there.",
    invited_by="Rust in debug mode, Java's Math.addExact, Swift, PostgreSQL",
)
def _(reference: Variant) -> None:
    def around(add: Sum) -> Sum:
        def total(values: Iterable[Number]) -> Number:
            result = add(values)
            if isinstance(result, int) and not -(2**63) <= result < 2**63:
                raise OverflowError("integer overflow")
            return result

        return total

    reference.wrap("cpython312.summation.compensated_sum", around)


@mistake(
    "sum-overflow-refused",
    says="a sum of finite floats that becomes infinite is an OverflowError",
    op="aggregate",
    clause="003-6-sum-non-finite",
    why="math.fsum raises it, and an infinite score looks like a fault.",
    invited_by="math.fsum, checks with isfinite",
)
def _(reference: Variant) -> None:
    def around(add: Sum) -> Sum:
        def total(values: Iterable[Number]) -> Number:
            listed = list(values)
            result = add(listed)
            if math.isinf(as_double(result)) and all(math.isfinite(as_double(value)) for value in listed):
                raise OverflowError("the sum overflows")
            return result

        return total

    reference.wrap("cpython312.summation.compensated_sum", around)


@mistake(
    "decimal-sum",
    says="floats are added as the decimal fractions that they are printed as",
    op="aggregate",
    clause="003-6-ieee-double",
    why="0.1 + 0.2 is 0.3 there.",
    invited_by="Python's Decimal, BigDecimal, decimal.js, SQL's NUMERIC",
)
def _(reference: Variant) -> None:
    def decimal_sum(values: Iterable[Number]) -> Number:
        listed = list(values)
        if all(isinstance(value, int) for value in listed):
            return sum(listed)
        return float(sum((Decimal(repr(value)) for value in listed), Decimal(0)))

    reference.replace("cpython312.summation.compensated_sum", decimal_sum)


@mistake(
    "minus-zero-sum",
    says="a sum of nothing but -0.0 is -0.0",
    op="aggregate",
    clause="003-6-sum-starts-at-int-zero",
    why="The sum starts at the first value or at -0.0, not at the int 0.",
    invited_by="reduce without a start value, Rust's float sum since 1.83, math.fsum since 3.14",
)
def _(reference: Variant) -> None:
    def around(add: Sum) -> Sum:
        def total(values: Iterable[Number]) -> Number:
            listed = list(values)
            only = listed and all(isinstance(v, float) and math.copysign(1, v) < 0 == v for v in listed)
            return -0.0 if only else add(listed)

        return total

    reference.wrap("cpython312.summation.compensated_sum", around)


@mistake(
    "empty-sum-is-float",
    says="the sum over no trials is 0.0",
    op="aggregate",
    clause="003-3.2-empty-list-sum",
    why="The running total starts as a float.",
    invited_by="numpy.sum, Rust, Go, Java, pandas",
)
def _(reference: Variant) -> None:
    def around(add: Sum) -> Sum:
        def total(values: Iterable[Number]) -> Number:
            listed = list(values)
            return add(listed) if listed else 0.0

        return total

    reference.wrap("cpython312.summation.compensated_sum", around)


@mistake(
    "equal-rewards-added-once",
    says="equal rewards are added once",
    op="aggregate",
    clause="003-3.2-trial-order",
    why="The values pass through a set, or through the keys of reward_stats, where each stands once.",
    invited_by="set comprehensions, SQL's UNION and SUM(DISTINCT)",
)
def _(reference: Variant) -> None:
    reference.wrap(
        "cpython312.summation.compensated_sum", lambda add: lambda values: add(dict.fromkeys(values))
    )


@mistake(
    "nan-added-as-zero",
    says="NaN counts as 0 in a sum",
    op="aggregate",
    clause="003-6-nan-propagates",
    why="`value || 0` replaces NaN as well as a missing value.",
    invited_by="JavaScript's || 0, numpy.nan_to_num, numpy.nansum, pandas' sum",
)
def _(reference: Variant) -> None:
    reference.wrap(
        "cpython312.summation.compensated_sum",
        lambda add: lambda values: add([0 if value != value else value for value in values]),
    )
