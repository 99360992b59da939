"""Verdicts and answers as report members: always valid JSON, never long or deeply nested.

A value that is too long or too deep for a report is replaced by its beginning as a string, since a shortened
value could be mistaken for a real answer.
"""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from conformance.judging.verdict import Verdict
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused
from conformance.wire.text import first_and_last
from conformance.wire.writing import nested_deeper

__all__ = [
    "DEEPEST",
    "LONGEST",
    "actual_json",
    "asked_json",
    "beginning_of",
    "compared",
    "expected_json",
    "property_record",
    "verdict_members",
    "with_short_answer",
]

LONGEST = 20_000
"""The most characters of JSON text that are kept unchanged."""
DEEPEST = 100
"""The most levels of nesting that are kept unchanged; some languages' JSON readers stop at 128."""
_BEGINNING = 2_000
"""The number of characters kept of an answer that is too long for the report."""
_SHORT_BEGINNING = 200
"""The number of characters kept of an answer that is too long for memory."""
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def verdict_members(verdict: Verdict) -> dict[str, Any]:
    """The members that a report has for every verdict: on a vector, a rephrased vector or a property."""
    return {
        "op": verdict.vector.op.name,
        "class": verdict.vector.conformance_class,
        "outcome": str(verdict.outcome),
        "detail": verdict.sentence or None,
        "expected_by": verdict.expected_by,
        "real_outcome": None if verdict.actual is None else str(verdict.actual),
        "demanded": verdict.demanded,
        "stderr": "\n".join(first_and_last(verdict.stderr)) if verdict.stderr.strip() else None,
    }


def property_record(
    verdict: Verdict,
    examples: int,
    seed: int,
    counterexamples: Path | None = None,
    wrong: Verdict | None = None,
    environments: frozenset[str] | None = None,
) -> dict[str, Any]:
    """A property's outcome, as in a transcript.

    Args:
        verdict: the verdict on the property.
        examples: the number of inputs tried, including the first failing one.
        seed: the seed of the run, or 0; each property draws from it and its own id.
        counterexamples: the vector file that repeats the failure.
        wrong: the verdict on the first wrong answer.
        environments: the environments in which it holds; None if its answers are the same in all.
    """
    return verdict_members(verdict if wrong is None else replace(verdict, stderr=wrong.stderr)) | {
        "id": verdict.vector.id,
        "clause": verdict.vector.clause,
        "examples": examples,
        "seed": seed,
        "seconds": round(verdict.seconds, 6),
        "counterexamples": None if counterexamples is None else str(counterexamples),
        "asked": None if wrong is None else asked_json(wrong.vector),
        "expected": None if wrong is None else expected_json(wrong.vector),
        "actual": None if wrong is None else actual_json(wrong.answer),
        "environments": None if environments is None else sorted(environments),
    }


def actual_json(answer: Ok | Refused | None) -> Any:
    """The runner's answer; None if there is none."""
    match answer:
        case Ok(value):
            return _bounded({"ok": value})
        case Refused(error_type, reason_code, message):
            error = {"type": error_type, "reason_code": reason_code}
            return _bounded({"error": error | ({"message": message} if message else {})})
    return None


def compared(actual: Any) -> str:
    """A wrong answer as text, for comparisons: without its error's message, which is never judged."""
    if isinstance(actual, dict) and isinstance(actual.get("error"), dict):
        actual = {"error": {key: value for key, value in actual["error"].items() if key != "message"}}
    return json.dumps(actual)


def beginning_of(answer: Any) -> Any:
    """The answer, or its beginning and its length if it is longer than 200 characters."""
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    if answer is None or len(text) <= _SHORT_BEGINNING:
        return answer
    if set(answer) == {"beginning", "characters"}:
        return {**answer, "beginning": answer["beginning"] and answer["beginning"][:_SHORT_BEGINNING]}
    return {"beginning": text[:_SHORT_BEGINNING], "characters": len(text)}


def with_short_answer(verdict: Verdict) -> Verdict:
    """The verdict; an answer that was too long to be kept is replaced by its beginning."""
    if verdict.kept or verdict.answer is None:
        return verdict
    return replace(verdict, answer=Ok(beginning_of(actual_json(verdict.answer))), differences=())


def expected_json(vector: Vector) -> Any:
    """The expected answer; None if it is not known yet."""
    return None if vector.expected is None else _bounded(vector.expected)


def asked_json(vector: Vector) -> Any:
    """The request's operation and input."""
    return _bounded({"op": vector.op.name, "input": vector.input})


def _bounded(value: dict[str, Any]) -> Any:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError):  # too deep for Python to write, or a number that JSON lacks
        return {"beginning": None, "characters": None}
    if len(text) > LONGEST or nested_deeper(value, DEEPEST):
        beginning = {"beginning": text[:_BEGINNING], "characters": len(text)}
        text = json.dumps(beginning, ensure_ascii=False)
    # JSON text that UTF-8 can encode: a lone surrogate becomes its six-character escape
    return json.loads(_LONE_SURROGATE.sub(lambda half: f"\\\\u{ord(half[0]):04x}", text))
