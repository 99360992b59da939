"""What readers of the document alone understood of the outcome line: which one, and what it may hold."""

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.outcome.mistakes.line_search import PREFIX, payload_in_line
from reference_impl import outcome
from reference_impl.cpython312 import parsing

in_find = family("read_outcome", of=outcome._find_payload, clause="003-5-read-last-line")
MISSING = "harbor_result_missing"
MALFORMED = "harbor_result_malformed"
MEMBERS = frozenset({"status", "score", "resolved", "total", "reason_code"})
Find = Callable[[str], Any]


class RefusedError(Exception):
    """A payload that a stricter reader does not take."""


@way("read_outcome", clause="003-5-read-payload-json")
def checked_by(reference: Variant, check: Callable[[str, Any], None]) -> None:
    """Has ``check(text, payload)`` look at a payload that has been read; RefusedError makes it malformed."""

    def around(find: Find) -> Find:
        def checked(stdout: str) -> Any:
            payload = find(stdout)
            if isinstance(payload, dict):
                try:
                    check(next(_texts(stdout)), payload)
                except RefusedError:
                    return MALFORMED
            return payload

        return checked

    reference.wrap(outcome._find_payload, around)


@way("read_outcome", clause="003-5-read-prefix-exact")
def cleaned_by(reference: Variant, clean: Callable[[str], str]) -> None:
    """Has the output pass through ``clean`` before a line is looked for."""
    reference.wrap(outcome._find_payload, lambda find: lambda stdout: find(clean(stdout)))


def _texts(stdout: str) -> Iterator[str]:
    """The payloads of the outcome lines, the last one first."""
    found = (payload_in_line(line) for line in reversed(stdout.splitlines()))
    return (text for text in found if text is not None)


def _walked(value: Any) -> Iterator[Any]:
    """Everything in a value, keys included."""
    yield value
    parts = [*value, *value.values()] if isinstance(value, dict) else value if isinstance(value, list) else []
    for part in parts:
        yield from _walked(part)


@in_find.wrapped(invited_by="for … try … except: continue")
def last_line_that_is_json(find: Find, stdout: str) -> Any:
    """An outcome line that is not JSON is passed over for an earlier one; one that is no object is not.
    An error means that this was not the line."""
    first = find(stdout)
    if first != MALFORMED:
        return first
    for text in _texts(stdout):
        try:
            json.loads(text)
        except ValueError:
            continue
        return find(PREFIX + text)
    return first


@in_find.wrapped(invited_by="for … if not isinstance: continue")
def last_line_that_is_no_other_json(find: Find, stdout: str) -> Any:
    """An outcome line that is JSON but no object is passed over for an earlier one; broken JSON is not.
    The line of interest holds an object."""
    first = find(stdout)
    for text in _texts(stdout):
        payload = find(PREFIX + text)
        try:
            other = payload == MALFORMED and not isinstance(json.loads(text), dict)
        except ValueError:
            other = False
        if not other:
            return payload
    return first


@in_find.wrapped(invited_by="strip().splitlines()[-1], tail -n 1")
def line_at_the_end_only(find: Find, stdout: str) -> Any:
    """Only the last line that is not blank is looked at. The result is printed at the very end."""
    lines = [line for line in stdout.splitlines() if line.strip()]
    return find(lines[-1] if lines else "")


@in_find.wrapped(clause="003-5-read-malformed", invited_by="if not payload")
def empty_payload_as_missing(find: Find, stdout: str) -> Any:
    """An outcome line with nothing but white space behind the prefix gives harbor_result_missing.
    There is no result in it."""
    blank = not next(_texts(stdout), "{}").strip()
    return MISSING if blank else find(stdout)


@in_find.wrapped(clause="003-5-read-last-line", invited_by="patterns with .+, if not payload: continue")
def empty_payload_passed_over(find: Find, stdout: str) -> Any:
    """An outcome line with nothing behind the prefix is no outcome line. There has to be a result in it."""
    return find("\n".join(line for line in stdout.splitlines() if line != PREFIX))


@in_find.wrapped(clause="003-5-read-huge-int-escapes", invited_by="[parse(line) for line in lines][-1]")
def every_line_parsed(reference: Variant, find: Find, stdout: str) -> Any:
    """Every outcome line is parsed, so that what is too long or too deep in an earlier one escapes.
    The last of the parsed ones is taken."""
    for text in _texts(stdout):
        with contextlib.suppress(json.JSONDecodeError):
            reference.get((outcome, parsing.parse_json))(text)
    return find(stdout)


