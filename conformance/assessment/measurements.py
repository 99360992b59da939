"""The measurements, ready to be shown, and the requirements that they miss."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from conformance.errors import UserError
from conformance.mutants.results import Report

__all__ = [
    "AssessmentError",
    "CaughtMistake",
    "Measurements",
]


class AssessmentError(UserError):
    """The assessment failed; the message is one sentence."""


@dataclass(frozen=True, slots=True)
class CaughtMistake:
    """A known mistake, and a vector that catches it."""

    name: str
    vector: str | None
    """The shortest vector of its class that it answers wrongly; None if there is none."""
    alone: dict[str, str | None] = field(default_factory=dict)
    """The ops that can use what it changes, each with the shortest of its own vectors that catches it."""


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
    """Each op and mistake that is proven to show on no input of the op."""
    answers: dict[str, int] = field(default_factory=dict)
    """The number of vectors by the source of their answers."""

    @property
    def missed(self) -> list[CaughtMistake]:
        """Known mistakes that no vector of their class catches."""
        return [one for one in self.mistakes if one.vector is None]

    @property
    def stale_proofs(self) -> list[str]:
        """One sentence for each outdated proof that an op cannot show a mistake."""
        alone = {(op, one.name): vector for one in self.mistakes for op, vector in one.alone.items()}
        return [
            f"{op}, {name}: "
            + (f"caught by {alone[op, name]}" if (op, name) in alone else "the op does not use it")
            for op, name in sorted(self.unreachable)
            if alone.get((op, name), "") is not None
        ]

    def shortfalls(self) -> Iterator[str]:
        """One sentence for each requirement that is not met."""
        for clause in self.bare:
            yield f"{self.spec}: no vector tests {clause}, and no reason is given"
        for mistake in self.missed:
            yield f"{self.spec}: no vector of its class catches the mistake {mistake.name}"
        for mistake in self.mistakes:
            for op, vector in mistake.alone.items():
                if vector is None and (op, mistake.name) not in self.unreachable:
                    yield f"{self.spec}: no vector of {op} catches the mistake {mistake.name}"
        for one in (*self.mutants.survivors, *self.mutants.survivors_in):
            where = f" the vectors of {one.op}" if one.op else ""
            yield f"{self.spec}: the mutant {one.id} survives{where}: {one.before} → {one.after}"
        for sentence in (*self.mutants.stale_excuses, *self.stale_proofs):
            yield f"{self.spec}: a stale proof: {sentence}"
