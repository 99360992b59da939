"""Mistakes in writing the strings of ``result.json``: escapes, characters, lone surrogates."""

import json
import re
import unicodedata
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import json_text

mistakes = family("job_result", clause="003-3.3-string-text")
in_quoted = family("job_result", of=json_text._quoted, clause="003-3.3-string-text")
in_key = family("pipeline", of=json_text._key, clause="003-3.3-surrogates")
mistakes_in_pipeline = family("pipeline", clause="003-3.3-surrogates")

QUOTED = json_text._quoted
KEY = json_text._key


@way("job_result", clause="003-3.3-string-text")
def escaped(reference: Variant, escape: Callable[[str], str], pattern: str) -> None:
    """Has what matches ``pattern`` in a string's text written by ``escape``."""
    found = re.compile(pattern)

    def around(original: Callable[[str], str]) -> Callable[[str], str]:
        return lambda text: found.sub(lambda match: escape(match[0]), original(text))

    reference.wrap(QUOTED, around)


def _u_escape(text: str) -> str:
    return f"\\u{ord(text):04x}"


@mistakes.changed(
    invited_by="Python's json.dumps, PHP's json_encode, Ruby's ascii_only, Newtonsoft's EscapeNonAscii"
)
def ascii_escapes(reference: Variant) -> None:
    r"""Characters beyond ASCII are escaped: \u00e9. It is the default, and any reader can take it."""
    reference.replace(QUOTED, json.dumps)


@mistakes.changed(invited_by="Go's encoding/json, which has SetEscapeHTML(false)")
def html_escapes(reference: Variant) -> None:
    """<, > and &, U+2028 and U+2029 are escaped.
    The text could end up in a script element; it is the encoder's default."""
    escaped(reference, _u_escape, "[<>&\u2028\u2029]")


@mistakes.changed(
    invited_by="Gson, fastjson, PHP with JSON_UNESCAPED_UNICODE, serializers for script elements"
)
def line_separators_escaped(reference: Variant) -> None:
    """U+2028 and U+2029 are escaped. JavaScript before 2019 took them for line ends inside a string."""
    escaped(reference, _u_escape, "[\u2028\u2029]")


@escaped.made("/", invited_by="PHP's json_encode, Swift's and Objective-C's JSONSerialization")
def slash_escaped(_: str) -> str:
    r"""The slash is escaped: \/. It guards </script>, and JSON allows it."""
    return "\\/"


@mistakes.changed(invited_by="jq, System.Text.Json, writers that test for printable characters")
def delete_escaped(reference: Variant) -> None:
    r"""U+007F is escaped: \u007f. It is a control character as well."""
    escaped(reference, _u_escape, "\x7f")


@escaped.made(r"\\.", invited_by="Go's encoding/json before 1.22, hand-written escaping")
def short_escapes_missing(pair: str) -> str:
    r"""Backspace and form feed are written \u0008 and \u000c, not \b and \f.
    Only the escapes that people know have a letter."""
    return {"\\b": "\\u0008", "\\f": "\\u000c"}.get(pair, pair)


@escaped.made(r"\\(?:u[0-9a-f]{4}|.)", invited_by="Jackson, System.Text.Json, printf's %04X")
def upper_case_escapes(pair: str) -> str:
    r"""Escapes have upper-case digits: \u001B. Some libraries write hexadecimal digits so."""
    return "\\u" + pair[2:].upper() if pair.startswith("\\u") else pair


@escaped.made(r"\\(?:u[0-9a-f]{4}|.)", invited_by="string templates and replace() chains in shell, awk, C")
def control_characters_raw(pair: str) -> str:
    """Control characters but for the five with a letter are written as they are.
    Only quotes, backslashes and line ends come to mind."""
    return chr(int(pair[2:], 16)) if pair.startswith("\\u") else pair


@in_quoted.wrapped(invited_by="Swift's string comparison, file systems, databases, clean-up of names")
def nfc_strings(original: Callable[..., Any], text: Any) -> Any:
    """Names are normalised to composed characters (NFC). Equal-looking names should be equal."""
    return original(unicodedata.normalize("NFC", text))


@in_key.replaced(invited_by="JavaScript's TextEncoder, Java's getBytes, Go, .NET")
def single_replacement_character(text: Any) -> Any:
    """A lone surrogate in a key becomes one U+FFFD instead of three.
    One bad unit is one replacement in UTF-16, three bad bytes in UTF-8."""
    return _LONE_SURROGATE.sub("\ufffd", text)


@mistakes_in_pipeline.changed(invited_by="JSON.stringify since ES2019, Python's json.dumps")
def lone_surrogate_escaped(reference: Variant) -> None:
    r"""A lone surrogate in a key is escaped: \ud800. The escape is valid JSON, and nothing is lost."""
    reference.replace(KEY, lambda text: text)
    escaped(reference, _u_escape, _LONE_SURROGATE.pattern)


@mistakes_in_pipeline.changed(invited_by="Python's str.encode, Rust's String, Swift")
def lone_surrogate_refused(reference: Variant) -> None:
    """A lone surrogate in a key cannot be written. It is no character, and encoding it raises."""
    reference.replace(KEY, reference.get(json_text.printable))


_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
