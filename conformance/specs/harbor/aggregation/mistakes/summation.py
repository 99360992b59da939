"""Mistakes in the order and the compensation of a sum."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number, for_doubles, naive_sum
from conformance.mistakes.variant import Variant


@mistake(
    "naive-sum",
    says="sums are added left to right without compensation",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="The document says that sum is naive, and every language's loop is.",
    invited_by="Python before 3.12, Rust, Go, JavaScript, Java",
)
def _(reference: Variant) -> None:
    reference.replace("cpython312.summation.compensated_sum", naive_sum)


@mistake(
    "exact-sum",
    says="sums are exact and rounded once",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="It is the better sum, and the name of Python's own function suggests it.",
    invited_by="math.fsum, statistics.fmean, Shewchuk sums, decimal types",
)
def _(reference: Variant) -> None:
    def exact_sum(values: Iterable[Number]) -> Number:
        listed = list(values)
        return math.fsum(listed) if any(isinstance(value, float) for value in listed) else sum(listed)

    reference.replace("cpython312.summation.compensated_sum", exact_sum)


@mistake(
    "pairwise-sum",
    says="sums are made by halves, each half added by itself",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="Divide and conquer keeps errors small and runs in parallel.",
    invited_by="Julia, Rayon, fork-join pools, SQL engines",
)
def _(reference: Variant) -> None:
    def halves(values: Sequence[float]) -> float:
        if len(values) < 2:
            return sum(values, 0.0)
        middle = len(values) // 2
        return halves(values[:middle]) + halves(values[middle:])

    reference.replace("cpython312.summation.compensated_sum", for_doubles(halves))


@mistake(
    "numpy-sum",
    says="sums are numpy's: eight running totals for eight values or more, added pairwise",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="An array's sum looks like any other, and for fewer than eight values it is the plain one.",
    invited_by="numpy.sum, numpy.mean, pandas without bottleneck",
)
def _(reference: Variant) -> None:
    def block(values: Sequence[float]) -> float:
        if len(values) < 8:
            return float(naive_sum(values))
        if len(values) > 128:
            middle = len(values) // 2
            middle -= middle % 8
            return block(values[:middle]) + block(values[middle:])
        whole = len(values) - len(values) % 8
        a, b, c, d, e, f, g, h = (naive_sum(values[lane:whole:8]) for lane in range(8))
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
        for value in values[whole:]:
            total += value
        return float(total)

    reference.replace("cpython312.summation.compensated_sum", for_doubles(block))


@mistake(
    "four-lane-sum",
    says="sums keep four running totals, one for every fourth value",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="That is what a vectorised loop does, and a compiler may do it unasked.",
    invited_by="-ffast-math, SIMD crates, Java's Vector API",
)
def _(reference: Variant) -> None:
    def lanes(values: Sequence[float]) -> float:
        a, b, c, d = (naive_sum(values[lane::4]) for lane in range(4))
        return float((a + c) + (b + d))

    reference.replace("cpython312.summation.compensated_sum", for_doubles(lanes))


@mistake(
    "kahan-sum",
    says="sums are Kahan's: the correction is taken from the next value, not gathered apart",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="It is the compensated sum that everybody knows; Neumaier's is an improvement of it.",
    invited_by="textbooks, the accurate and kahan crates, D3's older fsum",
)
def _(reference: Variant) -> None:
    def kahan(values: Sequence[float]) -> float:
        total = error = 0.0
        for value in values:
            corrected = value - error
            new_total = total + corrected
            error = (new_total - total) - corrected
            total = new_total
        return total

    reference.replace("cpython312.summation.compensated_sum", for_doubles(kahan))


@mistake(
    "java-stream-sum",
    says="sums are those of Java's streams: Kahan's with the last correction taken off at the end",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="DoubleStream compensates too, and so looks like CPython's sum.",
    invited_by="DoubleStream.sum and average, DoubleSummaryStatistics",
)
def _(reference: Variant) -> None:
    def stream(values: Sequence[float]) -> float:
        total = error = simple = 0.0
        for value in values:
            corrected = value - error
            new_total = total + corrected
            error = (new_total - total) - corrected
            total = new_total
            simple += value
        result = total - error
        return simple if math.isnan(result) and math.isinf(simple) else result

    reference.replace("cpython312.summation.compensated_sum", for_doubles(stream))


@mistake(
    "klein-sum",
    says="sums are compensated twice, the corrections having a correction of their own",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="It stands next to Neumaier's sum in the same articles and is more precise.",
    invited_by="encyclopedia articles on Kahan summation, Klein's second-order sum",
)
def _(reference: Variant) -> None:
    def klein(values: Sequence[float]) -> float:
        total = first = second = 0.0
        for value in values:
            new_total = total + value
            error = _error(total, value, new_total)
            total, new_first = new_total, first + error
            second += _error(first, error, new_first)
            first = new_first
        result = total + (first + second)
        return result if math.isfinite(result) else total

    reference.replace("cpython312.summation.compensated_sum", for_doubles(klein))


@mistake(
    "compensated-from-zero",
    says="sums are compensated from the first value on, ints and all, as in the textbook",
    op="aggregate",
    clause="003-6-sum-first-float",
    why="Neumaier's sum starts at 0.0; that CPython adds the first float plainly is in no text.",
    invited_by="ports of Neumaier's sum to languages with doubles only",
)
def _(reference: Variant) -> None:
    def neumaier(values: Sequence[float]) -> float:
        total = correction = 0.0
        for value in values:
            correction += _error(total, value, total + value)
            total += value
        return total + correction if math.isfinite(correction) else total

    reference.replace("cpython312.summation.compensated_sum", for_doubles(neumaier))


def _error(total: float, value: float, new_total: float) -> float:
    """What an addition lost, taken from the operand of smaller magnitude."""
    return (total - new_total) + value if abs(total) >= abs(value) else (value - new_total) + total


def _compensated_by(
    reference: Variant, error: Callable[[float, float, float], float] = _error, *, ints: bool = False
) -> None:
    """Changes how the floats, or with ``ints`` all numbers, behind the first float are compensated."""
    module = reference.module("cpython312.summation")

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

    reference.replace("cpython312.summation._sum_from_float", add)


@mistake(
    "ints-compensated",
    says="ints behind a float are compensated like floats",
    op="aggregate",
    clause="003-6-sum-int-in-float-phase",
    why="CPython 3.14 does so, while 3.12, which harbor's image runs, does not.",
    invited_by="CPython 3.14",
)
def _(reference: Variant) -> None:
    _compensated_by(reference, ints=True)


@mistake(
    "compensation-without-comparison",
    says="the error of an addition is always taken as if the total were the larger operand",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="The comparison looks like an optimisation, and Kahan's sum has none.",
    invited_by="hand-written ports, fast two-sum without its precondition",
)
def _(reference: Variant) -> None:
    _compensated_by(reference, lambda total, value, new_total: (total - new_total) + value)


@mistake(
    "compensation-compares-signed",
    says="the error of an addition is taken by comparing the operands with their signs",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="The two abs() are easily lost, and positive rewards never show it.",
    invited_by="hand-written ports",
)
def _(reference: Variant) -> None:
    def signed(total: float, value: float, new_total: float) -> float:
        return (total - new_total) + value if total >= value else (value - new_total) + total

    _compensated_by(reference, signed)


@mistake(
    "correction-unchecked",
    says="the correction is added to a sum even where it is infinite or NaN",
    op="aggregate",
    clause="003-6-sum-final-correction",
    why="Published versions of Neumaier's sum do not check it.",
    invited_by="hand-written ports",
)
def _(reference: Variant) -> None:
    reference.replace("cpython312.summation._compensated", lambda total, correction: total + correction)


@mistake(
    "sorted-sum",
    says="sums are added in ascending order of the values",
    op="aggregate",
    clause="003-3.2-trial-order",
    why="Small values first loses less, and a sorted list makes sums repeatable.",
    invited_by="numerical folklore, ordered multisets, SQL without ORDER BY",
)
def _(reference: Variant) -> None:
    reference.wrap("cpython312.summation.compensated_sum", lambda add: lambda values: add(sorted(values)))


@mistake(
    "reversed-sum",
    says="sums are added from the last value to the first",
    op="aggregate",
    clause="003-3.2-trial-order",
    why="A right fold, or a list that is built by putting trials in front, reads backwards.",
    invited_by="foldr, reduceRight, cons lists",
)
def _(reference: Variant) -> None:
    reference.wrap("cpython312.summation.compensated_sum", lambda add: lambda values: add(list(values)[::-1]))
