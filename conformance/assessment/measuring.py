"""All measurements, one after the other; those of clauses and vectors are counted here."""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from conformance.assessment.measurements import ClauseSection, Measurements, UntestedClause
from conformance.assessment.mutants import read_report, run_mutants
from conformance.assessment.records import load_records
from conformance.assessment.trying import tried_mistakes, tried_properties
from conformance.mistakes import all_mistakes
from conformance.paths import DEFAULT_SPEC
from conformance.properties import load_properties
from conformance.registry.ops import classes_of
from conformance.suite.clauses import Clause, load_clauses, traces
from conformance.suite.vectors import Vector, load_spec

__all__ = ["Begin", "bare_clauses", "clause_sections", "measure", "untested_clauses", "vectors_by_class"]

Begin = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Hears what is measured next and of how many; gives what is called for each."""


def measure(spec: str, mutants_path: Path | None, jobs: int, begin: Begin) -> Measurements:
    """Measures everything; takes the mutants from a report where there is one.

    Args:
        spec: what is assessed.
        mutants_path: what ``harbor-conformance mutants --json`` wrote, or None to run them.
        jobs: how many processes; 0 for one on each processor.
        begin: hears of the progress.

    Raises:
        AssessmentError: the report of the mutants or a record can't be used.
        MutantsError: the mutants can't be tried.
    """
    records = load_records(spec) if spec == DEFAULT_SPEC else ()  # first what may be refused
    report = read_report(mutants_path, spec) if mutants_path is not None else None
    clauses, vectors = load_clauses(spec), load_spec(spec)
    with begin(f"known mistakes of {spec}", len(all_mistakes(spec))) as tick:
        mistakes = tried_mistakes(spec, jobs, tick)
    ops = {one.op.name for one in load_properties(spec)}
    with begin(f"properties of {spec}, by operation", len(ops)) as tick:
        properties = tried_properties(spec, jobs, tick)
    if report is None:
        report = run_mutants(spec, jobs, lambda count: begin(f"mutants of {spec}", count))
    return Measurements(
        spec,
        clause_sections(clauses, vectors),
        untested_clauses(clauses, vectors),
        bare_clauses(clauses, vectors),
        vectors_by_class(vectors, spec),
        mistakes,
        report.modules,
        report.excused,
        report.survivors,
        report.stale_excuses,
        properties,
        records,
    )


def vectors_by_class(vectors: Sequence[Vector], spec: str) -> dict[str, int]:
    """How many vectors each class has."""
    counts = Counter(vector.conformance_class for vector in vectors)
    return {name: counts[name] for name in classes_of(spec)}


def clause_sections(clauses: Sequence[Clause], vectors: Sequence[Vector]) -> tuple[ClauseSection, ...]:
    """The clauses of each section of the documents, counted, in the documents' order."""
    traced = traces(vectors)
    kinds: dict[tuple[str, str], Counter[str]] = {}
    for clause in clauses:
        kind = "traced" if traced.get(clause.id) else "excused" if clause.untested else "bare"
        kinds.setdefault((clause.document, clause.section), Counter())[kind] += 1
    return tuple(
        ClauseSection(*section, count["traced"], count["excused"], count["bare"])
        for section, count in kinds.items()
    )


def untested_clauses(clauses: Sequence[Clause], vectors: Sequence[Vector]) -> tuple[UntestedClause, ...]:
    """Those that no vector traces, with the reasons."""
    traced = traces(vectors)
    return tuple(
        UntestedClause(clause.id, clause.statement, clause.untested)
        for clause in clauses
        if clause.untested and not traced.get(clause.id)
    )


def bare_clauses(clauses: Sequence[Clause], vectors: Sequence[Vector]) -> tuple[str, ...]:
    """The ids of those that no vector traces, without a reason."""
    traced = traces(vectors)
    return tuple(clause.id for clause in clauses if not clause.untested and not traced.get(clause.id))
