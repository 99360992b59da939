import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cpython312.parsing import Json
from reference_impl.errors import ValidationError
from reference_impl.verifier_result import validate_rewards

# What the real VerifierResult makes of a string, by repr so that 1 is not 1.0; None: refused.
STRINGS = {
    "1.5": "1.5",
    " 2 ": "2.0",
    "\x85\xa0\u20282\u3000": "2.0",
    "-0": "-0.0",
    "+1": "1.0",
    "1.": "1.0",
    ".5": "0.5",
    "1e400": "inf",
    "9" * 5000: "inf",
    "-Infinity": "-inf",
    "nAn": "nan",
    "18446744073709551617": "1.8446744073709552e+19",
    "1_000": "1000.0",
    "-_1": "-1.0",
    "1._5": "1.5",
    "1_.5": "1.5",
    "1e_5": "100000.0",
    "in_f": "inf",
    # no floats, but ints
    " 1_0": "10",
    " 1_0.00 ": "10",
    "0__1": "1",
    "-0__1": "-1",
    "0-1": "-1",
    "+0_-_1": "-1",
    " 1_" + "0" * 4299: "1" + "0" * 4299,
    # neither
    " 1_" + "0" * 4300: None,
    " 1_0.5": None,
    "0__1.5": None,
    "0-01": None,
    "-0-1": None,
    "_1": None,
    "1_": None,
    "1__0": None,
    "": None,
    ".": None,
    "x": None,
    "1e": None,
    "0x10": None,
    "\u0131nf": None,
    "\u0661": None,
    "\ufeff1": None,
    "\u200b1": None,
    "\x1c1": None,
    "1\0": None,
}


@pytest.mark.parametrize(("text", "expected"), STRINGS.items(), ids=lambda value: ascii(value)[:20])
def test_strings(text: str, expected: str | None) -> None:
    if expected is None:
        with pytest.raises(ValidationError, match="str"):
            validate_rewards({"reward": text})
    else:
        assert repr(validate_rewards({"reward": text})) == f"{{'reward': {expected}}}"


@pytest.mark.parametrize("value", [1, 1.0, 0, -0.0, 10**400, math.inf])
def test_numbers_stay_as_they_are(value: float) -> None:
    assert repr(validate_rewards({"a": value})) == repr({"a": value})


@pytest.mark.parametrize(("value", "number"), [(True, "1.0"), (False, "0.0")])
def test_bools_become_floats(value: bool, number: str) -> None:
    assert repr(validate_rewards({"a": value})) == f"{{'a': {number}}}"


@pytest.mark.parametrize("value", [None, [], [1], {}, {"a": 1}])
def test_other_values_are_refused(value: Json) -> None:
    with pytest.raises(ValidationError) as caught:
        validate_rewards({"good": 1, "bad": value})
    assert caught.value.field == "rewards['bad']"
    assert caught.value.value == value


@pytest.mark.parametrize("value", [[], [["a", 1]], 1, 1.5, True, "x", "null"])
def test_only_an_object_holds_rewards(value: Json) -> None:
    with pytest.raises(ValidationError, match="rewards does not accept"):
        validate_rewards(value)


def test_null_is_no_rewards() -> None:
    assert validate_rewards(None) is None


@given(st.floats(allow_nan=False))
def test_every_float_is_read_back(number: float) -> None:
    assert validate_rewards({"a": repr(number)}) == {"a": number}


@given(st.text(alphabet="01_.+-eE infa\u0131\u0661\x1c\xa0"))
def test_any_string_gives_a_number_or_a_validation_error(text: str) -> None:
    try:
        rewards = validate_rewards({"a": text})
    except ValidationError:
        return
    assert rewards is not None
    assert type(rewards["a"]) in (int, float)
