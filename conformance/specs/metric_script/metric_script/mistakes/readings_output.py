"""What readers of document 000 alone understood of a metric script's output: bytes, text, JSON, values."""

import json
import math
import re
from collections.abc import Callable
from typing import Any, NoReturn

from conformance.mistakes.family import Case, family
from conformance.mistakes.variant import Variant
from conformance.specs.metric_script.metric_script.mistakes.output import (
    changed_pairs,
    changed_text,
)
from reference_impl import metric_script
from reference_impl.cpython312 import parsing

encodings = family("metric_script", clause="000-broken-encoding")
grammars = family("metric_script", clause="000-broken-json")
numbers = family("metric_script", clause="000-out-unchecked")
wholes = family("metric_script", clause="000-out-object")
_PARSE = (metric_script, parsing.parse_json)
_STRING = re.compile(r'("(?:[^"\\]|\\.)*"?)', re.DOTALL)


def _refused(why: str) -> NoReturn:
    raise json.JSONDecodeError(why, "", 0)


@encodings.each(
    Case(
        "script-utf-16-read",
        "output of a metric script in UTF-16 is read",
        "Python's json finds the encoding of bytes by itself.",
        "json.loads(path.read_bytes())",
        lambda output: _detected(output, "utf-16"),
    ),
    Case(
        "script-utf-32-read",
        "output of a metric script in UTF-32 is read",
        "Python's json finds the encoding of bytes by itself.",
        "json.loads(path.read_bytes())",
        lambda output: _detected(output, "utf-32"),
    ),
    Case(
        "script-bad-bytes-replaced",
        "bytes of a metric script's output that are not UTF-8 become U+FFFD",
        "A reader that never fails is easily chosen.",
        "errors='replace', String::from_utf8_lossy, TextDecoder",
        lambda output: output.decode("utf-8", "replace").encode("utf-8"),
    ),
    Case(
        "script-bad-bytes-dropped",
        "bytes of a metric script's output that are not UTF-8 are left out",
        "A reader that never fails is easily chosen.",
        "errors='ignore', iconv -c",
        lambda output: output.decode("utf-8", "ignore").encode("utf-8"),
    ),
    Case(
        "script-surrogate-bytes-read",
        "surrogates in UTF-8 are read in a metric script's output",
        "Their bytes have the form of characters.",
        "surrogatepass, WTF-8, CESU-8",
        lambda output: re.sub(
            rb"\xed[\xa0-\xbf][\x80-\xbf]",
            lambda m: b"\\u%04x" % ord(m[0].decode("utf-8", "surrogatepass")),
            output,
        ),
    ),
    Case(
        "script-overlong-bytes-read",
        "characters in more bytes than they need are read in a metric script's output",
        "A decoder of UTF-8 forgets to look at the size.",
        "modified UTF-8, hand-written decoders",
        lambda output: re.sub(
            rb"[\xc0\xc1][\x80-\xbf]",
            lambda m: b"\\u%04x" % ((m[0][0] & 0x1F) << 6 | m[0][1] & 0x3F),
            output,
        ),
    ),
    Case(
        "script-latin-1-output-read",
        "output of a metric script that is not UTF-8 is read as Latin-1",
        "Something is better than nothing.",
        "chardet, fallback encodings",
        lambda output: output if _is_utf_8(output) else output.decode("latin-1").encode("utf-8"),
    ),
    Case(
        "script-output-cut-at-64-kib",
        "a metric script's output is read to 64 KiB",
        "One read gives what a buffer holds.",
        "read(65536)",
        lambda output: output[:65536],
        clause="000-out-json",
    ),
    Case(
        "script-output-up-to-nul",
        "a metric script's output is read up to its first NUL",
        "Strings end there.",
        "C strings",
        lambda output: output.partition(b"\0")[0],
        clause="000-broken-json",
    ),
    Case(
        "script-empty-bytes-as-object",
        "output of a metric script without a byte is {}, white space is not",
        "A file of size 0 is taken for no metrics.",
        "st_size == 0",
        lambda output: output or b"{}",
        clause="000-broken-json",
    ),
)
def other_bytes(reference: Variant, change: Callable[[bytes], bytes]) -> None:
    """Changes the bytes that a script wrote."""

    def around(run_script: Callable[..., Any]) -> Callable[..., Any]:
        def run(script: bytes, lines: bytes) -> Any:
            done = run_script(script, lines)
            if isinstance(done.written, OSError):
                return done
            return metric_script.Run(done.returncode, done.stdout, done.stderr, change(done.written))

        return run

    reference.wrap(metric_script.run_script, around)


