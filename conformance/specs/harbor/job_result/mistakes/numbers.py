"""Mistakes in spelling the numbers of ``result.json``: as values, and as keys."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import NON_FINITE, by_java, by_javascript, by_rust, spelled
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_result
from reference_impl import json_text

mistakes = family("job_result", clause="003-3.3-key-text")
in_float_text = family("job_result", of=json_text._float_text, clause="003-3.3-number-text")
in_number_key = family("job_result", of=json_text.number_key, clause="003-3.3-key-text")
in_int_text = family("job_result", of=json_text._int_text, clause="003-3.3-int-text")


@way("job_result", clause="003-3.3-number-text")
def finite(reference: Variant, text: Callable[[float], str]) -> None:
    """Has ``text`` spell the finite floats that are values."""
    reference.wrap(
        json_text._float_text,
        lambda original: lambda number: text(number) if math.isfinite(number) else original(number),
    )


@finite.made(invited_by="JavaScript, TypeScript")
def javascript_numbers(number: float) -> str:
    """Floats are written as JSON.stringify writes them: 100 for 100.0, 0.000001, 1e+21.
    There is one kind of number, and its text has an exponent only from 1e21 on and below 1e-6."""
    return by_javascript(number)


@finite.made(invited_by="Go's encoding/json")
def go_json_numbers(number: float) -> str:
    """Floats are written as Go's encoding/json writes them: 100 for 100.0, -0, 1e+21.
    The encoder follows JavaScript, but for the sign of zero."""
    return spelled(number, range(-6, 21), "e{:+d}", whole="")


@finite.made(invited_by="Go's strconv.FormatFloat(x, 'g', -1, 64) and fmt's %v")
def go_g_numbers(number: float) -> str:
    """Floats are written with Go's format 'g': an exponent of two digits below 1e-4 and from 1e+06 on.
    It is the format for the fewest digits."""
    return spelled(number, range(-4, 6), "e{:+03d}", whole="")


@finite.made(
    clause="003-3.3-exponent-sign", invited_by="Rust: ryu, serde_json while it used ryu; pydantic before 2.13"
)
def rust_ryu_exponents(number: float) -> str:
    """Large floats have an exponent without a plus sign, 1e16.
    The ryu crate writes them so, and pydantic did before 2.13."""
    return spelled(number, range(-5, 16), "e{}")


@finite.made(invited_by="Rust's format!")
def rust_debug_numbers(number: float) -> str:
    """Floats are written with Rust's {:?}: 1e-5 and 1e16.
    It keeps the .0 of whole numbers, which {} drops."""
    return spelled(number, range(-4, 16), "e{}", ties_up=True)


@finite.made(invited_by="Rust's to_string; formats such as %f with trailing zeros cut")
def rust_display_numbers(number: float) -> str:
    """Floats are written with Rust's {}: never an exponent, and 1 for 1.0.
    to_string is what one writes first."""
    return spelled(number, range(-400, 400), "", whole="", ties_up=True)


@finite.made(invited_by="Rust's {:e} as a source of digits")
def rust_ties(number: float) -> str:
    """Of two equally short and near spellings of a float the greater is written: ...944.3 for ...944.25.
    Rust's formatting rounds such ties up; it shows from 2**49 on, where doubles are an eighth apart."""
    return spelled(number, range(-5, 16), "e{:+d}", ties_up=True)


@finite.made(invited_by="Java, Kotlin, Scala")
def java_numbers(number: float) -> str:
    """Floats are written as Java writes them: 1.0E-4, 1.0E7, 4.9E-324.
    Jackson, Gson and string concatenation all use Double.toString."""
    return by_java(number)


@finite.made(invited_by="C#, F#")
def dotnet_numbers(number: float) -> str:
    """Floats are written as .NET writes them: 1E-05, 1E+15, and 1 for 1.0.
    System.Text.Json writes what ToString gives."""
    return spelled(number, range(-4, 15), "E{:+03d}", whole="")


@finite.made(invited_by="Python's json and simplejson, str(), f-strings")
def python_repr_numbers(number: float) -> str:
    """Floats that are values are written with Python's repr: 1e-05, 1e-07.
    It is the spelling that keys have, and json.dumps has it for values too."""
    return repr(number)


