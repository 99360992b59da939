"""The character properties of Unicode 15.0, which is what CPython 3.12 has.

Which characters are digits or letters, and how they lower-case, changes with the Unicode
version and so with the Python version: U+11F51 is the digit one on 3.12 and nothing on 3.11.
harbor reads numbers, and its consumer matches reasons, with 3.12's properties; these functions
give them on any Python. White space has been the same in all versions since Unicode 6.3.
"""

from bisect import bisect_right

from ._unicode15_data import ALPHANUMERIC, CASE_IGNORABLE, CASED, DIGIT_ZEROS, LOWER

__all__ = ["WHITE_SPACE", "decimal_digit", "is_alphanumeric", "lower"]

# The characters with Unicode's White_Space property. Python's `str.isspace` has these and also
# U+001C to U+001F.
WHITE_SPACE = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
CAPITAL_SIGMA = "\u03a3"
FINAL_SIGMA = "\u03c2"


def decimal_digit(character: str) -> int | None:
    """The value, 0 to 9, of a decimal digit of any script; None if it is not one."""
    return _DIGITS.get(character)


def is_alphanumeric(character: str) -> bool:
    """Whether 3.12's `str.isalnum` is true of this one character."""
    return _is_in(_ALPHANUMERIC, character)


def lower(text: str) -> str:
    """The text as 3.12's `str.lower` gives it."""
    return "".join(
        (FINAL_SIGMA if _ends_word(text, index) else "\u03c3")
        if character == CAPITAL_SIGMA
        else _LOWER.get(character, character)
        for index, character in enumerate(text)
    )


def _ends_word(text: str, index: int) -> bool:
    """Whether a cased letter stands before `index` and none after, case-ignorable ones apart."""
    before = next((c for c in reversed(text[:index]) if not _is_in(_CASE_IGNORABLE, c)), "")
    after = next((c for c in text[index + 1 :] if not _is_in(_CASE_IGNORABLE, c)), "")
    return _is_in(_CASED, before) and not _is_in(_CASED, after)


def _digits(zeros: str) -> dict[str, int]:
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


def _bounds(spans: str) -> list[str]:
    """Read `30-39`: the first character of each span and the first after it, ascending."""
    ends = [[int(code, 16) for code in span.split("-")] for span in spans.split()]
    return [chr(bound) for first, last in ends for bound in (first, last + 1)]


def _is_in(bounds: list[str], character: str) -> bool:
    """Inside a span an odd number of bounds lies at or below the character."""
    return bisect_right(bounds, character) % 2 == 1


_DIGITS = _digits(DIGIT_ZEROS)
_LOWER = _lower_casing(LOWER)
_ALPHANUMERIC = _bounds(ALPHANUMERIC)
_CASED = _bounds(CASED)
_CASE_IGNORABLE = _bounds(CASE_IGNORABLE)
