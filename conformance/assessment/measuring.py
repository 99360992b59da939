"""Runs all measurements; counts clauses and vectors itself."""

from collections.abc import Sequence

from conformance.assessment.detection import caught_mistakes, tried_properties
from conformance.assessment.measurements import Measurements
from conformance.assessment.page import answer_counts
from conformance.console.progress import progress_bar
from conformance.mistakes.catalogue import all_mistakes
from conformance.mistakes.modules import module_names
from conformance.mutants.excuses import load_unreachable
from conformance.mutants.results import Report, try_mutants
from conformance.mutants.selection import all_mutants, shared_modules
from conformance.registry.ops import SPEC_TABLE, ops_of
from conformance.suite.clauses import Clause, load_clauses, traces
from conformance.suite.vectors import Vector, load_spec

__all__ = ["measure", "untraced"]


def measure(specs: Sequence[str], jobs: int) -> list[Measurements]:
    """Measures everything; ``jobs`` is the number of processes, 0 for one per processor.

    Raises:
        MutantsError: the mutants can't be tried.
    """
    unreachable = load_unreachable().mistakes
    mistakes, properties = {}, {}
    for spec in specs:
        mistakes[spec] = tuple(caught_mistakes(spec))
        with progress_bar(f"properties of {spec}, by operation", len(ops_of(spec))) as bar:
            properties[spec] = tried_properties(spec, jobs, bar.tick)
    found = []
    for spec in specs:
        clauses, vectors = load_clauses(spec), load_spec(spec)
        without = untraced(clauses, load_spec(spec, package=True))
        names = {op.name for op in ops_of(spec)}
        found.append(
            Measurements(
                spec=spec,
                traced=len(clauses) - len(without),
                excused=sum(one.untested is not None for one in without),
                bare=tuple(one.id for one in without if not one.untested),
                vectors=len(vectors),
                mistakes=mistakes[spec],
                mutants=_mutants(spec, jobs),
                properties=properties[spec],
                unreachable=frozenset(
                    (op, name) for op, name in unreachable if op in names and _is_of(name, spec)
                ),
                answers=answer_counts(spec),
            )
        )
    return found


def _mutants(spec: str, jobs: int) -> Report:
    modules = module_names(spec)
    mutants = all_mutants((*modules, *shared_modules(spec)))
    return try_mutants(mutants, spec, modules, jobs, f"mutants of {spec}", whole=True)


def _is_of(mistake: str, spec: str) -> bool:
    """Whether a spec holds the proof about a mistake; its base holds inherited and unknown ones."""
    known = all_mistakes().get(mistake)
    return SPEC_TABLE[spec].base is None if known is None else known.spec == spec


def untraced(clauses: Sequence[Clause], vectors: Sequence[Vector]) -> list[Clause]:
    """The clauses that no vector traces."""
    traced = traces(vectors)
    return [clause for clause in clauses if not traced.get(clause.id)]
