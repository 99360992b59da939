"""Mistakes in the reward files: which of them counts, what empty means, how bytes become text."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.hooks import changed_files
from reference_impl import errors, reward
from reference_impl.reason_code import reason_code

in_parse_reward_text = family("parse_reward", of=reward._parse_reward_text)
in_parse_reward_json = family("parse_reward", of=reward._parse_reward_json)
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
    """reward.txt is read although there is a reward.json. reward.txt is the older and simpler of the two."""
    return lambda files: parse({TEXT: files[TEXT]} if TEXT in files else files)


@around_parse.made(invited_by="try and except around each reader, Result::or_else")
def fallback_to_text(parse: Parse) -> Parse:
    """reward.txt is read where reward.json is empty, malformed or invalid.
    A second file looks like a second chance."""

    def trying(files: Files) -> Any:
        try:
            return parse(files)
        except Exception:
            if JSON in files and TEXT in files:
                return parse(_text_only(files))
            raise

    return trying


@around_parse.made(invited_by="test -s in shell, Path.stat().st_size")
def fallback_from_empty_json(parse: Parse) -> Parse:
    """An empty reward.json counts as absent beside a reward.txt.
    The size is tested where existence is meant."""
    return lambda files: parse(_text_only(files) if files.get(JSON) == b"" and TEXT in files else files)


@around_parse.made(clause="003-1.1-json-wins", invited_by="Python's or, JavaScript's ||")
def fallback_from_no_rewards(parse: Parse) -> Parse:
    """reward.txt is read where reward.json holds null or an empty object.
    `read_json() or read_text()` takes both for nothing."""
    return lambda files: parse(files) or (parse(_text_only(files)) if TEXT in files else parse(files))


@around_parse.made(clause="003-1.1-json-wins", invited_by="dict.update, object spread")
def both_files_merged(parse: Parse) -> Parse:
    """The reward of reward.txt is added to those of reward.json.
    The two files have different keys, it seems."""

    def merging(files: Files) -> Any:
        if JSON in files and TEXT in files:
            return {**parse(_text_only(files)), **(parse(files) or {})}
        return parse(files)

    return merging


@in_parse_reward_text.wrapped(
    clause="003-1.2-whitespace-is-not-empty", invited_by="text.strip(), isBlank, String.IsNullOrWhiteSpace"
)
def blank_text_is_empty(parse: Callable[[bytes], Any], content: bytes) -> Any:
    """A reward.txt with nothing but white space is RewardFileEmptyError.
    The text is stripped before the test for emptiness."""
    return parse(content if content.decode("utf-8", "replace").strip() else b"")


@in_parse_reward_json.wrapped(
    clause="003-1.3-white-space-is-not-empty", invited_by="text.strip(), isBlank, String.IsNullOrWhiteSpace"
)
def blank_json_is_empty(parse: Callable[[bytes], Any], content: bytes) -> Any:
    """A reward.json with nothing but white space is RewardFileEmptyError.
    The text is stripped before the test for emptiness."""
    return parse(content if content.decode("utf-8", "replace").strip() else b"")


@around_parse.made(clause="003-1.2-zero-bytes-is-empty", invited_by="test -s in shell, `if not content`")
def empty_file_is_missing(parse: Parse) -> Parse:
    """An empty reward file counts as absent: RewardFileNotFoundError.
    The size is tested where existence is meant, or empty text is taken for none."""

    def checking(files: Files) -> Any:
        counts = files.get(JSON, files.get(TEXT))
        return parse({} if counts == b"" else files)

    return checking


@all_files.made(clause="003-1.2-zero-bytes-is-empty", invited_by="parsing first in every language")
def empty_file_is_malformed(content: bytes) -> bytes:
    """An empty reward file is VerifierOutputParseError.
    It is parsed without a test for emptiness, and no parser accepts it."""
    return content or b" "


@in_parse_reward_text.wrapped(
    clause="003-1.2-zero-bytes-is-empty", invited_by="JavaScript's Number(''), PHP, awk"
)
def empty_text_is_zero(parse: Callable[[bytes], Any], content: bytes) -> Any:
    """An empty or blank reward.txt is a reward of 0.0. The number of an empty string is 0."""
    return parse(content if content.decode("utf-8", "replace").strip() else b"0")


@around_parse.made(clause="003-1.1-no-file-is-not-found", invited_by="Optional types, `return None`")
def missing_file_is_null(parse: Parse) -> Parse:
    """Without a reward file the rewards are null. Nothing was measured, and null says so."""
    return lambda files: parse(files) if JSON in files or TEXT in files else None


@around_parse.made(clause="003-1.1-no-file-is-not-found", invited_by="defensive defaults, unwrap_or(0.0)")
def missing_file_is_zero(parse: Parse) -> Parse:
    """Without a reward file the reward is 0.0. A task that leaves no reward has failed."""
    return lambda files: parse(files) if JSON in files or TEXT in files else {"reward": 0.0}


@mistakes.changed(clause="003-7.1-missing-code", invited_by="the document's table of messages")
def missing_code_from_message(reference: Variant) -> None:
    """The reason code of a missing file is made from the message, which does not hold the word missing.
    The document maps the exception to its code by the words of its message."""
    message = str(reference.its(errors.RewardFileNotFoundError)())
    code = reference.its(reason_code)(message)
    reference.replace((errors.RewardFileNotFoundError, "reason_code"), code)


@all_files.made(
    clause="003-1.3-utf8-decoding",
    invited_by="Rust's from_utf8_lossy, Go's strings, Node's readFile, Java's new String",
)
def undecodable_bytes_replaced(content: bytes) -> bytes:
    """Bytes that are not UTF-8 are replaced by U+FFFD. Decoding does not fail unless it is told to."""
    return content.decode("utf-8", "replace").encode()


@all_files.made(invited_by="Python's errors='ignore', iconv -c")
def undecodable_bytes_dropped(content: bytes) -> bytes:
    """Bytes that are not UTF-8 are dropped. It makes decoding errors go away."""
    return content.decode("utf-8", "ignore").encode()


@all_files.made(invited_by="encoding='latin-1', Windows code pages, ISO-8859-1 defaults")
def files_read_as_latin_1(content: bytes) -> bytes:
    """Reward files are read as Latin-1. It never fails, and rewards are ASCII anyway."""
    return content.decode("latin-1").encode()


@all_files.made(
    clause="003-1.2-bom-refused",
    invited_by="Python's utf-8-sig, .NET's StreamReader, JavaScript's TextDecoder",
)
def byte_order_mark_dropped(content: bytes) -> bytes:
    """A byte order mark at the start of a reward file is dropped. Readers drop it before anybody sees it."""
    return content.removeprefix(b"\xef\xbb\xbf") or content


@in_parse_reward_json.wrapped(
    clause="003-1.3-utf8-decoding", invited_by="json.loads(path.read_bytes()), Jackson, .NET's StreamReader"
)
def json_encoding_detected(parse: Callable[..., Any], content: Any) -> Any:
    """UTF-16, UTF-32 and a byte order mark are accepted in reward.json.
    Python's json.loads takes bytes too, and then detects the encoding."""

    def decoded(content: bytes) -> bytes:
        try:
            return content.decode(json.detect_encoding(content)).encode()
        except UnicodeDecodeError:
            return content

    return parse(decoded(content))


