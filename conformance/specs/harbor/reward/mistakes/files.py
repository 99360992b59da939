"""Mistakes in choosing the reward file, and in reading ``reward.json``."""

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.hooks import changed_files
from reference_impl import errors, reward
from reference_impl.cpython312 import parsing

in_parse_reward_text = family("parse_reward", of=reward._parse_reward_text)
mistakes = family("parse_reward")
all_files = way("parse_reward", clause="003-1.2-utf8-decoding")(changed_files)
Files = Mapping[str, bytes]
Parse = Callable[[Files], Any]
JSON, TEXT = "reward.json", "reward.txt"


@way("parse_reward", clause="003-1.1-no-fallback")
def around_parse(reference: Variant, around: Callable[[Parse], Parse]) -> None:
    """Wraps the parsing of the reward files."""
    reference.wrap(reward.parse_reward, around)


def _text_only(files: Files) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if name != JSON}


@around_parse.made(clause="003-1.1-json-wins", invited_by="the order of the sections in the document")
def text_before_json(parse: Parse) -> Parse:
    """reward.txt is read although there is a reward.json. reward.txt is the older and simpler file."""
    return lambda files: parse({TEXT: files[TEXT]} if TEXT in files else files)


@around_parse.made(invited_by="try and except around each reader, Result::or_else")
def fallback_to_text(parse: Parse) -> Parse:
    """reward.txt is read where reward.json is empty, malformed or invalid.
    A second file seems to be a fallback."""

    def trying(files: Files) -> Any:
        try:
            return parse(files)
        except Exception:
            if JSON in files and TEXT in files:
                return parse(_text_only(files))
            raise

    return trying


@all_files.made(clause="003-1.2-zero-bytes-is-empty", invited_by="parsing first in every language")
def empty_file_is_malformed(content: bytes) -> bytes:
    """An empty reward file gives a VerifierOutputParseError.
    It is parsed without a test for emptiness, and no parser accepts it."""
    return content or b" "


@around_parse.made(clause="003-1.1-no-file-is-not-found", invited_by="defensive defaults, unwrap_or(0.0)")
def missing_file_is_zero(parse: Parse) -> Parse:
    """Without a reward file the reward is 0.0. A task without a reward seems to have failed."""
    return lambda files: parse(files) if JSON in files or TEXT in files else {"reward": 0.0}


@all_files.made(
    clause="003-1.3-utf8-decoding",
    invited_by="Rust's from_utf8_lossy, Go's strings, Node's readFile, Java's new String",
)
def undecodable_bytes_replaced(content: bytes) -> bytes:
    """Bytes that are not UTF-8 are replaced by U+FFFD.
    Many decoders replace bad bytes unless they are set to be strict."""
    return content.decode("utf-8", "replace").encode()


@all_files.made(invited_by="encoding='latin-1', Windows code pages, ISO-8859-1 defaults")
def files_read_as_latin_1(content: bytes) -> bytes:
    """Reward files are read as Latin-1. It never fails, and rewards are ASCII anyway."""
    return content.decode("latin-1").encode()


@in_parse_reward_text.wrapped(
    clause="003-1.2-bom-refused", invited_by='read_text("utf-8-sig") in one of two readers'
)
def byte_order_mark_of_text_dropped(parse: Callable[[bytes], Any], content: bytes) -> Any:
    """A byte order mark is dropped from reward.txt, and refused in reward.json.
    Only one of the two readers was fixed for files from an editor."""
    return parse(content.removeprefix(b"\xef\xbb\xbf") or content)


@in_parse_reward_text.wrapped(
    clause="003-1.2-zero-bytes-is-empty", invited_by="`return 0.0` in place of the error for empty files"
)
def zero_bytes_of_text_are_zero(reference: Variant, parse: Callable[[bytes], Any], content: bytes) -> Any:
    """A reward.txt of zero bytes is a reward of 0.0, and a blank one is refused.
    The error for empty files was replaced by the worst reward."""
    return {reference.get((reward, "REWARD_KEY")): 0.0} if content == b"" else parse(content)


@in_parse_reward_text.wrapped(
    clause="003-1.2-not-a-number", invited_by="`return 0.0` in the handler of ValueError"
)
def unreadable_text_is_zero(reference: Variant, parse: Callable[[bytes], Any], content: bytes) -> Any:
    """A reward.txt that can not be read as a number, bad UTF-8 included, is a reward of 0.0.
    A single handler catches every parsing error and gives the worst reward."""
    try:
        return parse(content)
    except reference.its(errors.VerifierOutputParseError):
        return {reference.get((reward, "REWARD_KEY")): 0.0}


