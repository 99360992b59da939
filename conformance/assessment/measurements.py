"""What was measured, ready to be shown; and what of it falls short."""

from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = [
    "AssessmentError",
    "CaughtMistake",
    "ClauseSection",
    "ExcusedMutant",
    "Measurements",
    "MutatedModule",
    "MutatedOp",
    "Reading",
    "Record",
    "TriedProperty",
    "UntestedClause",
]


class AssessmentError(Exception):
    """The kit can't be assessed; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class ClauseSection:
    """One section of a document."""

    document: str
    section: str
    traced: int
    """Clauses that a vector traces, by being about them."""
    excused: int
    """Clauses that none traces, with a reason."""
    bare: int
    """Clauses that none traces, without one."""

    @property
    def clauses(self) -> int:
        """All of them."""
        return self.traced + self.excused + self.bare


@dataclass(frozen=True, slots=True)
class UntestedClause:
    """A clause that no vector traces, and why none can."""

    id: str
    statement: str
    reason: str


@dataclass(frozen=True, slots=True)
class CaughtMistake:
    """A known mistake, and what catches it."""

    name: str
    op: str
    conformance_class: str
    says: str
    clause: str
    vector: str | None
    """The shortest vector of its class to which it gives a wrong answer; None where there is none."""
    caught_by: int | None
    """How many do; None where they were not counted."""
    alone: dict[str, str | None] = field(default_factory=dict)
    """The ops that can use what it changes, each with the shortest of its own vectors that catches it."""


@dataclass(frozen=True, slots=True)
class MutatedModule:
    """The mutants of one module of the reference, by how they ended."""

    name: str
    killed: int
    """Those whose answer to a vector is wrong or does not come within the limits of time and memory.

    Which of the two is seen first depends on the machine, so no document here distinguishes them.
    """
    at_import: int
    """Those that are no program that starts."""
    excused: int
    survived: int

    @property
    def mutants(self) -> int:
        """All of them."""
        return self.killed + self.at_import + self.excused + self.survived


@dataclass(frozen=True, slots=True)
class ExcusedMutant:
    """A mutant that answers as the reference does."""

    id: str
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class MutatedOp:
    """The mutants that one op can use, by how they ended under its own vectors."""

    name: str
    killed: int
    at_import: int
    excused: int
    unreachable: int
    """Those of which it is proven that the op cannot show them."""
    survived: int

    @property
    def mutants(self) -> int:
        """All of them."""
        return self.killed + self.at_import + self.excused + self.unreachable + self.survived


@dataclass(frozen=True, slots=True)
class Reading:
    """A misreading of a document: what somebody understood who read it to implement it."""

    name: str
    document: str
    at_first: str
    """``caught`` or ``survived``: by the vectors that stood when it was written."""
    became: str
    """``caught``, ``vector``, ``same``, ``equivalent`` or ``limit``."""
    says: str
    reason: str
    """Why it is equivalent or a limit; empty else."""
    blind: bool = True
    """False where its reader had seen what the vectors say to other misreadings."""


@dataclass(frozen=True, slots=True)
class TriedProperty:
    """A property, and whether a known mistake breaks it."""

    id: str
    op: str
    rule: str
    broken_by: str | None
    """The mistake that breaks it; None where no known one does."""


@dataclass(frozen=True, slots=True)
class Record:
    """A long comparison of the reference with another source of answers, on random inputs."""

    against: str
    """The other side, with its version."""
    date: str
    kit_version: str
    level: str
    seed: int
    seconds: float
    agreed: dict[str, int]
    """Op to the number of inputs."""
    disagreed: dict[str, int]
    unsupported: dict[str, int]
    not_asked: tuple[str, ...]
    """Ops that the other side does not have."""
    ended_early: str | None
    """Why, where it did."""
    causes: tuple[str, ...]
    """The disagreements by cause, a sentence each."""
    same_reference: bool
    """Whether the reference is still the one that was compared."""

    @property
    def compared(self) -> int:
        """Inputs on which both sides were compared."""
        return sum(self.agreed.values()) + sum(self.disagreed.values())

    @property
    def disagreements(self) -> int:
        """Inputs on which they disagreed."""
        return sum(self.disagreed.values())


@dataclass(frozen=True, slots=True)
class Measurements:
    """All that was measured of one spec."""

    spec: str
    clauses: tuple[ClauseSection, ...]
    untested: tuple[UntestedClause, ...]
    bare: tuple[str, ...]
    vectors: dict[str, int]
    """Class to the number of its vectors."""
    mistakes: tuple[CaughtMistake, ...]
    modules: tuple[MutatedModule, ...]
    excused: tuple[ExcusedMutant, ...]
    survivors: tuple[ExcusedMutant, ...]
    """Mutants that nothing excuses; their reason is empty."""
    stale_excuses: tuple[str, ...]
    properties: tuple[TriedProperty, ...]
    record: Record | None = None
    ops: tuple[MutatedOp, ...] = ()
    survivors_in: tuple[tuple[str, ExcusedMutant], ...] = ()
    """Mutants that no vector of an op notices, with the op; nothing proves that it cannot show them."""
    unreachable: dict[tuple[str, str], str] = field(default_factory=dict)
    """Op and mistake to the proof that no input of the op can show it."""
    readings: tuple[Reading, ...] = ()
    answers: dict[str, int] = field(default_factory=dict)
    """What gave the expected answers to the number of vectors."""

    @property
    def missed(self) -> tuple[CaughtMistake, ...]:
        """Known mistakes that no vector of their class catches."""
        return tuple(one for one in self.mistakes if one.vector is None)

    @property
    def missed_alone(self) -> tuple[tuple[str, CaughtMistake], ...]:
        """Known mistakes that no vector of an op catches which could show them, with the op."""
        return tuple(
            (op, one)
            for one in self.mistakes
            for op, vector in one.alone.items()
            if vector is None and (op, one.name) not in self.unreachable
        )

    @property
    def stale_proofs(self) -> tuple[str, ...]:
        """What is wrong with the proofs that an op cannot show a mistake, a sentence each."""
        alone = {(op, one.name): vector for one in self.mistakes for op, vector in one.alone.items()}
        return tuple(
            f"{op}, {name}: "
            + (f"caught by {alone[op, name]}" if (op, name) in alone else "the op does not use it")
            for op, name in self.unreachable
            if alone.get((op, name), "") is not None
        )

    def shortfalls(self) -> Iterator[str]:
        """What is not as it must be, a sentence each."""
        for count, what in (
            (len(self.bare), "clauses are neither traced by a vector nor excused"),
            (len(self.missed), "known mistakes are caught by no vector of their class"),
            (len(self.missed_alone), "known mistakes are caught by no vector of an op that uses them"),
            (len(self.survivors), "mutants survive"),
            (len(self.survivors_in), "mutants survive the vectors of an op alone"),
            (len(self.stale_excuses) + len(self.stale_proofs), "excuses of mutants and mistakes are stale"),
            (self.record.disagreements if self.record else 0, "random inputs were answered differently"),
        ):
            if count:
                yield f"{self.spec}: {what}: {count}"
        if self.record is None:
            yield f"{self.spec}: there is no record of random inputs compared with the oracle"

    def faults(self) -> Iterator[tuple[str, str, str]]:
        """Each thing that is not as it must be: what it is, its id or name, and more about it."""
        for clause in self.bare:
            yield "clause without vector or reason", clause, ""
        for mistake in self.missed:
            yield "mistake that no vector catches", mistake.name, mistake.says
        for op, mistake in self.missed_alone:
            yield f"mistake that no vector of {op} catches", mistake.name, mistake.says
        for mutant in self.survivors:
            yield "surviving mutant", mutant.id, f"{mutant.before} → {mutant.after}"
        for op, mutant in self.survivors_in:
            yield f"mutant that survives {op}", mutant.id, f"{mutant.before} → {mutant.after}"
        for sentence in self.stale_excuses:
            yield "stale excuse of a mutant", *_cut(sentence)
        for sentence in self.stale_proofs:
            yield "stale proof of a mistake", *_cut(sentence)
        for cause in self.record.causes if self.record else ():
            yield "disagreement with the oracle", *_cut(cause)


def _cut(sentence: str) -> tuple[str, str]:
    """A sentence "id: what is wrong with it"."""
    name, _, rest = sentence.partition(": ")
    return name, rest
