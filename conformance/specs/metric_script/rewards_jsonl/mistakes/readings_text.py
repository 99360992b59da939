"""What readers of document 000 alone understood of rewards.jsonl: how its names and numbers are spelled."""

import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import Case, family
from conformance.mistakes.other_numbers import Number
from conformance.mistakes.variant import Variant
from conformance.specs.metric_script.rewards_jsonl.mistakes.lines import escapes, lines
from reference_impl import metric_script

texts = family("rewards_jsonl", clause="000-lines-string-escapes")
spellings = family("rewards_jsonl", clause="000-lines-numbers")
limits = family("rewards_jsonl", clause="000-lines-int-digits")
_ESCAPE = re.compile(r"\\(?:u([0-9a-f]{4})|.)")
_PAIR = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})")
_Rewards = dict[str, Any] | None


def _numbered(text: str, change: Callable[[int], str | None]) -> str:
    """Changes what is escaped by number; None leaves it as it is."""

    def one(match: re.Match[str]) -> str:
        changed = None if match[1] is None else change(int(match[1], 16))
        return match[0] if changed is None else changed

    return _ESCAPE.sub(one, text)


def _paired(text: str, change: Callable[[str], str | None]) -> str:
    """Changes the pairs of surrogates, given what they stand for."""

    def one(match: re.Match[str]) -> str:
        changed = change(json.loads(f'"{match[0]}"'))
        return match[0] if changed is None else changed

    return _PAIR.sub(one, text)


