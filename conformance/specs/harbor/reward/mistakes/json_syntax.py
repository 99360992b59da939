"""Mistakes in what JSON is: texts that a reward.json may or may not hold."""

import ast
import json
import re
import warnings
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.reward.mistakes.reward_json import reading
from reference_impl import reward
from reference_impl.cpython312 import parsing

mistakes = family("parse_reward", clause="003-1.3-number-grammar")
in_parse_json = family("parse_reward", of=parsing.parse_json, clause="003-1.3-string-grammar")
in_parse_json_family = family("parse_reward", of=(reward, parsing.parse_json), clause="003-1.3-nesting")

Read = Callable[[str], Any]
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}]', re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^"]+?(?=["]|\Z)', re.DOTALL)


@way("parse_reward")
def text_first(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text of a reward.json before it is read."""
    reference.wrap((reward, parsing.parse_json), lambda parse: lambda text: parse(change(text)))


@way("parse_reward", clause="003-1.3-bad-json-is-parse-error")
def otherwise(reference: Variant, read: Read) -> None:
    """Has ``read`` try a short text that is not JSON."""

    def around(parse: Read) -> Read:
        def trying(text: str) -> Any:
            try:
                return parse(text)
            except json.JSONDecodeError:
                if len(text) > 1000:
                    raise
                return read(text)

        return trying

    reference.wrap(parsing.parse_json, around)


def _outside_strings(text: str, change: Callable[[str], str]) -> str:
    """Changes what stands outside of strings."""
    return _TOKEN.sub(lambda match: match[0] if match[0].startswith('"') else change(match[0]), text)


@otherwise.made(invited_by="JSON5, JSONC, Json.NET, Gson's lenient mode, Jackson's ALLOW_COMMENTS")
def comments_in_json_accepted(text: str) -> Any:
    """Comments are accepted in reward.json. The parser is one for configuration files."""
    pattern = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
    return json.loads(pattern.sub(lambda match: match[1] or " ", text))


@otherwise.made(invited_by="JSON5, JSONC, Json.NET, Jackson's ALLOW_TRAILING_COMMA, YAML")
def trailing_comma_accepted(text: str) -> Any:
    """A comma after the last entry is accepted in reward.json. Most languages' own literals allow it."""
    return json.loads(_outside_strings(text, lambda part: re.sub(r",(\s*[]}])", r"\1", part)))


@otherwise.made(invited_by="ast.literal_eval, eval, YAML loaders")
def python_literals_accepted(text: str) -> Any:
    """A printed Python dict is accepted as reward.json: single quotes, True, 1_0.
    Verifiers write str(dict), and the fallback reads it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.literal_eval(text.strip())
    except (SyntaxError, TypeError) as error:
        raise ValueError(str(error)) from error


@otherwise.made(invited_by="JSON5, YAML's flow style, Hjson, Gson's lenient mode")
def unquoted_keys_accepted(text: str) -> Any:
    """Keys without quotation marks are accepted in reward.json.
    JavaScript's own object literals have them."""
    pattern = re.compile(r"([{,]\s*)([A-Za-z_$][\w$]*)(\s*:)")
    return json.loads(_outside_strings(text, lambda part: pattern.sub(r'\1"\2"\3', part)))


@mistakes.changed(invited_by="JSON5, hand-written parsers with float(), strtod or parseFloat")
def text_numbers_in_json_accepted(reference: Variant) -> None:
    """Numbers in reward.json are read like those of reward.txt: +1, .5, 01 and inf are accepted.
    One function reads every number."""

    def number(match: re.Match[str]) -> str:
        try:
            return json.dumps(reference.its(parsing.parse_float)(match[0]))
        except ValueError:
            return match[0]

    otherwise(
        reference,
        lambda text: json.loads(
            _outside_strings(text, lambda part: re.sub(r"(?<![\w.+-])[+-]?[\w.][\w.+-]*", number, part))
        ),
    )


@mistakes.changed(
    clause="003-1.3-one-document",
    invited_by="Go's json.Decoder, Python's raw_decode, Jackson's readValue, jq",
)
def rest_after_json_ignored(reference: Variant) -> None:
    """What follows the first document of reward.json is ignored.
    A decoder of a stream stops after one value."""
    decoder = json.JSONDecoder()
    otherwise(reference, lambda text: decoder.raw_decode(text.lstrip(" \t\r\n"))[0])


@text_first.made(clause="003-1.3-white-space", invited_by="json.loads(text.strip()), JSON.parse(text.trim())")
def json_trimmed_like_text(text: str) -> str:
    """Any white space is accepted around the document of reward.json.
    The text is trimmed before it is parsed."""
    return text.strip() or text


@mistakes.changed(
    clause="003-1.3-string-grammar",
    invited_by="Python's strict=False, Gson, Jackson's ALLOW_UNESCAPED_CONTROL_CHARS, PHP before 7",
)
def raw_controls_accepted(reference: Variant) -> None:
    """Control characters are accepted in the strings of reward.json. They do no harm to the parser."""
    reading(reference, strict=False)


@in_parse_json.wrapped(invited_by="Rust's serde_json, Swift, simdjson, msgspec, orjson")
def lone_surrogates_refused(parse: Read, text: str) -> Any:
    """An escaped lone surrogate is refused in reward.json. A string of Unicode characters cannot hold one."""
    value = parse(text)
    if re.search(r"\\u[dD][89a-fA-F]", text):
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


@in_parse_json_family.wrapped(
    invited_by="except Exception, serde_json's recursion limit, Jackson's StreamReadConstraints"
)
def deep_nesting_is_malformed(parse: Read, text: str) -> Any:
    """A reward.json nested too deeply is VerifierOutputParseError.
    The parser reports it like any other error."""
    try:
        return parse(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


@in_parse_json_family.wrapped(invited_by="Rust's serde_json (128), .NET (64), Ruby (100), PHP (512)")
def nesting_limited_to_128(parse: Read, text: str) -> Any:
    """A reward.json nested deeper than 128 levels is refused. The parser guards its stack."""
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += (bracket in "[{") - (bracket in "]}")
        if depth > 128:
            raise ValueError("nested too deeply")
    return parse(text)
