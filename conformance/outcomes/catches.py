"""Decides whether a wrong answer matches a vector's ``catches``.

``catches`` names the misreading that a vector is meant to detect. A runner that refuses everything, or
answers in another shape, fails the vector too, without making that mistake. So the line is shown

- if a known mistake against a clause of the vector gives this answer;
- or if the vector catches none of those mistakes, so that the misreading's answer is unknown, and the answers
have the same shape and differ in a value, or are two errors.

A counterexample written by the kit quotes the answer itself.
"""

import json
from functools import cache
from typing import Any

from conformance.diagnosis.evidence import agree, expected_answer
from conformance.diagnosis.scratch import scratch
from conformance.judging.comparison import Level
from conformance.judging.verdict import Verdict
from conformance.mistakes.catalogue import Mistake, all_mistakes
from conformance.suite.counterexamples import FLAG
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok, Refused

__all__ = ["speaks_of"]

_MOST = 500
"""The most vectors per process for which mistakes are run, at 2 ms each; others are judged by shape."""
_LONGEST = 20_000
"""The longest request, in characters, for which mistakes are run."""
_COSTLY = 10
"""An op with so few random inputs starts processes to answer, so mistakes are not run."""
_looks = 0


def speaks_of(verdict: Verdict) -> bool:
    """Whether the vector's ``catches`` matches the answer of this verdict."""
    if verdict.answer is None:
        return False
    if FLAG in verdict.vector.flags:
        return True
    # for a wrong value, spelling does not matter
    level = Level.BYTES if verdict.level else Level.VALUE
    vector = verdict.vector
    known = _misread(vector)
    if known:
        return any(agree(vector.op, one, verdict.answer, level, vector.unordered) for one in known)
    match expected_answer(vector), verdict.answer:
        case Ok(expected), Ok(actual):
            return not verdict.level and _one_shape(expected, actual)
        case Refused(), Refused():
            return True
    return False


def _misread(vector: Vector) -> tuple[Ok | Refused, ...]:
    """The wrong answers of known mistakes against the vector's clauses; none if running them takes long."""
    global _looks
    op = vector.op
    against = _against(op.spec)
    mistakes = [one for clause in (vector.clause, *vector.also) for one in against.get(clause, ())]
    if not mistakes or _looks >= _MOST or op.examples <= _COSTLY or len(vector.request().tail) > _LONGEST:
        return ()
    _looks += 1
    expected = expected_answer(vector)
    copy = scratch(op.spec)
    called = copy.called(op.name, vector.input)
    found = []
    for one in mistakes:
        footprint = copy.footprint(one)
        if footprint is not None and footprint.isdisjoint(called):
            continue
        copy.make(one)
        answer = copy.answer(op.name, vector.input)
        if not agree(op, expected, answer, Level.BYTES, vector.unordered):
            found.append(answer)
    return tuple(found)


@cache
def _against(spec: str) -> dict[str, list[Mistake]]:
    found: dict[str, list[Mistake]] = {}
    for one in all_mistakes(spec).values():
        found.setdefault(one.clause, []).append(one)
    return found


def _one_shape(expected: Any, actual: Any) -> bool:
    """Whether two values have the same members and items of the same types, including in JSON files."""
    expected, actual = _in_file(expected), _in_file(actual)
    if isinstance(expected, dict) and isinstance(actual, dict):
        return expected.keys() == actual.keys() and all(
            _one_shape(value, actual[key]) for key, value in expected.items()
        )
    if isinstance(expected, list) and isinstance(actual, list):
        return len(expected) == len(actual) and all(map(_one_shape, expected, actual))
    return _kind(expected) is _kind(actual)


def _in_file(value: Any) -> Any:
    if isinstance(value, dict) and list(value) == ["text"]:
        try:
            return json.loads(value["text"])
        except (TypeError, ValueError, RecursionError):
            pass
    return value


def _kind(value: Any) -> type:
    return float if isinstance(value, int | float) and not isinstance(value, bool) else type(value)
