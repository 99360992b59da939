"""Mistakes in max and min: equal operands, NaN, types, starting values."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number, as_double
from conformance.mistakes.variant import Variant

Choose = Callable[[Sequence[Number]], Number]


def _wrap_both(reference: Variant, around: Callable[[Choose], Choose]) -> None:
    reference.wrap("aggregation.largest", around)
    reference.wrap("aggregation.smallest", around)


def _by_key(reference: Variant, key: Callable[[Number], Any]) -> None:
    """Compares by ``key`` where the values are compared themselves."""

    def around(choose: Callable[..., Number], best: Callable[..., Number]) -> Choose:
        return lambda values: best(values, key=key) if values else choose(values)

    reference.wrap("aggregation.largest", lambda choose: around(choose, max))
    reference.wrap("aggregation.smallest", lambda choose: around(choose, min))


@mistake(
    "max-takes-last-of-equals",
    says="of equal operands max returns the last",
    op="aggregate",
    clause="003-3.2-first-of-equals",
    why="Rust's max_by keeps the later of two equals, while its min_by keeps the earlier.",
    invited_by="Rust's Iterator::max_by, sorted lists read from the end, loops with >=",
)
def _(reference: Variant) -> None:
    def around(choose: Choose) -> Choose:
        def last(values: Sequence[Number]) -> Number:
            best = choose(values)
            return next((value for value in reversed(values) if value == best), best)

        return last

    reference.wrap("aggregation.largest", around)


@mistake(
    "min-takes-last-of-equals",
    says="of equal operands min returns the last",
    op="aggregate",
    clause="003-3.2-first-of-equals",
    why="A loop with <= replaces what is equal.",
    invited_by="hand-written loops with <=, Java's Collectors.minBy in parallel streams",
)
def _(reference: Variant) -> None:
    def around(choose: Choose) -> Choose:
        def last(values: Sequence[Number]) -> Number:
            best = choose(values)
            return next((value for value in reversed(values) if value == best), best)

        return last

    reference.wrap("aggregation.smallest", around)


@mistake(
    "kept-operand-must-win",
    says="max and min replace the operand kept so far unless it compares strictly greater or less",
    op="aggregate",
    clause="003-3.2-max-min-nan",
    why="`a > b ? a : b` reads like a maximum, but equals and NaN go to b.",
    invited_by="C's MAX macro, JavaScript's reduce with a ternary, Go before 1.21",
)
def _(reference: Variant) -> None:
    def around(choose: Choose, wins: Callable[[Number, Number], bool]) -> Choose:
        def fold(values: Sequence[Number]) -> Number:
            if not values:
                return choose(values)
            best = values[0]
            for value in values[1:]:
                best = best if wins(best, value) else value
            return best

        return fold

    reference.wrap("aggregation.largest", lambda choose: around(choose, lambda a, b: a > b))
    reference.wrap("aggregation.smallest", lambda choose: around(choose, lambda a, b: a < b))


@mistake(
    "nan-poisons-extremes",
    says="max and min are NaN as soon as one value is",
    op="aggregate",
    clause="003-3.2-max-min-nan",
    why="IEEE's maximum and array libraries pass NaN on.",
    invited_by="numpy.max, Math.max in JavaScript and Java, Go's built-in max",
)
def _(reference: Variant) -> None:
    _wrap_both(
        reference,
        lambda choose: (
            lambda values: next((value for value in values if value != value), None) or choose(values)
        ),
    )


@mistake(
    "nan-skipped-by-extremes",
    says="max and min pass over NaN, also in the first place",
    op="aggregate",
    clause="003-3.2-max-min-nan",
    why="Table libraries take NaN for a missing value, and C's fmax ignores it.",
    invited_by="pandas, numpy.nanmax, Rust's f64::max, C's fmax, SQL",
)
def _(reference: Variant) -> None:
    _wrap_both(
        reference,
        lambda choose: lambda values: choose([value for value in values if value == value] or values),
    )


@mistake(
    "nan-is-largest",
    says="max and min take NaN for the largest number",
    op="aggregate",
    clause="003-3.2-max-min-nan",
    why="A total order has to put NaN somewhere.",
    invited_by="Java's Double.compare, Rust's ordered-float, PostgreSQL, Julia's isless",
)
def _(reference: Variant) -> None:
    _by_key(reference, lambda value: (value != value, 0 if value != value else value))


@mistake(
    "minus-zero-below-zero",
    says="max and min take -0.0 for less than 0.0",
    op="aggregate",
    clause="003-3.2-first-of-equals",
    why="A total order tells the zeros apart.",
    invited_by="Math.max in JavaScript and Java, Rust's total_cmp, Go's built-in max",
)
def _(reference: Variant) -> None:
    def around(choose: Choose, sign: int) -> Choose:
        def zeros_apart(values: Sequence[Number]) -> Number:
            best = choose(values)
            if best != 0:
                return best
            zeros = [value for value in values if value == 0]
            return next((zero for zero in zeros if math.copysign(1, zero) == sign), best)

        return zeros_apart

    reference.wrap("aggregation.largest", lambda choose: around(choose, 1))
    reference.wrap("aggregation.smallest", lambda choose: around(choose, -1))


@mistake(
    "extremes-as-doubles",
    says="max and min return a float, also of ints",
    op="aggregate",
    clause="003-3.2-max-min-verbatim",
    why="A list of doubles holds no ints.",
    invited_by="Rust's f64, Go's float64, Java's DoubleStream, numpy.float64",
)
def _(reference: Variant) -> None:
    _wrap_both(reference, lambda choose: lambda values: as_double(choose(values)))


@mistake(
    "mixed-extremes-become-floats",
    says="max and min return a float as soon as one of the values is a float",
    op="aggregate",
    clause="003-3.2-max-min-verbatim",
    why="An array has one type for all its values.",
    invited_by="numpy arrays, pandas columns, Julia's promotion, R's vectors",
)
def _(reference: Variant) -> None:
    def around(choose: Choose) -> Choose:
        def promoted(values: Sequence[Number]) -> Number:
            mixed = any(isinstance(value, float) for value in values)
            return choose([as_double(value) for value in values] if mixed else values)

        return promoted

    _wrap_both(reference, around)


@mistake(
    "extremes-compare-doubles",
    says="max and min compare ints after rounding them to doubles",
    op="aggregate",
    clause="003-3.2-exact-comparison",
    why="Mixed operands are promoted before they are compared.",
    invited_by="C, Java, Rust's `as f64`, SQL's numeric promotion",
)
def _(reference: Variant) -> None:
    _by_key(reference, as_double)


@mistake(
    "max-starts-at-zero",
    says="max is never below 0",
    op="aggregate",
    clause="003-3.2-max-min-verbatim",
    why="The best so far starts at 0, and rewards are thought to be positive.",
    invited_by="hand-written loops, unsigned types",
)
def _(reference: Variant) -> None:
    def around(choose: Choose) -> Choose:
        return lambda values: 0 if values and choose(values) < 0 else choose(values)

    reference.wrap("aggregation.largest", around)


@mistake(
    "extremes-start-at-infinity",
    says="max and min start at an infinity, which stands in for no trials and for NaN in the first place",
    op="aggregate",
    clause="003-3.2-empty-list-max-min",
    why="It is the neutral element.",
    invited_by="Math.max() in JavaScript, folds in Rust and Haskell, numpy's initial=",
)
def _(reference: Variant) -> None:
    reference.replace("aggregation.largest", lambda values: max([-math.inf, *values]))
    reference.replace("aggregation.smallest", lambda values: min([math.inf, *values]))


@mistake(
    "empty-extremes-are-zero",
    says="max and min over no trials are 0",
    op="aggregate",
    clause="003-3.2-empty-list-max-min",
    why="A default avoids the error.",
    invited_by="max(…, default=0), unwrap_or(0), Go's zero values",
)
def _(reference: Variant) -> None:
    _wrap_both(reference, lambda choose: lambda values: choose(values) if values else 0)
