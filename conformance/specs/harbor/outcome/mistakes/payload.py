"""Mistakes in reading the payload of an outcome line."""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.outcome.mistakes.line_search import FIND, PREFIX, find_by, payload_in_line


def _payload(reference: Variant, change: Callable[[str], str]) -> None:
    """Has the text of the payload pass through ``change`` before it is parsed."""

    def payload_in(line: str) -> str | None:
        text = payload_in_line(line)
        return None if text is None else change(text)

    find_by(reference, payload_in=payload_in)


@mistake(
    "payload-cut-at-equals",
    says="the payload ends at the next equals sign",
    op="read_outcome",
    clause="003-5-read-prefix-exact",
    why="The line is split at equals signs, and the second part taken.",
    invited_by="split('=')[1], awk -F=, cut -d= -f2",
)
def _(reference: Variant) -> None:
    _payload(reference, lambda text: text.partition("=")[0])


@mistake(
    "payload-behind-last-prefix",
    says="the payload begins behind the last prefix in its line",
    op="read_outcome",
    clause="003-5-read-prefix-exact",
    why="Everything up to the prefix is cut, as much as possible.",
    invited_by="${line##*PREFIX=} in shell, sed 's/.*PREFIX=//', rsplit, greedy patterns",
)
def _(reference: Variant) -> None:
    _payload(reference, lambda text: text.rpartition(PREFIX)[2])


@mistake(
    "payload-trimmed",
    says="all white space and byte order marks around the payload are trimmed",
    op="read_outcome",
    clause="003-5-read-malformed",
    why="Text is trimmed before it is parsed.",
    invited_by="JavaScript's trim(), str.strip, shell",
)
def _(reference: Variant) -> None:
    _payload(reference, lambda text: text.strip().strip("\ufeff"))


@mistake(
    "text-behind-payload-ignored",
    says="what follows the first JSON value of the payload is ignored",
    op="read_outcome",
    clause="003-5-read-malformed",
    why="A decoder of streams stops there.",
    invited_by="Go's json.Decoder, Jackson's readValue, raw_decode, patterns such as {.*}",
)
def _(reference: Variant) -> None:
    def first(text: str) -> str:
        start = len(text) - len(text.lstrip(" \t\r\n"))
        try:
            return text[: json.JSONDecoder(parse_int=str).raw_decode(text, start)[1]]
        except (ValueError, RecursionError):
            return text

    _payload(reference, first)


@mistake(
    "malformed-line-as-missing",
    says="an outcome line that is not JSON gives harbor_result_missing",
    op="read_outcome",
    clause="003-5-read-malformed",
    why="No result could be found in the output.",
    invited_by="Optional results, one failure for all",
)
def _(reference: Variant) -> None:
    def around(find: Callable[[str], Any]) -> Callable[[str], Any]:
        def found(stdout: str) -> Any:
            payload = find(stdout)
            return payload if isinstance(payload, dict) else "harbor_result_missing"

        return found

    reference.wrap(FIND, around)


@mistake(
    "payload-null-as-empty",
    says="a payload that is null, or no object at all, counts as an empty object",
    op="read_outcome",
    clause="003-5-read-not-object",
    why="A look-up in it gives nothing.",
    invited_by="JavaScript's optional chaining, Go's nil maps and structs, jq",
)
def _(reference: Variant) -> None:
    def around(find: Callable[[str], Any]) -> Callable[[str], Any]:
        def found(stdout: str) -> Any:
            payload = find(stdout)
            last = _last_text(stdout)
            return {} if payload == "harbor_result_malformed" and _is_json(last) else payload

        return found

    reference.wrap(FIND, around)


@mistake(
    "payload-keys-without-case",
    says="keys of the payload are matched without regard to case",
    op="read_outcome",
    clause="003-5-read-partial",
    why="Fields of a struct are matched so.",
    invited_by="Go's encoding/json, PowerShell, .NET with PropertyNameCaseInsensitive",
)
def _(reference: Variant) -> None:
    def around(find: Callable[[str], Any]) -> Callable[[str], Any]:
        def found(stdout: str) -> Any:
            payload = find(stdout)
            return {k.lower(): v for k, v in payload.items()} if isinstance(payload, dict) else payload

        return found

    reference.wrap(FIND, around)


@mistake(
    "payload-nan-refused",
    says="NaN and Infinity in the payload make it malformed",
    op="read_outcome",
    clause="003-5-read-json-constants",
    why="They are not JSON.",
    invited_by="every JSON library but Python's and a few others",
)
def _(reference: Variant) -> None:
    def refuse(token: str) -> Any:
        raise json.JSONDecodeError(token, "", 0)

    def around(find: Callable[[str], Any]) -> Callable[[str], Any]:
        def found(stdout: str) -> Any:
            payload = find(stdout)
            last = _last_text(stdout)
            return (
                payload if isinstance(payload, str) or _is_json(last, refuse) else "harbor_result_malformed"
            )

        return found

    reference.wrap(FIND, around)


def _last_text(stdout: str) -> str:
    texts = (payload_in_line(line) for line in reversed(stdout.splitlines()))
    return next((text for text in texts if text is not None), "")


def _is_json(text: str, parse_constant: Callable[[str], Any] | None = None) -> bool:
    try:
        json.loads(text, parse_int=str, parse_constant=parse_constant)
    except json.JSONDecodeError:
        return False
    return True
