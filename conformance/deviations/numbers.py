"""Changes that implementers make to numbers and bools: rows of ``deviations.changes``."""

import decimal
import math
import struct
from fractions import Fraction
from typing import Any

from conformance.deviations.lens import ABSENT, RefuseError, Row
from conformance.mistakes.other_numbers import from_javascript
from conformance.wire.messages import Refused

__all__ = ["BOOL_ROWS", "FLOAT_ROWS", "INT_ROWS", "ROWS", "is_number", "javascript_number", "number_in"]

_LARGEST_DIVISOR = 10_000
_WORDS = {math.inf: "Infinity", -math.inf: "-Infinity"}


def is_number(value: Any) -> bool:
    """Whether it is an int or a float, not a bool."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number_in(text: str) -> Any:
    """The number that Python parses from a text; the text itself if it is not a number."""
    for read in (int, float):
        try:
            return read(text)
        except ValueError:
            continue
    return text


def javascript_number(value: Any) -> Any:
    """The result of JavaScript's ``Number`` for any JSON value; NaN if the value is not a number."""
    if is_number(value):
        return value
    if isinstance(value, list) and len(value) < 2:
        if not value:
            return 0
        return math.nan if isinstance(value[0], bool) else javascript_number(value[0])
    if isinstance(value, list | dict):
        return math.nan
    try:
        number = from_javascript(value) if isinstance(value, str) else float(value or 0)
    except ValueError:
        return math.nan
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _as_double(value: float) -> float:
    """Convert to a double; an int beyond the range is refused with OverflowError, as in Python."""
    try:
        return float(value)
    except OverflowError:
        raise RefuseError(Refused("OverflowError", None)) from None


def _round_half_up(value: float, digits: int) -> float:
    unit = decimal.Decimal(1).scaleb(-digits)
    return float(decimal.Decimal(value).quantize(unit, rounding=decimal.ROUND_HALF_UP))


def _percent_first(value: float) -> float:
    """100 times a quotient of two small ints, with a single rounding."""
    return float(100 * Fraction(value).limit_denominator(_LARGEST_DIVISOR))


def _wrap_around(value: int, bits: int) -> int:
    half: int = 2 ** (bits - 1)
    return (value + half) % (2 * half) - half


def _one_or_zero(value: Any, yes: bool) -> Any:
    """1 or 0 in the value's type."""
    return type(value)(int(yes))


