"""Runs all measurements; counts clauses and vectors itself."""

from collections import Counter
from collections.abc import Mapping, Sequence

from conformance.assessment.answers import answer_counts
from conformance.assessment.detection import caught_mistakes, parts, tried_properties
from conformance.assessment.measurements import ClauseSection, Measurements
from conformance.assessment.sources import load_readings, load_record
from conformance.console.progress import progress_bar
from conformance.mistakes.catalogue import all_mistakes
from conformance.mistakes.modules import module_names
from conformance.mutants.excuses import load_unreachable
from conformance.mutants.results import Report, try_mutants
from conformance.mutants.selection import all_mutants, shared_modules
from conformance.registry.ops import SPEC_TABLE, classes_of, ops_of
from conformance.suite.clauses import Clause, load_clauses, traces
from conformance.suite.vectors import Vector, load_spec

__all__ = ["clause_sections", "measure", "untraced", "vectors_by_class"]


def measure(
    specs: Sequence[str], reports: Mapping[str, Report], jobs: int, *, counting: bool
) -> list[Measurements]:
    """Measures everything; reads a spec's mutants from a report if there is one.

    Args:
        specs: the specs to assess.
        reports: reports of ``kit mutants --json``, by spec; mutants of other specs are run.
        jobs: the number of processes; 0 for one per processor.
        counting: whether to count all vectors that catch a mistake instead of finding one.

    Raises:
        AssessmentError: a record can't be used.
        MutantsError: the mutants can't be tried.
    """
    # first, since it may fail
    records = {spec: load_record(spec) for spec in specs}
    readings = load_readings()
    unreachable = load_unreachable().mistakes
    mistakes, properties = {}, {}
    for spec in specs:
        with progress_bar(f"known mistakes of {spec}", len(parts(spec))) as bar:
            mistakes[spec] = caught_mistakes(spec, jobs, bar.tick, counting=counting)
        with progress_bar(f"properties of {spec}, by operation", len(ops_of(spec))) as bar:
            properties[spec] = tried_properties(spec, jobs, bar.tick)
    found = []
    for spec in specs:
        report = reports.get(spec) or _run_mutants(spec, jobs)
        clauses, vectors = load_clauses(spec), load_spec(spec, package=True)
        names = {op.name for op in ops_of(spec)}
        found.append(
            Measurements(
                spec=spec,
                clauses=clause_sections(clauses, vectors),
                untested=tuple(one for one in untraced(clauses, vectors) if one.untested),
                bare=tuple(one.id for one in untraced(clauses, vectors) if not one.untested),
                vectors=vectors_by_class(load_spec(spec), spec),
                mistakes=mistakes[spec],
                mutants=report,
                properties=properties[spec],
                record=records[spec],
                unreachable={
                    pair: why
                    for pair, why in unreachable.items()
                    if pair[0] in names and _is_of(pair[1], spec)
                },
                readings=readings[spec],
                answers=answer_counts(spec),
            )
        )
    return found


def _run_mutants(spec: str, jobs: int) -> Report:
    modules = module_names(spec)
    mutants = all_mutants((*modules, *shared_modules(spec)))
    return try_mutants(mutants, spec, modules, jobs, f"mutants of {spec}", whole=True)


def _is_of(mistake: str, spec: str) -> bool:
    """Whether a spec holds the proof about a mistake; its base holds inherited and unknown ones."""
    known = all_mistakes().get(mistake)
    return SPEC_TABLE[spec].base is None if known is None else known.spec == spec


def vectors_by_class(vectors: Sequence[Vector], spec: str) -> dict[str, int]:
    """The number of vectors of each class."""
    counts = Counter(vector.conformance_class for vector in vectors)
    return {name: counts[name] for name in classes_of(spec)}


def untraced(clauses: Sequence[Clause], vectors: Sequence[Vector]) -> list[Clause]:
    """The clauses that no vector traces."""
    traced = traces(vectors)
    return [clause for clause in clauses if not traced.get(clause.id)]


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
