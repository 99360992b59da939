"""Mistakes in reading ``reward.json``: its syntax, and what is made of it."""

import ast
import json
import re
import warnings
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import reward, verifier_result
from reference_impl.cpython312 import parsing

mistakes = family("parse_reward")
in_parse_json_int = family("parse_reward", of=parsing._parse_json_int)
in_parse_json = family("parse_reward", of=parsing.parse_json, clause="003-1.3-string-grammar")
in_reward_json = family("parse_reward", of=(reward, parsing.parse_json), clause="003-1.3-nesting")
Read = Callable[[str], Any]


def reading(reference: Variant, **options: Any) -> None:
    """Reads JSON with other options of ``json.loads``."""
    parse_int = reference.get(parsing._parse_json_int)
    reference.replace(parsing.parse_json, lambda text: json.loads(text, parse_int=parse_int, **options))


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is not JSON")


@mistakes.changed(clause="003-1.3-non-finite-constants", invited_by="every JSON parser but Python's, orjson")
def json_words_refused(reference: Variant) -> None:
    """NaN, Infinity and -Infinity are refused in reward.json. They are not JSON."""
    reading(reference, parse_constant=_refuse)


@mistakes.changed(
    clause="003-1.3-non-finite-constants", invited_by="text.replace('NaN', 'null'), simplejson's ignore_nan"
)
def json_words_become_null(reference: Variant) -> None:
    """NaN and the infinities in reward.json are read as null.
    The words are replaced before a strict parser gets the text."""
    reading(reference, parse_constant=lambda token: None)


@mistakes.changed(
    clause="003-1.3-non-finite-constants",
    invited_by="Rust's serde_json, Go's encoding/json, simdjson, orjson",
)
def json_overflow_refused(reference: Variant) -> None:
    """A float in reward.json that is beyond the double range is refused.
    The parser reports a number out of range."""

    def finite(token: str) -> float:
        number = float(token)
        return number if abs(number) != float("inf") else float(_refuse(token))

    reading(reference, parse_float=finite)


@in_parse_json_int.wrapped(
    clause="003-1.3-int-and-float-kept", invited_by="Rust's serde_json, Go, JavaScript, RapidJSON"
)
def json_minus_zero_is_float(parse: Callable[..., Any], digits: Any) -> Any:
    """-0 in reward.json is read as -0.0. No integer type can hold the sign, so a double has to."""
    return -0.0 if digits == "-0" else parse(digits)


@mistakes.changed(
    clause="003-1.3-int-and-float-kept", invited_by="tests for '.' in the token, BigDecimal's scale, YAML 1.2"
)
def json_exponent_is_int(reference: Variant) -> None:
    """A number in reward.json with an exponent but no point is read as an int if it is whole.
    The point alone is taken for the mark of a float."""

    def read(token: str) -> int | float:
        number = float(token)
        return int(number) if "." not in token and number.is_integer() else number

    reading(reference, parse_float=read)


@in_parse_json_int.replaced(
    clause="003-1.3-integer-digit-limit",
    invited_by="Ruby, Java's BigInteger, JavaScript's BigInt, Python before 3.10.7",
)
def json_int_digits_unlimited(digits: Any) -> Any:
    """Ints of more than 4300 digits are accepted in reward.json. The limit is CPython's own."""
    return int(digits)


@mistakes.changed(
    clause="003-1.3-duplicate-keys-last-wins",
    invited_by="simdjson's lookup, RapidJSON's FindMember, Map.putIfAbsent, jsmn",
)
def first_duplicate_key_wins(reference: Variant) -> None:
    """Of equal keys in reward.json the first value counts. What is there already is not replaced."""

    def first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            members.setdefault(key, value)
        return members

    reading(reference, object_pairs_hook=first_wins)


