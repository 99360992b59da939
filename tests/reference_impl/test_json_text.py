import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cpython312.parsing import Json
from reference_impl.json_text import (
    JsonObject,
    JsonTree,
    PydanticSerializationError,
    json_text,
    number_key,
    printable,
)

# Each number as pydantic 2.14.3 writes it: as a value, as a key.
NUMBERS: list[tuple[int | float, str, str]] = [
    (0, "0", "0"),
    (-1, "-1", "-1"),
    (0.0, "0.0", "0.0"),
    (-0.0, "-0.0", "-0.0"),
    (100.0, "100.0", "100.0"),
    (0.0001, "0.0001", "0.0001"),
    (9.99999e-05, "0.0000999999", "9.99999e-05"),
    (-1.234e-05, "-0.00001234", "-1.234e-05"),
    (1e-05, "0.00001", "1e-05"),
    (9.999999999999999e-06, "9.999999999999999e-6", "9.999999999999999e-06"),
    (-1e-07, "-1e-7", "-1e-07"),
    (1e-10, "1e-10", "1e-10"),
    (5e-324, "5e-324", "5e-324"),
    (9999999999999998.0, "9999999999999998.0", "9999999999999998.0"),
    (1e16, "1e+16", "1e+16"),
    (1.7976931348623157e308, "1.7976931348623157e+308", "1.7976931348623157e+308"),
    (2**64, "18446744073709551616", "18446744073709551616"),
    (math.inf, "null", "inf"),
    (-math.inf, "null", "-inf"),
    (math.nan, "null", "nan"),
]


@pytest.mark.parametrize(("number", "value", "key"), NUMBERS)
def test_numbers_as_values_and_as_keys(number: float, value: str, key: str) -> None:
    assert json_text(number) == value
    assert number_key(number) == key


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_float_is_read_back(number: float) -> None:
    assert repr(float(json_text(number))) == repr(float(number_key(number))) == repr(number)


@pytest.mark.parametrize(
    "number", [10**4299, 10**4300, -(10**4300), 10**9000 + 7], ids=["4300", "4301", "-4301", "9001"]
)
def test_an_int_as_a_value_has_any_number_of_digits(number: int) -> None:
    text = json_text(number)
    digits = text.removeprefix("-")
    value = 0
    for start in range(0, len(digits), 4000):
        piece = digits[start : start + 4000]
        value = value * 10 ** len(piece) + int(piece)
    assert (-value if text.startswith("-") else value) == number
    assert digits[0] != "0"


def test_an_int_as_a_key_has_4300_digits_at_most() -> None:
    assert number_key(-(10**4299)) == "-1" + "0" * 4299
    with pytest.raises(ValueError, match="4300"):
        number_key(10**4300)


def test_what_is_escaped() -> None:
    text = '\0\x1f\b\f\n\r\t"\\/\x7f\x80\u2028\ufeff\U0001f600'
    written = r'"\u0000\u001f\b\f\n\r\t\"\\' + '/\x7f\x80\u2028\ufeff\U0001f600"'
    assert json_text(text) == written
    assert json_text(JsonObject([(text, None)])) == f"{{\n    {written}: null\n}}"


def plain(tree: JsonTree) -> Json:
    """What a reader of the text gets: no number but finite ones, the last of equal keys."""
    if isinstance(tree, JsonObject):
        return {
            key.encode("utf-8", "surrogatepass").decode("utf-8", "replace"): plain(value)
            for key, value in tree.members
        }
    if isinstance(tree, list):
        return [plain(value) for value in tree]
    return None if isinstance(tree, float) and not math.isfinite(tree) else tree


def test_layout() -> None:
    tree = JsonObject([("a", [1, JsonObject([])]), ("b", []), ("c", JsonObject([("d", "")]))])
    assert json_text(tree) == json.dumps(plain(tree), indent=4)


def test_names_can_repeat_and_the_last_is_read() -> None:
    tree = JsonObject([("nan", 1), ("nan", 2)])
    assert json_text(tree) == '{\n    "nan": 1,\n    "nan": 2\n}'
    assert json.loads(json_text(tree)) == {"nan": 2}


def test_lone_surrogates() -> None:
    tree = JsonObject([("\ud800\udc00", 1), ("a\udfff", 2)])
    assert json.loads(json_text(tree)) == {"\ufffd" * 6: 1, "a" + "\ufffd" * 3: 2}
    assert printable("\U0001f600") == "\U0001f600"
    for refuse in (printable, json_text):
        with pytest.raises(PydanticSerializationError, match="surrogates"):
            refuse("\ud800")


def trees() -> st.SearchStrategy[JsonTree]:
    text = st.text(st.characters(exclude_categories=["Cs"]))
    scalars: st.SearchStrategy[JsonTree] = st.none() | st.integers() | st.floats() | text
    return st.recursive(
        scalars,
        lambda inner: st.lists(inner) | st.builds(JsonObject, st.lists(st.tuples(st.text(), inner))),
    )


@given(trees())
def test_a_reader_gets_the_tree_back(tree: JsonTree) -> None:
    assert repr(plain(tree)) == repr(json.loads(json_text(tree)))
