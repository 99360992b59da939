"""The JSON report of a run, by the schema ``run-report``. Conclusions from it are in ``claims``."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from conformance import __version__, interrupts
from conformance.judging.verdict import Outcome, Verdict
from conformance.outcomes.answers import actual_json, asked_json, beginning_of, expected_json, verdict_members
from conformance.outcomes.claims import fails, summary
from conformance.outcomes.report import Report
from conformance.outcomes.selection import known_failures_json, selection_json, vector_set_json
from conformance.registry.ops import classes_of
from conformance.rephrasing.choosing import RephrasedVector
from conformance.run.options import base_id, repeat_property, repeat_vector
from conformance.suite import clauses
from conformance.suite.vectors import Vector
from conformance.wire.messages import Ok

__all__ = ["SCHEMA", "as_json"]

SCHEMA = "urn:harbor-conformance:run-report:2"
_RIGHT = frozenset({Outcome.PASSED, Outcome.UNEXPECTED_PASS})
_NOT_TRIED = frozenset({Outcome.UNSUPPORTED, Outcome.NOT_RUN})


def as_json(report: Report, *, hashed: bool = True) -> dict[str, Any]:
    """The report in the form of the schema ``run-report``; only a report that is written needs ``hashed``."""
    session, options, hello = report.session, report.options, report.session.hello
    verdicts = [report.verdicts[key] for key in sorted(report.verdicts)]
    properties = [report.properties[key] for key in sorted(report.properties)]
    vectors = [verdict.vector for verdict in verdicts]
    tested = {vector.clause for vector in vectors} | {property_["clause"] for property_ in properties}
    statements = clauses.statements(options.spec)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "kit_version": __version__,
        "spec": options.spec,
        "level": str(options.level),
        "vectors": {
            **vector_set_json(report.every, report.newer, hashed=hashed),
            "classes": _classes(report),
        },
        "selection": selection_json(options, report.missing, max(report.chosen, len(verdicts))),
        "known_failures": known_failures_json(
            session.known, options.known_failures, report.list_problems, vectors
        ),
        "required": [asdict(offer) for offer in report.required],
        "environment": session.environments.as_json(),
        "runner": {
            "command": options.command,
            "name": hello.runner if hello else None,
            "version": hello.version if hello else None,
            "numbers": ("string" if hello.numbers_as_strings else "json") if hello else None,
            "ops": sorted(hello.ops) if hello else [],
            "unsupported": dict(hello.unsupported) if hello else {},
        },
        "started_at": session.started_at,
        "start_up_seconds": round(session.start_up_seconds, 3),
        "duration_seconds": round(session.duration_seconds, 3),
        "could_not_try": session.could_not_try,
        "interrupted": None
        if session.interrupted is None
        else {"exit_code": interrupts.exit_code(), "sentence": session.interrupted},
        "problems": [problem for problem in session.problems if problem != session.interrupted],
        "left_out": _left_out(verdicts),
        "cut": report.cut(),
        "clauses": {clause: text for clause, text in statements.items() if clause in tested},
        "asked": _vector_counts(vectors),
        "passed": _passed(verdicts),
        "results": [_result(report, judged) for judged in verdicts if judged.outcome is not Outcome.PASSED],
        "asked_again": _asked_again(report),
        "properties": [_property(report, property_) for property_ in properties],
        "diagnosis": None if report.diagnosis is None else report.diagnosis.as_json(),
    }
    return {**document, "summary": summary(document)}


def _classes(report: Report) -> dict[str, int]:
    """The number of vectors of each class in the set, in the protocol's order."""
    counts = Counter(vector.conformance_class for vector in report.every)
    return {name: counts[name] for name in classes_of(report.options.spec, package=True) if counts[name]}


def _left_out(verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    """The number of answers of each operation from which an optional member was missing."""
    counts = Counter(
        (verdict.vector.op.name, verdict.answer.left_out)
        for verdict in verdicts
        if isinstance(verdict.answer, Ok) and verdict.answer.left_out
    )
    return [{"op": op, "member": member, "vectors": count} for (op, member), count in sorted(counts.items())]


def _vector_counts(vectors: Iterable[Vector]) -> dict[str, dict[str, int]]:
    """The number of vectors of each operation, by clause."""
    by_op: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for vector in vectors:
        by_op[vector.op.name][vector.clause] += 1
    return {op: dict(sorted(counts.items())) for op, counts in sorted(by_op.items())}


def _passed(verdicts: Sequence[Verdict]) -> dict[str, list[list[Any]]]:
    """The passed vectors, by class."""
    by_class: defaultdict[str, list[list[Any]]] = defaultdict(list)
    for verdict in verdicts:
        if verdict.outcome is Outcome.PASSED:
            row = [verdict.vector.id, str(verdict.level), round(verdict.seconds, 6)]
            by_class[verdict.vector.conformance_class].append(row)
    return dict(sorted(by_class.items()))


def _answers(verdict: Verdict, *, show_question: bool) -> dict[str, Any]:
    """The wrong answer and, with ``show_question``, the input and the expected answer."""
    actual = None if verdict.outcome in _RIGHT else actual_json(verdict.answer)
    return {
        "asked": asked_json(verdict.vector) if show_question else None,
        "expected": expected_json(verdict.vector) if show_question else None,
        "actual": actual if verdict.kept else beginning_of(actual),
    }


def _result(report: Report, verdict: Verdict) -> dict[str, Any]:
    wrong, vector = verdict.outcome not in _RIGHT | _NOT_TRIED, verdict.vector
    repeated = verdict.outcome not in _RIGHT and (verdict.failed or verdict.expected_by is not None)
    return {
        "id": vector.id,
        "clause": vector.clause,
        "rule": vector.rule,
        "since": vector.since,
        "level": None if verdict.level is None else str(verdict.level),
        "seconds": round(verdict.seconds, 6),
        "repeat": repeat_vector(report.options, vector) if repeated else None,
        "catches": (vector.catches or None) if wrong else None,
        **verdict_members(verdict),
        **_answers(verdict, show_question=wrong),
    }


def _asked_again(report: Report) -> dict[str, Any] | None:
    seed = report.session.seed
    if seed is None:
        return None
    verdicts = [report.again[key] for key in sorted(report.again)]
    passed = {name: [base_id(row[0]) for row in rows] for name, rows in _passed(verdicts).items()}
    results = [
        {
            "id": base_id(verdict.vector.id),
            "changes": verdict.vector.changes if isinstance(verdict.vector, RephrasedVector) else "",
            "repeat": repeat_vector(report.options, verdict.vector, words=["--again-seed", str(seed)])
            if verdict.failed and verdict.outcome is not Outcome.NOT_RUN
            else None,
            **verdict_members(verdict),
            **_answers(verdict, show_question=verdict.outcome not in _RIGHT),
        }
        for verdict in verdicts
        if verdict.outcome is not Outcome.PASSED
    ]
    return {"seed": seed, "passed": passed, "results": results}


def _property(report: Report, record: Mapping[str, Any]) -> dict[str, Any]:
    repeated = Outcome(record["outcome"]) not in _RIGHT and (fails(record) or record["expected_by"])
    members = {name: value for name, value in record.items() if name != "environments"}
    return members | {"repeat": repeat_property(report.options, record["id"]) if repeated else None}
