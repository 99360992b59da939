"""Mistakes in the kinds of numbers in ``result.json``, ints and floats, and in numbers that are keys."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.number_text import NON_FINITE, by_java, by_javascript
from conformance.specs.harbor.job_result.mistakes.trees import change_result

INT = "json_text._int_text"
KEY = "json_text.number_key"
METRICS = ("stats", "evals", "*", "metrics", "*", "*")


def _finite_keys(reference: Variant, text: Callable[[float], str]) -> None:
    def around(original: Callable[[float], str]) -> Callable[[float], str]:
        return lambda number: (
            text(number) if isinstance(number, float) and math.isfinite(number) else original(number)
        )

    reference.wrap(KEY, around)


@mistake(
    "keys-spelled-as-values",
    says="a reward that is a key is spelled as the same number is as a value: 0.00001, 1e-7",
    op="job_result",
    clause="003-3.3-key-text",
    why="One function for all numbers; that there are two rules is the surprise.",
    invited_by="Rust's serde, any hand-written JSON writer",
)
def _(reference: Variant) -> None:
    _finite_keys(reference, reference.get("json_text._float_text"))


@mistake(
    "javascript-keys",
    says='rewards that are keys are spelled by JavaScript: "1" for 1.0, "0" for -0.0, "NaN", "Infinity"',
    op="job_result",
    clause="003-3.3-key-text",
    why="Properties are strings, and a number becomes one by String(x).",
    invited_by="JavaScript, TypeScript",
)
def _(reference: Variant) -> None:
    reference.wrap(KEY, lambda original: lambda number: NON_FINITE.get(repr(number)) or original(number))
    _finite_keys(reference, by_javascript)


@mistake(
    "java-keys",
    says='rewards that are keys are spelled by Java: "1.0E-7", "NaN", "Infinity"',
    op="job_result",
    clause="003-3.3-key-text",
    why="A Map<Double, …> is written with Double.toString for its keys.",
    invited_by="Jackson, Gson",
)
def _(reference: Variant) -> None:
    reference.wrap(KEY, lambda original: lambda number: NON_FINITE.get(repr(number)) or original(number))
    _finite_keys(reference, by_java)


@mistake(
    "json-dumps-keys",
    says='rewards that are keys are spelled "NaN", "Infinity" and "-Infinity" where they are not finite',
    op="job_result",
    clause="003-3.3-key-text",
    why="json.dumps has these names, Python's repr has nan and inf.",
    invited_by="Python's json.dumps on a dict with float keys",
)
def _(reference: Variant) -> None:
    reference.wrap(KEY, lambda original: lambda number: NON_FINITE.get(repr(number)) or original(number))


@mistake(
    "whole-keys-as-ints",
    says='whole rewards that are keys lose .0: "1" for 1.0',
    op="job_result",
    clause="003-3.3-key-text",
    why="Rewards are 0 and 1 in most people's minds.",
    invited_by="Go's %v, Rust's {}, Ruby, PHP; int(reward) where it is whole",
)
def _(reference: Variant) -> None:
    reference.wrap(KEY, lambda original: lambda number: original(number).removesuffix(".0"))


@mistake(
    "keys-always-floats",
    says='int rewards that are keys are spelled as floats: "1.0" for 1',
    op="job_result",
    clause="003-3.3-reward-stats",
    why="A reward is a float, so its type says.",
    invited_by="dict[str, float], Go's float64, Rust's f64, numpy and pandas columns",
)
def _(reference: Variant) -> None:
    reference.wrap(KEY, lambda original: lambda number: original(_as_double(number)))


@mistake(
    "metrics-as-floats",
    says="metrics of ints are written as floats: a sum of 3.0, a max of 1.0",
    op="job_result",
    clause="003-3.3-metrics-keep-types",
    why="A metric is a float, so its type says.",
    invited_by="Go's float64, Rust's f64, numpy and pandas columns, a pydantic field of type float",
)
def _(reference: Variant) -> None:
    change_result(reference, METRICS, _as_double)


@mistake(
    "counts-as-floats",
    says="token totals are written as floats: 300.0",
    op="job_result",
    clause="003-3.3-token-totals",
    why="A column with gaps is a column of floats.",
    invited_by="pandas and numpy, where a missing value makes ints floats",
)
def _(reference: Variant) -> None:
    for name in ("n_input_tokens", "n_cache_tokens", "n_output_tokens"):
        change_result(reference, ("stats", name), lambda count: None if count is None else _as_double(count))


@mistake(
    "result-ints-through-doubles",
    says="ints beyond 2**53 go through a double: 9007199254740993 becomes …992, 10**30 becomes 1e+30",
    op="job_result",
    clause="003-3.3-int-text",
    why="The JSON reader or writer has one kind of number.",
    invited_by="JavaScript, Lua, Go's interface{}, jq before 1.7, msgpack bridges",
)
def _(reference: Variant) -> None:
    def text(number: int) -> str:
        double = _as_double(number)
        if not isinstance(double, float):
            return "null"
        return by_javascript(double)

    reference.replace(INT, text)


@mistake(
    "result-ints-wrapped",
    says="ints are cut to 64 bits, so that 2**63 becomes -2**63",
    op="job_result",
    clause="003-3.3-int-text",
    why="A cast without a check keeps the low bits.",
    invited_by="Java's longValue, Go's int64(x), Rust's `as i64`, C, numpy",
)
def _(reference: Variant) -> None:
    reference.wrap(INT, lambda original: lambda number: original((number + 2**63) % 2**64 - 2**63))


@mistake(
    "result-ints-saturated",
    says="ints beyond 64 bits are written as the largest or smallest that fits",
    op="job_result",
    clause="003-3.3-int-text",
    why="A conversion that saturates looks like the safe one.",
    invited_by="Rust's float-to-int `as`, Java's (long) of a double, ClickHouse and other stores",
)
def _(reference: Variant) -> None:
    reference.wrap(INT, lambda original: lambda number: original(min(max(number, -(2**63)), 2**63 - 1)))


@mistake(
    "result-long-ints-refused",
    says="an int of more than 4300 digits cannot be written as a value",
    op="job_result",
    clause="003-3.3-int-text",
    why="str(int) refuses it, pydantic's own writer does not.",
    invited_by="Python's json and str() since 3.10.7",
)
def _(reference: Variant) -> None:
    def around(original: Callable[[int], str]) -> Callable[[int], str]:
        def text(number: int) -> str:
            if abs(number) >= reference.get("json_text._FIRST_INT_TOO_LONG"):
                raise ValueError("Exceeds the limit (4300 digits) for integer string conversion")
            return original(number)

        return text

    reference.wrap(INT, around)


def _as_double(number: Any) -> Any:
    """The nearest double, and the int itself where there is none."""
    try:
        return float(number)
    except OverflowError:
        return number
