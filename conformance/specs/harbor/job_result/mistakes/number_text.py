"""Mistakes in spelling the numbers of ``result.json``: as values, and as keys."""

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import json_text

mistakes = family("job_result", clause="003-3.3-number-text")
in_float_text = family("job_result", of=json_text._float_text, clause="003-3.3-number-text")

__all__ = ["NON_FINITE", "by_java", "by_javascript", "spelled"]
VALUE = json_text._float_text
KEY = json_text.number_key
NON_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
"""Python's repr of a float that is not finite, and its name in JavaScript and Java."""


def spelled(number: float, plain: range, exponent: str, *, whole: str = ".0", digit: str = "") -> str:
    """The fewest digits of a finite float: without exponent where its power of ten is in ``plain``.

    ``whole`` follows a plain number that has no fraction, ``digit`` a single digit before an exponent.
    """
    sign, digits, scale = Decimal(repr(number)).normalize().as_tuple()
    assert isinstance(scale, int)
    text = "".join(map(str, digits))
    power = len(text) + scale - 1
    if power not in plain:
        body = text[0] + (f".{text[1:]}" if text[1:] else digit) + exponent.format(power)
    elif scale >= 0:
        body = text + "0" * scale + whole
    elif power >= 0:
        body = f"{text[: power + 1]}.{text[power + 1 :]}"
    else:
        body = f"0.{'0' * (-power - 1)}{text}"
    return "-" * sign + body


def by_javascript(number: float) -> str:
    """A finite float as JavaScript's ``String`` gives it."""
    return spelled(number or 0.0, range(-6, 21), "e{:+d}", whole="")


def by_java(number: float) -> str:
    """A finite float as ``Double.toString`` gives it since JDK 19: two digits at least, the nearest two."""
    mantissa, _, power = f"{number:.1e}".partition("e")
    if float(f"{mantissa}e{power}") == number and number and int(power) not in range(-3, 7):
        return f"{mantissa}E{int(power)}"
    return spelled(number, range(-3, 7), "E{}", digit=".0")


def finite(reference: Variant, text: Callable[[float], str]) -> None:
    """Has ``text`` spell the finite floats that are values."""
    reference.wrap(
        VALUE, lambda original: lambda number: text(number) if math.isfinite(number) else original(number)
    )


@mistakes.changed(invited_by="JavaScript, TypeScript")
def javascript_numbers(reference: Variant) -> None:
    """Floats are written as JSON.stringify writes them: 100 for 100.0, 0.000001, 1e+21.
    There is one kind of number, and its text has an exponent only from 1e21 on and below 1e-6."""
    finite(reference, by_javascript)


finite_family = way("job_result", clause="003-3.3-number-text")(finite)


@finite_family.made(invited_by="Go's encoding/json")
def go_json_numbers(number: float) -> str:
    """Floats are written as Go's encoding/json writes them: 100 for 100.0, -0, 1e+21.
    The encoder follows JavaScript, but for the sign of zero."""
    return spelled(number, range(-6, 21), "e{:+d}", whole="")


@finite_family.made(invited_by="Go's strconv.FormatFloat(x, 'g', -1, 64) and fmt's %v")
def go_g_numbers(number: float) -> str:
    """Floats are written with Go's format 'g': an exponent of two digits below 1e-4 and from 1e+06 on.
    It is the format for the fewest digits."""
    return spelled(number, range(-4, 6), "e{:+03d}", whole="")


@finite_family.made(
    clause="003-3.3-exponent-sign", invited_by="Rust: ryu, serde_json while it used ryu; pydantic before 2.13"
)
def rust_ryu_exponents(number: float) -> str:
    """Large floats have an exponent without a plus sign, 1e16.
    The ryu crate writes them so, and pydantic did before 2.13."""
    return spelled(number, range(-5, 16), "e{}")


@finite_family.made(invited_by="Rust's format!")
def rust_debug_numbers(number: float) -> str:
    """Floats are written with Rust's {:?}: 1e-5 and 1e16.
    It keeps the .0 of whole numbers, which {} drops."""
    return spelled(number, range(-4, 16), "e{}")


@finite_family.made(invited_by="Rust's to_string; formats such as %f with trailing zeros cut")
def rust_display_numbers(number: float) -> str:
    """Floats are written with Rust's {}: never an exponent, and 1 for 1.0.
    to_string is what one writes first."""
    return spelled(number, range(-400, 400), "", whole="")


