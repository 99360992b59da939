"""The clause inventory: every normative statement of a document, in our own words, and what traces it."""

import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from conformance.paths import vectors_dir
from conformance.suite.vectors import Vector

__all__ = ["Clause", "load_clauses", "load_flags", "statements", "traces"]


@dataclass(frozen=True, slots=True)
class Clause:
    """One normative statement."""

    id: str
    document: str
    section: str
    statement: str
    untested: str | None
    """Why no vector can test it, where none does."""
    erratum: str | None
    """The erratum that corrects the document here, if any."""


def load_clauses(spec: str) -> list[Clause]:
    """The clauses of a spec, in the documents' order."""
    entries = json.loads((vectors_dir(spec) / "clauses.json").read_text(encoding="utf-8"))["clauses"]
    return [
        Clause(
            entry["id"],
            entry["document"],
            entry["section"],
            entry["statement"],
            entry.get("untested"),
            entry.get("erratum"),
        )
        for entry in entries
    ]


def load_flags(spec: str) -> dict[str, str]:
    """Each flag and what it means."""
    entries = json.loads((vectors_dir(spec) / "flags.json").read_text(encoding="utf-8"))["flags"]
    return {str(flag): str(meaning) for flag, meaning in entries.items()}


def statements(spec: str) -> dict[str, str]:
    """Clause id to statement."""
    return {clause.id: clause.statement for clause in load_clauses(spec)}


def traces(vectors: Iterable[Vector]) -> dict[str, list[str]]:
    """Clause id to the ids of the vectors that exercise it."""
    found: dict[str, list[str]] = defaultdict(list)
    for vector in vectors:
        for clause in (vector.clause, *vector.also):
            found[clause].append(vector.id)
    return dict(found)
