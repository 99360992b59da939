"""Mistakes in the kinds of numbers in ``result.json``, ints and floats, and in numbers that are keys."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.number_text import NON_FINITE, by_java, by_javascript
from conformance.specs.harbor.job_result.mistakes.trees import change_result
from reference_impl import json_text

mistakes = family("job_result", clause="003-3.3-token-totals")
in_number_key = family("job_result", of=json_text.number_key, clause="003-3.3-reward-stats")
in_int_text = family("job_result", of=json_text._int_text, clause="003-3.3-int-text")

INT = json_text._int_text
KEY = json_text.number_key
METRICS = ("stats", "evals", "*", "metrics", "*", "*")


def _finite_keys(reference: Variant, text: Callable[[float], str]) -> None:
    def around(original: Callable[[float], str]) -> Callable[[float], str]:
        return lambda number: (
            text(number) if isinstance(number, float) and math.isfinite(number) else original(number)
        )

    reference.wrap(KEY, around)


@mistakes.changed(clause="003-3.3-key-text", invited_by="Rust's serde, any hand-written JSON writer")
def keys_spelled_as_values(reference: Variant) -> None:
    """A reward that is a key is spelled as the same number is as a value: 0.00001, 1e-7.
    One function for all numbers; that there are two rules is the surprise."""
    _finite_keys(reference, reference.get(json_text._float_text))


@mistakes.changed(clause="003-3.3-key-text", invited_by="JavaScript, TypeScript")
def javascript_keys(reference: Variant) -> None:
    """Rewards that are keys are spelled by JavaScript: "1" for 1.0, "0" for -0.0, "NaN", "Infinity".
    Properties are strings, and a number becomes one by String(x)."""
    reference.wrap(KEY, lambda original: lambda number: NON_FINITE.get(repr(number)) or original(number))
    _finite_keys(reference, by_javascript)


@mistakes.changed(clause="003-3.3-key-text", invited_by="Jackson, Gson")
def java_keys(reference: Variant) -> None:
    """Rewards that are keys are spelled by Java: "1.0E-7", "NaN", "Infinity".
    A Map<Double, …> is written with Double.toString for its keys."""
    reference.wrap(KEY, lambda original: lambda number: NON_FINITE.get(repr(number)) or original(number))
    _finite_keys(reference, by_java)


@in_number_key.wrapped(clause="003-3.3-key-text", invited_by="Python's json.dumps on a dict with float keys")
def json_dumps_keys(original: Callable[..., Any], number: Any) -> Any:
    """Rewards that are keys are spelled "NaN", "Infinity" and "-Infinity" where they are not finite.
    json.dumps has these names, Python's repr has nan and inf."""
    return NON_FINITE.get(repr(number)) or original(number)


@in_number_key.wrapped(
    clause="003-3.3-key-text", invited_by="Go's %v, Rust's {}, Ruby, PHP; int(reward) where it is whole"
)
def whole_keys_as_ints(original: Callable[..., Any], number: Any) -> Any:
    """Whole rewards that are keys lose .0: "1" for 1.0. Rewards are 0 and 1 in most people's minds."""
    return original(number).removesuffix(".0")


@in_number_key.wrapped(invited_by="dict[str, float], Go's float64, Rust's f64, numpy and pandas columns")
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


@mistakes.changed(invited_by="pandas and numpy, where a missing value makes ints floats")
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
