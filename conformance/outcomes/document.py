"""The JSON report of a run, as the schema ``run-report`` has it. What follows from it is in ``claims``."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from conformance import __version__, interrupts
from conformance.judging.verdict import Outcome
from conformance.outcomes.claims import LIST_PROBLEM, summary
from conformance.report.answers import asked_text, expected_text, parsed
from conformance.report.lost_offers import LOST_OFFER
from conformance.report.records import RIGHT, AgainRecord, PropertyRecord, Record
from conformance.report.run_report import Report
from conformance.report.selection import known_failures_json, selection_json, vector_set_json
from conformance.run.options import repeat_again, repeat_property, repeat_vector
from conformance.suite import clauses
from conformance.suite.vectors import Vector

__all__ = ["SCHEMA", "as_json"]

SCHEMA = "urn:harbor-conformance:run-report:2"
_NOT_TRIED = frozenset({Outcome.UNSUPPORTED, Outcome.NOT_RUN})


def as_json(report: Report) -> dict[str, Any]:
    """The report as the schema ``run-report`` has it."""
    vectors = {vector.id: vector for vector in report.every}
    records = sorted(report.records.values(), key=lambda record: record.id)
    list_problems = [problem for problem in report.problems if problem.startswith(LIST_PROBLEM)]
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "kit_version": __version__,
        "spec": report.options.spec,
        "level": str(report.options.level),
        "vectors": {
            **vector_set_json(report.every, report.newer),
            "classes": {name: len(several) for name, several in report.by_class().items()},
        },
        "selection": selection_json(report.options, report.missing, max(report.chosen or 0, len(records))),
        "known_failures": known_failures_json(
            report.session.known, report.options.known_failures, list_problems
        ),
        "required": [asdict(one) for one in report.required],
        "environment": report.environments.as_json(),
        "runner": {
            "command": report.options.command,
            "name": report.hello.runner if report.hello else None,
            "version": report.hello.version if report.hello else None,
            "numbers": ("string" if report.hello.numbers_as_strings else "json") if report.hello else None,
            "ops": sorted(report.hello.ops) if report.hello else [],
            "unsupported": dict(report.hello.unsupported) if report.hello else {},
        },
        "started_at": report.session.started_at,
        "start_up_seconds": round(report.session.start_up_seconds, 3),
        "duration_seconds": round(report.session.duration_seconds, 3),
        "could_not_try": report.session.could_not_try,
        "interrupted": None
        if report.session.interrupted is None
        else {"exit_code": interrupts.exit_code(), "sentence": report.session.interrupted},
        "problems": [
            problem
            for problem in report.problems
            if problem not in (*list_problems, report.session.interrupted)
            and not problem.startswith(LOST_OFFER)
        ],
        "left_out": [
            {"op": part.op, "member": part.left_out, "vectors": part.vectors} for part in report.parts
        ],
        "cut": report.cut,
        "clauses": _statements(report),
        "asked": _asked(vectors[record.id] for record in records),
        "passed": _passed(records, vectors),
        "results": [_result(report, one, vectors[one.id]) for one in records if not _has_passed(one)],
        "asked_again": _asked_again(report, vectors),
        "properties": [
            _property(report, one) for one in sorted(report.properties.values(), key=lambda one: one.id)
        ],
        "diagnosis": None if report.diagnosis is None else report.diagnosis.as_json(),
    }
    return {**document, "summary": summary(document)}


def own_problems(report: Report) -> list[str]:
    """What went wrong in the talk, without what follows from the document."""
    return [
        problem
        for problem in report.problems
        if problem != report.session.interrupted and not problem.startswith((LIST_PROBLEM, LOST_OFFER))
    ]


def _has_passed(record: Record | AgainRecord) -> bool:
    return record.outcome == Outcome.PASSED.value


def _asked(vectors: Iterable[Vector]) -> dict[str, dict[str, int]]:
    """How many vectors there are of each operation, by clause."""
    found: dict[str, Counter[str]] = {}
    for vector in vectors:
        found.setdefault(vector.op.name, Counter())[vector.clause] += 1
    return {op: dict(sorted(counts.items())) for op, counts in sorted(found.items())}


def _passed(records: Sequence[Record], vectors: Mapping[str, Vector]) -> dict[str, list[list[Any]]]:
    """What passed, by class."""
    found: dict[str, list[list[Any]]] = {}
    for record in records:
        if _has_passed(record):
            row = [record.id, record.level, record.seconds]
            found.setdefault(vectors[record.id].conformance_class, []).append(row)
    return dict(sorted(found.items()))


def _statements(report: Report) -> dict[str, str]:
    """The statements of the clauses that results and properties test."""
    vectors = {vector.id: vector.clause for vector in report.every}
    tested = {vectors[key] for key in report.records} | {one.clause for one in report.properties.values()}
    return {key: said for key, said in clauses.statements(report.options.spec).items() if key in tested}


def _repeat(report: Report, record: Record | PropertyRecord, vector: Vector | None = None) -> str | None:
    """The command that repeats what went wrong."""
    if Outcome(record.outcome) in RIGHT or not (record.failed or record.expected_by):
        return None
    options = report.options
    return repeat_property(options, record.id) if vector is None else repeat_vector(options, vector)


def _result(report: Report, record: Record, vector: Vector) -> dict[str, Any]:
    wrong = Outcome(record.outcome) not in RIGHT | _NOT_TRIED
    due = vector.due_in(report.environments.chosen)
    return {
        "id": record.id,
        "op": vector.op.name,
        "class": vector.conformance_class,
        "clause": vector.clause,
        "rule": vector.rule,
        "since": vector.since,
        "outcome": record.outcome,
        "level": record.level,
        "seconds": record.seconds,
        "detail": record.detail,
        "expected_by": record.expected_by,
        "real_outcome": record.real_outcome,
        "demanded": record.demanded,
        "repeat": _repeat(report, record, vector),
        "catches": (vector.catches or None) if wrong else None,
        "asked": parsed(asked_text(vector)) if wrong else None,
        "expected": parsed(expected_text(due)) if wrong else None,
        "actual": parsed(record.actual),
        "stderr": record.stderr,
    }


def _asked_again(report: Report, vectors: Mapping[str, Vector]) -> dict[str, Any] | None:
    seed = report.session.seed
    if seed is None:
        return None
    every = sorted(report.again.values(), key=lambda one: one.id)
    passed: dict[str, list[str]] = {}
    for one in filter(_has_passed, every):
        passed.setdefault(one.conformance_class, []).append(one.id)
    results = [
        {
            "id": one.id,
            "op": one.op,
            "class": one.conformance_class,
            "outcome": one.outcome,
            "changes": one.changes,
            "detail": one.detail,
            "expected_by": one.expected_by,
            "real_outcome": one.real_outcome,
            "demanded": one.demanded,
            "repeat": repeat_again(report.options, vectors[one.id], seed) if one.failed else None,
            "asked": parsed(one.asked),
            "expected": parsed(one.expected),
            "actual": parsed(one.actual),
            "stderr": one.stderr,
        }
        for one in every
        if not _has_passed(one)
    ]
    return {"seed": seed, "passed": dict(sorted(passed.items())), "results": results}


def _property(report: Report, record: PropertyRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "op": record.op,
        "class": record.conformance_class,
        "clause": record.clause,
        "outcome": record.outcome,
        "examples": record.examples,
        "seed": record.seed,
        "seconds": record.seconds,
        "detail": record.detail,
        "expected_by": record.expected_by,
        "real_outcome": record.real_outcome,
        "demanded": record.demanded,
        "repeat": _repeat(report, record),
        "asked": parsed(record.asked),
        "expected": parsed(record.expected),
        "actual": parsed(record.actual),
        "counterexamples": record.counterexamples,
        "stderr": record.stderr,
    }