in_reward_json = family("parse_reward", of=(reward, parsing.parse_json), clause="003-1.3-nesting")


def reading(reference: Variant, **options: Any) -> None:
    """Reads JSON with other options of ``json.loads``."""
    parse_int = reference.get(parsing._parse_json_int)
    reference.replace(parsing.parse_json, lambda text: json.loads(text, parse_int=parse_int, **options))


def _refuse(token: str) -> Any:
    raise ValueError(f"{token} is not JSON")


@mistakes.changed(clause="003-1.3-non-finite-constants", invited_by="every JSON parser but Python's, orjson")
def json_words_refused(reference: Variant) -> None:
    """NaN, Infinity and -Infinity are refused in reward.json. They are not valid JSON."""
    reading(reference, parse_constant=_refuse)


@mistakes.changed(
    clause="003-1.3-non-finite-constants", invited_by="text.replace('NaN', 'null'), simplejson's ignore_nan"
)
def json_words_become_null(reference: Variant) -> None:
    """NaN and the infinities in reward.json are read as null.
    The words are replaced before a strict parser reads the text."""
    reading(reference, parse_constant=lambda token: None)


@mistakes.changed(
    clause="003-1.3-int-and-float-kept", invited_by="tests for '.' in the token, BigDecimal's scale, YAML 1.2"
)
def json_exponent_is_int(reference: Variant) -> None:
    """A number in reward.json with an exponent but no point is read as an int if it is whole.
    Only a point seems to mark a float."""

    def read(token: str) -> int | float:
        number = float(token)
        return int(number) if "." not in token and number.is_integer() else number

    reading(reference, parse_float=read)


@mistakes.changed(
    clause="003-1.3-duplicate-keys-last-wins",
    invited_by="simdjson's lookup, RapidJSON's FindMember, Map.putIfAbsent, jsmn",
)
def first_duplicate_key_wins(reference: Variant) -> None:
    """If reward.json has a key twice, the first value counts. An existing value is not replaced."""

    def first_wins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            members.setdefault(key, value)
        return members

    reading(reference, object_pairs_hook=first_wins)


@mistakes.changed(
    clause="003-1.3-duplicate-keys-last-wins",
    invited_by="Go's encoding/json/v2, serde structs, I-JSON parsers",
)
def duplicate_keys_refused(reference: Variant) -> None:
    """A reward.json with a duplicate key is refused. A strict reading of RFC 8259 demands it."""

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members = dict(pairs)
        return members if len(members) == len(pairs) else dict(_refuse("a duplicate key"))

    reading(reference, object_pairs_hook=unique)


ReadText = Callable[[str], Any]
_BRACKET = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[][{}]', re.DOTALL)


@in_reward_json.wrapped(invited_by="Rust's serde_json (128), .NET (64), Ruby (100), PHP (512)")
def nesting_limited_to_128(parse: ReadText, text: str) -> Any:
    """A reward.json nested deeper than 128 levels is refused. The parser protects its stack."""
    depth = 0
    for bracket in _BRACKET.findall(text) if text.count("[") + text.count("{") > 128 else ():
        depth += (bracket in "[{") - (bracket in "]}")
        if depth > 128:
            raise ValueError("nested too deeply")
    return parse(text)


@in_parse_reward_text.wrapped(
    clause="003-1.2-whitespace-is-not-empty", invited_by="text.strip(), isBlank, String.IsNullOrWhiteSpace"
)
def blank_text_is_empty(parse: Callable[[bytes], Any], content: bytes) -> Any:
    """A reward.txt with nothing but white space gives a RewardFileEmptyError.
    The text is stripped before the test for emptiness."""
    return parse(content if content.decode("utf-8", "replace").strip() else b"")


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


@family("parse_reward", of=reward._parse_reward_json).wrapped(
    clause="003-1.3-white-space-is-not-empty", invited_by="text.strip(), isBlank, String.IsNullOrWhiteSpace"
)
def blank_json_is_empty(parse: Callable[[bytes], Any], content: bytes) -> Any:
    """A reward.json with nothing but white space gives a RewardFileEmptyError.
    The text is stripped before the test for emptiness."""
    return parse(content if content.decode("utf-8", "replace").strip() else b"")


@in_reward_json.wrapped(
    clause="003-1.3-one-document",
    invited_by="Go's json.Decoder, Python's raw_decode, Jackson's readValue, jq",
)
def rest_after_json_ignored(parse: ReadText, text: str) -> Any:
    """What follows the first document of reward.json is ignored.
    A decoder of a stream stops after one value."""
    try:
        return parse(text)
    except json.JSONDecodeError as error:
        return parse(text[: error.pos] if error.msg == "Extra data" else text)
