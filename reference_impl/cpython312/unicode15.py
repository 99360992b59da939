"""The character properties of Unicode 15.0, the version of CPython 3.12.

Which characters are digits or letters, and their lower case, depend on the Unicode version and so
on the Python version: U+11F51 is the digit one on 3.12 and unassigned on 3.11. harbor reads
numbers, and its consumer matches reasons, with 3.12's properties; these functions give them on any
Python. White space has been the same in all versions since Unicode 6.3.

The tables in `_unicode15_data` are texts; each is described where it is read.
"""

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from ._unicode15_data import ALPHANUMERIC, CASE_IGNORABLE, CASED, DIGIT_ZEROS, LOWER

__all__ = ["WHITE_SPACE", "decimal_digit", "is_alphanumeric", "lower"]

# The characters with Unicode's White_Space property. Python's `str.isspace` has these and also
# U+001C to U+001F.
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
CAPITAL_SIGMA = "\u03a3"
SMALL_SIGMA = "\u03c3"
FINAL_SIGMA = "\u03c2"  # the small sigma that ends a word


@dataclass(frozen=True, slots=True)
class _CharacterRanges:
    """A set of characters, stored as ranges of consecutive ones, ascending and separate."""

    firsts: list[str]
    """The first character of each range."""
    lasts: list[str]
    """The last character of each range."""

    def __contains__(self, character: str) -> bool:
        """Whether a range contains the character: only the first range that does not end below it can."""
        number = bisect_left(self.lasts, character)
        return number < len(self.lasts) and self.firsts[number] <= character


def decimal_digit(character: str) -> int | None:
    """The value, 0 to 9, of a decimal digit of any script; None if it is not one."""
    return _DIGITS.get(character)


def is_alphanumeric(character: str) -> bool:
    """Whether 3.12's `str.isalnum` is true of this one character."""
    return character in _ALPHANUMERIC


def lower(text: str) -> str:
    """The text as 3.12's `str.lower` gives it."""
    return "".join(_lower_at(text, index) for index in range(len(text)))


def _lower_at(text: str, index: int) -> str:
    """The lower case of the character at `index`: a capital sigma's depends on its neighbours."""
    character = text[index]
    if character == CAPITAL_SIGMA:
        return FINAL_SIGMA if _ends_word(text, index) else SMALL_SIGMA
    return _LOWER.get(character, character)


def _ends_word(text: str, index: int) -> bool:
    """Whether there is a cased letter before `index` and none after, ignoring case-ignorable ones."""
    before, after = reversed(text[:index]), text[index + 1 :]
    return _is_cased_first(before) and not _is_cased_first(after)


def _is_cased_first(characters: Iterable[str]) -> bool:
    """Whether the first of the characters that is not case-ignorable is a cased letter."""
    for character in characters:
        if character not in _CASE_IGNORABLE:
            return character in _CASED
    return False


def _digits(zeros: str) -> dict[str, int]:
    """Read `30 660`: the zero of each script in hex; its other nine digits follow it."""
    return {chr(int(zero, 16) + digit): digit for zero in zeros.split() for digit in range(10)}


def _lower_casing(spans: str) -> dict[str, str]:
    """Read `41-5a/1+20`: from 41 to 5a by steps of 1, the lower case is 20 further, in hex."""
    table = {"\u0130": "i\u0307"}  # the only one that becomes two characters
    for span in spans.split():
        ends, _, rule = span.partition("/")
        first, last = (int(code, 16) for code in ends.split("-"))
        step, distance = int(rule[0]), int(rule[1:], 16)
        for code in range(first, last + 1, step):
            table[chr(code)] = chr(code + distance)
    return table


def _ranges(spans: str) -> _CharacterRanges:
    """Read `30-39 41-5a`: the first and the last character of each range, in hex."""
    ends = [span.split("-") for span in spans.split()]
    return _CharacterRanges(
        firsts=[chr(int(first, 16)) for first, _ in ends], lasts=[chr(int(last, 16)) for _, last in ends]
    )


_DIGITS = _digits(DIGIT_ZEROS)
_LOWER = _lower_casing(LOWER)
_ALPHANUMERIC = _ranges(ALPHANUMERIC)
_CASED = _ranges(CASED)
_CASE_IGNORABLE = _ranges(CASE_IGNORABLE)
