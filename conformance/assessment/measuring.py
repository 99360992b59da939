"""All measurements, one after the other; those of clauses and vectors are counted here."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path

from conformance.assessment.answers import answer_counts
from conformance.assessment.detection import Workers, caught_mistakes, parts, tried_properties
from conformance.assessment.measurements import ClauseSection, Measurements, UntestedClause
from conformance.assessment.mutant_reports import read_report, run_mutants
from conformance.assessment.readings import load_readings
from conformance.assessment.records import load_record
from conformance.mistakes.catalogue import all_mistakes
from conformance.mutants.unreachable import load_unreachable
from conformance.registry.ops import SPEC_TABLE, classes_of, ops_of
from conformance.suite.clauses import Clause, load_clauses, traces
from conformance.suite.vectors import Vector, load_spec

__all__ = ["Begin", "bare_clauses", "clause_sections", "measure", "untested_clauses", "vectors_by_class"]

Begin = Callable[[str, int], AbstractContextManager[Callable[[], None]]]
"""Hears what is measured next and of how many; gives what is called for each."""


def measure(
    specs: Sequence[str], mutants_paths: Mapping[str, Path], jobs: int, begin: Begin, *, counting: bool
) -> list[Measurements]:
    """Measures everything; takes the mutants of a spec from a report where there is one.

    Args:
        specs: what is assessed.
        mutants_paths: what ``harbor-conformance kit mutants --json`` wrote, by spec; those of others are run.
        jobs: how many processes; 0 for one on each processor.
        begin: hears of the progress.
        counting: whether all vectors that catch a mistake are counted, not one found.

    Raises:
        AssessmentError: the report of the mutants or a record can't be used.
        MutantsError: the mutants can't be tried.
    """
    # first what may be refused
    records = {spec: load_record(spec) for spec in specs}
    readings = load_readings()
    unreachable = load_unreachable()
    reports = {spec: read_report(path, spec) for spec, path in mutants_paths.items()}
    mistakes, properties = {}, {}
    with Workers(jobs) as workers:
        for spec in specs:
            with begin(f"known mistakes of {spec}", len(parts(spec))) as tick:
                mistakes[spec] = caught_mistakes(spec, workers, tick, counting=counting)
            with begin(f"properties of {spec}, by operation", len(ops_of(spec))) as tick:
                properties[spec] = tried_properties(spec, workers, tick)
    found = []
    for spec in specs:
        report = reports.get(spec) or run_mutants(spec, jobs, partial(begin, f"mutants of {spec}"))
        clauses, vectors = load_clauses(spec), load_spec(spec)
        names = {op.name for op in ops_of(spec)}
        found.append(
            Measurements(
                spec,
                clause_sections(clauses, vectors),
                untested_clauses(clauses, vectors),
                bare_clauses(clauses, vectors),
                vectors_by_class(vectors, spec),
                mistakes[spec],
                report.modules,
                report.excused,
                report.survivors,
                report.stale_excuses,
                properties[spec],
                records[spec],
                report.ops,
                report.survivors_in,
                {
                    pair: why
                    for pair, why in unreachable.mistakes.items()
                    if pair[0] in names and _is_of(pair[1], spec)
                },
                readings[spec],
                answer_counts(spec),
            )
        )
    return found


def _is_of(mistake: str, spec: str) -> bool:
    """Whether a proof about a mistake is held to a spec: about a base's to the base, an unknown one's too."""
    known = all_mistakes().get(mistake)
    return SPEC_TABLE[spec].base is None if known is None else known.spec == spec


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
