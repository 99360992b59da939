"""The JSON report of a run, as the schema ``run-report`` has it: all that any page of it is made of."""

from dataclasses import asdict
from typing import Any

from conformance import __version__
from conformance.judging.verdict import Outcome
from conformance.report.answers import asked_text, expected_text, parsed
from conformance.report.records import RIGHT, AgainRecord, PropertyRecord, Record
from conformance.report.run_report import Report
from conformance.report.selection import known_failures_json, selection_json, vector_set_json
from conformance.run.options import repeat_again, repeat_property, repeat_vector
from conformance.suite import clauses
from conformance.suite.vectors import Vector

__all__ = ["SCHEMA", "as_json"]

SCHEMA = "urn:harbor-conformance:run-report:1"
_NOT_TRIED = frozenset({Outcome.UNSUPPORTED, Outcome.NOT_RUN})


def as_json(report: Report) -> dict[str, Any]:
    """The report as the schema ``run-report`` has it."""
    vectors = {vector.id: vector for vector in report.every}
    totals = report.totals()
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "spec": report.options.spec,
        "level": str(report.options.level),
        "vectors": vector_set_json(report.every, report.newer),
        "selection": selection_json(
            report.options, report.missing, filtered=report.filtered, not_reached=report.not_reached
        ),
        "known_failures": known_failures_json(
            report.session.known, report.options.known_failures, [one.expected_by for one in _listed(report)]
        ),
        "required": [asdict(one) for one in report.required],
        "runner": {
            "command": report.options.command,
            "name": report.hello.runner if report.hello else None,
            "version": report.hello.version if report.hello else None,
            "numbers": ("string" if report.hello.numbers_as_strings else "json") if report.hello else None,
            "ops": sorted(report.hello.ops) if report.hello else [],
        },
        "offer": None if (offer := report.offer) is None else offer.as_json(),
        "started_at": report.session.started_at,
        "start_up_seconds": round(report.session.start_up_seconds, 3),
        "duration_seconds": round(report.session.duration_seconds, 3),
        "complete": report.complete,
        "exit_code": report.exit_code(),
        "environment": report.environments.as_json(),
        "problems": report.problems,
        "cut": report.cut,
        "parts": [part._asdict() for part in report.parts],
        "totals": {outcome.value: totals[outcome.value] for outcome in Outcome},
        "classes": {
            account.name: {
                "claimed": account.claimed,
                "reached": account.reached,
                "totals": dict(sorted(account.totals.items())),
                "vectors": account.vectors,
                "reason": account.reason,
            }
            for account in report.classes()
        },
        "clauses": _statements(report),
        "asked_again": None
        if report.session.seed is None
        else {
            "seed": report.session.seed,
            "asked": len(report.again),
            "wrong": len(report.again_wrong),
            "results": [
                one.as_json()
                | {
                    "demanded": one.demanded,
                    "repeat": repeat_again(report.options, vectors[one.id], report.session.seed)
                    if one.failed
                    else None,
                }
                for one in sorted(report.again.values(), key=lambda one: one.id)
            ],
        },
        "diagnosis": None if report.diagnosis is None else report.diagnosis.as_json(),
        "properties": [
            {
                "id": one.id,
                "op": one.op,
                "class": one.conformance_class,
                "clause": one.clause,
                "outcome": one.outcome,
                "examples": one.examples,
                "seed": one.seed,
                "seconds": one.seconds,
                "detail": one.detail,
                "expected_by": one.expected_by,
                "real_outcome": one.real_outcome,
                "demanded": one.demanded,
                "repeat": _repeat(report, one),
                "asked": parsed(one.asked),
                "expected": parsed(one.expected),
                "actual": parsed(one.actual),
                "counterexamples": one.counterexamples,
            }
            for one in sorted(report.properties.values(), key=lambda one: one.id)
        ],
        "results": [
            _result(report, record, vectors[record.id])
            for record in sorted(report.records.values(), key=lambda record: record.id)
        ],
    }


def _listed(report: Report) -> list[Record | PropertyRecord | AgainRecord]:
    """What entries of the list of known failures may name."""
    return [*report.judged(), *report.again.values()]


def _statements(report: Report) -> dict[str, str]:
    """The statements of the clauses that results and properties trace."""
    vectors = {vector.id: vector.clause for vector in report.every}
    traced = {vectors[key] for key in report.records} | {one.clause for one in report.properties.values()}
    return {key: said for key, said in clauses.statements(report.options.spec).items() if key in traced}


def _repeat(report: Report, record: Record | PropertyRecord, vector: Vector | None = None) -> str | None:
    """The command that repeats what went wrong."""
    if Outcome(record.outcome) in RIGHT or not (record.failed or record.expected_by):
        return None
    options = report.options
    return repeat_property(options, record.id) if vector is None else repeat_vector(options, vector)


def _expected(report: Report, record: Record, vector: Vector) -> Any:
    if Outcome(record.outcome) in RIGHT | _NOT_TRIED:
        return None
    return parsed(expected_text(vector.due_in(report.environments.chosen)))


def _result(report: Report, record: Record, vector: Vector) -> dict[str, Any]:
    wrong = Outcome(record.outcome) not in RIGHT | _NOT_TRIED
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
        "expected": _expected(report, record, vector),
        "actual": parsed(record.actual),
    }
