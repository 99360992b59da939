"""The rows of a matrix, each with a subject's result for one spec, from a run report.

Runs and recorded reports become rows in the same way. A recorded report may be forged, so only facts that its
results support are used.
"""

import hashlib
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.extensions.releases.matrix.subjects import Subject
from conformance.judging.verdict import Outcome
from conformance.outcomes import claims
from conformance.outcomes.answers import compared
from conformance.outcomes.reading import ReportError, read
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.vectors import load_set_of, load_spec
from conformance.wire.text import shortened

__all__ = ["FAILED", "Row", "VectorResult", "recorded_row", "row_of", "untried"]

PASSED, FAILED, UNSUPPORTED = "passed", "failed", "unsupported"
_STATES = {"unexpected-pass": PASSED, "unsupported": UNSUPPORTED}
_NOT_RUN = Outcome.NOT_RUN.value
_LONGEST = 300
"""The most characters of a runner's text that are kept."""
_MOST_PROBLEMS = 5

Results = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class VectorResult:
    """The result of one vector, for comparing rows."""

    op: str
    clause: str
    state: str
    answer: str
    """A hash of a wrong answer; empty if there is none."""


@dataclass(frozen=True, slots=True)
class Row:
    """One subject's result for one spec."""

    subject: Subject
    spec: str
    why_not: str | None = None
    """Why there is no verdict; None if there is one."""
    notes: tuple[str, ...] = ()
    """Notes, each a sentence."""
    result: dict[str, Any] | None = None
    """The result in the form of the schema ``matrix-report``; None if there were no answers."""
    vector_results: Mapping[str, VectorResult] = field(default_factory=dict)
    """The results by vector id."""

    def as_json(self) -> dict[str, Any]:
        """Return the row in the form of the schema ``matrix-report``."""
        about = {"subject": self.subject.name, "spec": self.spec, "why_not": self.why_not}
        return {**about, "notes": list(self.notes), "result": self.result}


def untried(subject: Subject, spec: str, why: str) -> Row:
    """Return the row of a subject that could not be run."""
    return Row(subject, spec, shortened(" ".join(why.split()), 2 * _LONGEST))


def recorded_row(subject: Subject) -> Row:
    """Return the row of a recorded report, which is read with limits and checked, since it is untrusted.

    Raises:
        ReportError: it can't be read, is not a run report, or contradicts itself.
        OSError: the file does not exist.
    """
    path = Path(subject.target)
    if not stat.S_ISREG(path.stat().st_mode):  # a pipe could block
        raise ReportError("it is not a regular file")
    report = read(path)
    if report.kind != "run":
        raise ReportError(f"{path} is not a report of run")
    document = report.content
    vector_ids = {key for key, _, _ in claims.outcomes(document)}
    ours = {vector.id for vector in load_set_of(document["spec"], document["vectors"]["classes"])}
    other_kit = document["kit_version"] != __version__
    notes = [f"recorded on {document['started_at'][:10]}"]
    if other_kit:
        notes[0] += (
            f" by kit {document['kit_version']}, not {__version__}: {len(vector_ids & ours)} of its "
            f"{len(vector_ids)} vectors are among this kit's {len(ours)}"
        )
    if document["level"] != "bytes":
        notes.append(f"compared at level {document['level']}")
    if not claims.complete(document):
        notes.append("not every vector was selected")
    try:
        row = row_of(subject, document, tuple(notes))
    except OverflowError:  # an int beyond the double range
        raise ReportError(f"{path} states an impossible duration") from None
    if claims.complete(document) and not other_kit and row.result is not None and vector_ids != ours:
        claim = f"{path} claims to cover every vector of {row.spec}"
        raise ReportError(f"{claim}, but {len(vector_ids ^ ours)} are missing or unknown")
    return row


