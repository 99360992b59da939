"""Mistakes in the numbers themselves: int or float, width, sign of zero, NaN and infinity."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.hooks import Number, as_double, changed_answers, changed_numbers, single_precision
from conformance.mistakes.variant import Variant
from reference_impl import errors
from reference_impl.cpython312 import parsing
from reference_impl.runner import wire

mistakes = family("parse_reward", clause="003-1.3-int-and-float-kept")
in_encode_number = family("parse_reward", of=wire.encode_number, clause="003-1.2-non-finite-words")


@way("parse_reward", clause="003-1.3-int-and-float-kept")
def ints(reference: Variant, change: Callable[[int], Number]) -> None:
    """Changes the ints among rewards."""
    changed_numbers(reference, lambda value: change(value) if isinstance(value, int) else value)


@way("parse_reward", clause="003-1.2-overflow-is-infinity")
def floats(reference: Variant, change: Callable[[float], Number]) -> None:
    """Changes the floats among rewards."""
    changed_numbers(reference, lambda value: change(value) if isinstance(value, float) else value)


@mistakes.changed(invited_by="Rust's f64, Go's float64, pydantic's dict[str, float], Java's Double")
def ints_become_floats(reference: Variant) -> None:
    """Rewards that are ints become floats. A reward is declared as a float."""
    ints(reference, as_double)


changed_answers_family = way("parse_reward", clause="003-6-exact-answers")(changed_answers)


@changed_answers_family.made(
    clause="003-1.3-int-and-float-kept",
    invited_by="JavaScript's JSON.stringify, Go's encoding/json, Lua before 5.3, PHP",
)
def whole_floats_printed_as_ints(number: float) -> Any:
    """Floats that are whole are printed as ints, 1.0 as 1.
    There is one kind of number, printed as briefly as possible."""
    return int(number) if number == int(number) else number


@ints.made(invited_by="JavaScript's JSON.parse, jq, Lua, Go's any")
def big_ints_through_doubles(value: int) -> Number:
    """Ints beyond 2**53 are rounded to the nearest double. Every number is a double on its way in."""
    number = as_double(value)
    return number if math.isinf(number) else int(number)


@ints.made(invited_by="C, Java's BigInteger.longValue, Go's conversions")
def ints_wrap_at_64_bits(value: int) -> Number:
    """Ints beyond 64 bits wrap around. A cast keeps the low bits."""
    return (value + 2**63) % 2**64 - 2**63


@ints.made(invited_by="C's strtoll, Rust's `as i64`, Go's strconv.ParseInt with its error ignored")
def ints_saturate_at_64_bits(value: int) -> Number:
    """Ints beyond 64 bits become the largest or smallest 64-bit int. Conversion stops at the border."""
    return max(-(2**63), min(2**63 - 1, value))


@ints.made(invited_by="Rust's serde_json, PHP, Ruby's Oj in fast mode, simdjson")
def ints_beyond_64_bits_become_floats(value: int) -> Number:
    """Ints beyond 64 bits become floats. They fit no integer type, so the next larger one is taken."""
    return value if -(2**63) <= value < 2**64 else as_double(value)


@mistakes.changed(invited_by="Go's int64, Jackson's getLongValue, serde with i64, msgspec")
def ints_beyond_64_bits_refused(reference: Variant) -> None:
    """Ints beyond 64 bits are refused. They fit no integer type, so reading them fails."""

    def checked(value: int) -> int:
        if not -(2**63) <= value < 2**63:
            raise ValueError("the int does not fit")
        return value

    reference.wrap(parsing._parse_json_int, lambda parse: lambda digits: checked(parse(digits)))
    ints(reference, checked)


changed_numbers_family = way("parse_reward", clause="003-1.2-range-is-open")(changed_numbers)


@changed_numbers_family.made(invited_by="clamp, numpy.clip, reinforcement-learning habits")
def rewards_clamped(value: Number) -> Number:
    """Rewards are brought into the range from 0 to 1. A reward is thought to be a share."""
    return 0.0 if value < 0 else 1.0 if value > 1 else value


@mistakes.changed(clause="003-6-reward-read", invited_by="f32, torch.tensor, protobuf's float, C's float")
def rewards_in_single_precision(reference: Variant) -> None:
    """Rewards are rounded to single precision. A reward needs no more digits, or a tensor has no more."""
    floats(reference, single_precision)


@changed_answers_family.made(invited_by="C's %.15g, Lua, older PHP and R, spreadsheets")
def answers_in_fifteen_digits(number: float) -> Any:
    """The floats of an answer have fifteen digits. It is the old default of many printf-style formats."""
    return float(f"{number:.15g}")


@floats.made(clause="003-6-ieee-double", invited_by="-ffast-math, CUDA's ftz, flush-to-zero set by a library")
def subnormals_flushed(value: float) -> Number:
    """Subnormal rewards become zeros. The processor is told to drop them for speed."""
    return math.copysign(0.0, value) if abs(value) < 2.2250738585072014e-308 else value


@changed_answers_family.made(
    clause="003-1.2-signed-zero", invited_by="JavaScript's JSON.stringify, value + 0.0, integer fast paths"
)
def minus_zero_lost(number: float) -> Any:
    """-0.0 becomes 0.0. The two are equal, and few printers show the sign."""
    return number + 0.0


@in_encode_number.wrapped(invited_by="JavaScript's JSON.stringify, serde_json, pandas' to_json")
def non_finite_answered_as_null(encode: Callable[..., Any], number: Any) -> Any:
    """NaN and the infinities are answered as null. JSON has no words for them."""
    return None if isinstance(encode(number), str) else encode(number)


@floats.made(invited_by="numpy.nan_to_num, saturating parsers, JSON printers without Infinity")
def infinities_answered_as_largest(value: float) -> Number:
    """Infinite rewards become the largest double of their sign.
    A finite number can be printed, summed and compared."""
    return math.copysign(1.7976931348623157e308, value) if math.isinf(value) else value


@floats.made(clause="003-1.2-non-finite-words", invited_by="JavaScript's || 0, numpy.nan_to_num, fillna(0)")
def nan_becomes_zero(value: float) -> Number:
    """A NaN reward becomes 0. `value || 0` and clean-up steps replace it."""
    return 0.0 if math.isnan(value) else value


@floats.made(
    clause="003-1.2-non-finite-words", invited_by="pydantic's allow_inf_nan=False, isfinite checks, zod"
)
def non_finite_refused(reference: Variant, value: float) -> float:
    """NaN and infinite rewards are refused as a ValidationError. No sensible reward is infinite."""
    if not math.isfinite(value):
        raise reference.its(errors.ValidationError)("rewards", value)
    return value
