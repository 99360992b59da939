"""The tables of Unicode 15.0: CPython 3.12's own, and for authors the same."""

import json
import subprocess
from pathlib import Path

import pytest

from conformance.oracle.environments import ensure
from reference_impl.cpython312.unicode15 import WHITE_SPACE, decimal_digit, is_alphanumeric, lower

ROOT = Path(__file__).parents[2]
ASSIGNED = [*range(0x33000), *range(0xE0000, 0xE0200)]
"""Beyond are planes that no character is in, and private ones."""
ALL = [chr(code) for code in ASSIGNED]
AS_THE_INTERPRETER = f"""
import unicodedata
from reference_impl.cpython312.unicode15 import decimal_digit, is_alphanumeric, lower
for c in map(chr, [*range({0x33000}), *range({0xE0000}, {0xE0200})]):
    assert is_alphanumeric(c) == c.isalnum(), c
    assert decimal_digit(c) == unicodedata.decimal(c, None), c
    for text in (c, c + "\\u03a3", "A" + c + "\\u03a3"):
        assert lower(text) == text.lower(), ascii(text)
"""


@pytest.mark.release
@pytest.mark.oracle
def test_every_character_agrees_with_the_interpreter_whose_tables_they_are() -> None:
    python = ensure(print).python
    subprocess.run([python, "-c", AS_THE_INTERPRETER], cwd=ROOT, timeout=300, check=True)


@pytest.mark.slow
def test_white_space_is_the_interpreters_but_for_the_separators() -> None:
    assert {c for c in ALL if c.isspace()} - set(WHITE_SPACE) == set("\x1c\x1d\x1e\x1f")


def test_lower() -> None:
    for text, expected in (
        ("\u0130", "i\u0307"),
        ("\u039f\u03a3", "\u03bf\u03c2"),  # a sigma that ends a word
        ("\u03a3\u039f", "\u03c3\u03bf"),
        ("\u039f.\u03a3'\u0391", "\u03bf.\u03c3'\u03b1"),  # a letter follows beyond the apostrophe
        ("\ua7cb\U00010d50", "\ua7cb\U00010d50"),  # capitals since Unicode 16.0, nothing before
    ):
        assert lower(text) == expected


def test_characters_that_are_not_yet_or_not_at_all() -> None:
    digits = {"7": 7, "\u0667": 7, "\U00011f57": 7, "a": None, "\u00b2": None, "\ud800": None}
    newer = ["\U00010d41", "\U000116d1", "\U00011bf1", "\U00016d71", "\U0001ccf1"]  # Unicode 16.0
    digits |= dict.fromkeys(newer)
    assert {character: decimal_digit(character) for character in digits} == digits
    assert is_alphanumeric("\U00011f57")
    assert not is_alphanumeric("\U0002ebf0")  # an ideograph since Unicode 15.1
    assert not is_alphanumeric("\u1c89")  # a letter since Unicode 16.0


@pytest.mark.slow
def test_the_tables_for_authors_are_read_as_the_document_says() -> None:
    """As docs/writing-a-runner.md says, of every character there is."""
    tables = json.loads((ROOT / "docs" / "unicode-15.0.json").read_text("utf-8"))

    def within(name):
        return {code for first, last in tables[name] for code in range(first, last + 1)}

    assert {ord(c) for c in ALL if is_alphanumeric(c)} == within("alphanumeric")
    digits = {zero + digit: digit for zero in tables["digit_zeros"] for digit in range(10)}
    assert {ord(c): digit for c in ALL if (digit := decimal_digit(c)) is not None} == digits
    lowered = {
        code: code + further
        for first, last, step, further in tables["lower"]
        for code in range(first, last + 1, step)
    }
    small = {c: lower(c) for c in ALL}
    assert {ord(c): ord(low) for c, low in small.items() if low != c and len(low) == 1} == lowered
    assert [c for c, low in small.items() if len(low) > 1] == ["\u0130"]
    cased, ignorable = within("cased"), within("case_ignorable")
    assert {ord(c) for c in ALL if lower(f"{c}\u03a3")[-1] == "\u03c2"} == cased - ignorable
    assert {ord(c) for c in ALL if lower(f"a{c}\u03a3")[-1] == "\u03c2"} == cased | ignorable
    assert "".join(map(chr, tables["white_space"])) == WHITE_SPACE