@texts.each(
    Case(
        "jsonl-apostrophe-escaped",
        "an apostrophe is escaped by number in rewards.jsonl",
        "Some writers make their JSON safe for attributes of web pages.",
        "System.Text.Json, Gson, PHP's JSON_HEX_APOS",
        lambda text: text.replace("'", "\\u0027"),
    ),
    Case(
        "jsonl-slash-escaped",
        "a slash is escaped in rewards.jsonl",
        "JSON allows it, and some writers do it for the sake of web pages.",
        "PHP, Foundation's JSONSerialization",
        lambda text: text.replace("/", "\\/"),
    ),
    Case(
        "jsonl-latin-1-raw",
        "U+0080 to U+00FF stand unescaped in rewards.jsonl",
        "What fits a byte seems to need no escape.",
        "Latin-1 writers, Java's properties",
        lambda text: _numbered(text, lambda code: chr(code) if 0x80 <= code <= 0xFF else None),
        clause="000-lines-ascii",
    ),
    Case(
        "jsonl-backspace-numbered",
        "backspace and form feed are escaped by number in rewards.jsonl",
        "Line feed, carriage return and tab are the escapes that everyone knows.",
        "Go's encoding/json before 1.22, hand-written escaping",
        lambda text: _ESCAPE.sub(lambda m: {"\\b": "\\u0008", "\\f": "\\u000c"}.get(m[0], m[0]), text),
    ),
    Case(
        "jsonl-vertical-tab-short",
        "a vertical tab is escaped as \\v in rewards.jsonl",
        "It is so in C and in Python's own literals.",
        "repr(), C's escapes",
        lambda text: _numbered(text, lambda code: "\\v" if code == 0x0B else None),
    ),
    Case(
        "jsonl-five-digit-escapes",
        "a character beyond U+FFFF is one escape of five or six digits in rewards.jsonl",
        "%04x gives more digits where four do not do.",
        '"\\\\u%04x" % ord(c)',
        lambda text: _paired(text, lambda pair: f"\\u{ord(pair):04x}"),
        clause="000-lines-ascii",
    ),
    Case(
        "jsonl-astral-raw",
        "characters beyond U+FFFF stand unescaped in rewards.jsonl",
        "An escape has four digits, and these need more.",
        "hand-written escaping",
        lambda text: _paired(text, lambda pair: pair),
        clause="000-lines-ascii",
    ),
    Case(
        "jsonl-first-astral-unpaired",
        "U+10000 is escaped as U+0000 in rewards.jsonl",
        "The pairs are thought to begin after it.",
        "> 0x10000 for > 0xFFFF",
        lambda text: _paired(text, lambda pair: "\\u0000" if pair == "\U00010000" else None),
        clause="000-lines-ascii",
    ),
    Case(
        "jsonl-last-basic-character-paired",
        "U+FFFF is escaped as a pair in rewards.jsonl",
        "The pairs are thought to begin with it.",
        ">= 0xFFFF for > 0xFFFF",
        lambda text: _numbered(text, lambda code: "\\ud7ff\\udfff" if code == 0xFFFF else None),
        clause="000-lines-ascii",
    ),
)
def other_text(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text of the file as it is usually written."""
    escapes(reference, change)


def _plain(value: Number) -> str:
    return json.dumps(value)


def _float(spell: Callable[[float], str]) -> Callable[[Number], str]:
    """Spells finite floats its own way."""
    return lambda value: spell(value) if isinstance(value, float) and math.isfinite(value) else _plain(value)


def _not_finite(spell: Callable[[float], str]) -> Callable[[Number], str]:
    """Spells NaN and the infinities its own way."""
    return lambda value: (
        spell(value) if isinstance(value, float) and not math.isfinite(value) else _plain(value)
    )


def _int(spell: Callable[[int], str]) -> Callable[[Number], str]:
    """Spells ints its own way."""
    return lambda value: spell(value) if isinstance(value, int) else _plain(value)


def _as_double(value: int) -> str:
    try:
        return _plain(float(value))
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"


def _as_whole_double(value: int) -> str:
    try:
        return str(int(float(value)))
    except OverflowError:
        return str(value)


def _decimal(value: float, digits: int) -> str:
    return f"{value:.{digits}f}".rstrip("0")


@spellings.each(
    Case(
        "jsonl-exponents-unpadded",
        "exponents have no leading zero in rewards.jsonl, as in 1e-5",
        "Most languages give an exponent the digits it needs.",
        "JavaScript, Rust, Java",
        _float(lambda value: re.sub(r"e([+-])0", r"e\1", _plain(value))),
    ),
    Case(
        "jsonl-exponents-without-plus",
        "positive exponents have no plus sign in rewards.jsonl",
        "A plus sign says nothing.",
        "serde_json, Java",
        _float(lambda value: _plain(value).replace("e+", "e")),
    ),
    Case(
        "jsonl-exponents-in-upper-case",
        "exponents are written with E in rewards.jsonl",
        "Both are valid.",
        "Java, .NET",
        _float(lambda value: _plain(value).upper()),
    ),
    Case(
        "jsonl-plain-decimals-from-1e-6",
        "floats in rewards.jsonl get an exponent below 1e-6, not below 1e-4",
        "The digits agree everywhere, the border does not.",
        "JavaScript's Number::toString, Go",
        _float(
            lambda value: (
                re.sub(r"0+\Z", "", f"{value:.24f}"[:24]) if 1e-6 <= abs(value) < 1e-4 else _plain(value)
            )
        ),
    ),
    Case(
        "jsonl-exponent-after-1e16",
        "1e16 has no exponent in rewards.jsonl, only what is greater",
        "A border is easily off by one.",
        "> for >=",
        _float(lambda value: f"{value:.1f}" if abs(value) == 1e16 else _plain(value)),
    ),
    Case(
        "jsonl-exponent-at-1e-4",
        "0.0001 has an exponent in rewards.jsonl already",
        "A border is easily off by one.",
        "<= for <",
        _float(
            lambda value: _plain(value).replace("0.0001", "1e-04") if abs(value) == 1e-4 else _plain(value)
        ),
    ),
    Case(
        "jsonl-large-floats-as-ints",
        "whole floats from 1e16 on are written as ints in rewards.jsonl",
        "They have no fraction anyway.",
        "'%d' for whole floats",
        _float(lambda value: str(int(value)) if abs(value) >= 1e16 else _plain(value)),
    ),
    Case(
        "jsonl-negative-zero-unsigned",
        "-0.0 is 0.0 in rewards.jsonl",
        "Adding zero, or comparing with it, loses the sign.",
        "JSON.stringify, value + 0.0",
        _float(lambda value: _plain(value + 0.0)),
    ),
    Case(
        "jsonl-seventeen-digits",
        "floats are written with seventeen significant digits in rewards.jsonl",
        "So many digits always give a float back.",
        "%.17g, C++ streams at max_digits10",
        _float(lambda value: re.sub(r"\A(-?\d+)\Z", r"\1.0", f"{value:.17g}")),
    ),
    Case(
        "jsonl-fifteen-digits",
        "floats are rounded to fifteen significant digits in rewards.jsonl",
        "0.30000000000000004 looks wrong.",
        "%.15g, Excel, PHP",
        _float(lambda value: _plain(float(f"{value:.15g}"))),
    ),
    Case(
        "jsonl-sixteen-decimals",
        "floats have at most sixteen digits behind the point in rewards.jsonl",
        "Rewards are thought to lie between 0 and 1.",
        "round(value, 16), fixed formats",
        _float(lambda value: _plain(round(value, 16)) if abs(value) < 1e15 else _plain(value)),
    ),
    Case(
        "jsonl-subnormals-flushed",
        "subnormal floats are 0.0 in rewards.jsonl",
        "Some processors and compilers flush them to zero.",
        "-ffast-math, GPUs",
        _float(lambda value: "0.0" if 0 < abs(value) < 2.0**-1022 else _plain(value)),
    ),
    Case(
        "jsonl-ints-beyond-64-bits-as-floats",
        "ints beyond 64 bits are floats in rewards.jsonl",
        "A JSON library's number is an i64, a u64 or a double.",
        "serde_json, Jackson's defaults",
        _int(lambda value: _plain(value) if -(2**63) <= value < 2**64 else _as_double(value)),
    ),
    Case(
        "jsonl-ints-rounded-to-doubles",
        "ints beyond 2 to the 53 are rounded to the nearest double in rewards.jsonl",
        "Where there is one kind of number it is a double.",
        "JavaScript, Lua",
        _int(lambda value: _as_whole_double(value) if abs(value) > 2**53 else _plain(value)),
    ),
    Case(
        "jsonl-negative-ints-beyond-64-bits-as-floats",
        "ints below -2 to the 63 are floats in rewards.jsonl",
        "Only unsigned numbers have a type that is large enough.",
        "big unsigned types beside i64",
        _int(lambda value: _as_double(value) if value < -(2**63) else _plain(value)),
    ),
    Case(
        "jsonl-non-finite-quoted",
        "NaN and the infinities are strings in rewards.jsonl",
        "JSON has no such numbers, and a string is read back by float().",
        "protobuf's JSON, pydantic's ser_json_inf_nan='strings'",
        _not_finite(lambda value: f'"{_plain(value)}"'),
        clause="000-lines-non-finite",
    ),
    Case(
        "jsonl-infinities-as-1e999",
        "infinities are 1e999 and -1e999 in rewards.jsonl",
        "Strict readers take it, and read an infinity.",
        "Lua's cjson, jq",
        lambda value: _plain(value).replace("Infinity", "1e999"),
        clause="000-lines-non-finite",
    ),
    Case(
        "jsonl-negative-infinity-unsigned",
        "-Infinity is Infinity in rewards.jsonl",
        "isinf() is true of both.",
        "isinf",
        lambda value: _plain(value).replace("-Infinity", "Infinity"),
        clause="000-lines-non-finite",
    ),
    Case(
        "jsonl-non-finite-in-lower-case",
        "NaN and the infinities are nan, inf and -inf in rewards.jsonl",
        "Numbers are said to be written by Python's repr.",
        "repr, printf's %g",
        _not_finite(repr),
        clause="000-lines-non-finite",
    ),
)
def other_numbers(reference: Variant, spell: Callable[[Number], str]) -> None:
    """Lets each number be written by ``spell``."""

    def line(reward: _Rewards) -> str:
        if reward is None:
            return "null"
        return "{" + ", ".join(f"{_plain_key(key)}: {spell(value)}" for key, value in reward.items()) + "}"

    lines(reference, line)


def _plain_key(key: str) -> str:
    return json.dumps(key)


def _digits(value: Any) -> int:
    return len(str(value).removeprefix("-")) if isinstance(value, int) else 0


def _longest(rewards: Sequence[_Rewards]) -> int:
    return max((_digits(value) for reward in rewards for value in (reward or {}).values()), default=0)


@limits.each(
    Case(
        "jsonl-digit-limit-at-4300",
        "an int of exactly 4300 digits is refused in rewards.jsonl",
        "A border is easily off by one.",
        ">= for >",
        lambda rewards: _longest(rewards) >= 4300,
    ),
    Case(
        "jsonl-digit-limit-counts-the-sign",
        "an int's minus sign counts as a digit when rewards.jsonl is written",
        "The text is one longer.",
        "len(str(value))",
        lambda rewards: any(
            isinstance(value, int) and len(str(value)) > 4300
            for reward in rewards
            for value in (reward or {}).values()
        ),
    ),
    Case(
        "jsonl-digit-limit-of-positive-ints",
        "a negative int may have any number of digits in rewards.jsonl",
        "The limit is compared with the value.",
        "value >= 10**4300",
        lambda rewards: any(
            _digits(value) > 4300 and value > 0 for reward in rewards for value in (reward or {}).values()
        ),
    ),
    Case(
        "jsonl-digit-limit-of-first-trial",
        "the limit of digits holds in the first trial of rewards.jsonl alone",
        "What holds for the first is thought to hold for all.",
        "schemas inferred from the first row",
        lambda rewards: _longest(rewards[:1]) > 4300,
    ),
    Case(
        "jsonl-digit-limit-of-first-keys",
        "the limit of digits holds for the first key of each trial of rewards.jsonl alone",
        "A trial is thought to have one reward.",
        "next(iter(reward.values()))",
        lambda rewards: (
            _longest([None if reward is None else dict(list(reward.items())[:1]) for reward in rewards])
            > 4300
        ),
    ),
    Case(
        "jsonl-digit-limit-of-floats",
        "floats from 1e308 on are refused in rewards.jsonl as ints too long are",
        "A number that large is thought to be broken.",
        "limits on digits before the point",
        lambda rewards: (
            _longest(rewards) > 4300
            or any(
                isinstance(value, float) and 1e308 <= abs(value) < math.inf
                for reward in rewards
                for value in (reward or {}).values()
            )
        ),
    ),
)
def other_limits(reference: Variant, refused: Callable[[Sequence[_Rewards]], bool]) -> None:
    """Refuses other numbers than the rules do."""

    def write(rewards: Sequence[_Rewards]) -> bytes:
        if refused(rewards):
            raise ValueError("an int of too many digits")
        return "".join(f"{json.dumps(reward)}\n" for reward in rewards).encode("ascii")

    reference.replace(metric_script.rewards_jsonl, write)
