"""Mistakes in reading ``reward.txt``: what is trimmed, what is a number, and other languages' parsers."""

import json
import math
import re
import unicodedata
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Rewards
from conformance.mistakes.variant import Variant
from reference_impl import errors, reward
from reference_impl.cpython312 import parsing, unicode15

mistakes = family("parse_reward")
in_decimal_digit = family(
    "parse_reward", of=(parsing, unicode15.decimal_digit), clause="003-1.2-unicode-digits"
)
in_parse_reward_text = family("parse_reward", of=reward._parse_reward_text, clause="003-1.2-always-float")
in_parse_float = family("parse_reward", of=parsing.parse_float, clause="003-1.2-float-grammar")
ParseFloat = Callable[[str], float]
ASCII_SPACE = "\t\n\v\f\r "
UNICODE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
DECIMAL = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"


def around_float(reference: Variant, around: Callable[[ParseFloat], ParseFloat]) -> None:
    """Changes how a float is read from text."""
    reference.wrap(parsing.parse_float, around)


@way("parse_reward", clause="003-1.2-surrounding-space")
def text_first(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text before a float is read from it."""
    around_float(reference, lambda parse: lambda text: parse(change(text)))


def refused(text: str) -> str:
    """Refuses the text.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"no number: {text[:20]!r}")


@way("parse_reward", clause="003-1.2-float-grammar")
def otherwise(reference: Variant, read: Callable[[str], float | None]) -> None:
    """Has ``read`` try what would be refused; it gives None to refuse it too."""

    def around(parse: ParseFloat) -> ParseFloat:
        def trying(text: str) -> float:
            try:
                return parse(text)
            except ValueError:
                number = read(text)
                if number is None:
                    raise
                return number

        return trying

    around_float(reference, around)


@text_first.made(invited_by="Rust's parse::<f64>(), Go's strconv.ParseFloat")
def text_not_trimmed(text: str) -> str:
    """White space around the number in reward.txt is refused, a final newline too.
    The parser takes the number alone."""
    return text if text == text.strip() else refused(text)


@text_first.made(invited_by="chomp, trim_end_matches('\\n'), strings.TrimSuffix")
def only_newline_trimmed(text: str) -> str:
    """Of the white space around the number in reward.txt only a final newline is ignored.
    Files end in a newline, and that is what a verifier writes."""
    text = text.removesuffix("\n")
    return text if text == text.strip() else refused(text)


@text_first.made(invited_by="C's strtod, Rust's trim_ascii, Ruby's strip, PHP's trim")
def only_ascii_space_trimmed(text: str) -> str:
    """Of the white space around the number in reward.txt only ASCII's is ignored.
    isspace and many trims know no other."""
    bare = text.strip(ASCII_SPACE)
    return bare if bare == bare.strip() else refused(text)


@text_first.made(invited_by="Python's text.strip() before float(), Java's Character.isWhitespace")
def information_separators_trimmed(text: str) -> str:
    """U+001C to U+001F around the number in reward.txt are ignored.
    str.strip takes them for white space, float does not."""
    return text.strip()


@text_first.made(invited_by="Java's String.trim, Delphi's Trim")
def controls_trimmed(text: str) -> str:
    """Around the number in reward.txt everything up to U+0020 is trimmed, NUL included, and nothing else.
    That is how the oldest trim works."""
    bare = text.strip("".join(map(chr, range(33))))
    return bare if bare == bare.strip() else refused(text)


@text_first.made(invited_by="JavaScript's trim and Number()")
def byte_order_mark_is_space(text: str) -> str:
    """U+FEFF is trimmed around the number in reward.txt, U+0085 is not.
    ECMAScript has its own list of white space."""
    return refused(text) if "\x85" in text else text.strip(UNICODE_SPACE + "\ufeff")


@text_first.made(
    clause="003-1.2-one-number-only", invited_by="re.sub(r'\\s', '', text), tr -d, String.replaceAll"
)
def inner_space_dropped(text: str) -> str:
    """All white space in reward.txt is dropped, also between digits.
    Taking it out everywhere is the shorter code."""
    return re.sub(r"[^\S\x1c-\x1f]", "", text)


