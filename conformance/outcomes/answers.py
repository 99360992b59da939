"""Answers for a report: valid JSON whatever a runner wrote, never long or deeply nested.

Answers are passed as text, also from pytest workers. A text that is too long or too deep for a report is
replaced by its beginning as a string, since a shortened value could be mistaken for a real answer.
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
"""The most characters of JSON text that are kept unchanged."""
DEEPEST = 100
"""The most levels of nesting that are kept unchanged; some languages' JSON readers stop at 128."""
_BEGINNING = 2_000
_SHORT_BEGINNING = 200
"""The number of characters kept of an answer that is too long."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def actual_text(answer: Ok | Refused | None) -> str | None:
    """The runner's answer as text; None if there is none."""
    match answer:
        case Ok(value):
            return _text({"ok": value})
        case Refused(error_type, reason_code, message):
            error = {"type": error_type, "reason_code": reason_code}
            return _text({"error": error | ({"message": message} if message else {})})
    return None


def beginning_of(text: str | None) -> str | None:
    """The beginning of an answer, and its length, for answers that are too long."""
    if text is None or len(text) <= _SHORT_BEGINNING:
        return text
    answer = json.loads(text)
    if set(answer) == {"beginning", "characters"}:
        beginning, characters = answer["beginning"], answer["characters"]
        return _cut(beginning and beginning[:_SHORT_BEGINNING], characters)
    return _cut(text[:_SHORT_BEGINNING], len(text))


def lightened(verdict: Verdict) -> Verdict:
    """The verdict with an answer that is too long replaced by its beginning."""
    if verdict.kept or verdict.answer is None:
        return verdict
    beginning = parsed(beginning_of(actual_text(verdict.answer)))
    return replace(verdict, answer=Ok(beginning), differences=())


def expected_text(vector: Vector) -> str | None:
    """The expected answer as text; None if it is not known yet."""
    return None if vector.expected is None else _text(vector.expected)


def asked_text(vector: Vector) -> str:
    """The request's input as text."""
    return _text({"op": vector.op.name, "input": vector.input})


def parsed(text: str | None) -> Any:
    """The value of a text, for use in a document."""
    return None if text is None else json.loads(text)


def _text(value: dict[str, Any]) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):  # too deep for Python to write, or a number that JSON lacks
        return _cut(None, None)
    if len(text) > LONGEST or nested_deeper(value, DEEPEST):
        return _cut(text[:_BEGINNING], len(text))
    return _encodable(text)


def _cut(beginning: str | None, characters: int | None) -> str:
    return _encodable(json.dumps({"beginning": beginning, "characters": characters}, ensure_ascii=False))


def _encodable(text: str) -> str:
    """JSON text that UTF-8 can encode: a lone surrogate becomes its six-character escape."""
    return _LONE_SURROGATE.sub(lambda half: f"\\\\u{ord(half[0]):04x}", text)
