"""Numbers in messages: what spells one, and what only looks like it."""

import json
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conformance.wire import numbers
from conformance.wire.messages import BadReplyError, parse_reply
from conformance.wire.numbers import MAX_INT_DIGITS, decode, decode_at, meant_at, spell, spell_at

SPELLED = {
    "0": 0,
    "-0": 0,
    "18446744073709551617": 2**64 + 1,
    "9" * MAX_INT_DIGITS: int("9" * MAX_INT_DIGITS),
    "1.0": 1.0,
    "-0.0": -0.0,
    "1e2": 100.0,
    "1E+2": 100.0,
    "25e-1": 2.5,
    "5e-324": 5e-324,
    "1e-400": 0.0,
    "1.7976931348623157e308": 1.7976931348623157e308,
    "Infinity": math.inf,
    "-Infinity": -math.inf,
    "NaN": math.nan,
}
NO_SPELLINGS = ["", " 1", "1 ", "1\n", "+1", "01", "1.", ".5", "1_0", "0x10", "1e", "1,0", "one", "1e400"]
NO_SPELLINGS += ["-1e400", "nan", "inf", "infinity", "-NaN", "+Infinity", "\N{ARABIC-INDIC DIGIT ONE}"]
NO_SPELLINGS += ["9" * (MAX_INT_DIGITS + 1)]


def test_a_spelling_is_its_number_and_all_else_stays_what_it_is() -> None:
    for text, number in SPELLED.items():
        assert repr(decode(text)) == repr(number), text  # -0.0 is not 0.0, and 1 not 1.0
    for value in (*NO_SPELLINGS, None, True, False, 1, 1.5, [], {}):
        assert decode(value) is value
    for value in (None, True, "1", "x"):
        assert spell(value) is value


@given(st.integers() | st.floats())
def test_spelling_and_decoding_return_the_same_number(number) -> None:
    assert repr(decode(spell(number))) == repr(number)
    assert isinstance(number, int) or set(spell(number)) & set(".eEN") or "Infinity" in spell(number)


VALUE = {"rewards": [{"a": 1, "b": 0.5}, None, {}], "n": 3, "other": 1}


def test_only_the_named_places_change() -> None:
    paths = (("rewards", "*", "*"), ("n",), ("absent", "*"))
    spelled = spell_at(VALUE, paths, everything=True)
    assert spelled == {"rewards": [{"a": "1", "b": "0.5"}, None, {}], "n": "3", "other": 1}
    assert list(spelled) == list(VALUE)
    assert decode_at(spelled, paths) == VALUE
    assert VALUE["rewards"][0] == {"a": 1, "b": 0.5}
    for value in ("text", 5, None, [1], {"rewards": 1}, {"rewards": "x"}):  # another shape than expected
        assert decode_at(value, (("rewards", "*", "*"),)) == value
    for value, text in ((1.0, "1.0"), ({"a": 1.0}, {"a": "1.0"})):  # as a step's min_reward, one or many
        assert spell_at({"m": value}, (("m",), ("m", "*")), everything=True) == {"m": text}
    assert numbers.map_at({"*": 1, "a": 2}, ("*",), lambda number: -number) == {"*": -1, "a": -2}


def test_non_finite_floats_alone_are_spelled_where_numbers_are_json() -> None:
    value = {"a": math.inf, "b": 1.5, "c": math.nan, "d": -math.inf}
    spelled = spell_at(value, (("*",),), everything=False)
    assert spelled == {"a": "Infinity", "b": 1.5, "c": "NaN", "d": "-Infinity"}
    assert json.loads(json.dumps(spelled, allow_nan=False)) == spelled


def test_a_string_that_is_kept_is_marked_where_a_number_is_due() -> None:
    """Not what has no other spelling, or is none."""
    for text in ("5.0", "1", "-0", "1E+5", "18446744073709551617"):
        value = {"rewards": {"a": text, "b": 1.5}, "status": text}
        kept = meant_at(value, (("rewards", "*"),))
        assert kept == {"rewards": {"a": {"string": text}, "b": 1.5}, "status": text}
        assert decode_at(kept, (("rewards", "*"),)) == kept
        assert value["rewards"] == {"a": text, "b": 1.5}
    for text in ("NaN", "Infinity", "-Infinity", "nan", "", ".5", " 1", "1.0\n"):
        value = {"rewards": {"a": text}}
        assert meant_at(value, (("rewards", "*"),)) == value


def test_a_value_is_what_its_runner_means() -> None:
    value = {"a": "0.0", "b": 1, "c": {"string": "5.0"}, "d": "NaN", "e": "Infinity", "f": "1E400", "g": None}
    paths = (("*",),)
    as_strings = meant_at(value, paths, numbers_as_strings=True)
    assert repr(as_strings) == repr(value | {"a": 0.0})
    as_json = meant_at(value, paths)
    assert repr(as_json) == repr(value | {"a": {"string": "0.0"}, "f": {"string": "1E400"}})


def test_pythons_limit_comes_back_whatever_the_order_of_threads() -> None:
    """While one thread answers as the reference does, a reply that another one reads has its limit."""
    before = sys.get_int_max_str_digits()
    first, second = numbers.any_digits(), numbers.any_digits()
    for lifted in (first, second):
        lifted.__enter__()
        assert sys.get_int_max_str_digits() == 0
    with pytest.raises(BadReplyError, match="an int of more than 4300 digits"):
        parse_reply(b'{"id":0,"ok":{"a":%b}}' % (b"1" * 4301), 0)
    assert parse_reply(b'{"id":0,"ok":{"a":-%b}}' % (b"1" * 4300), 0)
    for lifted in (first, second):  # not the last one first, as in one thread
        lifted.__exit__(None, None, None)
    assert sys.get_int_max_str_digits() == before
