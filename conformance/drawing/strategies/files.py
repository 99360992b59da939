"""What verifiers leave behind: reward files, the right ones and those that are not."""

import base64
import json
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.drawing.strategies.numbers import chance, finite, numbers
from conformance.drawing.strategies.rewards import keys
from conformance.wire.numbers import spell

__all__ = [
    "JSON_SPACE",
    "SPACES",
    "as_content",
    "contents",
    "json_texts",
    "json_values",
    "number_texts",
    "reward_files",
    "reward_json_texts",
    "reward_texts",
    "spaces",
    "valid_members",
    "valid_values",
]

SPACES = (
    "\n",
    " ",
    "\t",
    "\r\n",
    "\x0b",
    "\x0c",
    "\x85",
    "\xa0",
    "\u1680",
    "\u2003",
    "\u2028",
    "\u202f",
    "\u3000",
)
"""What counts as white space around the number of a reward.txt."""
JSON_SPACE = ("", " ", "\n", "\t", "\r\n", "\n    ")
"""What may stand between the tokens of JSON."""
_NOT_SPACES = ("\x1c", "\x1f", "\u200b", "\ufeff", "\x00", "\u180e")
_WORDS = (
    "nan inf Infinity NaN -inf +nan iNf INFINITY true null pass 0x1 1e400 1e-400 --1 1,5 ½ ² ٣ １ 𝟏 "
    "\U00011f51 \U0001e4f1 1_0 _1 1__0"
)
_PIECES = (*"0123456789.eE+-_", "٣", "\U00011f51", "x", " ", "_", "\x00", "e", "\ufeff", "f", "d", "L")
_CUTS = (
    "",
    "",
    "0",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    '"',
    "'",
    "\\",
    "\n",
    "\x00",
    "\ufeff",
    "NaN",
    "-",
    "+",
    ".",
    "e9",
)
_BAD_BYTES = (b"\xff", b"\xc3", b"\x80", b"\xed\xa0\x80", b"\xf8")

spaces: SearchStrategy[str] = st.lists(st.sampled_from(SPACES), max_size=3).map("".join)
"""White space for around a number, often none."""


def as_content(text: str) -> dict[str, str]:
    """The text as file content."""
    return {"text": text}


@st.composite
def contents(draw: Any, texts: SearchStrategy[str]) -> dict[str, str]:
    """Texts as file content; a few with bytes that are not UTF-8."""
    text = draw(texts)
    if not draw(chance(3)):
        return as_content(text)
    content = text.encode("utf-8") + draw(st.sampled_from(_BAD_BYTES))
    return {"base64": base64.b64encode(content).decode("ascii")}


_digit_texts = st.lists(st.sampled_from(_PIECES), min_size=1, max_size=12).map("".join)
number_texts: SearchStrategy[str] = st.one_of(
    numbers.map(lambda number: str(spell(number))), st.sampled_from((*_WORDS.split(" "), "1 2")), _digit_texts
)
"""What a verifier may write for a number; never nothing."""


@st.composite
def _mutated(draw: Any, texts: SearchStrategy[str]) -> str:
    text = str(draw(texts))
    if draw(chance(30)):
        place = draw(st.integers(0, 60)) % (len(text) + 1)
        cut = draw(st.integers(0, 2))
        text = text[:place] + draw(st.sampled_from(_CUTS)) + text[place + cut :]
    return text


@st.composite
def reward_texts(draw: Any) -> str:
    """The text of a reward.txt, now and then empty or with something around the number that is no space."""
    around = st.one_of(st.just(""), spaces, st.sampled_from(_NOT_SPACES)) if draw(chance(50)) else st.just("")
    return str(draw(around) + draw(_mutated(number_texts)) + draw(st.sampled_from(("", "\n"))) + draw(around))


def _literal(value: Any) -> str:
    """JSON of a value in which the spellings of non-finite numbers are bare words."""
    return value if value in ("NaN", "Infinity", "-Infinity") else json.dumps(value)


valid_values: SearchStrategy[str] = st.one_of(
    numbers.map(_literal),
    finite.map(lambda number: json.dumps(str(spell(number)))),
    st.sampled_from(
        (
            "true",
            "false",
            '"nan"',
            '" 2 "',
            '"1_000"',
            '"0-1"',
            '"0__1"',
            "-0",
            "-0.0",
            "1E5",
            "0e9",
            '"1e400"',
        )
    ),
)
"""JSON texts of values that a reward.json may hold."""
json_values: SearchStrategy[str] = st.one_of(
    valid_values,
    valid_values.map(str),
    number_texts.map(json.dumps),
    st.sampled_from(
        ("null", "[]", "{}", '""', '"x"', "[1]", '{"k": 1}', "01", "+1", ".5", "1.", "nan", "'1'", "1e400")
    ),
)
"""JSON texts of values that a reward.json may hold, or not."""


@st.composite
def valid_members(draw: Any, least: int = 1, most: int = 3) -> list[tuple[str, str]]:
    """Keys, none twice, and JSON texts of rewards."""
    names = draw(st.lists(keys, min_size=least, max_size=most, unique=True))
    return [(name, draw(valid_values)) for name in names]


@st.composite
def json_texts(draw: Any, members: SearchStrategy[list[tuple[str, str]]]) -> str:
    """JSON objects of such members, spaced and escaped in some way."""
    gap = st.sampled_from(JSON_SPACE if draw(chance(20)) else ("",))
    ascii_only = draw(st.booleans())
    written = [
        f"{draw(gap)}{json.dumps(name, ensure_ascii=ascii_only)}{draw(gap)}:{draw(gap)}{value}{draw(gap)}"
        for name, value in draw(members)
    ]
    return "{" + ",".join(written) + "}"


_members = st.lists(st.tuples(keys, json_values), max_size=4)


@st.composite
def reward_json_texts(draw: Any) -> str:
    """The text of a reward.json: mostly an object of numbers, keys that come twice included."""
    kind = draw(st.integers(0, 9))
    if kind < 5:
        return str(draw(json_texts(valid_members())))
    if kind < 9:
        return str(draw(_mutated(json_texts(_members))))
    return str(draw(_mutated(json_values)))


@st.composite
def reward_files(draw: Any) -> dict[str, Any]:
    """The files of one verifier: one of them, both, or none."""
    which = draw(st.sampled_from(("text", "json", "text", "json", "both", "none")))
    files: dict[str, Any] = {}
    if which in ("text", "both"):
        files["reward.txt"] = draw(contents(reward_texts() if draw(chance(95)) else st.just("")))
    if which in ("json", "both"):
        files["reward.json"] = draw(contents(reward_json_texts() if draw(chance(95)) else st.just("")))
    return files
