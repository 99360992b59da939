"""Mistakes in writing the strings of ``result.json``: escapes, characters, lone surrogates."""

import json
import re
import unicodedata
from collections.abc import Callable

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

QUOTED = "json_text._quoted"
KEY = "json_text._key"


def _escaped(reference: Variant, pattern: str, escape: Callable[[str], str]) -> None:
    """Has what matches ``pattern`` in a string's text written by ``escape``."""
    found = re.compile(pattern)

    def around(original: Callable[[str], str]) -> Callable[[str], str]:
        return lambda text: found.sub(lambda match: escape(match[0]), original(text))

    reference.wrap(QUOTED, around)


def _u_escape(text: str) -> str:
    return f"\\u{ord(text):04x}"


@mistake(
    "ascii-escapes",
    says="characters beyond ASCII are escaped: \\u00e9",
    op="job_result",
    clause="003-3.3-string-text",
    why="It is the default, and any reader can take it.",
    invited_by="Python's json.dumps, PHP's json_encode, Ruby's ascii_only, Newtonsoft's EscapeNonAscii",
)
def _(reference: Variant) -> None:
    reference.replace(QUOTED, json.dumps)


@mistake(
    "html-escapes",
    says="<, > and &, U+2028 and U+2029 are escaped",
    op="job_result",
    clause="003-3.3-string-text",
    why="The text could end up in a script element; it is the encoder's default.",
    invited_by="Go's encoding/json, which has SetEscapeHTML(false)",
)
def _(reference: Variant) -> None:
    _escaped(reference, "[<>&\u2028\u2029]", _u_escape)


@mistake(
    "line-separators-escaped",
    says="U+2028 and U+2029 are escaped",
    op="job_result",
    clause="003-3.3-string-text",
    why="JavaScript before 2019 took them for line ends inside a string.",
    invited_by="Gson, fastjson, PHP with JSON_UNESCAPED_UNICODE, serializers for script elements",
)
def _(reference: Variant) -> None:
    _escaped(reference, "[\u2028\u2029]", _u_escape)


@mistake(
    "slash-escaped",
    says="the slash is escaped: \\/",
    op="job_result",
    clause="003-3.3-string-text",
    why="It guards </script>, and JSON allows it.",
    invited_by="PHP's json_encode, Swift's and Objective-C's JSONSerialization",
)
def _(reference: Variant) -> None:
    _escaped(reference, "/", lambda _: "\\/")


@mistake(
    "delete-escaped",
    says="U+007F is escaped: \\u007f",
    op="job_result",
    clause="003-3.3-string-text",
    why="It is a control character as well.",
    invited_by="jq, System.Text.Json, writers that test for printable characters",
)
def _(reference: Variant) -> None:
    _escaped(reference, "\x7f", _u_escape)


@mistake(
    "short-escapes-missing",
    says="backspace and form feed are written \\u0008 and \\u000c, not \\b and \\f",
    op="job_result",
    clause="003-3.3-string-text",
    why="Only the escapes that people know have a letter.",
    invited_by="Go's encoding/json before 1.22, hand-written escaping",
)
def _(reference: Variant) -> None:
    _escaped(
        reference,
        r"\\.",
        lambda pair: {"\\b": "\\u0008", "\\f": "\\u000c"}.get(pair, pair),
    )


@mistake(
    "upper-case-escapes",
    says="escapes have upper-case digits: \\u001B",
    op="job_result",
    clause="003-3.3-string-text",
    why="Some libraries write hexadecimal digits so.",
    invited_by="Jackson, System.Text.Json, printf's %04X",
)
def _(reference: Variant) -> None:
    _escaped(
        reference,
        r"\\(?:u[0-9a-f]{4}|.)",
        lambda pair: "\\u" + pair[2:].upper() if pair.startswith("\\u") else pair,
    )


@mistake(
    "control-characters-raw",
    says="control characters but for the five with a letter are written as they are",
    op="job_result",
    clause="003-3.3-string-text",
    why="Only quotes, backslashes and line ends come to mind.",
    invited_by="string templates and replace() chains in shell, awk, C",
)
def _(reference: Variant) -> None:
    _escaped(
        reference,
        r"\\(?:u[0-9a-f]{4}|.)",
        lambda pair: chr(int(pair[2:], 16)) if pair.startswith("\\u") else pair,
    )


@mistake(
    "nfc-strings",
    says="names are normalised to composed characters (NFC)",
    op="job_result",
    clause="003-3.3-string-text",
    why="Equal-looking names should be equal.",
    invited_by="Swift's string comparison, file systems, databases, clean-up of names",
)
def _(reference: Variant) -> None:
    reference.wrap(QUOTED, lambda original: lambda text: original(unicodedata.normalize("NFC", text)))


@mistake(
    "single-replacement-character",
    says="a lone surrogate in a key becomes one U+FFFD instead of three",
    op="pipeline",
    clause="003-3.3-surrogates",
    why="One bad unit is one replacement in UTF-16, three bad bytes in UTF-8.",
    invited_by="JavaScript's TextEncoder, Java's getBytes, Go, .NET",
)
def _(reference: Variant) -> None:
    reference.replace(KEY, lambda text: _LONE_SURROGATE.sub("\ufffd", text))


@mistake(
    "lone-surrogate-escaped",
    says="a lone surrogate in a key is escaped: \\ud800",
    op="pipeline",
    clause="003-3.3-surrogates",
    why="The escape is valid JSON, and nothing is lost.",
    invited_by="JSON.stringify since ES2019, Python's json.dumps",
)
def _(reference: Variant) -> None:
    reference.replace(KEY, lambda text: text)
    _escaped(reference, _LONE_SURROGATE.pattern, _u_escape)


@mistake(
    "lone-surrogate-refused",
    says="a lone surrogate in a key cannot be written",
    op="pipeline",
    clause="003-3.3-surrogates",
    why="It is no character, and encoding it raises.",
    invited_by="Python's str.encode, Rust's String, Swift",
)
def _(reference: Variant) -> None:
    reference.replace(KEY, reference.get("json_text.printable"))


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
