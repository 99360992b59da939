import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.runner.wire import (
    decode_content,
    decode_number,
    decode_rewards,
    encode_content,
    encode_number,
    encode_rewards,
)


@pytest.mark.parametrize(
    ("given_", "number"),
    [
        (1, "1"),
        (1.0, "1.0"),
        ("1", "1"),
        ("1.0", "1.0"),
        ("-0.0", "-0.0"),
        ("1e2", "100.0"),
        ("1E2", "100.0"),
        ("18446744073709551617", "18446744073709551617"),
        ("NaN", "nan"),
        ("Infinity", "inf"),
        ("-Infinity", "-inf"),
    ],
)
def test_numbers(given_: object, number: str) -> None:
    assert repr(decode_number(given_)) == number


@pytest.mark.parametrize(
    ("value", "error"), [(None, TypeError), (True, TypeError), ("x", ValueError), ("nan", ValueError)]
)
def test_no_numbers(value: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        decode_number(value)


@given(st.integers() | st.floats(allow_nan=False))
def test_numbers_survive(number: float) -> None:
    assert repr(decode_number(encode_number(number))) == repr(number)


def test_non_finite_numbers_are_named() -> None:
    assert [encode_number(x) for x in (math.nan, math.inf, -math.inf)] == ["NaN", "Infinity", "-Infinity"]


def test_an_int_beyond_the_double_range_is_finite() -> None:
    assert encode_number(10**400) == 10**400


def test_rewards() -> None:
    assert decode_rewards({"a": "1.0"}) == encode_rewards({"a": 1.0}) == {"a": 1.0}
    assert decode_rewards(None) is encode_rewards(None) is None


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_content_survives(text: str) -> None:
    assert decode_content(encode_content(text.encode())) == text.encode()


def test_content_is_text_or_base64() -> None:
    assert encode_content("\ufeff\u00e9\n".encode()) == {"text": "\ufeff\u00e9\n"}
    assert decode_content({"base64": "/w=="}) == b"\xff"


@pytest.mark.parametrize("content", [{}, {"base64": "*"}, {"base64": "A"}, {"text": "\ud800"}])
def test_no_content(content: dict[str, str]) -> None:
    with pytest.raises((KeyError, ValueError)):
        decode_content(content)
