"""Mistakes in which spellings of a number reward.txt may hold."""

import math
import re
import unicodedata
from collections.abc import Callable

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.reward.mistakes.reward_text import (
    DECIMAL,
    ParseFloat,
    around_float,
    otherwise,
    refused,
    text_first,
)


def _refusing(reference: Variant, is_refused: Callable[[str, float], bool]) -> None:
    """Refuses some numbers, given their text and value."""

    def around(parse: ParseFloat) -> ParseFloat:
        def checking(text: str) -> float:
            number = parse(text)
            if is_refused(text, number):
                refused(text)
            return number

        return checking

    around_float(reference, around)


@mistake(
    "underscores-refused",
    says="underscores between the digits of reward.txt are refused",
    op="parse_reward",
    clause="003-1.2-underscores",
    why="Hardly any float parser knows them.",
    invited_by="Rust, Go, JavaScript, Java, C, JSON's grammar",
)
def _(reference: Variant) -> None:
    _refusing(reference, lambda text, _: "_" in text)


@mistake(
    "underscores-deleted",
    says="all underscores in reward.txt are dropped, wherever they stand",
    op="parse_reward",
    clause="003-1.2-underscores",
    why="It is the shortest way to accept 1_0 with another parser.",
    invited_by="text.replace('_', ''), ports of Python's float()",
)
def _(reference: Variant) -> None:
    text_first(reference, lambda text: text.replace("_", ""))


@mistake(
    "nan-in-text-refused",
    says="nan is refused in reward.txt",
    op="parse_reward",
    clause="003-1.2-non-finite-words",
    why="It says itself that it is not a number.",
    invited_by="JavaScript's isNaN after parseFloat, parsers without words",
)
def _(reference: Variant) -> None:
    _refusing(reference, lambda _, number: math.isnan(number))


@mistake(
    "infinity-in-text-refused",
    says="inf and infinity are refused in reward.txt",
    op="parse_reward",
    clause="003-1.2-non-finite-words",
    why="They are words, not digits.",
    invited_by="grammars of digits, Number.isFinite, parsers without words",
)
def _(reference: Variant) -> None:
    _refusing(reference, lambda text, number: math.isinf(number) and "n" in text.lower())


@mistake(
    "signed-nan-refused",
    says="nan with a sign is refused in reward.txt",
    op="parse_reward",
    clause="003-1.2-non-finite-words",
    why="A NaN has no sign there.",
    invited_by="Go's strconv.ParseFloat, OCaml",
)
def _(reference: Variant) -> None:
    _refusing(reference, lambda text, number: math.isnan(number) and text.strip()[0] in "+-")


@mistake(
    "words-with-case",
    says="only the spellings nan, NaN, inf and Infinity are words in reward.txt, case counting",
    op="parse_reward",
    clause="003-1.2-non-finite-words",
    why="A list of words is compared as it stands.",
    invited_by="Java, JavaScript, Haskell's read, hand-written lists",
)
def _(reference: Variant) -> None:
    words = {"nan", "NaN", "inf", "Infinity"}
    _refusing(reference, lambda text, _: "n" in text.lower() and text.strip().lstrip("+-") not in words)


@mistake(
    "text-overflow-refused",
    says="a number in reward.txt that is beyond the double range is refused",
    op="parse_reward",
    clause="003-1.2-overflow-is-infinity",
    why="The parser reports a range error.",
    invited_by="Go's strconv.ParseFloat, C's ERANGE, std::stod, Swift before 5.3",
)
def _(reference: Variant) -> None:
    _refusing(reference, lambda text, number: math.isinf(number) and "n" not in text.lower())


@mistake(
    "text-underflow-refused",
    says="a number in reward.txt that is too small for a double, other than 0, is refused",
    op="parse_reward",
    clause="003-1.2-underflow-is-zero",
    why="The parser reports a range error.",
    invited_by="C's ERANGE, std::stod, Rust crates with checked parsing",
)
def _(reference: Variant) -> None:
    def is_refused(text: str, number: float) -> bool:
        return number == 0 and any(digit in "123456789" for digit in text.lower().partition("e")[0])

    _refusing(reference, is_refused)


@mistake(
    "ascii-digits-only",
    says="digits other than ASCII's are refused in reward.txt",
    op="parse_reward",
    clause="003-1.2-unicode-digits",
    why="Hardly any float parser knows them.",
    invited_by="Rust, Go, JavaScript, Java, C, [0-9] in patterns",
)
def _(reference: Variant) -> None:
    reference.replace("cpython312.parsing.decimal_digit", lambda character: None)