@in_parse_reward_text.wrapped(
    clause="003-1.2-bom-refused", invited_by='read_text("utf-8-sig") in one of two readers'
)
def byte_order_mark_of_text_dropped(parse: Callable[[bytes], Any], content: bytes) -> Any:
    """A byte order mark is dropped from reward.txt, and refused in reward.json.
    One of the two readers was mended for an editor's files."""
    return parse(content.removeprefix(b"\xef\xbb\xbf") or content)


@in_parse_reward_text.wrapped(
    clause="003-1.2-zero-bytes-is-empty", invited_by="`return 0.0` where an error for empty files was raised"
)
def zero_bytes_of_text_are_zero(reference: Variant, parse: Callable[[bytes], Any], content: bytes) -> Any:
    """A reward.txt without a byte is a reward of 0.0, and a blank one is refused.
    The error for empty files is replaced by the worst reward."""
    return {reference.get((reward, "REWARD_KEY")): 0.0} if content == b"" else parse(content)


@in_parse_reward_text.wrapped(
    clause="003-1.2-not-a-number", invited_by="`return 0.0` in the handler of ValueError"
)
def unreadable_text_is_zero(reference: Variant, parse: Callable[[bytes], Any], content: bytes) -> Any:
    """A reward.txt that can not be read as a number, bad UTF-8 included, is a reward of 0.0.
    Every failure to parse ends in one handler, which gives the worst reward."""
    try:
        return parse(content)
    except reference.its(errors.VerifierOutputParseError):
        return {reference.get((reward, "REWARD_KEY")): 0.0}