def _is_utf_8(text: bytes) -> bool:
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _detected(output: bytes, encoding: str) -> bytes:
    detected = json.detect_encoding(output)
    if not detected.startswith(encoding):
        return output
    return output.decode(detected, "surrogatepass").encode("utf-8", "surrogatepass")


def _outside_strings(change: Callable[[str], str]) -> Callable[[str], str]:
    """Changes a text but for the strings in it."""
    return lambda text: "".join(part if i % 2 else change(part) for i, part in enumerate(_STRING.split(text)))


def _inside_strings(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(change(part) if i % 2 else part for i, part in enumerate(_STRING.split(text)))


def _sub(pattern: str, by: str) -> Callable[[str], str]:
    return _outside_strings(lambda part: re.sub(pattern, by, part))


def _first_document(text: str) -> str:
    try:
        _, end = json.JSONDecoder().raw_decode(text, len(text) - len(text.lstrip(" \t\r\n")))
    except (ValueError, RecursionError):
        return text
    return text[:end]


def _refuse_if(wrong: Callable[[str], Any]) -> Callable[[str], str]:
    def change(text: str) -> str:
        if wrong(text):
            _refused("not taken")
        return text

    return change


def _matching_outside(pattern: str) -> Callable[[str], str]:
    return _refuse_if(lambda text: any(re.search(pattern, part) for part in _STRING.split(text)[::2]))


def _depth(text: str) -> int:
    depth = deepest = 0
    for part in _STRING.split(text)[::2]:
        for character in part:
            depth += (character in "[{") - (character in "]}")
            deepest = max(deepest, depth)
    return deepest


def _control_escaped(text: str) -> str:
    return re.sub(r"[\x00-\x1f]", lambda m: f"\\u{ord(m[0]):04x}", text)


@grammars.each(
    Case(
        "script-last-line-only",
        "only the last line of a metric script's output is read",
        "What a program says last is its result.",
        "tail -1, JSON lines",
        lambda text: (text.rstrip("\n").rsplit("\n", 1) or [""])[-1],
        clause="000-out-json",
    ),
    Case(
        "script-first-document-only",
        "text after the first document of a metric script's output is ignored",
        "A stream's reader stops where its value ends.",
        "Go's json.Decoder, raw_decode, Jackson",
        _first_document,
    ),
    Case(
        "script-trailing-space-refused",
        "white space after a metric script's output is refused",
        "Nothing may follow the document.",
        "hand-written parsers",
        _refuse_if(lambda text: text[-1:] in " \t\r\n" and text.strip()),
        clause="000-out-json",
    ),
    Case(
        "script-leading-space-refused",
        "white space before a metric script's output is refused",
        "A document begins with its brace.",
        "hand-written parsers",
        _refuse_if(lambda text: text[:1] in " \t\r\n" and text.strip()),
        clause="000-out-json",
    ),
    Case(
        "script-any-space-stripped",
        "white space of any kind around a metric script's output is cut off",
        "strip() knows more of it than JSON does.",
        "str.strip, String.trim",
        lambda text: text.strip() or text,
    ),
    Case(
        "script-form-feeds-as-space",
        "form feeds and vertical tabs are white space in a metric script's output",
        "isspace() is true of them.",
        "isspace, C's locale",
        _sub(r"[\f\v]", " "),
    ),
    Case(
        "script-no-break-spaces-as-space",
        "no-break spaces are white space between the tokens of a metric script's output",
        "Unicode counts them as space.",
        "char::is_whitespace, JSON5",
        _sub("\u00a0", " "),
    ),
    Case(
        "script-blank-output-as-null",
        "a metric script's output of white space alone is null",
        "Nothing is taken for null.",
        "YAML readers",
        lambda text: "null" if text and not text.strip() else text,
    ),
    Case(
        "script-comments-skipped",
        "comments in a metric script's output are skipped",
        "Configuration files have them.",
        "JSON5, JSONC, Jackson's ALLOW_COMMENTS",
        _sub(r"//[^\n]*|/\*.*?\*/", " "),
    ),
    Case(
        "script-trailing-commas-taken",
        "a comma after the last member is taken in a metric script's output",
        "Many languages allow it in their own lists.",
        "JSON5, YAML",
        _sub(r",(\s*[}\]])", r"\1"),
    ),
    Case(
        "script-single-quotes-taken",
        "strings in single quotes are taken in a metric script's output",
        "They are Python's own way to print them.",
        "ast.literal_eval, YAML, JSON5",
        _sub(r"'([^'\"\\]*)'", r'"\1"'),
    ),
    Case(
        "script-bare-names-taken",
        "names without quotes are taken in a metric script's output",
        "They need none in JavaScript.",
        "JSON5, YAML",
        _sub(r"([{,]\s*)([A-Za-z_]\w*)(\s*:)", r'\1"\2"\3'),
    ),
    Case(
        "script-leading-zeros-taken",
        "numbers with leading zeros are taken in a metric script's output",
        "They mean the same.",
        "strtod, YAML, Jackson's features",
        _sub(r"(?<![\d.eE+-])(-?)0+(?=\d)", r"\1"),
    ),
    Case(
        "script-bare-points-taken",
        "numbers such as 1. and .5 are taken in a metric script's output",
        "They are numbers elsewhere.",
        "strtod, JSON5",
        _outside_strings(
            lambda part: re.sub(r"(\d)\.(?!\d)", r"\1.0", re.sub(r"(?<!\d)\.(\d)", r"0.\1", part))
        ),
    ),
    Case(
        "script-plus-signs-taken",
        "numbers with a plus sign are taken in a metric script's output",
        "They are numbers elsewhere.",
        "strtod, YAML, JSON5",
        _sub(r"(?<![\w.])\+(?=[\d.])", ""),
    ),
    Case(
        "script-lower-case-non-finite-taken",
        "nan and inf are taken for numbers in a metric script's output",
        "float() reads them, and repr() writes them.",
        "float(), strtod, YAML",
        _outside_strings(lambda part: re.sub(r"\binf\b", "Infinity", re.sub(r"\bnan\b", "NaN", part))),
    ),
    Case(
        "script-negative-nan-taken",
        "-NaN is taken for a number in a metric script's output",
        "A minus may stand before the other numbers.",
        "C++'s printf of some NaNs, float()",
        _sub(r"-NaN", "NaN"),
    ),
    Case(
        "script-python-names-taken",
        "True, False and None are taken in a metric script's output",
        "They are Python's own way to print them.",
        "ast.literal_eval, eval",
        _outside_strings(
            lambda part: re.sub(
                r"\b(True|False|None)\b", lambda m: "null" if m[0] == "None" else m[0].lower(), part
            )
        ),
    ),
    Case(
        "script-raw-control-characters-taken",
        "control characters in strings are taken in a metric script's output",
        "Only a quote ends a string.",
        "strict=False, JSON5, lenient readers",
        _inside_strings(_control_escaped),
    ),
    Case(
        "script-raw-tabs-taken",
        "tabs in strings are taken in a metric script's output, other control characters are not",
        "Nobody sees that a tab is no space.",
        "lenient readers",
        _inside_strings(lambda part: part.replace("\t", "\\t")),
    ),
    Case(
        "script-raw-delete-refused",
        "U+007F in a string of a metric script's output is refused",
        "It is a control character in ASCII.",
        "iscntrl",
        _refuse_if(lambda text: "\x7f" in text),
        clause="000-out-json",
    ),
    Case(
        "script-lone-surrogate-escape-refused",
        "an escape of a lone surrogate in a metric script's output is refused",
        "It stands for no character.",
        "serde_json, strict readers",
        _refuse_if(
            lambda text: any(
                0xD800 <= ord(c) <= 0xDFFF
                for escape in re.findall(r"(?<!\\)(?:\\\\)*((?:\\u[0-9a-fA-F]{4})+)", text)
                for c in json.loads(f'"{escape}"')
            )
        ),
        clause="000-out-unchecked",
    ),
    Case(
        "script-nesting-limit-128",
        "a metric script's output nested deeper than 128 is refused",
        "A parser guards its stack with a limit of its own.",
        "serde_json's recursion limit",
        _refuse_if(lambda text: 128 < _depth(text) < 10_000),
        clause="000-out-nesting",
    ),
    Case(
        "script-deep-nesting-a-decode-error",
        "a metric script's output that is nested too deeply is a JSONDecodeError",
        "What cannot be read is no JSON.",
        "serde_json, encoding/json",
        _refuse_if(lambda text: _depth(text) >= 10_000),
        clause="000-out-nesting",
    ),
    Case(
        "script-non-ascii-output-refused",
        "characters beyond ASCII in a metric script's output are refused",
        "rewards.jsonl has none either.",
        "encoding='ascii'",
        _refuse_if(lambda text: not text.isascii()),
        clause="000-out-json",
    ),
    Case(
        "script-negative-infinity-refused",
        "-Infinity in a metric script's output is refused, NaN and Infinity are not",
        "Constants have no sign.",
        "lists of constants without it",
        _matching_outside("-Infinity"),
        clause="000-out-non-finite",
    ),
    Case(
        "script-upper-case-exponents-refused",
        "numbers with E in a metric script's output are refused",
        "Python writes a small one.",
        "regular expressions for numbers",
        _matching_outside(r"\dE"),
        clause="000-out-json",
    ),
    Case(
        "script-overflow-refused",
        "a number too large for a double is refused in a metric script's output",
        "It cannot be represented.",
        "serde_json's 'number out of range', Go",
        lambda text: _overflow(text, _refused),
        clause="000-out-non-finite",
    ),
    Case(
        "script-overflow-is-the-largest",
        "a number too large for a double is the largest one in a metric script's output",
        "Conversions saturate.",
        "saturating casts",
        lambda text: _overflow(text, lambda _: "1.7976931348623157e308"),
        clause="000-out-non-finite",
    ),
    Case(
        "script-underflow-refused",
        "a number too small for a double is refused in a metric script's output",
        "strtod() says ERANGE of both ends.",
        "strtod's errno",
        _refuse_if(lambda text: _underflow(text)),
        clause="000-out-json",
    ),
    Case(
        "script-digit-limit-at-4300",
        "an int of exactly 4300 digits in a metric script's output is refused",
        "A border is easily off by one.",
        ">= for >",
        lambda text: _limited(text, r"(?<![\d.eE+-])-?(\d{4300,})(?![\d.eE])"),
        clause="000-out-int-digits",
    ),
    Case(
        "script-digit-limit-counts-the-sign",
        "an int's minus sign counts as a digit in a metric script's output",
        "The text is one longer.",
        "len(text)",
        lambda text: _limited(text, r"(?<![\d.eE+-])(-\d{4300,}|\d{4301,})(?![\d.eE])"),
        clause="000-out-int-digits",
    ),
    Case(
        "script-digit-limit-of-floats",
        "a float of more than 4300 digits in a metric script's output is a ValueError",
        "The limit is thought to be one of numbers.",
        "limits on a number's text",
        lambda text: _limited(text, r"\d{4301,}"),
        clause="000-out-int-digits",
    ),
    Case(
        "script-digit-limit-in-strings",
        "a string of more than 4300 digits in a metric script's output is a ValueError",
        "Text is searched for long numbers.",
        "regular expressions on the whole text",
        lambda text: _limited_anywhere(text),
        clause="000-out-int-digits",
    ),
)
def other_text(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text before it is parsed, or refuses it."""
    changed_text(reference, change)


_NUMBER = r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"


def _overflow(text: str, by: Callable[[str], str]) -> str:
    def one(match: re.Match[str]) -> str:
        return by(match[0]) if set(match[0]) & set(".eE") and math.isinf(float(match[0])) else match[0]

    return _outside_strings(lambda part: re.sub(_NUMBER, one, part))(text)


def _underflow(text: str) -> bool:
    found = (match for part in _STRING.split(text)[::2] for match in re.findall(_NUMBER, part))
    return any(float(it) == 0 and re.search(r"[1-9]", re.split("[eE]", it)[0]) for it in found)


def _limited(text: str, pattern: str) -> str:
    if any(re.search(pattern, part) for part in _STRING.split(text)[::2]):
        raise ValueError("too many digits")
    return text


def _limited_anywhere(text: str) -> str:
    if re.search(r"\d{4301,}", text):
        raise ValueError("too many digits")
    return text


@numbers.each(
    Case(
        "script-minus-zero-as-float",
        "-0 in a metric script's output is the float -0.0",
        "An int has no negative zero, and the sign should be kept.",
        "JavaScript, serde_json",
        lambda parse, text: parse(_sub(r"-0(?![\d.eE])", "-0.0")(text)),
    ),
    Case(
        "script-exponents-as-ints",
        "1e2 in a metric script's output is the int 100",
        "It has no fraction.",
        "JavaScript, YAML, Decimal",
        lambda parse, text: parse(
            _outside_strings(
                lambda part: re.sub(
                    r"(?<![\d.])(-?\d+)[eE]\+?(\d{1,2})(?!\d)", lambda m: m[1] + "0" * int(m[2]), part
                )
            )(text)
        ),
    ),
    Case(
        "script-nested-non-finite-as-null",
        "NaN and infinities below the top of a metric script's output are null",
        "Metrics are checked, what lies deeper is written by another.",
        "clean-up of nested values",
        lambda parse, text: _below(parse(text), _finite_or_null),
        clause="000-out-non-finite",
    ),
    Case(
        "script-big-ints-as-floats",
        "ints beyond 64 bits in a metric script's output are floats",
        "A JSON library's number is an i64, a u64 or a double.",
        "serde_json, Go",
        lambda parse, text: _through(
            parse(text),
            lambda it: (
                float(it) if type(it) is int and not -(2**63) <= it < 2**64 and abs(it) < 2**1000 else it
            ),
        ),
    ),
    Case(
        "script-bools-as-ints",
        "true and false in a metric script's output are 1 and 0",
        "Metrics are numbers, and a bool is one in Python.",
        "int(), sums of bools",
        lambda parse, text: _through(parse(text), lambda it: int(it) if isinstance(it, bool) else it),
    ),
    Case(
        "script-nulls-dropped",
        "members of a metric script's output that are null are left out",
        "Null says that there is none.",
        "exclude_none, compact()",
        lambda parse, text: _members(parse(text), lambda _, value: value is not None),
    ),
    Case(
        "script-nulls-as-zero",
        "members of a metric script's output that are null are 0",
        "Missing rewards are said to count as 0.",
        "the document's default",
        lambda parse, text: _through(
            parse(text),
            lambda it: (
                {key: 0 if item is None else item for key, item in it.items()} if isinstance(it, dict) else it
            ),
        ),
    ),
    Case(
        "script-numeric-text-as-numbers",
        "text of a metric script's output that is a number becomes one",
        "Metrics are numbers.",
        "pydantic's lax mode, PHP",
        lambda parse, text: _through(parse(text), _number_of_text),
    ),
    Case(
        "script-inner-objects-flattened",
        "inner objects of a metric script's output are flattened, their names joined by a point",
        "A metric's name may have parts.",
        "data frames, experiment trackers",
        lambda parse, text: _flat(parse(text)),
    ),
    Case(
        "script-number-wrapped",
        "a bare number in a metric script's output is the mean of an object",
        "The mean is the default metric's name.",
        "lenient readers",
        lambda parse, text: _wrapped(parse(text)),
        clause="000-out-object",
    ),
    Case(
        "script-single-element-unwrapped",
        "a list of one value in a metric script's output is this value",
        "A list of one and its element look alike in some shells.",
        "PowerShell, ACCEPT_SINGLE_VALUE_AS_ARRAY",
        lambda parse, text: _unwrapped(parse(text)),
        clause="000-out-object",
    ),
    Case(
        "script-null-as-object",
        "null in a metric script's output is {}",
        "Both say that there is none.",
        "value or {}",
        lambda parse, text: _or_else(parse(text), lambda it: it is None, {}),
        clause="000-out-object",
    ),
    Case(
        "script-empty-object-refused",
        "{} in a metric script's output is a ValueError",
        "A script should give a metric at least.",
        "if not metrics: raise",
        lambda parse, text: _refuse_value(parse(text), lambda it: it == {}),
        clause="000-out-object",
    ),
    Case(
        "script-falsy-output-refused",
        "0, an empty text, list or object, false and null in a metric script's output are ValueErrors",
        "A script should give a metric at least.",
        "if not metrics: raise",
        lambda parse, text: _refuse_value(parse(text), lambda it: not it),
        clause="000-out-object",
    ),
    Case(
        "script-first-metric-only",
        "of several metrics in a script's output the first is taken",
        "A script is one metric.",
        "next(iter(metrics))",
        lambda parse, text: _first_only(parse(text)),
        clause="000-out-several",
    ),
    Case(
        "script-mean-demanded",
        "an object without mean in a metric script's output is a ValueError",
        "The document's script writes it.",
        "metrics['mean']",
        lambda parse, text: _with_mean(parse(text)),
        clause="000-out-several",
    ),
    Case(
        "script-metric-names-trimmed",
        "metrics in a script's output lose the white space around their names",
        "Names are tidied where they are read.",
        "key.strip()",
        lambda parse, text: _renamed(parse(text), str.strip),
    ),
    Case(
        "script-metric-names-lower-cased",
        "metrics in a script's output are named in lower case",
        "Names are compared without case elsewhere.",
        "key.lower()",
        lambda parse, text: _renamed(parse(text), str.lower),
    ),
    Case(
        "script-empty-metric-names-dropped",
        "a metric without a name is left out of a script's output",
        "An empty name is taken for a missing one.",
        "if key",
        lambda parse, text: _members(parse(text), lambda key, _: key != ""),
    ),
    Case(
        "script-proto-metric-lost",
        "a metric called __proto__ is lost from a script's output",
        "Assigning it to an object sets the object's prototype.",
        "JavaScript and TypeScript objects as maps",
        lambda parse, text: _members(parse(text), lambda key, _: key != "__proto__"),
    ),
    Case(
        "script-digit-names-first",
        "metrics named by digits come first in a script's output, in ascending order",
        "JavaScript's objects order their keys so.",
        "JavaScript and TypeScript objects",
        lambda parse, text: _through(parse(text), _digits_first),
        clause="000-out-several",
    ),
    Case(
        "script-lone-surrogate-escape-replaced",
        "an escape of a lone surrogate in a metric script's output is U+FFFD",
        "Strings hold whole characters alone.",
        "Go, JavaScript's toWellFormed",
        lambda parse, text: _through(parse(text), _well_formed),
    ),
    Case(
        "script-floats-rounded",
        "floats in a metric script's output are rounded to fifteen significant digits",
        "0.30000000000000004 looks wrong.",
        "%.15g",
        lambda parse, text: _through(
            parse(text), lambda it: float(f"{it:.15g}") if isinstance(it, float) and math.isfinite(it) else it
        ),
    ),
)
def other_values(reference: Variant, read: Callable[[Callable[[str], Any], str], Any]) -> None:
    """Reads another value from the text."""
    parse = reference.get(_PARSE)
    reference.replace_use(_PARSE, lambda text: read(parse, text))


def _through(value: Any, change: Callable[[Any], Any]) -> Any:
    """Changes every value, those in lists and objects first; what is nested deeply stays as it is."""

    def every(value: Any) -> Any:
        if isinstance(value, dict):
            return change({key: every(item) for key, item in value.items()})
        return change([every(item) for item in value] if isinstance(value, list) else value)

    try:
        return every(value)
    except RecursionError:
        return value


def _finite_or_null(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _below(value: Any, change: Callable[[Any], Any]) -> Any:
    if not isinstance(value, dict):
        return value
    return {
        key: _through(item, change) if isinstance(item, dict | list) else item for key, item in value.items()
    }


def _members(value: Any, kept: Callable[[str, Any], bool]) -> Any:
    if not isinstance(value, dict):
        return value
    return {key: item for key, item in value.items() if kept(key, item)}


def _number_of_text(value: Any) -> Any:
    if isinstance(value, str) and re.fullmatch(_NUMBER, value):
        return json.loads(value)
    return value


def _flat(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    flat: dict[str, Any] = {}
    for key, item in value.items():
        inner = _flat(item)
        flat |= (
            {f"{key}.{name}": it for name, it in inner.items()} if isinstance(inner, dict) else {key: inner}
        )
    return flat


def _wrapped(value: Any) -> Any:
    return {"mean": value} if type(value) in (int, float) else value


def _unwrapped(value: Any) -> Any:
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def _or_else(value: Any, wrong: Callable[[Any], bool], other: Any) -> Any:
    return other if wrong(value) else value


def _refuse_value(value: Any, wrong: Callable[[Any], bool]) -> Any:
    if wrong(value):
        raise ValueError("no metrics")
    return value


def _first_only(value: Any) -> Any:
    return dict(list(value.items())[:1]) if isinstance(value, dict) else value


def _with_mean(value: Any) -> Any:
    if isinstance(value, dict) and "mean" not in value:
        raise ValueError("no mean")
    return value


def _renamed(value: Any, name: Callable[[str], str]) -> Any:
    return {name(key): item for key, item in value.items()} if isinstance(value, dict) else value


def _digits_first(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    first = sorted((key for key in value if re.fullmatch(r"0|[1-9][0-9]{0,8}", key)), key=int)
    return {key: value[key] for key in (*first, *(key for key in value if key not in first))}


def _well_formed(value: Any) -> Any:
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, dict):
        return {re.sub("[\ud800-\udfff]", "\ufffd", key): item for key, item in value.items()}
    return value


@wholes.each(
    Case(
        "script-repeated-metric-moves-last",
        "a repeated metric in a script's output stands in its last place",
        "A member that is set again is removed and put behind the others.",
        "ordered maps that reinsert, dict.pop before an assignment",
        lambda pairs: dict(reversed(list(dict(reversed(pairs)).items()))),
        clause="000-out-duplicate-key",
    ),
    Case(
        "script-repeated-metrics-listed",
        "the values of a repeated metric in a script's output become a list",
        "No value should be lost.",
        "query strings, XML to JSON",
        lambda pairs: {
            key: (values if len(values) > 1 else values[0])
            for key in dict(pairs)
            for values in [[item for name, item in pairs if name == key]]
        },
        clause="000-out-duplicate-key",
    ),
)
def other_pairs(reference: Variant, pairs: Callable[[list[tuple[str, Any]]], Any]) -> None:
    """Changes what becomes of an object's members."""
    changed_pairs(reference, pairs)


@wholes.each(
    Case(
        "script-inner-duplicates-first-wins",
        "of duplicate keys below the top of a metric script's output the first wins",
        "A reader treats its own members and other people's values differently.",
        "typed top, generic rest",
        clause="000-out-duplicate-key",
    ),
)
def inner_duplicates(reference: Variant) -> None:
    """Reads inner objects by another reader than the whole."""
    parse = reference.get(_PARSE)

    def read(text: str) -> Any:
        last = parse(text)
        if not isinstance(last, dict):
            return last
        first = json.loads(text, object_pairs_hook=lambda pairs: (None, pairs))
        tops = dict(first[1])
        try:
            return {key: _firsts(tops[key]) for key in last}
        except RecursionError:
            return last

    reference.replace_use(_PARSE, read)


def _firsts(tree: Any) -> Any:
    if isinstance(tree, tuple):
        members = dict(reversed(tree[1]))
        return {key: _firsts(members[key]) for key in dict(tree[1])}
    return [_firsts(item) for item in tree] if isinstance(tree, list) else tree
