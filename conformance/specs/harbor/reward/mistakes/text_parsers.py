"""Whole float parsers of other languages, used for reward.txt as they come."""

import math
import re
from collections.abc import Callable

from conformance.mistakes.family import family
from conformance.mistakes.hooks import Rewards
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.reward.mistakes.reward_text import (
    ASCII_SPACE,
    DECIMAL,
    UNICODE_SPACE,
    around_float,
    refused,
)
from reference_impl import reward

mistakes = family("parse_reward", clause="003-1.2-float-grammar")
in_parse_reward_text = family("parse_reward", of=reward._parse_reward_text, clause="003-1.2-always-float")

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


@mistakes.changed(invited_by="JavaScript's Number() and unary plus")
def javascript_number(reference: Variant) -> None:
    """reward.txt is read by JavaScript's Number(): white space alone is 0, 0x10 is 16, inf is refused.
    It is the language's conversion, and a check for NaN comes after it."""
    decimal = re.compile(rf"[+-]?(?:Infinity|{DECIMAL})", re.ASCII)
    bases = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", re.ASCII)
    space = UNICODE_SPACE.replace("\x85", "") + "\ufeff"

    def read(text: str) -> float:
        bare = text.strip(space)
        if bases.fullmatch(bare):
            return float(int(bare, 0))
        return float((bare or "0") if not bare or decimal.fullmatch(bare) else refused(text))

    around_float(reference, lambda parse: read)


@mistakes.changed(invited_by="Java, Kotlin's toDouble, Scala, Clojure")
def java_parse_double(reference: Variant) -> None:
    """reward.txt is read by Java's Double.parseDouble: 1d and 0x1p3 are numbers, inf and 1_0 are not.
    It is the language's conversion."""
    controls = "".join(map(chr, range(33)))
    pattern = rf"NaN|Infinity|(?:{DECIMAL}|{HEXADECIMAL}{BINARY_EXPONENT})(?P<suffix>[dDfF]?)"
    whole = re.compile(rf"[+-]?(?:{pattern})", re.ASCII)

    def read(text: str) -> float:
        bare = text.strip(controls)
        match = whole.fullmatch(bare)
        return _number(bare[: len(bare) - len(match["suffix"] or "")] if match else refused(text))

    around_float(reference, lambda parse: read)


@mistakes.changed(invited_by="Go's strconv.ParseFloat")
def go_parse_float(reference: Variant) -> None:
    """reward.txt is read by Go's ParseFloat: 0x1p3 is a number, 1_0, -nan and 1e309 are not.
    It is the language's conversion, after strings.TrimSpace."""
    pattern = rf"(?i:inf|infinity)|{DECIMAL}|{HEXADECIMAL}{BINARY_EXPONENT}"
    whole = re.compile(rf"(?i:nan)|[+-]?(?:{pattern})", re.ASCII)

    def read(text: str) -> float:
        bare = text.strip(UNICODE_SPACE)
        number = _number(bare if whole.fullmatch(bare) else refused(text))
        if math.isinf(number) and "n" not in bare.lower():
            refused(text)
        return number

    around_float(reference, lambda parse: read)


@mistakes.changed(invited_by="Rust's text.trim().parse::<f64>(), Swift's Double()")
def rust_from_str(reference: Variant) -> None:
    """reward.txt is read by Rust's f64::from_str after trim(): 1_0 and Arabic digits are refused.
    It is the language's conversion."""
    _parser(reference, rf"(?i:inf|infinity|nan)|{DECIMAL}", UNICODE_SPACE)


@mistakes.changed(invited_by="JSON.parse, serde_json::from_str::<f64>, jq, orjson")
def json_number_in_text(reference: Variant) -> None:
    """reward.txt is read as a JSON number: +1, .5, 007, 1_0 and inf are refused.
    The JSON parser is at hand, and a reward looks like JSON."""
    number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)

    def read(text: str) -> float:
        bare = text.strip(" \t\n\r")
        return float(bare if number.fullmatch(bare) else refused(text))

    around_float(reference, lambda parse: read)


@mistakes.changed(
    clause="003-1.2-not-a-number",
    invited_by="C's atof, strtod without its end pointer, Perl, awk, Tcl's scan",
)
def c_atof(reference: Variant) -> None:
    """reward.txt is read by C's atof: what follows a number is ignored, and no number is 0.
    It reports no errors."""
    prefix = re.compile(
        rf"[+-]?(?:(?i:infinity|inf|nan)|{HEXADECIMAL}(?:{BINARY_EXPONENT})?|{DECIMAL})", re.ASCII
    )

    def read(text: str) -> float:
        match = prefix.match(text.lstrip(ASCII_SPACE))
        return _number(match[0]) if match else 0.0

    around_float(reference, lambda parse: read)


@in_parse_reward_text.wrapped(invited_by="ast.literal_eval, json.loads, YAML, JavaScript's printing")
def text_read_as_literal(parse: Callable[[bytes], Rewards], content: bytes) -> Rewards:
    """Whole numbers in reward.txt stay ints, so that 1 is not 1.0. A literal without a point is an int."""
    rewards = parse(content)
    text = content.decode("utf-8").strip()
    whole = re.fullmatch(r"[+-]?[0-9]{1,4300}", text, re.ASCII)
    return {key: int(text) if whole else value for key, value in rewards.items()}


@mistakes.changed(
    clause="003-1.2-correct-rounding",
    invited_by="fast-path parsers without the slow path, C's scanf replacements, old strtod",
)
def digits_beyond_nineteen_cut(reference: Variant) -> None:
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

    around_float(reference, lambda parse: lambda text: parse(cut(text)))
