"""Whole float parsers of other languages, used for reward.txt as they come."""

import math
import re
from collections.abc import Callable

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Rewards
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.reward.mistakes.reward_text import (
    ASCII_SPACE,
    DECIMAL,
    UNICODE_SPACE,
    around_float,
    refused,
)

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


@mistake(
    "javascript-number",
    says="reward.txt is read by JavaScript's Number(): white space alone is 0, 0x10 is 16, inf is refused",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="It is the language's conversion, and a check for NaN comes after it.",
    invited_by="JavaScript's Number() and unary plus",
)
def _(reference: Variant) -> None:
    decimal = re.compile(rf"[+-]?(?:Infinity|{DECIMAL})", re.ASCII)
    bases = re.compile(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", re.ASCII)
    space = UNICODE_SPACE.replace("\x85", "") + "\ufeff"

    def read(text: str) -> float:
        bare = text.strip(space)
        if bases.fullmatch(bare):
            return float(int(bare, 0))
        return float((bare or "0") if not bare or decimal.fullmatch(bare) else refused(text))

    around_float(reference, lambda parse: read)


@mistake(
    "java-parse-double",
    says="reward.txt is read by Java's Double.parseDouble: 1d and 0x1p3 are numbers, inf and 1_0 are not",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="It is the language's conversion.",
    invited_by="Java, Kotlin's toDouble, Scala, Clojure",
)
def _(reference: Variant) -> None:
    controls = "".join(map(chr, range(33)))
    pattern = rf"NaN|Infinity|(?:{DECIMAL}|{HEXADECIMAL}{BINARY_EXPONENT})(?P<suffix>[dDfF]?)"
    whole = re.compile(rf"[+-]?(?:{pattern})", re.ASCII)

    def read(text: str) -> float:
        bare = text.strip(controls)
        match = whole.fullmatch(bare)
        return _number(bare[: len(bare) - len(match["suffix"] or "")] if match else refused(text))

    around_float(reference, lambda parse: read)


@mistake(
    "go-parse-float",
    says="reward.txt is read by Go's ParseFloat: 0x1p3 is a number, 1_0, -nan and 1e309 are not",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="It is the language's conversion, after strings.TrimSpace.",
    invited_by="Go's strconv.ParseFloat",
)
def _(reference: Variant) -> None:
    pattern = rf"(?i:inf|infinity)|{DECIMAL}|{HEXADECIMAL}{BINARY_EXPONENT}"
    whole = re.compile(rf"(?i:nan)|[+-]?(?:{pattern})", re.ASCII)

    def read(text: str) -> float:
        bare = text.strip(UNICODE_SPACE)
        number = _number(bare if whole.fullmatch(bare) else refused(text))
        if math.isinf(number) and "n" not in bare.lower():
            refused(text)
        return number

    around_float(reference, lambda parse: read)


@mistake(
    "rust-from-str",
    says="reward.txt is read by Rust's f64::from_str after trim(): 1_0 and Arabic digits are refused",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="It is the language's conversion.",
    invited_by="Rust's text.trim().parse::<f64>(), Swift's Double()",
)
def _(reference: Variant) -> None:
    _parser(reference, rf"(?i:inf|infinity|nan)|{DECIMAL}", UNICODE_SPACE)


@mistake(
    "json-number-in-text",
    says="reward.txt is read as a JSON number: +1, .5, 007, 1_0 and inf are refused",
    op="parse_reward",
    clause="003-1.2-float-grammar",
    why="The JSON parser is at hand, and a reward looks like JSON.",
    invited_by="JSON.parse, serde_json::from_str::<f64>, jq, orjson",
)
def _(reference: Variant) -> None:
    number = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)

    def read(text: str) -> float:
        bare = text.strip(" \t\n\r")
        return float(bare if number.fullmatch(bare) else refused(text))

    around_float(reference, lambda parse: read)


@mistake(
    "c-atof",
    says="reward.txt is read by C's atof: what follows a number is ignored, and no number is 0",
    op="parse_reward",
    clause="003-1.2-not-a-number",
    why="It reports no errors.",
    invited_by="C's atof, strtod without its end pointer, Perl, awk, Tcl's scan",
)
def _(reference: Variant) -> None:
    prefix = re.compile(
        rf"[+-]?(?:(?i:infinity|inf|nan)|{HEXADECIMAL}(?:{BINARY_EXPONENT})?|{DECIMAL})", re.ASCII
    )

    def read(text: str) -> float:
        match = prefix.match(text.lstrip(ASCII_SPACE))
        return _number(match[0]) if match else 0.0

    around_float(reference, lambda parse: read)


@mistake(
    "text-read-as-literal",
    says="whole numbers in reward.txt stay ints, so that 1 is not 1.0",
    op="parse_reward",
    clause="003-1.2-always-float",
    why="A literal without a point is an int.",
    invited_by="ast.literal_eval, json.loads, YAML, JavaScript's printing",
)
def _(reference: Variant) -> None:
    def around(parse: Callable[[bytes], Rewards]) -> Callable[[bytes], Rewards]:
        def read(content: bytes) -> Rewards:
            rewards = parse(content)
            text = content.decode("utf-8").strip()
            whole = re.fullmatch(r"[+-]?[0-9]{1,4300}", text, re.ASCII)
            return {key: int(text) if whole else value for key, value in rewards.items()}

        return read

    reference.wrap("reward._parse_reward_text", around)


@mistake(
    "digits-beyond-nineteen-cut",
    says="only the first nineteen digits of reward.txt count",
    op="parse_reward",
    clause="003-1.2-correct-rounding",
    why="They fill a 64-bit integer, and most fast parsers start with one.",
    invited_by="fast-path parsers without the slow path, C's scanf replacements, old strtod",
)
def _(reference: Variant) -> None:
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
