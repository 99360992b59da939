"""Answers as a report has them: valid JSON whatever a runner wrote, never long, never nested deeply.

They travel as text, from a worker of pytest too. A text that is too long or too deep for a report is not made
a smaller answer, which nobody could tell from a real one: its beginning is given as a string.
"""

import json
import re
from dataclasses import replace
from typing import Any

from conformance.judging.verdict import Verdict
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused
from conformance.wire.writing import nested_deeper

__all__ = [
    "DEEPEST",
    "LONGEST",
    "actual_text",
    "asked_text",
    "beginning_of",
    "expected_text",
    "lightened",
    "parsed",
]

LONGEST = 20_000
"""Characters of JSON text that are given as they are."""
DEEPEST = 100
"""Levels of nesting that are given as they are; readers of JSON in some languages end at 128."""
_BEGINNING = 2_000
_SHORT_BEGINNING = 200
"""Characters that are given of an answer for which there is no room."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def actual_text(answer: Ok | Refused | None) -> str | None:
    """What a runner answered; None where it did not."""
    match answer:
        case Ok(value):
            return _text({"ok": value})
        case Refused(error_type, reason_code, message):
            error = {"type": error_type, "reason_code": reason_code}
            return _text({"error": error | ({"message": message} if message else {})})
    return None


def beginning_of(text: str | None) -> str | None:
    """The same answer for where there is no room for it: its beginning, and how long it is."""
    if text is None or len(text) <= _SHORT_BEGINNING:
        return text
    said = json.loads(text)
    if set(said) == {"beginning", "characters"}:
        beginning, characters = said["beginning"], said["characters"]
        return _cut(beginning and beginning[:_SHORT_BEGINNING], characters)
    return _cut(text[:_SHORT_BEGINNING], len(text))


def lightened(verdict: Verdict) -> Verdict:
    """The verdict without an answer for which there is no room: the beginning is in its place."""
    if verdict.kept or verdict.answer is None:
        return verdict
    beginning = parsed(beginning_of(actual_text(verdict.answer)))
    return replace(verdict, answer=Ok(beginning), differences=())


def expected_text(vector: Vector) -> str | None:
    """What is expected; None where nobody knows yet."""
    return None if vector.expected is None else _text(vector.expected)


def asked_text(vector: Vector) -> str:
    """What a runner was asked."""
    return _text({"op": vector.op.name, "input": vector.input})


def parsed(text: str | None) -> Any:
    """What a text says, to be put into a document."""
    return None if text is None else json.loads(text)


def _text(value: dict[str, Any]) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):  # deeper than Python writes, or a number that JSON has not
        return _cut(None, None)
    if len(text) > LONGEST or nested_deeper(value, DEEPEST):
        return _cut(text[:_BEGINNING], len(text))
    return _encodable(text)


def _cut(beginning: str | None, characters: int | None) -> str:
    return _encodable(json.dumps({"beginning": beginning, "characters": characters}, ensure_ascii=False))


def _encodable(text: str) -> str:
    """JSON text that UTF-8 holds: half a surrogate pair becomes the six characters of its escape."""
    return _LONE_SURROGATE.sub(lambda half: f"\\\\u{ord(half[0]):04x}", text)
