"""Mistakes in the numbers themselves: int or float, width, sign of zero, NaN and infinity."""

import math
from collections.abc import Callable

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number, as_double, changed_answers, changed_numbers, single_precision
from conformance.mistakes.variant import Variant


def _ints(reference: Variant, change: Callable[[int], Number]) -> None:
    changed_numbers(reference, lambda value: change(value) if isinstance(value, int) else value)


def _floats(reference: Variant, change: Callable[[float], Number]) -> None:
    changed_numbers(reference, lambda value: change(value) if isinstance(value, float) else value)


@mistake(
    "ints-become-floats",
    says="rewards that are ints become floats",
    op="parse_reward",
    clause="003-1.3-int-and-float-kept",
    why="A reward is declared as a float.",
    invited_by="Rust's f64, Go's float64, pydantic's dict[str, float], Java's Double",
)
def _(reference: Variant) -> None:
    _ints(reference, as_double)


@mistake(
    "whole-floats-printed-as-ints",
    says="floats that are whole are printed as ints, 1.0 as 1",
    op="parse_reward",
    clause="003-1.3-int-and-float-kept",
    why="There is one kind of number, printed as briefly as possible.",
    invited_by="JavaScript's JSON.stringify, Go's encoding/json, Lua before 5.3, PHP",
)
def _(reference: Variant) -> None:
    changed_answers(reference, lambda number: int(number) if number == int(number) else number)


@mistake(
    "big-ints-through-doubles",
    says="ints beyond 2**53 are rounded to the nearest double",
    op="parse_reward",
    clause="003-1.3-int-and-float-kept",
    why="Every number is a double on its way in.",
    invited_by="JavaScript's JSON.parse, jq, Lua, Go's any",
)
def _(reference: Variant) -> None:
    def change(value: int) -> Number:
        number = as_double(value)
        return number if math.isinf(number) else int(number)

    _ints(reference, change)


@mistake(
    "ints-wrap-at-64-bits",
    says="ints beyond 64 bits wrap around",
    op="parse_reward",
    clause="003-1.3-int-and-float-kept",
    why="A cast keeps the low bits.",
    invited_by="C, Java's BigInteger.longValue, Go's conversions",
)
def _(reference: Variant) -> None:
    _ints(reference, lambda value: (value + 2**63) % 2**64 - 2**63)


@mistake(
    "ints-saturate-at-64-bits",
    says="ints beyond 64 bits become the largest or smallest 64-bit int",
    op="parse_reward",
    clause="003-1.3-int-and-float-kept",
    why="Conversion stops at the border.",
    invited_by="C's strtoll, Rust's `as i64`, Go's strconv.ParseInt with its error ignored",
)
def _(reference: Variant) -> None:
    _ints(reference, lambda value: max(-(2**63), min(2**63 - 1, value)))


@mistake(
    "ints-beyond-64-bits-become-floats",
    says="ints beyond 64 bits become floats",
    op="parse_reward",
    clause="003-1.3-int-and-float-kept",
    why="They fit no integer type, so the next larger one is taken.",
    invited_by="Rust's serde_json, PHP, Ruby's Oj in fast mode, simdjson",
)
def _(reference: Variant) -> None:
    _ints(reference, lambda value: value if -(2**63) <= value < 2**64 else as_double(value))


@mistake(
    "ints-beyond-64-bits-refused",
    says="ints beyond 64 bits are refused",
    op="parse_reward",
    clause="003-1.3-int-and-float-kept",
    why="They fit no integer type, so reading them fails.",
    invited_by="Go's int64, Jackson's getLongValue, serde with i64, msgspec",
)
def _(reference: Variant) -> None:
    def checked(value: int) -> int:
        if not -(2**63) <= value < 2**63:
            raise ValueError("the int does not fit")
        return value

    reference.wrap("cpython312.parsing._parse_json_int", lambda parse: lambda digits: checked(parse(digits)))
    _ints(reference, checked)