@text_first.made(clause="003-1.2-nul-refused", invited_by="C's strtod, bindings to C")
def text_ends_at_nul(text: str) -> str:
    """reward.txt ends at a NUL. A C string ends there."""
    return text.partition("\0")[0]


@text_first.made(
    clause="003-1.2-one-number-only", invited_by="readline, head -1, bufio.Scanner, shell's read"
)
def first_line_only(text: str) -> str:
    """Only the first line of reward.txt is read. A reward is one line."""
    return text.split("\n", 1)[0]


@text_first.made(clause="003-1.2-one-number-only", invited_by="tail -1, splitlines()[-1]")
def last_line_only(text: str) -> str:
    """Only the last line of reward.txt is read. A verifier may print other things first."""
    return text.removesuffix("\n").rsplit("\n", 1)[-1]


@otherwise.made(
    clause="003-1.2-one-number-only", invited_by="JavaScript's parseFloat, C's strtod and sscanf, std::stod"
)
def rest_after_number_ignored(text: str) -> float | None:
    """What follows the number in reward.txt is ignored.
    The parser stops at what it does not know, and nobody asks where."""
    match = re.match(rf"\s*([+-]?{DECIMAL})", text)
    return None if match is None else float(match[1])


@otherwise.made(clause="003-1.2-one-number-only", invited_by="re.search, grep -o")
def number_searched_in_text(text: str) -> float | None:
    """The first number anywhere in reward.txt is the reward.
    A pattern finds the number whatever stands around it."""
    match = re.search(rf"[+-]?{DECIMAL}", text)
    return None if match is None else float(match[0])


@otherwise.made(
    clause="003-1.2-not-a-number", invited_by="C's atof, Ruby's to_f, PHP's floatval, awk, unwrap_or(0.0)"
)
def bad_text_is_zero(text: str) -> float | None:
    """A reward.txt that holds no number is a reward of 0.0.
    Conversion never fails there, or a failed verifier is thought to mean 0."""
    return 0.0


@otherwise.made(
    clause="003-1.2-not-a-number",
    invited_by="JavaScript's parseFloat and Number(), pandas' to_numeric with coerce",
)
def bad_text_is_nan(text: str) -> float | None:
    """A reward.txt that holds no number is a reward of NaN. Conversion gives NaN there, and nobody asks."""
    return float("nan")


@mistakes.changed(
    clause="003-1.2-not-a-number", invited_by="YAML readers, configuration libraries, casts of truth values"
)
def words_in_text_accepted(reference: Variant) -> None:
    """True, pass and their opposites are accepted in reward.txt as 1.0 and 0.0.
    Verifiers print such words."""
    words = {"true": 1.0, "pass": 1.0, "passed": 1.0, "yes": 1.0} | dict.fromkeys(
        ("false", "fail", "failed", "no"), 0.0
    )
    otherwise(reference, lambda text: words.get(text.strip().lower()))


