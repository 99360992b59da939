"""One row of a matrix: what one subject came to against one spec, read off the report of its run.

Live runs and recorded reports become rows in the same way: by the run report, which for recorded ones is
what somebody wrote. So only what its results bear out is taken from it.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conformance.extensions.releases.matrix.subjects import Subject
from conformance.judging.verdict import Outcome
from conformance.outcomes import claims
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.vectors import load_spec
from conformance.wire.text import shortened

__all__ = ["FAILED", "PASSED", "UNSUPPORTED", "Row", "Vouched", "row_of", "untried"]

PASSED, FAILED, UNSUPPORTED = "passed", "failed", "unsupported"
_STATES = {
    Outcome.PASSED.value: PASSED,
    Outcome.UNEXPECTED_PASS.value: PASSED,
    Outcome.UNSUPPORTED.value: UNSUPPORTED,
}
_LONGEST = 300
"""Characters of a runner's words, as they are kept."""
_MOST_PROBLEMS = 5


@dataclass(frozen=True, slots=True)
class Vouched:
    """What became of one vector, as far as neighbours are compared."""

    op: str
    clause: str
    state: str
    answer: str
    """What tells wrong answers apart; empty where there was none."""


@dataclass(frozen=True, slots=True)
class Row:
    """One subject against one spec."""

    subject: Subject
    spec: str
    why_not: str | None = None
    """Why there is no verdict, where the subject could not be tried to the end."""
    notes: tuple[str, ...] = ()
    """What is to be known of it, a sentence each."""
    result: dict[str, Any] | None = None
    """As the schema ``matrix-report`` has it; None where nothing was answered."""
    vouched: Mapping[str, Vouched] = field(default_factory=dict)
    """By vector id: of those that were asked."""

    @property
    def conforms(self) -> bool:
        """Whether it was tried, and nothing failed."""
        return self.why_not is None and self.result is not None and self.result["exit_code"] == 0

    def as_json(self) -> dict[str, Any]:
        """As the schema ``matrix-report`` has it."""
        return {
            "subject": self.subject.name,
            "spec": self.spec,
            "why_not": self.why_not,
            "notes": list(self.notes),
            "result": self.result,
        }


def untried(subject: Subject, spec: str, why: str) -> Row:
    """The row of a subject that could not be tried."""
    return Row(subject, spec, shortened(" ".join(why.split()), 2 * _LONGEST))


def row_of(subject: Subject, document: Mapping[str, Any], notes: tuple[str, ...] = ()) -> Row:
    """The row that a run report gives, which must be as its schema says."""
    results = {one["id"]: one for one in document["results"]}
    totals = claims.totals(document)
    problems = [shortened(" ".join(one.split()), _LONGEST) for one in claims.problems(document)]
    code = claims.exit_code(document)
    why_not = None
    if code not in (0, 1):
        why_not = problems[-1] if problems else "the run was interrupted" if code > 2 else "nothing passed"
    seconds = (document["start_up_seconds"], document["duration_seconds"])
    runner = document["runner"]
    result = None
    if runner["name"] is not None:
        result = {
            "runner": {
                "name": shortened(runner["name"], _LONGEST),
                "version": shortened(runner["version"] or "", _LONGEST) or None,
                "ops": sorted(runner["ops"]),
            },
            "exit_code": code,
            "seconds": round(sum(seconds), 1),
            "totals": {outcome.value: totals[outcome.value] for outcome in Outcome},
            "classes": {
                one.name: {
                    "claimed": one.claimed,
                    "reached": one.reached,
                    "totals": dict(sorted(one.totals.items())),
                    "reason": None if one.reason is None else shortened(one.reason, _LONGEST),
                }
                for one in claims.classes(document)
            },
            "problems": problems[:_MOST_PROBLEMS],
            "failures": _failures(results),
            "unsupported": _unsupported(results),
        }
    vouched = _passed(document) | {
        key: Vouched(one["op"], one["clause"], _state(one["outcome"]), _told_apart(one["actual"]))
        for key, one in results.items()
        if one["outcome"] != Outcome.NOT_RUN.value
    }
    notes += (*_environment(document), *_not_run(results, totals.total()))
    return Row(subject, document["spec"], why_not, notes, result, vouched)


def _passed(document: Mapping[str, Any]) -> dict[str, Vouched]:
    """What passed; operation and clause are known of vectors that this kit has."""
    known = {vector.id: vector for vector in load_spec(document["spec"])}
    found = {}
    for key in (row[0] for rows in document["passed"].values() for row in rows):
        vector = known.get(key)
        op, clause = ("", "") if vector is None else (vector.op.name, vector.clause)
        found[key] = Vouched(op, clause, PASSED, "")
    return found


def _not_run(results: Mapping[str, Mapping[str, Any]], total: int) -> list[str]:
    """Why vectors were not run, where some were not."""
    left = [one for one in results.values() if one["outcome"] == Outcome.NOT_RUN.value]
    return [f"{len(left)} of {total} vectors: {_detail(left[0]) or 'not run'}"] if left else []


def _environment(document: Mapping[str, Any]) -> tuple[str, ...]:
    """Which environment explains the answers, where it is another than the spec's main one."""
    chosen = document.get("environment")
    if not chosen or chosen["name"] == SPEC_TABLE[document["spec"]].oracle.provenance:
        return ()
    return (f"answers as {shortened(chosen['name'], _LONGEST)}",)


def _state(outcome: str) -> str:
    return _STATES.get(outcome, FAILED)


def _told_apart(actual: Any) -> str:
    """A wrong answer as a few characters; messages, which no verdict reads, left aside."""
    if actual is None:
        return ""
    if isinstance(actual, dict) and isinstance(actual.get("error"), dict):
        actual = {"error": {key: one for key, one in actual["error"].items() if key != "message"}}
    text = json.dumps(actual, sort_keys=False)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _failures(results: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What failed, by clause and op, with an example each."""
    found: dict[tuple[str, str], list[str]] = {}
    for key, one in sorted(results.items()):
        if _state(one["outcome"]) == FAILED and one["outcome"] != Outcome.NOT_RUN.value:
            found.setdefault((one["clause"], one["op"]), []).append(key)
    return [
        {
            "clause": clause,
            "op": op,
            "count": len(keys),
            "example": keys[0],
            "detail": _detail(results[keys[0]]),
            "vectors": keys,
        }
        for (clause, op), keys in sorted(found.items())
    ]


def _unsupported(results: Mapping[str, Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What is unsupported, by op and reason, with an example each."""
    found: dict[tuple[str, str], list[str]] = {}
    for key, one in sorted(results.items()):
        if _state(one["outcome"]) == UNSUPPORTED:
            found.setdefault((one["op"], _detail(one) or ""), []).append(key)
    most = sorted(found.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1]))
    by_op: dict[str, list[dict[str, Any]]] = {}
    for (op, reason), keys in most:
        told = by_op.setdefault(op, [])
        if len(told) < _MOST_PROBLEMS:
            told.append({"op": op, "count": len(keys), "reason": reason or None, "example": keys[0]})
        else:
            told[-1] = {**told[-1], "count": told[-1]["count"] + len(keys), "reason": "various reasons"}
    return [one for told in by_op.values() for one in told]


def _detail(one: Mapping[str, Any]) -> str | None:
    text = " ".join((one["detail"] or "").split())
    return shortened(text, _LONGEST) if text else None
