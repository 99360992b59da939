"""Mistakes in which spellings of a number reward.txt may hold."""

import math
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.reward.mistakes.reward_text import (
    DECIMAL,
    ParseFloat,
    around_float,
    otherwise,
    refused,
    text_first,
)
from reference_impl.cpython312 import parsing, unicode15

mistakes = family("parse_reward", clause="003-1.2-non-finite-words")
in_decimal_digit = family(
    "parse_reward", of=(parsing, unicode15.decimal_digit), clause="003-1.2-unicode-digits"
)


@way("parse_reward", clause="003-1.2-non-finite-words")
def refusing(reference: Variant, is_refused: Callable[[str, float], bool]) -> None:
    """Refuses some numbers, given their text and value."""

    def around(parse: ParseFloat) -> ParseFloat:
        def checking(text: str) -> float:
            number = parse(text)
            if is_refused(text, number):
                refused(text)
            return number

        return checking

    around_float(reference, around)


@refusing.made(clause="003-1.2-underscores", invited_by="Rust, Go, JavaScript, Java, C, JSON's grammar")
def underscores_refused(text: str, _: float) -> bool:
    """Underscores between the digits of reward.txt are refused. Hardly any float parser knows them."""
    return "_" in text


text_first_family = way("parse_reward", clause="003-1.2-float-grammar")(text_first)


@text_first_family.made(
    clause="003-1.2-underscores", invited_by="text.replace('_', ''), ports of Python's float()"
)
def underscores_deleted(text: str) -> str:
    """All underscores in reward.txt are dropped, wherever they stand.
    It is the shortest way to accept 1_0 with another parser."""
    return text.replace("_", "")


@refusing.made(invited_by="JavaScript's isNaN after parseFloat, parsers without words")
def nan_in_text_refused(_: str, number: float) -> bool:
    """Nan is refused in reward.txt. It says itself that it is not a number."""
    return math.isnan(number)


@refusing.made(invited_by="grammars of digits, Number.isFinite, parsers without words")
def infinity_in_text_refused(text: str, number: float) -> bool:
    """Inf and infinity are refused in reward.txt. They are words, not digits."""
    return math.isinf(number) and "n" in text.lower()


@refusing.made(invited_by="Go's strconv.ParseFloat, OCaml")
def signed_nan_refused(text: str, number: float) -> bool:
    """Nan with a sign is refused in reward.txt. A NaN has no sign there."""
    return math.isnan(number) and text.strip()[0] in "+-"


@mistakes.changed(invited_by="Java, JavaScript, Haskell's read, hand-written lists")
def words_with_case(reference: Variant) -> None:
    """Only the spellings nan, NaN, inf and Infinity are words in reward.txt, case counting.
    A list of words is compared as it stands."""
    words = {"nan", "NaN", "inf", "Infinity"}
    refusing(reference, lambda text, _: "n" in text.lower() and text.strip().lstrip("+-") not in words)


@refusing.made(
    clause="003-1.2-overflow-is-infinity",
    invited_by="Go's strconv.ParseFloat, C's ERANGE, std::stod, Swift before 5.3",
)
def text_overflow_refused(text: str, number: float) -> bool:
    """A number in reward.txt that is beyond the double range is refused. The parser reports a range error."""
    return math.isinf(number) and "n" not in text.lower()


@refusing.made(
    clause="003-1.2-underflow-is-zero", invited_by="C's ERANGE, std::stod, Rust crates with checked parsing"
)
def text_underflow_refused(text: str, number: float) -> bool:
    """A number in reward.txt that is too small for a double, other than 0, is refused.
    The parser reports a range error."""
    return number == 0 and any(digit in "123456789" for digit in text.lower().partition("e")[0])


@in_decimal_digit.replaced(invited_by="Rust, Go, JavaScript, Java, C, [0-9] in patterns")
def ascii_digits_only(character: Any) -> Any:
    """Digits other than ASCII's are refused in reward.txt. Hardly any float parser knows them."""
    return None