@mistakes.changed(invited_by="Java, Kotlin, Scala")
def java_numbers(reference: Variant) -> None:
    """Floats are written as Java writes them: 1.0E-4, 1.0E7, 4.9E-324.
    Jackson, Gson and string concatenation all use Double.toString."""
    finite(reference, by_java)


@finite_family.made(invited_by="C#, F#")
def dotnet_numbers(number: float) -> str:
    """Floats are written as .NET writes them: 1E-05, 1E+15, and 1 for 1.0.
    System.Text.Json writes what ToString gives."""
    return spelled(number, range(-4, 15), "E{:+03d}", whole="")


@mistakes.changed(invited_by="Python's json and simplejson, str(), f-strings")
def python_repr_numbers(reference: Variant) -> None:
    """Floats that are values are written with Python's repr: 1e-05, 1e-07.
    It is the spelling that keys have, and json.dumps has it for values too."""
    finite(reference, repr)


@finite_family.made(invited_by="C++: nlohmann/json")
def cpp_json_numbers(number: float) -> str:
    """Floats are written as nlohmann's JSON for C++ writes them: 1e-05, and 1e+15 already.
    Its limit is the 15 digits that every double keeps."""
    return spelled(number, range(-4, 15), "e{:+03d}")


@finite_family.made(invited_by="C's printf, C++ streams, older JSON libraries")
def result_in_seventeen_digits(number: float) -> str:
    """Floats are written with 17 digits: 0.10000000000000001, 1 for 1.0.
    %.17g is the classical way to lose no bit."""
    return f"{number:.17g}"


@in_float_text.wrapped(invited_by="%.15g, spreadsheets, Lua, older PHP and R")
def result_in_fifteen_digits(original: Callable[..., Any], number: Any) -> Any:
    """Floats are rounded to 15 digits before they are written.
    It hides the traces of binary arithmetic, 0.30000000000000004."""
    return original(float(f"{number:.15g}"))


@in_float_text.wrapped(invited_by="round(x, 6), toFixed(6), pandas' display and to_json's double_precision")
def result_rounded(original: Callable[..., Any], number: Any) -> Any:
    """Floats are rounded to six decimals before they are written. It looks tidy in a report."""
    return original(round(number, 6))


@in_float_text.wrapped(invited_by="JSON libraries of Ruby, PHP, Lua and others; jq; is_integer() checks")
def result_whole_floats_as_ints(original: Callable[..., Any], number: Any) -> Any:
    """Whole floats are written without .0: 1 for 1.0.
    The value is the same, and many languages keep no difference."""
    return original(number).removesuffix(".0")


@mistakes.changed(invited_by="YAML and SQL stores, fixed formats, JavaScript's template strings")
def result_minus_zero_unsigned(reference: Variant) -> None:
    """-0.0 is written 0.0, as a value and as a key. Comparing with 0 to normalise it, or x + 0.0."""
    reference.wrap(VALUE, lambda original: lambda number: original(number or 0.0))
    reference.wrap(KEY, lambda original: lambda number: original(number or abs(number)))


@in_float_text.wrapped(
    clause="003-6-nan-in-result",
    invited_by="Python's json, simplejson, Gson, Go and Rust writers made lenient",
)
def nan_spelled_out(original: Callable[..., Any], number: Any) -> Any:
    """NaN and the infinities are written as NaN, Infinity and -Infinity, not as null.
    json.dumps allows it unless told otherwise."""
    return NON_FINITE.get(repr(number)) or original(number)


@mistakes.changed(
    clause="003-6-nan-in-result",
    invited_by="Jackson's defaults, pydantic with ser_json_inf_nan='strings', protobuf's JSON",
)
def nan_quoted(reference: Variant) -> None:
    """NaN and the infinities are written as the strings "NaN", "Infinity" and "-Infinity".
    JSON has no such number, a string has room for it."""

    def quoted(name: str) -> str:
        return name and f'"{name}"'

    reference.wrap(
        VALUE, lambda original: lambda number: quoted(NON_FINITE.get(repr(number), "")) or original(number)
    )


@in_float_text.wrapped(
    clause="003-6-nan-in-result", invited_by="numpy.nan_to_num, pandas' fillna(0), `x || 0` in JavaScript"
)
def nan_written_as_zero(original: Callable[..., Any], number: Any) -> Any:
    """NaN and the infinities are written as 0.0. A broken reward is taken for a failure."""
    return original(number if math.isfinite(number) else 0.0)
