"""Builds the document of a matrix, from which its tables and pages are made, and its exit code."""

import datetime
import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from conformance import __version__, interrupts
from conformance.extensions.releases.matrix.rows import FAILED, Row
from conformance.extensions.releases.matrix.trying import Plan
from conformance.suite.clauses import statements

__all__ = ["SCHEMA", "as_json"]

SCHEMA = "urn:harbor-conformance:matrix-report:1"


def as_json(plan: Plan, rows: Sequence[Row]) -> dict[str, Any]:
    """Return the matrix in the form of the schema ``matrix-report``."""
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "made_at": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "level": str(plan.options.level),
        "again_seed": plan.options.again_seed,
        "specs": list(plan.specs),
        "classes": sorted(plan.classes),
        "exit_code": _exit_code(rows),
        "subjects": [{"name": item.name, "kind": item.kind, "given": item.given} for item in plan.subjects],
        "rows": [row.as_json() for row in rows],
        "changes": list(_changes(rows)),
    }


def _exit_code(rows: Sequence[Row]) -> int:
    """Return 0 if all conform, 1 if some don't, 2 if some could not be run, or a signal's code."""
    if interrupts.taken() is not None:
        return interrupts.exit_code()
    if any(row.why_not is not None or row.result is None for row in rows) or not rows:
        return 2
    return 0 if all(row.result["exit_code"] == 0 for row in rows if row.result) else 1


def _changes(rows: Sequence[Row]) -> Iterator[dict[str, Any]]:
    """Yield the changes from each row with a result to the next, spec by spec."""
    for spec in dict.fromkeys(row.spec for row in rows):
        rules = statements(spec)
        answered = [row for row in rows if row.spec == spec and row.result is not None]
        for before, after in itertools.pairwise(answered):
            yield _between(before, after, rules)


def _between(before: Row, after: Row, rules: Mapping[str, str]) -> dict[str, Any]:
    old, new = (set(row.result["runner"]["ops"]) for row in (before, after) if row.result)
    both = before.vector_results.keys() & after.vector_results.keys()
    moves: dict[tuple[str, str, str], list[str]] = {}
    for key in sorted(both):
        was, became = before.vector_results[key], after.vector_results[key]
        if was.op not in old & new:
            continue  # an op that was added or removed is listed once
        other_answer = was.state == became.state == FAILED and was.answer != became.answer
        if was.state != became.state or other_answer:
            moves.setdefault((became.clause, was.state, became.state), []).append(key)
    return {
        "spec": before.spec,
        "from": before.subject.name,
        "to": after.subject.name,
        "compared": len(both),
        "ops_gone": _ops(old - new, before),
        "ops_new": _ops(new - old, after),
        "rules": [
            {
                "clause": clause,
                "statement": rules.get(clause),
                "from": was,
                "to": became,
                "count": len(keys),
                "example": keys[0],
            }
            for (clause, was, became), keys in sorted(moves.items())
        ],
    }


def _ops(names: set[str], row: Row) -> list[dict[str, Any]]:
    """Return ops with their numbers of vectors."""
    counts = Counter(result.op for result in row.vector_results.values())
    return [{"op": name, "vectors": counts[name]} for name in sorted(names) if counts[name]]