@finite.made(invited_by="C++: nlohmann/json")
def cpp_json_numbers(number: float) -> str:
    """Floats are written as nlohmann's JSON for C++ writes them: 1e-05, and 1e+15 already.
    Its limit is the 15 digits that every double keeps."""
    return spelled(number, range(-4, 15), "e{:+03d}")


@finite.made(invited_by="C's printf, C++ streams, older JSON libraries")
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


@mistakes.changed(
    clause="003-3.3-number-text",
    invited_by="YAML and SQL stores, fixed formats, JavaScript's template strings",
)
def result_minus_zero_unsigned(reference: Variant) -> None:
    """-0.0 is written 0.0, as a value and as a key. Comparing with 0 to normalise it, or x + 0.0."""
    reference.wrap(json_text._float_text, lambda original: lambda number: original(number or 0.0))
    reference.wrap(json_text.number_key, lambda original: lambda number: original(number or abs(number)))


@in_float_text.wrapped(
    clause="003-6-nan-in-result",
    invited_by="Python's json, simplejson, Gson, Go and Rust writers made lenient",
)
def nan_spelled_out(original: Callable[..., Any], number: Any) -> Any:
    """NaN and the infinities are written as NaN, Infinity and -Infinity, not as null.
    json.dumps allows it unless told otherwise."""
    return NON_FINITE.get(repr(number)) or original(number)


@in_float_text.wrapped(
    clause="003-6-nan-in-result",
    invited_by="Jackson's defaults, pydantic with ser_json_inf_nan='strings', protobuf's JSON",
)
def nan_quoted(original: Callable[..., Any], number: Any) -> Any:
    """NaN and the infinities are written as the strings "NaN", "Infinity" and "-Infinity".
    JSON has no such number, a string has room for it."""

    def quoted(name: str) -> str:
        return name and f'"{name}"'

    return quoted(NON_FINITE.get(repr(number), "")) or original(number)


@in_float_text.wrapped(
    clause="003-6-nan-in-result", invited_by="numpy.nan_to_num, pandas' fillna(0), `x || 0` in JavaScript"
)
def nan_written_as_zero(original: Callable[..., Any], number: Any) -> Any:
    """NaN and the infinities are written as 0.0. A broken reward is taken for a failure."""
    return original(number if math.isfinite(number) else 0.0)


METRICS = ("stats", "evals", "*", "metrics", "*", "*")


def _finite_keys(reference: Variant, text: Callable[[float], str]) -> None:
    def around(original: Callable[[float], str]) -> Callable[[float], str]:
        return lambda number: (
            text(number) if isinstance(number, float) and math.isfinite(number) else original(number)
        )

    reference.wrap(json_text.number_key, around)


@mistakes.changed(invited_by="Rust's serde, any hand-written JSON writer")
def keys_spelled_as_values(reference: Variant) -> None:
    """A reward that is a key is spelled as the same number is as a value: 0.00001, 1e-7.
    One function for all numbers; that there are two rules is the surprise."""
    _finite_keys(reference, reference.get(json_text._float_text))


@mistakes.changed(invited_by="JavaScript, TypeScript")
def javascript_keys(reference: Variant) -> None:
    """Rewards that are keys are spelled by JavaScript: "1" for 1.0, "0" for -0.0, "NaN", "Infinity".
    Properties are strings, and a number becomes one by String(x)."""
    reference.wrap(
        json_text.number_key, lambda original: lambda number: NON_FINITE.get(repr(number)) or original(number)
    )
    _finite_keys(reference, by_javascript)


@mistakes.changed(invited_by="Rust's {}, {:?} and {:e}")
def rust_ties_in_keys(reference: Variant) -> None:
    """Of two equally short and near spellings of a key the greater is written: ...944.3 for ...944.25.
    Rust's formatting rounds such ties up; it shows from 2**49 on, where doubles are an eighth apart."""
    _finite_keys(reference, by_rust)


