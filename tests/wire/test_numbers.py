"""Numbers in messages: what spells one, and what only looks like it."""

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.wire.numbers import (
    MAX_INT_DIGITS,
    decode,
    decode_at,
    map_at,
    meant_at,
    spell,
    spell_at,
    strings_kept_at,
)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0", 0),
        ("-0", 0),
        ("18446744073709551617", 18446744073709551617),
        ("1.0", 1.0),
        ("-0.0", -0.0),
        ("1e2", 100.0),
        ("1E+2", 100.0),
        ("25e-1", 2.5),
        ("5e-324", 5e-324),
        ("1e-400", 0.0),
        ("1.7976931348623157e308", 1.7976931348623157e308),
        ("Infinity", math.inf),
        ("-Infinity", -math.inf),
        pytest.param("9" * MAX_INT_DIGITS, int("9" * MAX_INT_DIGITS), id="4300 digits"),
    ],
)
def test_a_spelling_is_its_number(text: str, number: int | float) -> None:
    decoded = decode(text)
    assert decoded == number
    assert type(decoded) is type(number)
    assert repr(decoded) == repr(number)  # -0.0 is not 0.0


def test_nan_is_spelled_too() -> None:
    assert math.isnan(decode("NaN"))


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " 1",
            "1 ",
            "1\n",
            "+1",
            "01",
            "1.",
            ".5",
            "1_0",
            "0x10",
            "1e",
            "1,0",
            "one",
            "1e400",
            "-1e400",
        ),
        *("nan", "inf", "infinity", "-NaN", "+Infinity", "\N{ARABIC-INDIC DIGIT ONE}"),
        pytest.param("9" * (MAX_INT_DIGITS + 1), id="4301 digits"),
    ],
)
def test_what_is_no_spelling_stays_a_string(text: str) -> None:
    assert decode(text) == text


@pytest.mark.parametrize("value", [None, True, False, 1, 1.5, [], {}])
def test_only_strings_are_decoded(value: Any) -> None:
    assert decode(value) is value


@pytest.mark.parametrize("value", [None, True, "1", "x"])
def test_only_numbers_are_spelled(value: Any) -> None:
    assert spell(value) is value


@given(st.integers() | st.floats(allow_nan=False))
def test_spelling_and_decoding_return_the_same_number(number: int | float) -> None:
    again = decode(spell(number))
    assert repr(again) == repr(number)


@given(st.floats())
def test_a_float_is_never_spelled_as_an_int(number: float) -> None:
    assert set(spell(number)) & set(".eEN") or "Infinity" in spell(number)


VALUE = {"rewards": [{"a": 1, "b": 0.5}, None, {}], "n": 3, "other": 1}


def test_only_the_named_places_change() -> None:
    paths = (("rewards", "*", "*"), ("n",), ("absent", "*"))
    spelled = spell_at(VALUE, paths, everything=True)
    assert spelled == {"rewards": [{"a": "1", "b": "0.5"}, None, {}], "n": "3", "other": 1}
    assert list(spelled) == list(VALUE)
    assert decode_at(spelled, paths) == VALUE
    assert VALUE["rewards"][0] == {"a": 1, "b": 0.5}  # type: ignore[index]


def test_a_place_may_hold_one_number_or_many() -> None:
    """A step's min_reward is a number or an object of numbers."""
    paths = (("m",), ("m", "*"))
    assert spell_at({"m": 1.0}, paths, everything=True) == {"m": "1.0"}
    assert spell_at({"m": {"a": 1.0}}, paths, everything=True) == {"m": {"a": "1.0"}}


def test_a_key_that_is_a_star_is_one_key_of_many() -> None:
    assert map_at({"*": 1, "a": 2}, ("*",), lambda number: -number) == {"*": -1, "a": -2}


def test_non_finite_floats_alone_are_spelled_where_numbers_are_json() -> None:
    value = {"a": math.inf, "b": 1.5, "c": math.nan, "d": -math.inf}
    spelled = spell_at(value, (("*",),), everything=False)
    assert spelled == {"a": "Infinity", "b": 1.5, "c": "NaN", "d": "-Infinity"}
    assert json.loads(json.dumps(spelled, allow_nan=False)) == spelled


@pytest.mark.parametrize("value", ["text", 5, None, [1], {"rewards": 1}, {"rewards": "x"}])
def test_another_shape_than_expected_is_left_alone(value: Any) -> None:
    assert decode_at(value, (("rewards", "*", "*"),)) == value


@pytest.mark.parametrize("text", ["5.0", "1", "-0", "1E+5", "18446744073709551617"])
def test_a_string_that_is_kept_is_marked_where_a_number_is_due(text: str) -> None:
    value = {"rewards": {"a": text, "b": 1.5}, "status": text}
    kept = strings_kept_at(value, (("rewards", "*"),))
    assert kept == {"rewards": {"a": {"string": text}, "b": 1.5}, "status": text}
    assert decode_at(kept, (("rewards", "*"),)) == kept
    assert value["rewards"] == {"a": text, "b": 1.5}


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity", "nan", "", ".5", " 1", "1.0\n"])
def test_what_has_no_other_spelling_or_is_none_is_left(text: str) -> None:
    assert strings_kept_at({"rewards": {"a": text}}, (("rewards", "*"),)) == {"rewards": {"a": text}}


def test_a_value_is_what_its_runner_means() -> None:
    value = {"a": "0.0", "b": 1, "c": {"string": "5.0"}, "d": "NaN", "e": "Infinity", "f": "1E400", "g": None}
    paths = (("*",),)
    as_strings = meant_at(value, paths, numbers_as_strings=True)
    assert repr(as_strings) == repr(value | {"a": 0.0})
    as_json = meant_at(value, paths, numbers_as_strings=False)
    assert repr(as_json) == repr(value | {"a": {"string": "0.0"}, "f": {"string": "1E400"}})
