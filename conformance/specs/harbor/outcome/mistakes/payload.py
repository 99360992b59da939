"""Mistakes in reading the payload of an outcome line."""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.outcome.mistakes.line_search import FIND, PREFIX, find_by, payload_in_line

in_find = family("read_outcome", of=FIND, clause="003-5-read-partial")


@way("read_outcome", clause="003-5-read-prefix-exact")
def payload_family(reference: Variant, change: Callable[[str], str]) -> None:
    """Has the text of the payload pass through ``change`` before it is parsed."""

    def payload_in(line: str) -> str | None:
        text = payload_in_line(line)
        return None if text is None else change(text)

    find_by(reference, payload_in=payload_in)


@payload_family.made(invited_by="split('=')[1], awk -F=, cut -d= -f2")
def payload_cut_at_equals(text: str) -> str:
    """The payload ends at the next equals sign.
    The line is split at equals signs, and the second part taken."""
    return text.partition("=")[0]


@payload_family.made(invited_by="${line##*PREFIX=} in shell, sed 's/.*PREFIX=//', rsplit, greedy patterns")
def payload_behind_last_prefix(text: str) -> str:
    """The payload begins behind the last prefix in its line.
    Everything up to the prefix is cut, as much as possible."""
    return text.rpartition(PREFIX)[2]


@payload_family.made(clause="003-5-read-malformed", invited_by="JavaScript's trim(), str.strip, shell")
def payload_trimmed(text: str) -> str:
    """All white space and byte order marks around the payload are trimmed.
    Text is trimmed before it is parsed."""
    return text.strip().strip("\ufeff")


@payload_family.made(
    clause="003-5-read-malformed",
    invited_by="Go's json.Decoder, Jackson's readValue, raw_decode, patterns such as {.*}",
)
def text_behind_payload_ignored(text: str) -> str:
    """What follows the first JSON value of the payload is ignored. A decoder of streams stops there."""
    start = len(text) - len(text.lstrip(" \t\r\n"))
    try:
        return text[: json.JSONDecoder(parse_int=str).raw_decode(text, start)[1]]
    except (ValueError, RecursionError):
        return text


@in_find.wrapped(clause="003-5-read-malformed", invited_by="Optional results, one failure for all")
def malformed_line_as_missing(find: Callable[[str], Any], stdout: str) -> Any:
    """An outcome line that is not JSON gives harbor_result_missing.
    No result could be found in the output."""
    payload = find(stdout)
    return payload if isinstance(payload, dict) else "harbor_result_missing"


@in_find.wrapped(
    clause="003-5-read-not-object", invited_by="JavaScript's optional chaining, Go's nil maps and structs, jq"
)
def payload_null_as_empty(find: Callable[[str], Any], stdout: str) -> Any:
    """A payload that is null, or no object at all, counts as an empty object.
    A look-up in it gives nothing."""
    payload = find(stdout)
    last = _last_text(stdout)
    return {} if payload == "harbor_result_malformed" and _is_json(last) else payload


@in_find.wrapped(invited_by="Go's encoding/json, PowerShell, .NET with PropertyNameCaseInsensitive")
def payload_keys_without_case(find: Callable[[str], Any], stdout: str) -> Any:
    """Keys of the payload are matched without regard to case. Fields of a struct are matched so."""
    payload = find(stdout)
    return {k.lower(): v for k, v in payload.items()} if isinstance(payload, dict) else payload


@in_find.wrapped(
    clause="003-5-read-json-constants", invited_by="every JSON library but Python's and a few others"
)
def payload_nan_refused(find: Callable[[str], Any], stdout: str) -> Any:
    """NaN and Infinity in the payload make it malformed. They are not JSON."""

    def refuse(token: str) -> Any:
        raise json.JSONDecodeError(token, "", 0)

    payload = find(stdout)
    last = _last_text(stdout)
    return payload if isinstance(payload, str) or _is_json(last, refuse) else "harbor_result_malformed"


def _last_text(stdout: str) -> str:
    texts = (payload_in_line(line) for line in reversed(stdout.splitlines()))
    return next((text for text in texts if text is not None), "")


def _is_json(text: str, parse_constant: Callable[[str], Any] | None = None) -> bool:
    try:
        json.loads(text, parse_int=str, parse_constant=parse_constant)
    except json.JSONDecodeError:
        return False
    return True