ROWS: tuple[Row, ...] = (
    ("zero-is-null", 3, "0 becomes null", lambda v: v if v else None),
    ("zero-is-absent", 2, "0 is left out", lambda v: v if v else ABSENT),
    ("negative-is-0", 3, "a negative number becomes 0", lambda v: _one_or_zero(v, False) if v < 0 else v),
    ("negative-is-null", 2, "a negative number becomes null", lambda v: None if v < 0 else v),
    ("negative-is-absent", 2, "a negative number is left out", lambda v: ABSENT if v < 0 else v),
    ("at-least-0.0", 3, "x becomes max(0.0, x)", lambda v: max(0.0, v)),
    ("at-least-0", 3, "x becomes max(0, x)", lambda v: max(0, v)),
    ("at-most-1", 2, "x becomes min(1, x)", lambda v: min(1, v)),
    ("abs", 2, "the sign is dropped", abs),
    ("negated", 1, "the sign is flipped", lambda v: -v),
    ("int", 3, "the number is truncated to an int", int),
    ("floor", 2, "the number is rounded down to an int", math.floor),
    ("round-int", 2, "the number is rounded to an int", round),
    ("half-up-int", 2, "the number is rounded to an int, halves up", lambda v: math.floor(v + 0.5)),
    ("float", 3, "ints are converted to doubles", _as_double),
    ("clamp-01", 3, "the number is clamped to 0 to 1", lambda v: _one_or_zero(v, v > 1) if v < 0 or v > 1 else v),
    ("clamp-01-float", 3, "the number is clamped to 0.0 to 1.0", lambda v: max(0.0, min(1.0, v))),
    ("clamp-10-float", 2, "the number is clamped to 0.0 to 1.0, NaN to 0.0", lambda v: min(1.0, max(0.0, v))),
    ("outside-01-is-0", 2, "a number outside 0 to 1 becomes 0", lambda v: v if 0 <= v <= 1 else _one_or_zero(v, False)),
    ("outside-01-is-null", 2, "a number outside 0 to 1 becomes null", lambda v: v if 0 <= v <= 1 else None),
    ("outside-01-is-absent", 2, "a number outside 0 to 1 is left out", lambda v: v if 0 <= v <= 1 else ABSENT),
    ("above-0-is-1", 2, "a number above 0 counts as 1, any other as 0", lambda v: _one_or_zero(v, v > 0)),
    ("from-1-is-1", 2, "1 or more counts as 1, anything less as 0", lambda v: _one_or_zero(v, v >= 1)),
    ("only-1-is-1", 2, "only 1 counts as 1, anything else as 0", lambda v: _one_or_zero(v, v == 1)),
    ("from-half-is-1", 2, "0.5 or more counts as 1, anything less as 0", lambda v: _one_or_zero(v, v >= 0.5)),
    ("above-half-is-1", 1, "a number above 0.5 counts as 1, any other as 0", lambda v: _one_or_zero(v, v > 0.5)),
    ("nonzero-is-1", 2, "any number except 0 becomes 1", lambda v: _one_or_zero(v, True) if v else v),
    ("above-1-is-1", 2, "any number above 1 becomes 1", lambda v: _one_or_zero(v, True) if v > 1 else v),
    ("bool-of", 2, "the number becomes true or false", bool),
    ("percent", 2, "the number is multiplied by 100", lambda v: v * 100),
    ("percent-first", 2, "the number is multiplied by 100 before it is divided", _percent_first),
    ("of-percent", 2, "the number is divided by 100", lambda v: v / 100),
    ("above-1-of-percent", 2, "a number above 1 is divided by 100", lambda v: v / 100 if v > 1 else v),
    ("plus-1", 1, "1 is added", lambda v: v + 1),
    ("minus-1", 1, "1 is subtracted", lambda v: v - 1),
    ("is-0", 2, "the number becomes 0", lambda v: _one_or_zero(v, False)),
    ("as-text", 2, "the number becomes a string", repr),
)  # fmt: skip
FLOAT_ROWS: tuple[Row, ...] = (
    ("whole-is-int", 3, "a whole float becomes an int", lambda v: int(v) if v.is_integer() else v),
    ("cut", 2, "the number is truncated to a whole float", lambda v: float(int(v))),
    *(
        (f"round-{n}", 3 if n in (2, 3, 4, 6) else 2 if n < 10 else 1, f"the number is rounded to {n} digits",
         lambda v, n=n: round(v, n))
        for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15)
    ),
    *(
        (f"half-up-{n}", 2, f"the number is rounded to {n} digits, halves up", lambda v, n=n: _round_half_up(v, n))
        for n in (0, 1, 2, 3, 4, 6)
    ),
    *(
        (f"significant-{n}", 2, f"the number is rounded to {n} significant digits", lambda v, n=n: float(f"{v:.{n}g}"))
        for n in (6, 7, 12, 15, 16)
    ),
    ("single", 3, "the number is rounded to single precision", lambda v: struct.unpack("f", struct.pack("f", v))[0]),
    ("nan-is-0", 3, "NaN becomes 0", lambda v: v if v == v else 0.0),
    ("nan-is-null", 3, "NaN becomes null", lambda v: v if v == v else None),
    ("nan-is-absent", 3, "NaN is left out", lambda v: v if v == v else ABSENT),
    ("infinite-is-0", 2, "an infinity becomes 0", lambda v: 0.0 if math.isinf(v) else v),
    ("infinite-is-null", 2, "an infinity becomes null", lambda v: None if math.isinf(v) else v),
    ("infinite-is-absent", 2, "an infinity is left out", lambda v: ABSENT if math.isinf(v) else v),
    ("nonfinite-is-0", 3, "NaN and infinities become 0", lambda v: v if math.isfinite(v) else 0.0),
    ("nonfinite-is-null", 3, "NaN and infinities become null", lambda v: v if math.isfinite(v) else None),
    ("nonfinite-is-absent", 3, "NaN and infinities are left out", lambda v: v if math.isfinite(v) else ABSENT),
    ("minus-zero-is-zero", 2, "-0.0 becomes 0.0", lambda v: v or 0.0),
    ("near-1-is-1", 2, "a number within 1e-9 of 1 becomes 1", lambda v: 1.0 if abs(v - 1) < 1e-9 else v),
    ("nonfinite-as-text", 2, "NaN and infinities become strings",
     lambda v: v if math.isfinite(v) else _WORDS.get(v, "NaN")),
)  # fmt: skip
INT_ROWS: tuple[Row, ...] = (
    ("wrap-32", 3, "an int wraps around at 32 bits", lambda v: _wrap_around(v, 32)),
    ("wrap-64", 3, "an int wraps around at 64 bits", lambda v: _wrap_around(v, 64)),
    ("saturate-32", 2, "an int is clamped to 32 bits", lambda v: max(min(v, 2**31 - 1), -(2**31))),
    ("saturate-64", 2, "an int is clamped to 64 bits", lambda v: max(min(v, 2**63 - 1), -(2**63))),
    ("unsigned-64", 2, "an int is clamped to unsigned 64 bits", lambda v: max(min(v, 2**64 - 1), 0)),
    ("through-double", 3, "an int is converted to a double and back", lambda v: int(float(v))),
    ("double-to-2-53", 2, "an int up to 2**53 becomes a double", lambda v: float(v) if abs(v) <= 2**53 else v),
    ("double-beyond-63-bits", 3, "an int beyond 64 bits becomes a double",
     lambda v: v if -(2**63) <= v < 2**63 else float(v)),
    ("double-beyond-64-bits", 2, "an int beyond unsigned 64 bits becomes a double",
     lambda v: v if -(2**63) <= v < 2**64 else float(v)),
)  # fmt: skip
BOOL_ROWS: tuple[Row, ...] = (
    ("bool-is-int", 3, "true and false become 1 and 0", int),
    ("bool-is-float", 2, "true and false become 1.0 and 0.0", float),
    ("bool-is-null", 2, "true and false become null", lambda v: None),
    ("bool-is-absent", 2, "true and false are left out", lambda v: ABSENT),
    ("negated-bool", 1, "true and false are swapped", lambda v: not v),
)  # fmt: skip
