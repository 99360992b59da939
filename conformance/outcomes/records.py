"""What became of a property, small enough to cross a process boundary as JSON."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.judging.verdict import UNEXPECTED, Outcome, Verdict
from conformance.outcomes.answers import actual_text, asked_text, expected_text
from conformance.wire.text import first_and_last

__all__ = ["PropertyRecord", "stderr_of"]


def stderr_of(verdict: Verdict) -> str | None:
    """What the runner wrote to stderr, where the exchange failed."""
    return "\n".join(first_and_last(verdict.stderr)) if verdict.stderr.strip() else None


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyRecord:
    """One property's outcome."""

    id: str
    op: str
    conformance_class: str
    clause: str
    outcome: str
    examples: int
    """How many inputs were tried, the first failing one included."""
    seed: int
    """The seed that the run was given, or 0; each property draws from it and its own id."""
    seconds: float
    detail: str | None = None
    expected_by: str | None = None
    real_outcome: str | None = None
    """Behind an expected failure: what it really was."""
    demanded: bool = False
    counterexamples: str | None = None
    """The vector file that repeats the failure."""
    asked: str | None = None
    """The first request whose answer is wrong, as JSON text, as the two below are."""
    expected: str | None = None
    actual: str | None = None
    environments: tuple[str, ...] | None = None
    """The environments in which it holds; None where its answers are the same in all."""
    stderr: str | None = None

    @classmethod
    def of(
        cls,
        verdict: Verdict,
        examples: int,
        seed: int,
        counterexamples: Path | None,
        wrong: Verdict | None = None,
    ) -> "PropertyRecord":
        """What the report keeps of the verdict on a property; ``wrong`` is that on its first wrong answer."""
        return cls(
            id=verdict.vector.id,
            op=verdict.vector.op.name,
            conformance_class=verdict.vector.conformance_class,
            clause=verdict.vector.clause,
            outcome=str(verdict.outcome),
            examples=examples,
            seed=seed,
            seconds=round(verdict.seconds, 6),
            detail=verdict.sentence or None,
            expected_by=verdict.expected_by,
            real_outcome=None if verdict.actual is None else str(verdict.actual),
            demanded=verdict.demanded,
            counterexamples=None if counterexamples is None else str(counterexamples),
            asked=None if wrong is None else asked_text(wrong.vector),
            expected=None if wrong is None else expected_text(wrong.vector),
            actual=None if wrong is None else actual_text(wrong.answer),
            stderr=stderr_of(verdict if wrong is None else wrong),
        )

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "PropertyRecord":
        """The record in a line of a transcript."""
        environments = told["environments"]
        return cls(**{**told, "environments": None if environments is None else tuple(environments)})

    @property
    def failed(self) -> bool:
        """Whether the run fails because of it."""
        return Outcome(self.outcome) in UNEXPECTED or self.demanded