@mistakes.changed(
    clause="003-1.3-duplicate-keys-last-wins",
    invited_by="Go's encoding/json/v2, serde structs, I-JSON parsers, yamllint's habits",
)
def duplicate_keys_refused(reference: Variant) -> None:
    """A reward.json in which a key comes again is refused. The strict reading of RFC 8259."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        return members if len(members) == len(pairs) else dict(_refuse("a duplicate key"))

    reading(reference, object_pairs_hook=unique)


@mistakes.changed(
    clause="003-1.3-key-order",
    invited_by="OrderedDict with move_to_end, Ruby's delete and insert, association lists",
)
def duplicate_key_moves_last(reference: Variant) -> None:
    """A key that comes again in reward.json takes its last place.
    The old entry is removed and the new one appended."""

    def moved(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            members.pop(key, None)
            members[key] = value
        return members

    reading(reference, object_pairs_hook=moved)


@in_reward_json.wrapped(
    clause="003-1.3-duplicate-keys-last-wins", invited_by="streaming deserialisers: serde, Jackson, msgspec"
)
def overwritten_values_validated(reference: Variant, parse: Read, text: str) -> Any:
    """A value that a later equal key replaces is validated all the same.
    Values are converted while the text is parsed."""
    result = reference.its(verifier_result)
    value = parse(text)
    if isinstance(value, dict) and len(text) < 1000:
        for key, item in json.loads(text, object_pairs_hook=_Pairs).pairs:
            result._validate_reward(key, None if isinstance(item, _Pairs) else item)
    return value


class _Pairs:
    """An object as its members, duplicates and all."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        self.pairs = pairs


ReadText = Callable[[str], Any]
_BRACKET = re.compile(r'"(?:[^"\\]|\\.)*"|[][{}]', re.DOTALL)
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[^"]+?(?=["]|\Z)', re.DOTALL)


@way("parse_reward")
def text_first(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the text of a reward.json before it is read."""
    reference.wrap((reward, parsing.parse_json), lambda parse: lambda text: parse(change(text)))


@way("parse_reward", clause="003-1.3-bad-json-is-parse-error")
def otherwise(reference: Variant, read: ReadText) -> None:
    """Has ``read`` try a short text that is not JSON."""

    def around(parse: ReadText) -> ReadText:
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


@otherwise.made(
    clause="003-1.3-number-grammar",
    invited_by="JSON5, hand-written parsers with float(), strtod or parseFloat",
)
def text_numbers_in_json_accepted(reference: Variant, text: str) -> Any:
    """Numbers in reward.json are read like those of reward.txt: +1, .5, 01 and inf are accepted.
    One function reads every number."""

    def number(match: re.Match[str]) -> str:
        try:
            return json.dumps(reference.its(parsing.parse_float)(match[0]))
        except ValueError:
            return match[0]

    return json.loads(
        _outside_strings(text, lambda part: re.sub(r"(?<![\w.+-])[+-]?[\w.][\w.+-]*", number, part))
    )


@otherwise.made(
    clause="003-1.3-one-document",
    invited_by="Go's json.Decoder, Python's raw_decode, Jackson's readValue, jq",
)
def rest_after_json_ignored(text: str) -> Any:
    """What follows the first document of reward.json is ignored.
    A decoder of a stream stops after one value."""
    decoder = json.JSONDecoder()
    return decoder.raw_decode(text.lstrip(" \t\r\n"))[0]


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
def lone_surrogates_refused(parse: ReadText, text: str) -> Any:
    """An escaped lone surrogate is refused in reward.json. A string of Unicode characters cannot hold one."""
    value = parse(text)
    if re.search(r"\\u[dD][89a-fA-F]", text):
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    return value


@in_reward_json.wrapped(
    invited_by="except Exception, serde_json's recursion limit, Jackson's StreamReadConstraints"
)
def deep_nesting_is_malformed(parse: ReadText, text: str) -> Any:
    """A reward.json nested too deeply is VerifierOutputParseError.
    The parser reports it like any other error."""
    try:
        return parse(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


@in_reward_json.wrapped(invited_by="Rust's serde_json (128), .NET (64), Ruby (100), PHP (512)")
def nesting_limited_to_128(parse: ReadText, text: str) -> Any:
    """A reward.json nested deeper than 128 levels is refused. The parser guards its stack."""
    depth = 0
    for bracket in _BRACKET.findall(text):
        depth += (bracket in "[{") - (bracket in "]}")
        if depth > 128:
            raise ValueError("nested too deeply")
    return parse(text)