def row_of(subject: Subject, document: Mapping[str, Any], notes: tuple[str, ...] = ()) -> Row:
    """Return the row for a run report, which must match its schema."""
    results = {entry["id"]: entry for entry in document["results"]}
    totals = claims.totals(document)
    problems = [_words(problem) for problem in claims.problems(document)]
    code = claims.exit_code(document)
    why_not = None
    if code not in (0, 1):
        why_not = problems[-1] if problems else "the run was interrupted" if code > 2 else "nothing passed"
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
            "seconds": round(document["start_up_seconds"] + document["duration_seconds"], 1),
            "totals": {outcome.value: totals[outcome.value] for outcome in Outcome},
            "classes": {
                claim.name: {
                    "claimed": claim.claimed,
                    "reached": claim.reached,
                    "totals": dict(sorted(claim.totals.items())),
                    "reason": None if claim.reason is None else shortened(claim.reason, _LONGEST),
                }
                for claim in claims.classes(document)
            },
            "problems": problems[:_MOST_PROBLEMS],
            "failures": _failures(results),
            "unsupported": _unsupported(results),
        }
    chosen = document.get("environment")
    if chosen and chosen["name"] != SPEC_TABLE[document["spec"]].oracle.provenance:
        notes += (f"answers like {shortened(chosen['name'], _LONGEST)}",)
    if left := [entry for entry in results.values() if entry["outcome"] == _NOT_RUN]:
        notes += (f"{len(left)} of {totals.total()} vectors: {_words(left[0]['detail']) or 'not run'}",)
    return Row(subject, document["spec"], why_not, notes, result, _vector_results(document, results))


def _vector_results(document: Mapping[str, Any], results: Results) -> dict[str, VectorResult]:
    """Return the results of all vectors; for passes, op and clause are only known for this kit's vectors."""
    known = {vector.id: vector for vector in load_spec(document["spec"], package=True)}
    by_id = {}
    for key in (row[0] for rows in document["passed"].values() for row in rows):
        vector = known.get(key)
        op, clause = ("", "") if vector is None else (vector.op.name, vector.clause)
        by_id[key] = VectorResult(op, clause, PASSED, "")
    for key, result in results.items():
        if result["outcome"] != _NOT_RUN:
            actual = result["actual"]
            answer = "" if actual is None else hashlib.sha256(compared(actual).encode()).hexdigest()[:16]
            by_id[key] = VectorResult(result["op"], result["clause"], _state(result), answer)
    return by_id


def _state(result: Mapping[str, Any]) -> str:
    return _STATES.get(result["outcome"], FAILED)


def _failures(results: Results) -> list[dict[str, Any]]:
    """Return the failures by clause and op, each with an example."""
    groups: dict[tuple[str, str], list[str]] = {}
    for key, result in sorted(results.items()):
        if _state(result) == FAILED and result["outcome"] != _NOT_RUN:
            groups.setdefault((result["clause"], result["op"]), []).append(key)
    return [
        {
            "clause": clause,
            "op": op,
            "count": len(keys),
            "example": keys[0],
            "detail": _words(results[keys[0]]["detail"]) or None,
            "vectors": keys,
        }
        for (clause, op), keys in sorted(groups.items())
    ]


def _unsupported(results: Results) -> list[dict[str, Any]]:
    """Return the unsupported vectors by op and reason, each with an example; rare reasons are combined."""
    lists: dict[tuple[str, str], list[str]] = {}
    for key, result in sorted(results.items()):
        if _state(result) == UNSUPPORTED:
            lists.setdefault((result["op"], _words(result["detail"])), []).append(key)
    by_op: dict[str, list[dict[str, Any]]] = {}
    for (op, reason), keys in sorted(lists.items(), key=lambda item: (item[0][0], -len(item[1]), item[0][1])):
        listed = by_op.setdefault(op, [])
        if len(listed) < _MOST_PROBLEMS:
            listed.append({"op": op, "count": len(keys), "reason": reason or None, "example": keys[0]})
        else:
            listed[-1] |= {"count": listed[-1]["count"] + len(keys), "reason": "various reasons"}
    return [entry for listed in by_op.values() for entry in listed]


def _words(text: str | None) -> str:
    return shortened(" ".join((text or "").split()), _LONGEST)