@in_find.wrapped(clause="003-5-read-partial", invited_by="if not payload")
def empty_object_as_missing(find: Find, stdout: str) -> Any:
    """An empty object as payload gives harbor_result_missing. There is no result in it."""
    payload = find(stdout)
    return MISSING if payload == {} else payload


@in_find.wrapped(clause="003-5-read-partial", invited_by="if not payload")
def empty_object_as_malformed(find: Find, stdout: str) -> Any:
    """An empty object as payload gives harbor_result_malformed. It is no result."""
    payload = find(stdout)
    return MALFORMED if payload == {} else payload


@in_find.wrapped(clause="003-5-read-not-object", invited_by="if payload is None")
def null_payload_as_missing(find: Find, stdout: str) -> Any:
    """The payload null gives harbor_result_missing. null is no result."""
    return MISSING if next(_texts(stdout), "").strip(" \t\n\r") == "null" else find(stdout)


@cleaned_by.made(invited_by="utf-8-sig, TextDecoder")
def output_mark_skipped(stdout: str) -> str:
    """A byte order mark at the beginning of the output is skipped. It is no text."""
    return stdout.removeprefix("\ufeff")


@cleaned_by.made(invited_by="terminals, rich, colour in logs")
def colours_stripped(stdout: str) -> str:
    """Escape sequences for colours are taken out of the output. Logs of containers are coloured."""
    return re.sub(r"\x1b\[[0-9;]*m", "", stdout)


@cleaned_by.made(clause="003-5-read-line-ends", invited_by="progress bars, col -b")
def lines_overwritten(stdout: str) -> str:
    """Of a line only what stands behind its last carriage return counts. A terminal overwrites the rest."""
    return "\n".join(line.removesuffix("\r").rpartition("\r")[2] for line in stdout.split("\n"))


@checked_by.made(invited_by="serde_json: number out of range, JavaScript's isFinite")
def overflowing_numbers_refused(text: str, payload: Any) -> None:
    """A number with a fraction or exponent that overflows a double, like 1e999, makes the line malformed.
    The parser refuses numbers out of range."""

    def number(digits: str) -> float:
        value = float(digits)
        if value in (float("inf"), float("-inf")):
            raise RefusedError
        return value

    json.loads(text, parse_float=number, parse_int=str)


@checked_by.made(invited_by="serde_json, strict UTF-8 strings")
def lone_surrogates_in_line_refused(text: str, payload: Any) -> None:
    """An escaped lone surrogate anywhere in the payload makes the line malformed. Strings are UTF-8."""
    for value in _walked(payload):
        if isinstance(value, str) and re.search("[\ud800-\udfff]", value):
            raise RefusedError


@checked_by.made(invited_by="deny_unknown_fields, additionalProperties, extra='forbid'")
def other_members_refused(text: str, payload: Any) -> None:
    """A member besides the five makes the line malformed. The line's members are listed."""
    if payload.keys() - MEMBERS:
        raise RefusedError


@checked_by.made(invited_by="serde's derive: duplicate field")
def repeated_members_refused(text: str, payload: Any) -> None:
    """A repeated member makes the line malformed. A typed reader refuses duplicate fields."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) < len(pairs):
            raise RefusedError
        return dict(pairs)

    json.loads(text, object_pairs_hook=once, parse_int=str)


@checked_by.made(invited_by="typed readers: int, bool and string fields")
def typed_counts_demanded(text: str, payload: Any) -> None:
    """A resolved or total that is no int makes the line malformed, though neither is answered.
    A typed reader has fields for all members."""
    if any(type(payload.get(name, 0)) is not int for name in ("resolved", "total")):
        raise RefusedError


@in_find.wrapped(clause="003-5-read-last-line", invited_by="dict.update over the lines")
def lines_merged(find: Find, stdout: str) -> Any:
    """Members that the last outcome line lacks are taken from the one before it. Lines update a summary."""
    last = find(stdout)
    texts = [*_texts(stdout)]
    if not isinstance(last, dict) or len(texts) < 2:
        return last
    try:
        earlier = json.loads(texts[1])
    except (ValueError, RecursionError):
        return last
    return {**earlier, **last} if isinstance(earlier, dict) else last


@in_find.wrapped(clause="003-5-read-payload-json", invited_by="strict=False, hand-written parsers")
def raw_controls_in_strings(find: Find, stdout: str) -> Any:
    """Raw control characters such as a tab are accepted in strings of the payload. They do no harm."""
    payload = find(stdout)
    if payload != MALFORMED:
        return payload
    try:
        lenient = json.loads(next(_texts(stdout)), strict=False)
    except (ValueError, RecursionError):
        return payload
    return lenient if isinstance(lenient, dict) else payload