@mistake(
    "rewards-clamped",
    says="rewards are brought into the range from 0 to 1",
    op="parse_reward",
    clause="003-1.2-range-is-open",
    why="A reward is thought to be a share.",
    invited_by="clamp, numpy.clip, reinforcement-learning habits",
)
def _(reference: Variant) -> None:
    changed_numbers(reference, lambda value: 0.0 if value < 0 else 1.0 if value > 1 else value)


@mistake(
    "rewards-in-single-precision",
    says="rewards are rounded to single precision",
    op="parse_reward",
    clause="003-6-reward-read",
    why="A reward needs no more digits, or a tensor has no more.",
    invited_by="f32, torch.tensor, protobuf's float, C's float",
)
def _(reference: Variant) -> None:
    _floats(reference, single_precision)


@mistake(
    "answers-in-fifteen-digits",
    says="the floats of an answer have fifteen digits",
    op="parse_reward",
    clause="003-6-exact-answers",
    why="It is the old default of many printf-style formats.",
    invited_by="C's %.15g, Lua, older PHP and R, spreadsheets",
)
def _(reference: Variant) -> None:
    changed_answers(reference, lambda number: float(f"{number:.15g}"))


@mistake(
    "subnormals-flushed",
    says="subnormal rewards become zeros",
    op="parse_reward",
    clause="003-6-ieee-double",
    why="The processor is told to drop them for speed.",
    invited_by="-ffast-math, CUDA's ftz, flush-to-zero set by a library",
)
def _(reference: Variant) -> None:
    _floats(
        reference,
        lambda value: math.copysign(0.0, value) if abs(value) < 2.2250738585072014e-308 else value,
    )


@mistake(
    "minus-zero-lost",
    says="-0.0 becomes 0.0",
    op="parse_reward",
    clause="003-1.2-signed-zero",
    why="The two are equal, and few printers show the sign.",
    invited_by="JavaScript's JSON.stringify, value + 0.0, integer fast paths",
)
def _(reference: Variant) -> None:
    changed_answers(reference, lambda number: number + 0.0)


@mistake(
    "non-finite-answered-as-null",
    says="NaN and the infinities are answered as null",
    op="parse_reward",
    clause="003-1.2-non-finite-words",
    why="JSON has no words for them.",
    invited_by="JavaScript's JSON.stringify, serde_json, pandas' to_json",
)
def _(reference: Variant) -> None:
    reference.wrap(
        "runner.wire.encode_number",
        lambda encode: lambda number: None if isinstance(encode(number), str) else encode(number),
    )


@mistake(
    "infinities-answered-as-largest",
    says="infinite rewards become the largest double of their sign",
    op="parse_reward",
    clause="003-1.2-overflow-is-infinity",
    why="A finite number can be printed, summed and compared.",
    invited_by="numpy.nan_to_num, saturating parsers, JSON printers without Infinity",
)
def _(reference: Variant) -> None:
    _floats(
        reference,
        lambda value: math.copysign(1.7976931348623157e308, value) if math.isinf(value) else value,
    )


@mistake(
    "nan-becomes-zero",
    says="a NaN reward becomes 0",
    op="parse_reward",
    clause="003-1.2-non-finite-words",
    why="`value || 0` and clean-up steps replace it.",
    invited_by="JavaScript's || 0, numpy.nan_to_num, fillna(0)",
)
def _(reference: Variant) -> None:
    _floats(reference, lambda value: 0.0 if math.isnan(value) else value)


@mistake(
    "non-finite-refused",
    says="NaN and infinite rewards are refused as a ValidationError",
    op="parse_reward",
    clause="003-1.2-non-finite-words",
    why="No sensible reward is infinite.",
    invited_by="pydantic's allow_inf_nan=False, isfinite checks, zod",
)
def _(reference: Variant) -> None:
    def finite(value: float) -> float:
        if not math.isfinite(value):
            raise reference.module("errors").ValidationError("rewards", value)
        return value

    _floats(reference, finite)
