"""Mistakes in the reward files: which of them counts, what empty means, how bytes become text."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import changed_files
from conformance.mistakes.variant import Variant

Files = Mapping[str, bytes]
Parse = Callable[[Files], Any]
JSON, TEXT = "reward.json", "reward.txt"


def _around_parse(reference: Variant, around: Callable[[Parse], Parse]) -> None:
    reference.wrap("reward.parse_reward", around)


def _text_only(files: Files) -> dict[str, bytes]:
    return {name: content for name, content in files.items() if name != JSON}


@mistake(
    "text-before-json",
    says="reward.txt is read although there is a reward.json",
    op="parse_reward",
    clause="003-1.1-json-wins",
    why="reward.txt is the older and simpler of the two.",
    invited_by="the order of the sections in the document",
)
def _(reference: Variant) -> None:
    _around_parse(
        reference,
        lambda parse: lambda files: parse({TEXT: files[TEXT]} if TEXT in files else files),
    )


@mistake(
    "fallback-to-text",
    says="reward.txt is read where reward.json is empty, malformed or invalid",
    op="parse_reward",
    clause="003-1.1-no-fallback",
    why="A second file looks like a second chance.",
    invited_by="try and except around each reader, Result::or_else",
)
def _(reference: Variant) -> None:
    def around(parse: Parse) -> Parse:
        def trying(files: Files) -> Any:
            try:
                return parse(files)
            except Exception:
                if JSON in files and TEXT in files:
                    return parse(_text_only(files))
                raise

        return trying

    _around_parse(reference, around)


@mistake(
    "fallback-from-empty-json",
    says="an empty reward.json counts as absent beside a reward.txt",
    op="parse_reward",
    clause="003-1.1-no-fallback",
    why="The size is tested where existence is meant.",
    invited_by="test -s in shell, Path.stat().st_size",
)
def _(reference: Variant) -> None:
    def around(parse: Parse) -> Parse:
        return lambda files: parse(_text_only(files) if files.get(JSON) == b"" and TEXT in files else files)

    _around_parse(reference, around)


@mistake(
    "fallback-from-no-rewards",
    says="reward.txt is read where reward.json holds null or an empty object",
    op="parse_reward",
    clause="003-1.1-json-wins",
    why="`read_json() or read_text()` takes both for nothing.",
    invited_by="Python's or, JavaScript's ||",
)
def _(reference: Variant) -> None:
    def around(parse: Parse) -> Parse:
        return lambda files: parse(files) or (parse(_text_only(files)) if TEXT in files else parse(files))

    _around_parse(reference, around)


@mistake(
    "both-files-merged",
    says="the reward of reward.txt is added to those of reward.json",
    op="parse_reward",
    clause="003-1.1-json-wins",
    why="The two files have different keys, it seems.",
    invited_by="dict.update, object spread",
)
def _(reference: Variant) -> None:
    def around(parse: Parse) -> Parse:
        def merging(files: Files) -> Any:
            if JSON in files and TEXT in files:
                return {**parse(_text_only(files)), **(parse(files) or {})}
            return parse(files)

        return merging

    _around_parse(reference, around)


@mistake(
    "blank-text-is-empty",
    says="a reward.txt with nothing but white space is RewardFileEmptyError",
    op="parse_reward",
    clause="003-1.2-whitespace-is-not-empty",
    why="The text is stripped before the test for emptiness.",
    invited_by="text.strip(), isBlank, String.IsNullOrWhiteSpace",
)
def _(reference: Variant) -> None:
    def around(parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        return lambda content: parse(content if content.decode("utf-8", "replace").strip() else b"")

    reference.wrap("reward._parse_reward_text", around)


@mistake(
    "blank-json-is-empty",
    says="a reward.json with nothing but white space is RewardFileEmptyError",
    op="parse_reward",
    clause="003-1.3-white-space-is-not-empty",
    why="The text is stripped before the test for emptiness.",
    invited_by="text.strip(), isBlank, String.IsNullOrWhiteSpace",
)
def _(reference: Variant) -> None:
    def around(parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        return lambda content: parse(content if content.decode("utf-8", "replace").strip() else b"")

    reference.wrap("reward._parse_reward_json", around)


@mistake(
    "empty-file-is-missing",
    says="an empty reward file counts as absent: RewardFileNotFoundError",
    op="parse_reward",
    clause="003-1.2-zero-bytes-is-empty",
    why="The size is tested where existence is meant, or empty text is taken for none.",
    invited_by="test -s in shell, `if not content`",
)
def _(reference: Variant) -> None:
    def around(parse: Parse) -> Parse:
        def checking(files: Files) -> Any:
            counts = files.get(JSON, files.get(TEXT))
            return parse({} if counts == b"" else files)

        return checking

    _around_parse(reference, around)


@mistake(
    "empty-file-is-malformed",
    says="an empty reward file is VerifierOutputParseError",
    op="parse_reward",
    clause="003-1.2-zero-bytes-is-empty",
    why="It is parsed without a test for emptiness, and no parser accepts it.",
    invited_by="parsing first in every language",
)
def _(reference: Variant) -> None:
    changed_files(reference, lambda content: content or b" ")


@mistake(
    "empty-text-is-zero",
    says="an empty or blank reward.txt is a reward of 0.0",
    op="parse_reward",
    clause="003-1.2-zero-bytes-is-empty",
    why="The number of an empty string is 0.",
    invited_by="JavaScript's Number(''), PHP, awk",
)
def _(reference: Variant) -> None:
    def around(parse: Callable[[bytes], Any]) -> Callable[[bytes], Any]:
        return lambda content: parse(content if content.decode("utf-8", "replace").strip() else b"0")

    reference.wrap("reward._parse_reward_text", around)


@mistake(
    "missing-file-is-null",
    says="without a reward file the rewards are null",
    op="parse_reward",
    clause="003-1.1-no-file-is-not-found",
    why="Nothing was measured, and null says so.",
    invited_by="Optional types, `return None`",
)
def _(reference: Variant) -> None:
    _around_parse(
        reference, lambda parse: lambda files: parse(files) if JSON in files or TEXT in files else None
    )


@mistake(
    "missing-file-is-zero",
    says="without a reward file the reward is 0.0",
    op="parse_reward",
    clause="003-1.1-no-file-is-not-found",
    why="A task that leaves no reward has failed.",
    invited_by="defensive defaults, unwrap_or(0.0)",
)
def _(reference: Variant) -> None:
    _around_parse(
        reference,
        lambda parse: lambda files: parse(files) if JSON in files or TEXT in files else {"reward": 0.0},
    )


@mistake(
    "missing-code-from-message",
    says="the reason code of a missing file is made from the message, which does not hold the word missing",
    op="parse_reward",
    clause="003-7.1-missing-code",
    why="The document maps the exception to its code by the words of its message.",
    invited_by="the document's table of messages",
)
def _(reference: Variant) -> None:
    message = str(reference.module("errors").RewardFileNotFoundError())
    code = reference.module("reason_code").reason_code(message)
    reference.replace("errors.RewardFileNotFoundError.reason_code", code)


@mistake(
    "undecodable-bytes-replaced",
    says="bytes that are not UTF-8 are replaced by U+FFFD",
    op="parse_reward",
    clause="003-1.3-utf8-decoding",
    why="Decoding does not fail unless it is told to.",
    invited_by="Rust's from_utf8_lossy, Go's strings, Node's readFile, Java's new String",
)
def _(reference: Variant) -> None:
    changed_files(reference, lambda content: content.decode("utf-8", "replace").encode())


@mistake(
    "undecodable-bytes-dropped",
    says="bytes that are not UTF-8 are dropped",
    op="parse_reward",
    clause="003-1.2-utf8-decoding",
    why="It makes decoding errors go away.",
    invited_by="Python's errors='ignore', iconv -c",
)
def _(reference: Variant) -> None:
    changed_files(reference, lambda content: content.decode("utf-8", "ignore").encode())


@mistake(
    "files-read-as-latin-1",
    says="reward files are read as Latin-1",
    op="parse_reward",
    clause="003-1.2-utf8-decoding",
    why="It never fails, and rewards are ASCII anyway.",
    invited_by="encoding='latin-1', Windows code pages, ISO-8859-1 defaults",
)
def _(reference: Variant) -> None:
    changed_files(reference, lambda content: content.decode("latin-1").encode())


@mistake(
    "byte-order-mark-dropped",
    says="a byte order mark at the start of a reward file is dropped",
    op="parse_reward",
    clause="003-1.2-bom-refused",
    why="Readers drop it before anybody sees it.",
    invited_by="Python's utf-8-sig, .NET's StreamReader, JavaScript's TextDecoder",
)
def _(reference: Variant) -> None:
    changed_files(reference, lambda content: content.removeprefix(b"\xef\xbb\xbf") or content)


@mistake(
    "json-encoding-detected",
    says="UTF-16, UTF-32 and a byte order mark are accepted in reward.json",
    op="parse_reward",
    clause="003-1.3-utf8-decoding",
    why="Python's json.loads takes bytes too, and then detects the encoding.",
    invited_by="json.loads(path.read_bytes()), Jackson, .NET's StreamReader",
)
def _(reference: Variant) -> None:
    def decoded(content: bytes) -> bytes:
        try:
            return content.decode(json.detect_encoding(content)).encode()
        except UnicodeDecodeError:
            return content

    reference.wrap("reward._parse_reward_json", lambda parse: lambda content: parse(decoded(content)))