@mistakes.changed(clause="003-1.2-unicode-digits", invited_by="CPython 3.14, Java 24, ICU 76")
def digits_of_newer_unicode(reference: Variant) -> None:
    """Digits that came after Unicode 15.0 are accepted in reward.txt.
    The table is that of the language's own version."""

    def around(digit: Callable[[str], int | None]) -> Callable[[str], int | None]:
        zeros = (0x10D40, 0x116D0, 0x116DA, 0x11BF0, 0x11DE0, 0x1CCF0, 0x1E5F1)  # of Unicode 16.0

        def newer(character: str) -> int | None:
            known = digit(character)
            return next((ord(character) - zero for zero in zeros if 0 <= ord(character) - zero < 10), known)

        return newer

    reference.wrap((parsing, unicode15.decimal_digit), around)


@mistakes.changed(clause="003-1.2-unicode-digits", invited_by="CPython 3.11 and older, Java 19 and older")
def digits_of_older_unicode(reference: Variant) -> None:
    """The digits that Unicode 15.0 brought are refused in reward.txt.
    The table is that of the language's own version."""
    newest = {*map(chr, range(0x11F50, 0x11F5A)), *map(chr, range(0x1E4F0, 0x1E4FA))}
    reference.wrap(
        (parsing, unicode15.decimal_digit),
        lambda digit: lambda character: None if character in newest else digit(character),
    )


@text_first_family.made(
    clause="003-1.2-unicode-digits",
    invited_by="unicodedata.normalize('NFKC', …), Java's Character.getNumericValue, ICU",
)
def text_compatibility_normalised(text: str) -> str:
    """reward.txt is normalised first, so that ① and ² become digits.
    It turns full-width digits into ASCII's."""
    return unicodedata.normalize("NFKC", text)


otherwise_family = way("parse_reward", clause="003-1.2-float-grammar")(otherwise)


@otherwise_family.made(invited_by="JavaScript's Number(), C's strtod, Lua, Python's int(text, 0)")
def hexadecimal_accepted(text: str) -> float | None:
    """Hexadecimal ints such as 0x10 are accepted in reward.txt. A general number parser knows other bases."""
    pattern = re.compile(r"\s*0[xX][0-9a-fA-F]+\s*", re.ASCII)
    return float(int(text, 16)) if pattern.fullmatch(text) else None


@otherwise_family.made(invited_by="Java's Double.parseDouble, Go's strconv.ParseFloat, C's strtod")
def hexadecimal_floats_accepted(text: str) -> float | None:
    """Hexadecimal floats such as 0x1p3 are accepted in reward.txt.
    The language's float literals have them."""
    pattern = re.compile(r"\s*[+-]?0x[0-9a-f]+\.?[0-9a-f]*p[+-]?[0-9]+\s*", re.ASCII | re.IGNORECASE)
    return float.fromhex(text.strip()) if pattern.fullmatch(text) else None


@otherwise_family.made(invited_by="Java's and Kotlin's parseDouble, Groovy, Scala's toDouble")
def type_suffix_accepted(text: str) -> float | None:
    """A letter for the type, as in 1d and 1f, is accepted in reward.txt.
    The language's float literals have it."""
    pattern = re.compile(rf"\s*[+-]?{DECIMAL}[dDfF]\s*", re.ASCII)
    return float(text.strip()[:-1]) if pattern.fullmatch(text) else None


@text_first_family.made(invited_by="C's strtod after setlocale, C#'s current culture, NumberFormat")
def decimal_comma_accepted(text: str) -> str:
    """A comma is accepted as decimal point in reward.txt. The locale decides."""
    return text.replace(",", ".", 1)


@text_first_family.made(invited_by="C#'s default NumberStyles, Java's NumberFormat, pandas' thousands=','")
def thousands_commas_dropped(text: str) -> str:
    """Commas between digits are dropped from reward.txt. Large numbers are printed with them."""
    return re.sub(r"(?<=[0-9]),(?=[0-9])", "", text)


@otherwise_family.made(invited_by="spreadsheet readers, Java's NumberFormat.getPercentInstance")
def percent_accepted(text: str) -> float | None:
    """A percentage such as 100% is accepted in reward.txt. Scores are often printed so."""
    pattern = re.compile(rf"\s*{DECIMAL}%\s*", re.ASCII)
    return float(text.strip()[:-1]) / 100 if pattern.fullmatch(text) else None