@otherwise.made(clause="003-1.2-not-a-number", invited_by="shared readers for both files")
def json_in_text_accepted(text: str) -> float | None:
    """A reward.txt that holds an object with a reward is accepted.
    Both files go to one reader, which tries JSON whatever the file is called."""
    try:
        return float(json.loads(text)["reward"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


@otherwise.made(invited_by="Python's Fraction, Ruby's to_r, eval, bc")
def fraction_accepted(text: str) -> float | None:
    """A fraction such as 1/2 is accepted in reward.txt. Verifiers print how many tests of how many passed."""
    match = re.fullmatch(r"\s*([0-9]{1,9})/([1-9][0-9]{0,8})\s*", text)
    return None if match is None else float(Fraction(int(match[1]), int(match[2])))


@otherwise.made(
    clause="003-1.2-one-number-only", invited_by="CSV readers, JSON printers, shlex, echo with quotes"
)
def quoted_number_accepted(text: str) -> float | None:
    """A number in quotation marks is accepted in reward.txt.
    CSV and shell quoting is taken off on the way."""
    return float(text.strip()[1:-1]) if re.fullmatch(rf'\s*"{DECIMAL}"\s*', text) else None


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


@text_first.made(clause="003-1.2-underscores", invited_by="text.replace('_', ''), ports of Python's float()")
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


@mistakes.changed(
    clause="003-1.2-non-finite-words", invited_by="Java, JavaScript, Haskell's read, hand-written lists"
)
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


@in_decimal_digit.wrapped(invited_by="CPython 3.14, Java 24, ICU 76")
def digits_of_newer_unicode(digit: Callable[[str], int | None], character: str) -> int | None:
    """Digits that came after Unicode 15.0 are accepted in reward.txt.
    The table is that of the language's own version."""
    zeros = (0x10D40, 0x116D0, 0x116DA, 0x11BF0, 0x11DE0, 0x1CCF0, 0x1E5F1)
    known = digit(character)
    return next((ord(character) - zero for zero in zeros if 0 <= ord(character) - zero < 10), known)


@mistakes.changed(clause="003-1.2-unicode-digits", invited_by="CPython 3.11 and older, Java 19 and older")
def digits_of_older_unicode(reference: Variant) -> None:
    """The digits that Unicode 15.0 brought are refused in reward.txt.
    The table is that of the language's own version."""
    newest = {*map(chr, range(0x11F50, 0x11F5A)), *map(chr, range(0x1E4F0, 0x1E4FA))}
    reference.wrap(
        (parsing, unicode15.decimal_digit),
        lambda digit: lambda character: None if character in newest else digit(character),
    )


@text_first.made(
    clause="003-1.2-unicode-digits",
    invited_by="unicodedata.normalize('NFKC', …), Java's Character.getNumericValue, ICU",
)
def text_compatibility_normalised(text: str) -> str:
    """reward.txt is normalised first, so that ① and ² become digits.
    It turns full-width digits into ASCII's."""
    return unicodedata.normalize("NFKC", text)


@otherwise.made(invited_by="JavaScript's Number(), C's strtod, Lua, Python's int(text, 0)")
def hexadecimal_accepted(text: str) -> float | None:
    """Hexadecimal ints such as 0x10 are accepted in reward.txt. A general number parser knows other bases."""
    pattern = re.compile(r"\s*0[xX][0-9a-fA-F]+\s*", re.ASCII)
    return float(int(text, 16)) if pattern.fullmatch(text) else None


@otherwise.made(invited_by="Java's Double.parseDouble, Go's strconv.ParseFloat, C's strtod")
def hexadecimal_floats_accepted(text: str) -> float | None:
    """Hexadecimal floats such as 0x1p3 are accepted in reward.txt.
    The language's float literals have them."""
    pattern = re.compile(r"\s*[+-]?0x[0-9a-f]+\.?[0-9a-f]*p[+-]?[0-9]+\s*", re.ASCII | re.IGNORECASE)
    return float.fromhex(text.strip()) if pattern.fullmatch(text) else None


@otherwise.made(invited_by="Java's and Kotlin's parseDouble, Groovy, Scala's toDouble")
def type_suffix_accepted(text: str) -> float | None:
    """A letter for the type, as in 1d and 1f, is accepted in reward.txt.
    The language's float literals have it."""
    pattern = re.compile(rf"\s*[+-]?{DECIMAL}[dDfF]\s*", re.ASCII)
    return float(text.strip()[:-1]) if pattern.fullmatch(text) else None


@text_first.made(
    clause="003-1.2-float-grammar",
    invited_by="C's strtod after setlocale, C#'s current culture, NumberFormat",
)
def decimal_comma_accepted(text: str) -> str:
    """A comma is accepted as decimal point in reward.txt. The locale decides."""
    return text.replace(",", ".", 1)


@text_first.made(
    clause="003-1.2-float-grammar",
    invited_by="C#'s default NumberStyles, Java's NumberFormat, pandas' thousands=','",
)
def thousands_commas_dropped(text: str) -> str:
    """Commas between digits are dropped from reward.txt. Large numbers are printed with them."""
    return re.sub(r"(?<=[0-9]),(?=[0-9])", "", text)


@otherwise.made(invited_by="spreadsheet readers, Java's NumberFormat.getPercentInstance")
def percent_accepted(text: str) -> float | None:
    """A percentage such as 100% is accepted in reward.txt. Scores are often printed so."""
    pattern = re.compile(rf"\s*{DECIMAL}%\s*", re.ASCII)
    return float(text.strip()[:-1]) / 100 if pattern.fullmatch(text) else None


HEXADECIMAL = r"0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)"
BINARY_EXPONENT = r"[pP][+-]?[0-9]+"


def _number(text: str) -> float:
    if "x" not in text.lower():
        return float(text)
    try:
        return float.fromhex(text)
    except OverflowError:
        return math.inf


def _parser(reference: Variant, pattern: str, space: str) -> None:
    """Trims ``space`` and accepts what matches ``pattern`` whole."""
    whole = re.compile(rf"[+-]?(?:{pattern})", re.ASCII)

    def read(text: str) -> float:
        bare = text.strip(space)
        return _number(bare if whole.fullmatch(bare) else refused(text))

    around_float(reference, lambda parse: read)


@in_parse_float.wrapped(invited_by="JavaScript's Number() and unary plus")
def javascript_number(_: ParseFloat, text: str) -> float:
    """reward.txt is read by JavaScript's Number(): white space alone is 0, 0x10 is 16, inf is refused.
    It is the language's conversion, and a check for NaN comes after it."""
    decimal = re.compile(rf"[+-]?(?:Infinity|{DECIMAL})", re.ASCII)
    bases = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", re.ASCII)
    space = UNICODE_SPACE.replace("\x85", "") + "\ufeff"
    bare = text.strip(space)
    if bases.fullmatch(bare):
        return float(int(bare, 0))
    return float((bare or "0") if not bare or decimal.fullmatch(bare) else refused(text))


@in_parse_float.wrapped(invited_by="Java, Kotlin's toDouble, Scala, Clojure")
def java_parse_double(_: ParseFloat, text: str) -> float:
    """reward.txt is read by Java's Double.parseDouble: 1d and 0x1p3 are numbers, inf and 1_0 are not.
    It is the language's conversion."""
    controls = "".join(map(chr, range(33)))
    pattern = rf"NaN|Infinity|(?:{DECIMAL}|{HEXADECIMAL}{BINARY_EXPONENT})(?P<suffix>[dDfF]?)"
    whole = re.compile(rf"[+-]?(?:{pattern})", re.ASCII)
    bare = text.strip(controls)
    match = whole.fullmatch(bare)
    return _number(bare[: len(bare) - len(match["suffix"] or "")] if match else refused(text))


@in_parse_float.wrapped(invited_by="Go's strconv.ParseFloat")
def go_parse_float(_: ParseFloat, text: str) -> float:
    """reward.txt is read by Go's ParseFloat: 0x1p3 is a number, 1_0, -nan and 1e309 are not.
    It is the language's conversion, after strings.TrimSpace."""
    pattern = rf"(?i:inf|infinity)|{DECIMAL}|{HEXADECIMAL}{BINARY_EXPONENT}"
    whole = re.compile(rf"(?i:nan)|[+-]?(?:{pattern})", re.ASCII)
    bare = text.strip(UNICODE_SPACE)
    number = _number(bare if whole.fullmatch(bare) else refused(text))
    if math.isinf(number) and "n" not in bare.lower():
        refused(text)
    return number


@mistakes.changed(
    clause="003-1.2-float-grammar", invited_by="Rust's text.trim().parse::<f64>(), Swift's Double()"
)
def rust_from_str(reference: Variant) -> None:
    """reward.txt is read by Rust's f64::from_str after trim(): 1_0 and Arabic digits are refused.
    It is the language's conversion."""
    _parser(reference, rf"(?i:inf|infinity|nan)|{DECIMAL}", UNICODE_SPACE)


@in_parse_float.wrapped(invited_by="JSON.parse, serde_json::from_str::<f64>, jq, orjson")
def json_number_in_text(_: ParseFloat, text: str) -> float:
    """reward.txt is read as a JSON number: +1, .5, 007, 1_0 and inf are refused.
    The JSON parser is at hand, and a reward looks like JSON."""
    number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
    bare = text.strip(" \t\n\r")
    return float(bare if number.fullmatch(bare) else refused(text))


@in_parse_float.wrapped(
    clause="003-1.2-not-a-number",
    invited_by="C's atof, strtod without its end pointer, Perl, awk, Tcl's scan",
)
def c_atof(_: ParseFloat, text: str) -> float:
    """reward.txt is read by C's atof: what follows a number is ignored, and no number is 0.
    It reports no errors."""
    prefix = re.compile(
        rf"[+-]?(?:(?i:infinity|inf|nan)|{HEXADECIMAL}(?:{BINARY_EXPONENT})?|{DECIMAL})", re.ASCII
    )
    match = prefix.match(text.lstrip(ASCII_SPACE))
    return _number(match[0]) if match else 0.0


@in_parse_reward_text.wrapped(invited_by="ast.literal_eval, json.loads, YAML, JavaScript's printing")
def text_read_as_literal(parse: Callable[[bytes], Rewards], content: bytes) -> Rewards:
    """Whole numbers in reward.txt stay ints, so that 1 is not 1.0. A literal without a point is an int."""
    rewards = parse(content)
    text = content.decode("utf-8").strip()
    whole = re.fullmatch(r"[+-]?[0-9]{1,4300}", text, re.ASCII)
    return {key: int(text) if whole else value for key, value in rewards.items()}


@in_parse_float.wrapped(
    clause="003-1.2-correct-rounding",
    invited_by="fast-path parsers without the slow path, C's scanf replacements, old strtod",
)
def digits_beyond_nineteen_cut(parse: ParseFloat, text: str) -> float:
    """Only the first nineteen digits of reward.txt count.
    They fill a 64-bit integer, and most fast parsers start with one."""
    number = re.compile(rf"([+-]?)(?={DECIMAL})([0-9]*)\.?([0-9]*)(?:[eE]([+-]?[0-9]{{1,9}}))?", re.ASCII)

    def cut(text: str) -> str:
        match = number.fullmatch(text.strip())
        if match is None:
            return text
        sign, whole, fraction, exponent = match.groups()
        digits = (whole + fraction).lstrip("0")
        dropped = max(len(digits) - 19, 0)
        return f"{sign}{digits[:19] or 0}e{int(exponent or 0) - len(fraction) + dropped}"

    return parse(cut(text))


@way("parse_reward", clause="003-1.2-range-is-open")
def number_of_text(reference: Variant, change: Callable[[float], float]) -> None:
    """Changes the number that reward.txt holds."""

    def around(parse: Callable[[bytes], Rewards]) -> Callable[[bytes], Rewards]:
        return lambda content: {key: change(float(value)) for key, value in parse(content).items()}

    reference.wrap(reward._parse_reward_text, around)


@number_of_text.made(invited_by="min(1.0, max(0.0, x)) around float(), numpy.clip")
def text_clamped(value: float) -> float:
    """The number of reward.txt is brought into the range from 0 to 1, NaN to 0; reward.json is left alone.
    A reward is thought to be a share, and the text file is the one that scripts write by hand."""
    return min(1.0, max(0.0, value))


@number_of_text.made(clause="003-1.2-correct-rounding", invited_by="round(x, 4) around float()")
def text_rounded(value: float) -> float:
    """The number of reward.txt is rounded to four decimals, and those of reward.json are not.
    Leaderboards show no more, and the rounding moved to where the number is read."""
    return round(value, 4)


@text_first.made(clause="003-1.2-one-number-only", invited_by="text.splitlines()[0]")
def first_of_splitlines(text: str) -> str:
    """Only the first line of reward.txt is read, where a form feed, U+0085 or U+2028 ends a line too.
    A reward is one line, and str.splitlines knows more ends of a line than files do."""
    return next(iter(text.splitlines()), text)


@in_parse_reward_text.wrapped(invited_by="int(text) if text.strip().isdigit() else float(text)")
def digits_stay_ints(reference: Variant, parse: Callable[[bytes], Rewards], content: bytes) -> Rewards:
    """A reward.txt of nothing but digits, of any script, stays an int, of 4300 digits at most.
    What str.isdigit accepts, int reads."""
    rewards = parse(content)
    digits = [unicode15.decimal_digit(character) for character in content.decode("utf-8").strip()]
    if None in digits:
        return rewards
    if len(digits) > 4300:
        raise reference.its(errors.VerifierOutputParseError)("reward.txt", "text")
    return dict.fromkeys(rewards, int("".join(map(str, digits))))
