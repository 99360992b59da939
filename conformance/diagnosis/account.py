"""The result of a diagnosis, for people and for programs: what a runner's author should do."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from conformance.mistakes.catalogue import Mistake

__all__ = [
    "Diagnosis",
    "Example",
    "Experiment",
    "Explanation",
    "Kind",
    "Line",
    "failures",
    "join_alternatives",
    "mistake_wording",
]

_ALTERNATIVES = 3
"""The most alternatives named, as a longer choice is of little use."""


class Kind(Enum):
    """The basis of a line of the to-do list."""

    MISTAKE = "mistake"
    """Mistakes of the catalogue."""
    DEVIATION = "deviation"
    """Generated deviations."""
    CLUSTER = "cluster"
    """Unexplained failures, grouped by what they have in common, or by their rule."""
    SILENT = "silent"
    """Failures without a usable answer."""


@dataclass(frozen=True, slots=True)
class Example:
    """The smallest failure of a line; each text is cut to fit on a line."""

    key: str
    input: str
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class Experiment:
    """An input that tests a line, and the result."""

    input: str
    expected: str
    actual: str
    as_predicted: bool
    """Whether the runner answered as the line predicts."""


@dataclass(frozen=True, slots=True)
class Line:
    """One thing to do."""

    kind: Kind
    says: str
    """What the runner does, or what the failures share, as a clause."""
    do: str
    """What to do about it, as a clause."""
    keys: tuple[str, ...]
    """The failures that it accounts for, beginning with those that need no other line."""
    alone: int
    """The number of them that need no other line."""
    against: int
    """Answers that contradict it."""
    certain: bool
    """Whether it was tested on new inputs and no answer contradicts it."""
    ops: tuple[str, ...]
    example: Example
    mistakes: tuple[tuple[Mistake, ...], ...] = ()
    """The known mistakes of the line, each with those that the evidence can't distinguish from it."""
    contrast: Example | None = None
    """The nearest input that the runner answers correctly."""
    experiments: tuple[Experiment, ...] = ()
    conditional: bool = False
    """Whether it has a condition, which may only coincide with the cause."""
    resembles: bool = False
    """Whether so many answers contradict it that the runner only does something similar."""

    @property
    def trust(self) -> str:
        """How reliable the line is, in words."""
        if self.kind in (Kind.CLUSTER, Kind.SILENT):
            return "unexplained" if self.kind is Kind.CLUSTER else "no answer"
        tested = f"tested on {len(self.experiments)} new input{'s' * (len(self.experiments) != 1)}"
        if self.certain:
            return f"certain ({tested})"
        if self.against:
            degree, verb = "resembles this" if self.resembles else "likely", "s contradict"
            return f"{degree}: {self.against} answer{verb if self.against > 1 else ' contradicts'} it"
        if self.experiments:
            return f"likely ({tested})"
        return "fits these answers, not tested" if self.conditional else "likely, not tested"

    @property
    def count(self) -> str:
        """The number of failures it accounts for, in words."""
        total = len(self.keys)
        if self.alone == total:
            return failures(total)
        if not self.alone:
            return f"part of {failures(total)}"
        return f"{failures(self.alone)} and part of {total - self.alone} more"

    def as_json(self) -> dict[str, Any]:
        """The line in the form of the schema ``run-report``."""
        return {
            "kind": self.kind.value,
            "says": self.says,
            "do": self.do,
            "certain": self.certain,
            "resembles": self.resembles,
            "against": self.against,
            "alone": self.alone,
            "failures": list(self.keys),
            "ops": list(self.ops),
            "mistakes": [[mistake.name for mistake in group] for group in self.mistakes],
            "example": {
                "id": self.example.key,
                "input": self.example.input,
                "expected": self.example.expected,
                "actual": self.example.actual,
            },
            "contrast": None
            if self.contrast is None
            else {
                "id": self.contrast.key or None,
                "input": self.contrast.input,
                "actual": self.contrast.actual,
            },
            "experiments": [
                {
                    "input": experiment.input,
                    "expected": experiment.expected,
                    "actual": experiment.actual,
                    "foretold": experiment.as_predicted,
                }
                for experiment in self.experiments
            ],
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """A mistake, and the failures that it explains."""

    mistakes: tuple[Mistake, ...]
    """More than one: any of them, which the evidence can't distinguish."""
    keys: tuple[str, ...]
    """The failures explained; one that two mistakes cause together is listed under both."""
    certain: bool = False
    resembles: bool = False

    @property
    def names(self) -> str:
        """The mistakes' names, joined by "or"."""
        return join_alternatives([mistake.name for mistake in self.mistakes])

    @property
    def likely(self) -> str:
        """What the runner does, as a clause for one failure."""
        return join_alternatives([f"{mistake.says} (mistake {mistake.name})" for mistake in self.mistakes])


@dataclass(frozen=True)
class Diagnosis:
    """The causes of a run's failures."""

    lines: tuple[Line, ...] = ()
    """The to-do list: together the lines account for every failure."""
    explanations: tuple[Explanation, ...] = ()
    """The known mistakes of the lines, those that explain most first."""
    unexplained: tuple[str, ...] = ()
    """Wrong answers that neither a known mistake nor a deviation explains."""
    unanswered: tuple[str, ...] = ()
    """Failures without an answer that could be compared."""
    total: int = 0
    """The failures among the evidence."""

    def after(self, first: "Diagnosis") -> "Diagnosis":
        """Joins two diagnoses of one run's failures; the other's lines come first."""
        return Diagnosis(
            (*first.lines, *self.lines),
            (*first.explanations, *self.explanations),
            (*first.unexplained, *self.unexplained),
            (*first.unanswered, *self.unanswered),
            first.total + self.total,
        )

    @cached_property
    def _by_key(self) -> dict[str, list[str]]:
        clauses: dict[str, list[str]] = {}
        for explanation in self.explanations:
            for key in explanation.keys:
                clauses.setdefault(key, []).append(explanation.likely)
        for line in self.lines:
            if line.kind is Kind.DEVIATION:
                for key in line.keys:
                    clauses.setdefault(key, []).append(line.says)
        return clauses

    def likely(self, key: str) -> str | None:
        """What explains one failure, as a clause; None if nothing does."""
        clauses = self._by_key.get(key)
        return "; and ".join(clauses) if clauses else None

    def as_json(self) -> dict[str, Any]:
        """The diagnosis in the form of the schema ``run-report``."""
        return {
            "failures": self.total,
            "todo": [line.as_json() for line in self.lines],
            "explanations": [
                {
                    "mistakes": [
                        {"name": mistake.name, "says": mistake.says, "clause": mistake.clause}
                        for mistake in explanation.mistakes
                    ],
                    "failures": list(explanation.keys),
                }
                for explanation in self.explanations
            ],
            "unexplained": list(self.unexplained),
            "unanswered": list(self.unanswered),
        }


def mistake_wording(group: Sequence[Mistake], clause: str, statements: Mapping[str, str]) -> tuple[str, str]:
    """What a mistake, or the first of several, does, and what the clause says instead."""
    says = f"{group[0].says} ({group[0].name})"
    if len(group) > 1:
        names = join_alternatives([mistake.name for mistake in group])
        says = f"{names}, which give the same answers here: {group[0].says}"
    statement = statements.get(clause, "").rstrip(".")
    do = f"{statement} ({clause})" if statement else f"see clause {clause}"
    return says, do


def failures(count: int) -> str:
    """A number of failures, in words."""
    return f"{count} failure{'s' if count != 1 else ''}"


def join_alternatives(alternatives: Sequence[str]) -> str:
    """The alternatives as a clause."""
    if len(alternatives) == 1:
        return alternatives[0]
    named = list(alternatives[:_ALTERNATIVES])
    if len(alternatives) > _ALTERNATIVES:
        named.append(f"one of {len(alternatives) - _ALTERNATIVES} more")
    return f"either {' or '.join(named)}"
