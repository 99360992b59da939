"""Random texts: numbers as verifiers write them, valid and invalid JSON, words of errors."""

import base64
import json
from typing import Any

from conformance.drawing.numbers import finite, number
from conformance.drawing.source import Source
from conformance.wire.numbers import spell

__all__ = [
    "SPACES",
    "altered",
    "as_content",
    "blank",
    "content",
    "content_of",
    "json_text",
    "json_value",
    "mutated",
    "number_text",
    "reward_text",
    "spaces",
]

SPACES = (
    *("\n", " ", "\t", "\r\n", "\x0b", "\x0c", "\x85", "\xa0", "\u1680", "\u2003", "\u2028"),
    *("\u202f", "\u3000"),
)
"""Characters that may surround the number in a reward.txt."""
_NOT_SPACES = ("\x1c", "\x1f", "\u200b", "\ufeff", "\x00", "\u180e")
_NOT_FINITE = ("NaN", "Infinity", "-Infinity")
_WORDS = (
    "nan inf Infinity NaN -inf +nan iNf INFINITY INF -NaN +Infinity true null pass 0x1 -0x1 1e400 -1e400 "
    "1e-400 --1 --inf 1,5 ½ ² ٣ １ 𝟏 \U00011f51 \U0001e4f1 1_0 _1 1__0"
)
_NUMBER_WORDS = (*_WORDS.split(), "1 2")
_PIECES = (*"0123456789.eE+-_", *("٣", "\U00011f51", "x", " ", "_", "\x00", "e", "\ufeff", "f", "d", "L"))
_OTHER_DIGITS = ("٣", "１", "𝟏", "²", "½", "\U00011f51", "\U0001e4f1", "०", "\U00010d41", "\U000116da")
_CUTS = (
    *("", "0", "{", "}", "[", "]", ",", ":", '"', "'", "\\", "\n", "\x00", "\ufeff", "NaN", "-"),
    *("+", ".", "e9"),
)
_CUTS += (*"123456789eE_xXnNaAiIfFtTyY; /\t\r\x1c\x85\xa0\u0663\uff11\u2212", "1e400")
_BAD_BYTES = (b"\xff", b"\xc3", b"\x80", b"\xed\xa0\x80", b"\xf8")


def as_content(text: str) -> dict[str, str]:
    """The text as file content."""
    return {"text": text}


def content_of(written: bytes) -> dict[str, str]:
    """The bytes as file content."""
    try:
        return {"text": written.decode("utf-8")}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(written).decode("ascii")}


def content(source: Source, text: str) -> dict[str, str]:
    """The text as file content, occasionally with bytes that are not UTF-8."""
    written = text.encode("utf-8", "surrogatepass")
    if not source.chance(2):
        return content_of(written)
    index = source.below(len(written) + 1)
    bad = source.pick(_BAD_BYTES) if source.below(2) else bytes((source.below(256),))
    return content_of(written[:index] + bad + written[index:])


def altered(source: Source, text: str) -> str:
    """The text with one to three characters changed, inserted or removed."""
    for _ in range(source.below(3) + 1):
        index = source.below(len(text) + 1)
        cut = index + source.below(3)
        text = text[:index] + ("" if source.below(4) == 0 else source.pick(_CUTS)) + text[cut:]
    return text


def mutated(source: Source, text: str, percent: int = 30) -> str:
    """The text, occasionally with a few characters changed."""
    return altered(source, text) if source.chance(percent) else text


def spaces(source: Source) -> str:
    """White space around a number, often none."""
    return "".join(source.times(3, blank))


def blank(source: Source) -> str:
    """One character of white space."""
    return source.pick(SPACES)


def _digits(source: Source) -> str:
    """Digits, occasionally with an underscore or from another script."""
    count = source.below(source.pick((2, 5, 25)))
    digits = str(source.below(int("9" * min(count, 15)) + 1)).zfill(count) if count else ""
    odd = source.below(20)
    if odd < 14:
        return digits
    if odd < 17:
        return digits + str(source.pick(_OTHER_DIGITS))
    index = source.below(len(digits) + 1)
    return digits[:index] + "_" + digits[index:]


def _piece(source: Source) -> str:
    return str(source.pick(_PIECES))


def number_text(source: Source) -> str:
    """A number as a verifier may write it; never empty."""
    kind = source.below(10)
    if kind < 5:
        return str(spell(number(source)))
    if kind < 7:
        return source.pick(_NUMBER_WORDS)
    if kind == 7:
        return "".join(source.several(12, _piece))
    parts = [source.pick(("", "", "-", "+")), _digits(source)]
    shape = source.below(4)
    if shape & 1:
        parts += [".", _digits(source)]
    if shape & 2:
        parts += [source.pick(("e", "e-", "e+", "E", "E-", "E+")), str(source.below(400))]
    return "".join(parts) or "0"


def _around(source: Source) -> str:
    """The text around a number: mostly nothing or white space."""
    kind = source.below(6)
    return "" if kind < 2 else spaces(source) if kind < 5 else source.pick(_NOT_SPACES)


def reward_text(source: Source) -> str:
    """The text of a reward.txt, occasionally with other text around the number."""
    spaced = source.below(2)
    before = _around(source) if spaced else ""
    text = mutated(source, number_text(source)) + ("", "\n")[source.below(2)]
    return before + text + (_around(source) if spaced else "")


def json_value(source: Source, depth: int = 0) -> Any:
    """A JSON value, or the spelling of a non-finite number."""
    kind = source.below(20)
    if kind < 11:
        return number(source)
    if kind < 14:
        return reward_text(source) if kind < 13 else str(spell(finite(source)))
    if kind < 17 or depth > 2:
        return source.pick((True, False, None, "", "pass", [], {}))
    return [json_value(source, depth + 1)] if kind < 19 else {"k": json_value(source, depth + 1)}


def json_text(source: Source, value: Any) -> str:
    """JSON as verifiers write it, valid or not: bare spellings, duplicate keys."""
    if isinstance(value, dict):
        style = source.below(100)
        members = [(key, json_text(source, item)) for key, item in value.items()]
        if members and style >= 92:
            members.append((source.pick(members)[0], json_text(source, json_value(source, 2))))
        space = ("", "\n  ", "\t")[style % 3] if style % 10 > 6 else " "
        ascii_only = style % 2 == 0
        written = (f"{space}{json.dumps(k, ensure_ascii=ascii_only)}:{space}{v}" for k, v in members)
        return "{" + ",".join(written) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(json_text(source, item) for item in value) + "]"
    if isinstance(value, str) and value in _NOT_FINITE and not source.chance(30):
        return value
    return json.dumps(value)
