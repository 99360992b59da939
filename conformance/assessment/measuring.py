"""Runs all measurements, counts clauses and vectors itself, and names the requirements that are missed."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from conformance.assessment.detection import CaughtMistake, caught_mistakes, tried_properties
from conformance.console.progress import progress_bar
from conformance.mistakes.catalogue import all_mistakes
from conformance.mistakes.modules import module_names
from conformance.mutants.excuses import load_unreachable
from conformance.mutants.results import Report, try_mutants
from conformance.mutants.selection import all_mutants, shared_modules
from conformance.registry.ops import OPS, SPEC_TABLE, ops_of
from conformance.suite.clauses import Clause, load_clauses, traces
from conformance.suite.vectors import Vector, load_spec

__all__ = ["Measurements", "answer_counts", "measure", "untraced"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements:
    """All measurements of one spec."""

    spec: str
    traced: int
    """The number of clauses that a vector traces."""
    excused: int
    """The number of untraced clauses with a reason."""
    bare: tuple[str, ...]
    """The ids of untraced clauses without a reason."""
    vectors: int
    mistakes: tuple[CaughtMistake, ...]
    mutants: Report
    properties: dict[str, str | None]
    """The known mistake that breaks each property, by id; None if none does."""
    unreachable: frozenset[tuple[str, str]] = frozenset()
    """Each op and mistake for which it is proven that no input of the op shows the mistake."""
    answers: dict[str, int] = field(default_factory=dict)
    """The number of vectors by the source of their answers."""

    @property
    def missed(self) -> list[CaughtMistake]:
        """Known mistakes that no vector of their class catches."""
        return [mistake for mistake in self.mistakes if mistake.vector is None]

    @property
    def stale_proofs(self) -> list[str]:
        """One sentence for each outdated proof that an op cannot show a mistake."""
        caught = {(op, known.name): vector for known in self.mistakes for op, vector in known.by_op.items()}
        return [
            f"{op}, {name}: "
            + (f"caught by {caught[op, name]}" if (op, name) in caught else "the op does not use it")
            for op, name in sorted(self.unreachable)
            if caught.get((op, name), "") is not None
        ]

    def shortfalls(self) -> Iterator[str]:
        """One sentence for each requirement that is not met."""
        for clause in self.bare:
            yield f"{self.spec}: no vector tests {clause}, and no reason is given"
        for mistake in self.missed:
            yield f"{self.spec}: no vector of its class catches the mistake {mistake.name}"
        for mistake in self.mistakes:
            for op, vector in mistake.by_op.items():
                if vector is None and (op, mistake.name) not in self.unreachable:
                    yield f"{self.spec}: no vector of {op} catches the mistake {mistake.name}"
        for mutant in (*self.mutants.survivors, *self.mutants.survivors_in):
            where = f" the vectors of {mutant.op}" if mutant.op else ""
            yield f"{self.spec}: the mutant {mutant.id} survives{where}: {mutant.before} → {mutant.after}"
        for sentence in (*self.mutants.stale_excuses, *self.stale_proofs):
            yield f"{self.spec}: a stale proof: {sentence}"


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
    measured = []
    for spec in specs:
        clauses, vectors = load_clauses(spec), load_spec(spec)
        without = untraced(clauses, load_spec(spec, package=True))
        names = {op.name for op in ops_of(spec)}
        measured.append(
            Measurements(
                spec=spec,
                traced=len(clauses) - len(without),
                excused=sum(clause.untested is not None for clause in without),
                bare=tuple(clause.id for clause in without if not clause.untested),
                vectors=len(vectors),
                mistakes=mistakes[spec],
                mutants=_mutants(spec, jobs),
                properties=properties[spec],
                unreachable=frozenset(
                    (op, name) for op, name in unreachable if op in names and _belongs_to(name, spec)
                ),
                answers=answer_counts(spec),
            )
        )
    return measured


def _mutants(spec: str, jobs: int) -> Report:
    modules = module_names(spec)
    mutants = all_mutants((*modules, *shared_modules(spec)))
    return try_mutants(mutants, spec, modules, jobs, f"mutants of {spec}", whole=True)


def _belongs_to(mistake: str, spec: str) -> bool:
    """Whether a proof about a mistake belongs to a spec; its base has those of inherited and unknown ones."""
    known = all_mistakes().get(mistake)
    return SPEC_TABLE[spec].base is None if known is None else known.spec == spec


def untraced(clauses: Sequence[Clause], vectors: Sequence[Vector]) -> list[Clause]:
    """The clauses that no vector traces."""
    traced = traces(vectors)
    return [clause for clause in clauses if not traced.get(clause.id)]


def answer_counts(spec: str) -> dict[str, int]:
    """The number of a spec's vectors by the source of their answers."""
    return dict(Counter(map(_source, load_spec(spec))))


def _source(vector: Vector) -> str:
    oracle = SPEC_TABLE[vector.op.spec].oracle
    further = {answerer.provenance: answerer.answered_by for answerer in oracle.further}
    own = oracle.partly_own.get(vector.op.name, oracle.answered_by)
    source = further.get(vector.provenance or "", own)
    if vector.op.completed_by is None:
        return source
    completing = OPS[vector.op.completed_by]
    return f"{source}, and for the {completing.ok_lines[0][0]} {further[completing.source]}"
