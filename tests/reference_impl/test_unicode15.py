import importlib.util
import json
import sys
import unicodedata
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cpython312 import _unicode15_data
from reference_impl.cpython312.unicode15 import WHITE_SPACE, decimal_digit, is_alphanumeric, lower
from tests.reference_impl import unicode_for_authors

ALL = [chr(code) for code in range(sys.maxunicode + 1)]
on_unicode_15 = pytest.mark.skipif(
    unicodedata.unidata_version != "15.0.0", reason="the running Python has other tables"
)


def generate() -> ModuleType:
    """The tool beside this file, which is no part of the package."""
    path = Path(__file__).with_name("generate_unicode15.py")
    spec = importlib.util.spec_from_file_location("generate_unicode15", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@on_unicode_15
def test_tables_are_as_the_tool_writes_them() -> None:
    written = "".join(f"{line}\n" for line in generate().module_source())
    assert Path(_unicode15_data.__file__).read_text("utf-8") == written


@on_unicode_15
def test_every_character_agrees_with_the_interpreter() -> None:
    assert [c for c in ALL if is_alphanumeric(c) != c.isalnum()] == []
    assert [c for c in ALL if decimal_digit(c) != unicodedata.decimal(c, None)] == []
    assert [c for c in ALL if lower(c) != c.lower()] == []


@on_unicode_15
@given(
    st.text(alphabet=st.sampled_from("aA\u03a3\u03c3 .'\u0130\u00ad\u0345\u2160\U0001e900") | st.characters())
)
def test_lower_agrees_with_the_interpreter(text: str) -> None:
    assert lower(text) == text.lower()


def test_white_space_is_the_interpreters_but_for_the_separators() -> None:
    assert {c for c in ALL if c.isspace()} - set(WHITE_SPACE) == set("\x1c\x1d\x1e\x1f")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("\u0130", "i\u0307"),
        ("\u039f\u03a3", "\u03bf\u03c2"),  # a sigma that ends a word
        ("\u03a3\u039f", "\u03c3\u03bf"),
        ("\u039f.\u03a3'\u0391", "\u03bf.\u03c3'\u03b1"),  # a letter follows beyond the apostrophe
        ("\ua7cb\U00010d50", "\ua7cb\U00010d50"),  # capitals since Unicode 16.0, nothing before
    ],
)
def test_lower(text: str, expected: str) -> None:
    assert lower(text) == expected


@pytest.mark.parametrize(("character", "digit"), [("7", 7), ("\u0667", 7), ("\U00011f57", 7)])
def test_digits(character: str, digit: int) -> None:
    assert decimal_digit(character) == digit
    assert is_alphanumeric(character)


@pytest.mark.parametrize("character", ["a", "\u00b2", "\u0bf0", "\U00010d40", "\ud800"])
def test_no_digits(character: str) -> None:
    assert decimal_digit(character) is None


def test_letters_of_later_versions_are_none_yet() -> None:
    assert not is_alphanumeric("\U0002ebf0")  # an ideograph since Unicode 15.1
    assert not is_alphanumeric("\u1c89")  # a letter since Unicode 16.0


def test_the_tables_for_authors_give_the_same() -> None:
    """As docs/writing-a-runner.md says to read them, of every character there is."""
    kept = (Path(__file__).parents[2] / "docs" / "unicode-15.0.json").read_text("utf-8")
    assert kept == unicode_for_authors.text()
    tables = json.loads(kept)

    def within(name: str) -> set[int]:
        return {code for first, last in tables[name] for code in range(first, last + 1)}

    alphanumeric, cased, ignorable = within("alphanumeric"), within("cased"), within("case_ignorable")
    assert {ord(c) for c in ALL if is_alphanumeric(c)} == alphanumeric
    digits = {zero + digit: digit for zero in tables["digit_zeros"] for digit in range(10)}
    assert {ord(c): digit for c in ALL if (digit := decimal_digit(c)) is not None} == digits
    lowered = {
        code: code + further
        for first, last, step, further in tables["lower"]
        for code in range(first, last + 1, step)
    }
    assert {ord(c): ord(lower(c)) for c in ALL if lower(c) != c and len(lower(c)) == 1} == lowered
    assert [c for c in ALL if len(lower(c)) > 1] == ["\u0130"]
    ends_word = {ord(c) for c in ALL if lower(f"{c}\u03a3")[-1] == "\u03c2"}
    ends_word_behind_a = {ord(c) for c in ALL if lower(f"a{c}\u03a3")[-1] == "\u03c2"}
    assert ends_word == cased - ignorable
    assert ends_word_behind_a == cased | ignorable
    assert "".join(map(chr, tables["white_space"])) == WHITE_SPACE
