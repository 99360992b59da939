"""Mistakes in what JSON is: texts that a reward.json may or may not hold."""

import ast
import json
import re
import warnings
from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.reward.mistakes.reward_json import reading

Read = Callable[[str], Any]
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}]', re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^"]+?(?=["]|\Z)', re.DOTALL)


def _text_first(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text of a reward.json before it is read."""
    reference.wrap("reward.parse_json", lambda parse: lambda text: parse(change(text)))


def _otherwise(reference: Variant, read: Read) -> None:
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

    reference.wrap("cpython312.parsing.parse_json", around)


def _outside_strings(text: str, change: Callable[[str], str]) -> str:
    """Changes what stands outside of strings."""
    return _TOKEN.sub(lambda match: match[0] if match[0].startswith('"') else change(match[0]), text)


@mistake(
    "comments-in-json-accepted",
    says="comments are accepted in reward.json",
    op="parse_reward",
    clause="003-1.3-bad-json-is-parse-error",
    why="The parser is one for configuration files.",
    invited_by="JSON5, JSONC, Json.NET, Gson's lenient mode, Jackson's ALLOW_COMMENTS",
)
def _(reference: Variant) -> None:
    pattern = re.compile(r'("(?:[^"\\]|\\.)*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
    _otherwise(reference, lambda text: json.loads(pattern.sub(lambda match: match[1] or " ", text)))


@mistake(
    "trailing-comma-accepted",
    says="a comma after the last entry is accepted in reward.json",
    op="parse_reward",
    clause="003-1.3-bad-json-is-parse-error",
    why="Most languages' own literals allow it.",
    invited_by="JSON5, JSONC, Json.NET, Jackson's ALLOW_TRAILING_COMMA, YAML",
)
def _(reference: Variant) -> None:
    _otherwise(
        reference,
        lambda text: json.loads(_outside_strings(text, lambda part: re.sub(r",(\s*[]}])", r"\1", part))),
    )


@mistake(
    "python-literals-accepted",
    says="a printed Python dict is accepted as reward.json: single quotes, True, 1_0",
    op="parse_reward",
    clause="003-1.3-bad-json-is-parse-error",
    why="Verifiers write str(dict), and the fallback reads it.",
    invited_by="ast.literal_eval, eval, YAML loaders",
)
def _(reference: Variant) -> None:
    def read(text: str) -> Any:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                return ast.literal_eval(text.strip())
        except (SyntaxError, TypeError) as error:
            raise ValueError(str(error)) from error

    _otherwise(reference, read)


@mistake(
    "unquoted-keys-accepted",
    says="keys without quotation marks are accepted in reward.json",
    op="parse_reward",
    clause="003-1.3-bad-json-is-parse-error",
    why="JavaScript's own object literals have them.",
    invited_by="JSON5, YAML's flow style, Hjson, Gson's lenient mode",
)
def _(reference: Variant) -> None:
    pattern = re.compile(r"([{,]\s*)([A-Za-z_$][\w$]*)(\s*:)")
    _otherwise(
        reference,
        lambda text: json.loads(_outside_strings(text, lambda part: pattern.sub(r'\1"\2"\3', part))),
    )


@mistake(
    "text-numbers-in-json-accepted",
    says="numbers in reward.json are read like those of reward.txt: +1, .5, 01 and inf are accepted",
    op="parse_reward",
    clause="003-1.3-number-grammar",
    why="One function reads every number.",
    invited_by="JSON5, hand-written parsers with float(), strtod or parseFloat",
)
def _(reference: Variant) -> None:
    def number(match: re.Match[str]) -> str:
        try:
            return json.dumps(reference.module("cpython312.parsing").parse_float(match[0]))
        except ValueError:
            return match[0]

    _otherwise(
        reference,
        lambda text: json.loads(
            _outside_strings(text, lambda part: re.sub(r"(?<![\w.+-])[+-]?[\w.][\w.+-]*", number, part))
        ),
    )


@mistake(
    "rest-after-json-ignored",
    says="what follows the first document of reward.json is ignored",
    op="parse_reward",
    clause="003-1.3-one-document",
    why="A decoder of a stream stops after one value.",
    invited_by="Go's json.Decoder, Python's raw_decode, Jackson's readValue, jq",
)
def _(reference: Variant) -> None:
    decoder = json.JSONDecoder()
    _otherwise(reference, lambda text: decoder.raw_decode(text.lstrip(" \t\r\n"))[0])


@mistake(
    "json-trimmed-like-text",
    says="any white space is accepted around the document of reward.json",
    op="parse_reward",
    clause="003-1.3-white-space",
    why="The text is trimmed before it is parsed.",
    invited_by="json.loads(text.strip()), JSON.parse(text.trim())",
)
def _(reference: Variant) -> None:
    _text_first(reference, lambda text: text.strip() or text)


@mistake(
    "raw-controls-accepted",
    says="control characters are accepted in the strings of reward.json",
    op="parse_reward",
    clause="003-1.3-string-grammar",
    why="They do no harm to the parser.",
    invited_by="Python's strict=False, Gson, Jackson's ALLOW_UNESCAPED_CONTROL_CHARS, PHP before 7",
)
def _(reference: Variant) -> None:
    reading(reference, strict=False)


@mistake(
    "lone-surrogates-refused",
    says="an escaped lone surrogate is refused in reward.json",
    op="parse_reward",
    clause="003-1.3-string-grammar",
    why="A string of Unicode characters cannot hold one.",
    invited_by="Rust's serde_json, Swift, simdjson, msgspec, orjson",
)
def _(reference: Variant) -> None:
    def around(parse: Read) -> Read:
        def checking(text: str) -> Any:
            value = parse(text)
            if re.search(r"\\u[dD][89a-fA-F]", text):
                json.dumps(value, ensure_ascii=False).encode("utf-8")
            return value

        return checking

    reference.wrap("cpython312.parsing.parse_json", around)


@mistake(
    "deep-nesting-is-malformed",
    says="a reward.json nested too deeply is VerifierOutputParseError",
    op="parse_reward",
    clause="003-1.3-nesting",
    why="The parser reports it like any other error.",
    invited_by="except Exception, serde_json's recursion limit, Jackson's StreamReadConstraints",
)
def _(reference: Variant) -> None:
    def around(parse: Read) -> Read:
        def mapping(text: str) -> Any:
            try:
                return parse(text)
            except RecursionError as error:
                raise ValueError("nested too deeply") from error

        return mapping

    reference.wrap("reward.parse_json", around)


@mistake(
    "nesting-limited-to-128",
    says="a reward.json nested deeper than 128 levels is refused",
    op="parse_reward",
    clause="003-1.3-nesting",
    why="The parser guards its stack.",
    invited_by="Rust's serde_json (128), .NET (64), Ruby (100), PHP (512)",
)
def _(reference: Variant) -> None:
    def around(parse: Read) -> Read:
        def limited(text: str) -> Any:
            depth = 0
            for bracket in _BRACKET.findall(text):
                depth += (bracket in "[{") - (bracket in "]}")
                if depth > 128:
                    raise ValueError("nested too deeply")
            return parse(text)

        return limited

    reference.wrap("reward.parse_json", around)