@mistakes.changed(invited_by="Jackson, Gson")
def java_keys(reference: Variant) -> None:
    """Rewards that are keys are spelled by Java: "1.0E-7", "NaN", "Infinity".
    A Map<Double, …> is written with Double.toString for its keys."""
    reference.wrap(
        json_text.number_key, lambda original: lambda number: NON_FINITE.get(repr(number)) or original(number)
    )
    _finite_keys(reference, by_java)


@in_number_key.wrapped(invited_by="Python's json.dumps on a dict with float keys")
def json_dumps_keys(original: Callable[..., Any], number: Any) -> Any:
    """Rewards that are keys are spelled "NaN", "Infinity" and "-Infinity" where they are not finite.
    json.dumps has these names, Python's repr has nan and inf."""
    return NON_FINITE.get(repr(number)) or original(number)


@in_number_key.wrapped(invited_by="Go's %v, Rust's {}, Ruby, PHP; int(reward) where it is whole")
def whole_keys_as_ints(original: Callable[..., Any], number: Any) -> Any:
    """Whole rewards that are keys lose .0: "1" for 1.0. Rewards are 0 and 1 in most people's minds."""
    return original(number).removesuffix(".0")


@in_number_key.wrapped(
    clause="003-3.3-reward-stats",
    invited_by="dict[str, float], Go's float64, Rust's f64, numpy and pandas columns",
)
def keys_always_floats(original: Callable[..., Any], number: Any) -> Any:
    """Int rewards that are keys are spelled as floats: "1.0" for 1. A reward is a float, so its type says."""
    return original(_as_double(number))


@mistakes.changed(
    clause="003-3.3-metrics-keep-types",
    invited_by="Go's float64, Rust's f64, numpy and pandas columns, a pydantic field of type float",
)
def metrics_as_floats(reference: Variant) -> None:
    """Metrics of ints are written as floats: a sum of 3.0, a max of 1.0.
    A metric is a float, so its type says."""
    change_result(reference, _as_double, METRICS)


@mistakes.changed(
    clause="003-3.3-token-totals", invited_by="pandas and numpy, where a missing value makes ints floats"
)
def counts_as_floats(reference: Variant) -> None:
    """Token totals are written as floats: 300.0. A column with gaps is a column of floats."""
    for name in ("n_input_tokens", "n_cache_tokens", "n_output_tokens"):
        change_result(reference, lambda count: None if count is None else _as_double(count), ("stats", name))


@in_int_text.replaced(invited_by="JavaScript, Lua, Go's interface{}, jq before 1.7, msgpack bridges")
def result_ints_through_doubles(number: int) -> str:
    """Ints beyond 2**53 go through a double: 9007199254740993 becomes …992, 10**30 becomes 1e+30.
    The JSON reader or writer has one kind of number."""
    double = _as_double(number)
    if not isinstance(double, float):
        return "null"
    return by_javascript(double)


@in_int_text.wrapped(invited_by="Java's longValue, Go's int64(x), Rust's `as i64`, C, numpy")
def result_ints_wrapped(original: Callable[..., Any], number: Any) -> Any:
    """Ints are cut to 64 bits, so that 2**63 becomes -2**63. A cast without a check keeps the low bits."""
    return original((number + 2**63) % 2**64 - 2**63)


@in_int_text.wrapped(
    invited_by="Rust's float-to-int `as`, Java's (long) of a double, ClickHouse and other stores"
)
def result_ints_saturated(original: Callable[..., Any], number: Any) -> Any:
    """Ints beyond 64 bits are written as the largest or smallest that fits.
    A conversion that saturates looks like the safe one."""
    return original(min(max(number, -(2**63)), 2**63 - 1))


@in_int_text.wrapped(invited_by="Python's json and str() since 3.10.7")
def result_long_ints_refused(reference: Variant, original: Callable[[int], str], number: int) -> str:
    """An int of more than 4300 digits cannot be written as a value.
    str(int) refuses it, pydantic's own writer does not."""
    if abs(number) >= reference.get((json_text, "_FIRST_INT_TOO_LONG")):
        raise ValueError("Exceeds the limit (4300 digits) for integer string conversion")
    return original(number)


def _as_double(number: Any) -> Any:
    """The nearest double, and the int itself where there is none."""
    try:
        return float(number)
    except OverflowError:
        return number
