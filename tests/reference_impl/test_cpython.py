import json
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cpython312.parsing import parse_float, parse_int, parse_json

FLOATS = {
    "1_0": 10.0,
    "+1": 1.0,
    ".5": 0.5,
    "1.": 1.0,
    "iNf": math.inf,
    "1e309": math.inf,
    "9" * 400: math.inf,
    "1e-400": 0.0,
    "\u0661": 1.0,  # Arabic-Indic
    "\U00011f51": 1.0,  # Kawi, new in Unicode 15.0
    "\uff11.\u0665e\u0661": 15.0,
    "\xa0\x85\u20031\v\f\r\n": 1.0,
}
NOT_FLOATS = [
    "",
    " ",
    "\x1c1",
    "1\x1f",
    "\x1c\u0661",
    "1\0",
    "\ufeff1",
    "1d",
    "\u00b2",
    "\u4e00",
    "\u200b1",
    "1\u2003_0",
]
NEWER_DIGITS = ["\U00010d41", "\U000116d1", "\U00011bf1", "\U00016d71", "\U0001ccf1"]  # Unicode 16.0


@pytest.mark.parametrize(("text", "value"), FLOATS.items(), ids=lambda value: ascii(value)[:20])
def test_float(text: str, value: float) -> None:
    assert parse_float(text) == value


def test_float_keeps_the_sign_of_zero() -> None:
    assert math.copysign(1, parse_float("-0")) == -1


@pytest.mark.parametrize("text", [*NOT_FLOATS, *NEWER_DIGITS], ids=ascii)
def test_not_a_float(text: str) -> None:
    with pytest.raises(ValueError, match="could not convert"):
        parse_float(text)


@pytest.mark.parametrize(
    ("text", "value"),
    [(" 3 ", 3), ("1_0", 10), ("-\u0661\u0662", -12), ("0" * 4300, 0), ("-" + "9" * 4300, -(10**4300) + 1)],
    ids=lambda value: ascii(value)[:10] if isinstance(value, str) else "",
)
def test_int(text: str, value: int) -> None:
    assert parse_int(text) == value


@pytest.mark.parametrize("text", ["3.7", "", "0x1", "\x1c1", "1__0", "0" * 4301, "\u0661" * 4301])
def test_not_an_int(text: str) -> None:
    with pytest.raises(ValueError, match="int"):
        parse_int(text)


@pytest.mark.skipif(sys.version_info[:2] != (3, 12), reason="3.12 is the Python to agree with")
@given(st.text(alphabet=st.characters() | st.sampled_from("01_.+-e \x1c\u0661\u0662\xa0\u2003")))
def test_numbers_as_the_interpreter_reads_them(text: str) -> None:
    for ours, built_in in ((parse_float, float), (parse_int, int)):
        try:
            expected = repr(built_in(text))
        except ValueError:
            with pytest.raises(ValueError):  # noqa: PT011 (the two messages differ)
                ours(text)
        else:
            assert repr(ours(text)) == expected


def test_json_takes_what_python_takes() -> None:
    assert parse_json('{"a": 1, "a": Infinity, "b": 1e400, "c": 1}') == {"a": math.inf, "b": math.inf, "c": 1}


@pytest.mark.parametrize("text", ["", "\ufeff1", "01", "1.", "nan", "[1,]", '"\t"', "{} {}", "{'a': 1}"])
def test_json_is_malformed(text: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        parse_json(text)


def test_json_int_of_4300_digits_is_the_longest() -> None:
    assert parse_json("-" + "9" * 4300) == 1 - 10**4300
    with pytest.raises(ValueError, match="4300 digits"):
        parse_json("1" + "0" * 4300)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 500 + "]" * 500,
        '{"a":' * 500 + "1" + "}" * 500,
        "[" + "[]," * 100_000 + "[]]",
        '["' + "[" * 100_000 + '"]',
        '["' + '\\"[' * 100_000 + '"]',
    ],
    ids=["arrays", "objects", "side by side", "in a string", "after escaped quotes"],
)
def test_json_is_not_too_deep(text: str) -> None:
    assert parse_json(text)


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000, '{"a":' * 100_000, "[1, " * 100_000, "[" * 100_000 + "]" * 100_000],
    ids=["arrays", "objects", "after a value", "closed"],
)
def test_json_is_too_deep(text: str) -> None:
    with pytest.raises(RecursionError):
        parse_json(text)


@pytest.mark.parametrize(
    "head", ["x", "1 ", "[1 ", "[1", "{", "{1:", '{"a" ', "[nul", "[-", "[]", '["a"'], ids=ascii
)
def test_an_error_before_the_depth_is_reached_comes_first(head: str) -> None:
    with pytest.raises(json.JSONDecodeError):
        parse_json("[" * 499 + head + "[" * 100_000)


def test_a_long_int_before_the_depth_is_reached_comes_first() -> None:
    with pytest.raises(ValueError, match="4300 digits"):
        parse_json("[" + "1" * 4301 + "," + "[" * 100_000)
