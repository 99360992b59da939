"""What became of one vector or one property: what a report keeps of a verdict."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from conformance.judging.verdict import UNEXPECTED, Outcome, Verdict
from conformance.report.answers import actual_text, asked_text, beginning_of, expected_text
from conformance.run.session import AGAIN
from conformance.wire.messages import Ok
from conformance.wire.text import first_and_last

__all__ = ["AGAIN", "RIGHT", "AgainRecord", "Part", "PropertyRecord", "Record"]

RIGHT = frozenset({Outcome.PASSED, Outcome.UNEXPECTED_PASS})
"""Of these a report needs no answer."""


@dataclass(frozen=True, slots=True)
class Record:
    """One vector's outcome, small enough to cross a process boundary as JSON."""

    id: str
    outcome: str
    level: str | None
    seconds: float
    detail: str | None
    expected_by: str | None
    real_outcome: str | None
    """Behind an expected failure: what it really was."""
    demanded: bool
    actual: str | None
    """What the runner answered where that is wrong, as JSON text."""
    left_out: str | None = None
    """The member that its answer lacks and need not have: the rest was compared."""
    stderr: str | None = None
    """What the runner wrote to stderr, where the exchange failed."""

    @classmethod
    def of(cls, verdict: Verdict) -> "Record":
        """What the report keeps of a verdict."""
        actual = None if verdict.outcome in RIGHT else actual_text(verdict.answer)
        return cls(
            verdict.vector.id,
            str(verdict.outcome),
            None if verdict.level is None else str(verdict.level),
            round(verdict.seconds, 6),
            verdict.sentence or None,
            verdict.expected_by,
            None if verdict.actual is None else str(verdict.actual),
            verdict.demanded,
            actual if verdict.kept else beginning_of(actual),
            (verdict.answer.left_out or None) if isinstance(verdict.answer, Ok) else None,
            stderr=_stderr(verdict),
        )

    @property
    def failed(self) -> bool:
        """Whether the run fails because of it."""
        return Outcome(self.outcome) in UNEXPECTED or self.demanded


def _stderr(verdict: Verdict) -> str | None:
    return "\n".join(first_and_last(verdict.stderr)) if verdict.stderr.strip() else None


class Part(NamedTuple):
    """How often of an op's answers only a part was compared."""

    op: str
    left_out: str
    """The member that the answers lack."""
    vectors: int

    @property
    def sentence(self) -> str:
        """It for people."""
        answers = "1 answer" if self.vectors == 1 else f"{self.vectors} answers"
        return f"{answers} to {self.op} without {self.left_out}, which is not due here: the rest was compared"


@dataclass(frozen=True, slots=True)
class AgainRecord:
    """What became of a vector in other words, small enough to cross a process boundary as JSON."""

    id: str
    """The vector's."""
    op: str
    conformance_class: str
    outcome: str
    seconds: float
    changes: str
    """What is other than in the vector."""
    detail: str | None
    expected_by: str | None
    demanded: bool
    asked: str | None = None
    """Where it failed: what was asked, as JSON text; so are the next two."""
    expected: str | None = None
    actual: str | None = None
    real_outcome: str | None = None
    stderr: str | None = None

    @classmethod
    def of(cls, verdict: Verdict, base: str, changes: str) -> "AgainRecord":
        """What the report keeps of the verdict on the vector ``base`` in other words."""
        right = verdict.outcome in RIGHT
        actual = None if right else actual_text(verdict.answer)
        return cls(
            base,
            verdict.vector.op.name,
            verdict.vector.conformance_class,
            str(verdict.outcome),
            round(verdict.seconds, 6),
            changes,
            verdict.sentence or None,
            verdict.expected_by,
            verdict.demanded,
            None if right else asked_text(verdict.vector),
            None if right else expected_text(verdict.vector),
            actual if verdict.kept else beginning_of(actual),
            None if verdict.actual is None else str(verdict.actual),
            _stderr(verdict),
        )

    @property
    def failed(self) -> bool:
        """Whether the run fails because of it; that the runner had stopped is told of otherwise."""
        outcome = Outcome(self.outcome)
        return (outcome in UNEXPECTED and outcome is not Outcome.NOT_RUN) or self.demanded


@dataclass(frozen=True, slots=True)
class PropertyRecord:
    """One property's outcome, small enough to cross a process boundary as JSON."""

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
    detail: str | None
    expected_by: str | None
    real_outcome: str | None
    """Behind an expected failure: what it really was."""
    demanded: bool
    counterexamples: str | None
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
            verdict.vector.id,
            verdict.vector.op.name,
            verdict.vector.conformance_class,
            verdict.vector.clause,
            str(verdict.outcome),
            examples,
            seed,
            round(verdict.seconds, 6),
            verdict.sentence or None,
            verdict.expected_by,
            None if verdict.actual is None else str(verdict.actual),
            verdict.demanded,
            None if counterexamples is None else str(counterexamples),
            None if wrong is None else asked_text(wrong.vector),
            None if wrong is None else expected_text(wrong.vector),
            None if wrong is None else actual_text(wrong.answer),
            stderr=_stderr(verdict if wrong is None else wrong),
        )

    @property
    def failed(self) -> bool:
        """Whether the run fails because of it."""
        return Outcome(self.outcome) in UNEXPECTED or self.demanded

    @classmethod
    def read(cls, told: Mapping[str, Any]) -> "PropertyRecord":
        """The record in a line of a transcript."""
        environments = told["environments"]
        return cls(**{**told, "environments": None if environments is None else tuple(environments)})
