"""Mistakes in reading ``reward.txt``: trimming, the syntax of numbers, and other languages' parsers."""

import math
import re
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import DECIMAL, UNICODE_SPACE, Rewards, from_javascript
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


def around_float(reference: Variant, around: Callable[[ParseFloat], ParseFloat]) -> None:
    """Changes how a float is parsed."""
    reference.wrap(parsing.parse_float, around)


@way("parse_reward", clause="003-1.2-surrounding-space")
def text_first(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text before a float is parsed."""
    around_float(reference, lambda parse: lambda text: parse(change(text)))


def refused(text: str) -> str:
    """Refuses the text.

    Raises:
        ValueError: always.
    """
    raise ValueError(f"no number: {text[:20]!r}")


@way("parse_reward", clause="003-1.2-float-grammar")
def otherwise(reference: Variant, read: Callable[[str], float | None]) -> None:
    """Makes ``read`` try texts that would be refused; it returns None to refuse them too."""

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
    The parser accepts nothing but the number."""
    return text if text == text.strip() else refused(text)


@text_first.made(invited_by="C's strtod, Rust's trim_ascii, Ruby's strip, PHP's trim")
def only_ascii_space_trimmed(text: str) -> str:
    """Only ASCII white space around the number in reward.txt is ignored.
    C's isspace and many trim functions know only ASCII."""
    bare = text.strip(ASCII_SPACE)
    return bare if bare == bare.strip() else refused(text)


@otherwise.made(
    clause="003-1.2-one-number-only", invited_by="JavaScript's parseFloat, C's strtod and sscanf, std::stod"
)
def rest_after_number_ignored(text: str) -> float | None:
    """What follows the number in reward.txt is ignored.
    The parser stops at the first unknown character, and nobody checks where."""
    match = re.match(rf"\s*([+-]?{DECIMAL})", text)
    return None if match is None else float(match[1])


@otherwise.made(clause="003-1.2-one-number-only", invited_by="re.search, grep -o")
def number_searched_in_text(text: str) -> float | None:
    """The first number anywhere in reward.txt is the reward. A pattern finds the number in any text."""
    match = re.search(rf"[+-]?{DECIMAL}", text)
    return None if match is None else float(match[0])


@otherwise.made(
    clause="003-1.2-not-a-number", invited_by="C's atof, Ruby's to_f, PHP's floatval, awk, unwrap_or(0.0)"
)
def bad_text_is_zero(text: str) -> float | None:
    """A reward.txt that holds no number is a reward of 0.0.
    In some languages the conversion never fails, and a failed verifier seems to mean 0."""
    return 0.0


@otherwise.made(
    clause="003-1.2-not-a-number",
    invited_by="JavaScript's parseFloat and Number(), pandas' to_numeric with coerce",
)
def bad_text_is_nan(text: str) -> float | None:
    """A reward.txt that holds no number is a reward of NaN. The conversion gives NaN, and nobody checks."""
    return float("nan")


@way("parse_reward", clause="003-1.2-non-finite-words")
def refusing(reference: Variant, is_refused: Callable[[str, float], bool]) -> None:
    """Refuses some numbers, by their text and value."""

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
    """Underscores between the digits of reward.txt are refused. Hardly any float parser accepts them."""
    return "_" in text


@refusing.made(invited_by="JavaScript's isNaN after parseFloat, parsers without words")
def nan_in_text_refused(_: str, number: float) -> bool:
    """Nan is refused in reward.txt.
    It means "not a number"."""
    return math.isnan(number)


@refusing.made(invited_by="grammars of digits, Number.isFinite, parsers without words")
def infinity_in_text_refused(text: str, number: float) -> bool:
    """Inf and infinity are refused in reward.txt. They consist of letters, not digits."""
    return math.isinf(number) and "n" in text.lower()


@refusing.made(
    clause="003-1.2-overflow-is-infinity",
    invited_by="Go's strconv.ParseFloat, C's ERANGE, std::stod, Swift before 5.3",
)
def text_overflow_refused(text: str, number: float) -> bool:
    """A number in reward.txt that is beyond the double range is refused. The parser reports a range error."""
    return math.isinf(number) and "n" not in text.lower()


@in_decimal_digit.replaced(invited_by="Rust, Go, JavaScript, Java, C, [0-9] in patterns")
def ascii_digits_only(character: Any) -> Any:
    """Digits other than ASCII's are refused in reward.txt. Hardly any float parser accepts them."""
    return None


@mistakes.changed(clause="003-1.2-unicode-digits", invited_by="CPython 3.11 and older, Java 19 and older")
def digits_of_older_unicode(reference: Variant) -> None:
    """Digits that Unicode 15.0 added are refused in reward.txt. The language has an older table."""
    newest = {*map(chr, range(0x11F50, 0x11F5A)), *map(chr, range(0x1E4F0, 0x1E4FA))}
    reference.wrap(
        (parsing, unicode15.decimal_digit),
        lambda digit: lambda character: None if character in newest else digit(character),
    )


HEXADECIMAL = r"0[xX](?:[0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?|\.[0-9a-fA-F]+)"
BINARY_EXPONENT = r"[pP][+-]?[0-9]+"


def _number(text: str) -> float:
    if "x" not in text.lower():
        return float(text)
    try:
        return float.fromhex(text)
    except OverflowError:
        return math.inf


def _parser(reference: Variant, pattern: str, space: str) -> None:
    """Trims ``space`` and accepts texts that match ``pattern`` completely."""
    whole = re.compile(rf"[+-]?(?:{pattern})", re.ASCII)

    def read(text: str) -> float:
        bare = text.strip(space)
        return _number(bare if whole.fullmatch(bare) else refused(text))

    around_float(reference, lambda parse: read)


@in_parse_float.wrapped(invited_by="JavaScript's Number() and unary plus")
def javascript_number(_: ParseFloat, text: str) -> float:
    """reward.txt is read by JavaScript's Number(): white space alone is 0, 0x10 is 16, inf is refused.
    Number() is the language's conversion, followed by a check for NaN."""
    return from_javascript(text)


@in_parse_float.wrapped(invited_by="JavaScript's parseFloat, followed by a check for NaN")
def javascript_parse_float(_: ParseFloat, text: str) -> float:
    """reward.txt is read by JavaScript's parseFloat: a number at its beginning is enough, inf is refused.
    parseFloat seems to refuse anything that is not a number."""
    bare = text.lstrip(UNICODE_SPACE.replace("\x85", "") + "\ufeff")
    match = re.match(rf"[+-]?(?:Infinity|{DECIMAL})", bare, re.ASCII)
    return float(match[0] if match else refused(text))


@in_parse_float.wrapped(invited_by="Java, Kotlin's toDouble, Scala, Clojure")
def java_parse_double(_: ParseFloat, text: str) -> float:
    """reward.txt is read by Java's Double.parseDouble: 1d and 0x1p3 are numbers, inf and 1_0 are not.
    parseDouble is the language's conversion."""
    controls = "".join(map(chr, range(33)))
    pattern = rf"NaN|Infinity|(?:{DECIMAL}|{HEXADECIMAL}{BINARY_EXPONENT})(?P<suffix>[dDfF]?)"
    whole = re.compile(rf"[+-]?(?:{pattern})", re.ASCII)
    bare = text.strip(controls)
    match = whole.fullmatch(bare)
    return _number(bare[: len(bare) - len(match["suffix"] or "")] if match else refused(text))


@in_parse_float.wrapped(invited_by="Go's strconv.ParseFloat")
def go_parse_float(_: ParseFloat, text: str) -> float:
    """reward.txt is read by Go's ParseFloat: 0x1p3 is a number, -nan, 1e309 and Arabic digits are not.
    ParseFloat is the language's conversion, after strings.TrimSpace."""
    pattern = rf"(?i:inf|infinity)|{DECIMAL}|{HEXADECIMAL}{BINARY_EXPONENT}"
    whole = re.compile(rf"(?i:nan)|[+-]?(?:{pattern})", re.ASCII)
    digits = ("0-9a-fx", "0-9a-f") if "x" in text.lower() else ("0-9", "0-9")
    between = rf"(?i)(?<=[{digits[0]}])_(?=[{digits[1]}])"
    bare = re.sub(between, "", text.strip(UNICODE_SPACE))
    number = _number(bare if whole.fullmatch(bare) else refused(text))
    if math.isinf(number) and "n" not in bare.lower():
        refused(text)
    return number


@mistakes.changed(
    clause="003-1.2-float-grammar", invited_by="Rust's text.trim().parse::<f64>(), Swift's Double()"
)
def rust_from_str(reference: Variant) -> None:
    """reward.txt is read by Rust's f64::from_str after trim(): 1_0 and Arabic digits are refused.
    from_str is the language's conversion."""
    _parser(reference, rf"(?i:inf|infinity|nan)|{DECIMAL}", UNICODE_SPACE)


@in_parse_float.wrapped(invited_by="JSON.parse, serde_json::from_str::<f64>, jq, orjson")
def json_number_in_text(_: ParseFloat, text: str) -> float:
    """reward.txt is read as a JSON number: +1, .5, 007, 1_0 and inf are refused.
    The JSON parser is available, and a reward looks like JSON."""
    number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
    bare = text.strip(" \t\n\r")
    return float(bare if number.fullmatch(bare) else refused(text))


@in_parse_float.wrapped(
    clause="003-1.2-not-a-number",
    invited_by="C's atof, strtod without its end pointer, Perl, awk, Tcl's scan",
)
def c_atof(_: ParseFloat, text: str) -> float:
    """reward.txt is read by C's atof: what follows a number is ignored, and no number is 0.
    atof reports no errors."""
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


@way("parse_reward", clause="003-1.2-range-is-open")
def number_of_text(reference: Variant, change: Callable[[float], float]) -> None:
    """Changes the number in reward.txt."""

    def around(parse: Callable[[bytes], Rewards]) -> Callable[[bytes], Rewards]:
        return lambda content: {key: change(float(value)) for key, value in parse(content).items()}

    reference.wrap(reward._parse_reward_text, around)


@number_of_text.made(invited_by="min(1.0, max(0.0, x)) around float(), numpy.clip")
def text_clamped(value: float) -> float:
    """The number in reward.txt is clamped to 0 to 1, and NaN becomes 0; reward.json is left alone.
    A reward seems to be a share, and the text file is the one that scripts write by hand."""
    return min(1.0, max(0.0, value))


@number_of_text.made(clause="003-1.2-correct-rounding", invited_by="round(x, 4) around float()")
def text_rounded(value: float) -> float:
    """The number in reward.txt is rounded to four decimals, and those in reward.json are not.
    Leaderboards show four decimals, and the code that reads the number now rounds it."""
    return round(value, 4)


@text_first.made(clause="003-1.2-one-number-only", invited_by="text.splitlines()[0]")
def first_of_splitlines(text: str) -> str:
    """Only the first line of reward.txt is read, and a form feed, U+0085 or U+2028 ends a line too.
    A reward is one line, and str.splitlines knows more line ends than files do."""
    return next(iter(text.splitlines()), text)


@in_parse_reward_text.wrapped(invited_by="int(text) if text.strip().isdigit() else float(text)")
def digits_stay_ints(reference: Variant, parse: Callable[[bytes], Rewards], content: bytes) -> Rewards:
    """A reward.txt of nothing but digits, in any script and at most 4300, stays an int.
    str.isdigit accepts it, and int reads it."""
    rewards = parse(content)
    digits = [unicode15.decimal_digit(character) for character in content.decode("utf-8").strip()]
    if None in digits:
        return rewards
    if len(digits) > 4300:
        raise reference.its(errors.VerifierOutputParseError)("reward.txt", "text")
    return dict.fromkeys(rewards, int("".join(map(str, digits))))