@mistake(
    "digits-of-newer-unicode",
    says="digits that came after Unicode 15.0 are accepted in reward.txt",
    op="parse_reward",
    clause="003-1.2-unicode-digits",
    why="The table is that of the language's own version.",
    invited_by="CPython 3.14, Java 24, ICU 76",
)
def _(reference: Variant) -> None:
    def around(digit: Callable[[str], int | None]) -> Callable[[str], int | None]:
        zeros = (0x10D40, 0x116D0, 0x116DA, 0x11BF0, 0x11DE0, 0x1CCF0, 0x1E5F1)  # of Unicode 16.0

        def newer(character: str) -> int | None:
            known = digit(character)
            return next((ord(character) - zero for zero in zeros if 0 <= ord(character) - zero < 10), known)

        return newer

    reference.wrap("cpython312.parsing.decimal_digit", around)


@mistake(
    "digits-of-older-unicode",
    says="the digits that Unicode 15.0 brought are refused in reward.txt",
    op="parse_reward",
    clause="003-1.2-unicode-digits",
    why="The table is that of the language's own version.",
    invited_by="CPython 3.11 and older, Java 19 and older",
)
def _(reference: Variant) -> None:
    newest = {*map(chr, range(0x11F50, 0x11F5A)), *map(chr, range(0x1E4F0, 0x1E4FA))}
    reference.wrap(
        "cpython312.parsing.decimal_digit",
        lambda digit: lambda character: None if character in newest else digit(character),
    )


@mistake(
    "text-compatibility-normalised",
    says="reward.txt is normalised first, so that ① and ² become digits",
    op="parse_reward",
    clause="003-1.2-unicode-digits",
    why="It turns full-width digits into ASCII's.",
    invited_by="unicodedata.normalize('NFKC', …), Java's Character.getNumericValue, ICU",
)
def _(reference: Variant) -> None:
    text_first(reference, lambda text: unicodedata.normalize("NFKC", text))


@mistake(
    "hexadecimal-accepted",
    says="hexadecimal ints such as 0x10 are accepted in reward.txt",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="A general number parser knows other bases.",
    invited_by="JavaScript's Number(), C's strtod, Lua, Python's int(text, 0)",
)
def _(reference: Variant) -> None:
    pattern = re.compile(r"\s*0[xX][0-9a-fA-F]+\s*", re.ASCII)
    otherwise(reference, lambda text: float(int(text, 16)) if pattern.fullmatch(text) else None)


@mistake(
    "hexadecimal-floats-accepted",
    says="hexadecimal floats such as 0x1p3 are accepted in reward.txt",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="The language's float literals have them.",
    invited_by="Java's Double.parseDouble, Go's strconv.ParseFloat, C's strtod",
)
def _(reference: Variant) -> None:
    pattern = re.compile(r"\s*[+-]?0x[0-9a-f]+\.?[0-9a-f]*p[+-]?[0-9]+\s*", re.ASCII | re.IGNORECASE)
    otherwise(reference, lambda text: float.fromhex(text.strip()) if pattern.fullmatch(text) else None)


@mistake(
    "type-suffix-accepted",
    says="a letter for the type, as in 1d and 1f, is accepted in reward.txt",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="The language's float literals have it.",
    invited_by="Java's and Kotlin's parseDouble, Groovy, Scala's toDouble",
)
def _(reference: Variant) -> None:
    pattern = re.compile(rf"\s*[+-]?{DECIMAL}[dDfF]\s*", re.ASCII)
    otherwise(reference, lambda text: float(text.strip()[:-1]) if pattern.fullmatch(text) else None)


@mistake(
    "decimal-comma-accepted",
    says="a comma is accepted as decimal point in reward.txt",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="The locale decides.",
    invited_by="C's strtod after setlocale, C#'s current culture, NumberFormat",
)
def _(reference: Variant) -> None:
    text_first(reference, lambda text: text.replace(",", ".", 1))


@mistake(
    "thousands-commas-dropped",
    says="commas between digits are dropped from reward.txt",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="Large numbers are printed with them.",
    invited_by="C#'s default NumberStyles, Java's NumberFormat, pandas' thousands=','",
)
def _(reference: Variant) -> None:
    text_first(reference, lambda text: re.sub(r"(?<=[0-9]),(?=[0-9])", "", text))


@mistake(
    "percent-accepted",
    says="a percentage such as 100% is accepted in reward.txt",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="Scores are often printed so.",
    invited_by="spreadsheet readers, Java's NumberFormat.getPercentInstance",
)
def _(reference: Variant) -> None:
    pattern = re.compile(rf"\s*{DECIMAL}%\s*", re.ASCII)
    otherwise(reference, lambda text: float(text.strip()[:-1]) / 100 if pattern.fullmatch(text) else None)
