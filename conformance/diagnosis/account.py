"""The result of a diagnosis: what an author should do, for people and for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Any

from conformance.mistakes.catalogue import Mistake

__all__ = ["Diagnosis", "Example", "Explanation", "Kind", "Line"]

_ALTERNATIVES = 3
"""The most alternatives named; a choice of more says little."""


class Kind(Enum):
    """What a line of the to-do list rests on."""

    MISTAKE = "mistake"
    """Mistakes of the catalogue."""
    LEARNED = "learned"
    """A deviation learned from the answers."""
    CLUSTER = "cluster"
    """Failures that nothing explains, put together by their rule."""
    SILENT = "silent"
    """Failures without an answer that could be compared."""


@dataclass(frozen=True, slots=True)
class Example:
    """The smallest failure of a line, each text cut to what fits into one."""

    key: str
    input: str
    expected: str
    actual: str


@dataclass(frozen=True, slots=True)
class Line:
    """One thing to do."""

    kind: Kind
    says: str
    """What the runner does, or what the failures share, as a clause."""
    do: str
    """What to do about it, as a clause."""
    keys: tuple[str, ...]
    """The failures that it accounts for, alone or with other lines."""
    alone: int
    """How many of them it accounts for without another line."""
    against: int
    """Answers that speak against it."""
    certain: bool
    """Whether all answers of the run are consistent with it, and no failure beside it stays unexplained."""
    ops: tuple[str, ...]
    example: Example
    mistakes: tuple[tuple[Mistake, ...], ...] = ()
    """The known mistakes of the line, each with those that the evidence can't tell from it."""

    @property
    def trust(self) -> str:
        """How far to trust the line, in words."""
        if self.kind in (Kind.CLUSTER, Kind.SILENT):
            return "unexplained" if self.kind is Kind.CLUSTER else "no answer"
        if self.certain:
            return "certain"
        if not self.against:
            return "likely: no answer speaks against it"
        return f"likely: {self.against} answer{'s speak' if self.against > 1 else ' speaks'} against it"

    @property
    def count(self) -> str:
        """How many failures it accounts for, in words."""
        total = len(self.keys)
        if self.alone == total:
            return _failures(total)
        if not self.alone:
            return f"a part of {_failures(total)}"
        return f"{_failures(self.alone)} and a part of {total - self.alone} more"

    def sentence(self) -> str:
        """The line for people."""
        one = self.example
        return (
            f"{self.count} ({self.trust}): {self.says}; do: {self.do}; "
            f"smallest: {one.key}: {one.input} is due {one.expected}, came {one.actual}"
        )

    def as_json(self) -> dict[str, Any]:
        """The line as the schema ``run-report`` has it."""
        return {
            "kind": self.kind.value,
            "says": self.says,
            "do": self.do,
            "certain": self.certain,
            "against": self.against,
            "alone": self.alone,
            "failures": list(self.keys),
            "ops": list(self.ops),
            "mistakes": [[one.name for one in group] for group in self.mistakes],
            "example": {
                "id": self.example.key,
                "input": self.example.input,
                "expected": self.example.expected,
                "actual": self.example.actual,
            },
        }


@dataclass(frozen=True, slots=True)
class Explanation:
    """A mistake, and the failures that it explains."""

    mistakes: tuple[Mistake, ...]
    """More than one: any of them, which the evidence can't tell apart."""
    keys: tuple[str, ...]
    """The failures explained; one that two mistakes cause together stands under both."""
    certain: bool = False

    @property
    def names(self) -> str:
        """The mistakes' names, joined by "or"."""
        return either([one.name for one in self.mistakes])

    @property
    def likely(self) -> str:
        """What the runner does, for the account of one failure."""
        return either([f"{one.says} (mistake {one.name})" for one in self.mistakes])


@dataclass(frozen=True)
class Diagnosis:
    """What a run's failures come from."""

    lines: tuple[Line, ...] = ()
    """The to-do list: together the lines account for every failure."""
    explanations: tuple[Explanation, ...] = ()
    """The known mistakes of the lines, those that explain most first."""
    unexplained: tuple[str, ...] = ()
    """Wrong answers that neither a known mistake nor a learned deviation accounts for in whole."""
    unanswered: tuple[str, ...] = ()
    """Failures without an answer that could be compared."""
    total: int = 0
    """The failures among the evidence."""

    @cached_property
    def _by_key(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for explanation in self.explanations:
            for key in explanation.keys:
                found.setdefault(key, []).append(explanation.likely)
        for line in self.lines:
            if line.kind is Kind.LEARNED:
                for key in line.keys:
                    found.setdefault(key, []).append(line.says)
        return found

    def likely(self, key: str) -> str | None:
        """What explains one failure, as a clause; None where nothing does."""
        found = self._by_key.get(key)
        return "; and ".join(found) if found else None

    def sentences(self) -> list[str]:
        """The to-do list for people: a heading, and a numbered line for each thing to do."""
        if not self.lines:
            return []
        head = f"to do, best first ({_failures(self.total)}):"
        return [head, *(f"{number:2}. {line.sentence()}" for number, line in enumerate(self.lines, 1))]

    def as_json(self) -> dict[str, Any]:
        """The diagnosis as the schema ``run-report`` has it."""
        return {
            "failures": self.total,
            "todo": [line.as_json() for line in self.lines],
            "explanations": [
                {
                    "mistakes": [
                        {"name": one.name, "says": one.says, "clause": one.clause} for one in each.mistakes
                    ],
                    "failures": list(each.keys),
                }
                for each in self.explanations
            ],
            "unexplained": list(self.unexplained),
            "unanswered": list(self.unanswered),
        }


def told(group: Sequence[Mistake], clause: str, statements: Mapping[str, str]) -> tuple[str, str]:
    """What a mistake does, or one of several, and what the clause says instead."""
    says = either([f"{one.says} ({one.name})" for one in group])
    if len(group) > 1:
        says += ": this evidence can't tell them apart"
    statement = statements.get(clause, "").rstrip(".")
    do = f"{statement} ({clause})" if statement else f"see clause {clause}"
    return says, do


def _failures(count: int) -> str:
    return f"{count} failure{'s' if count != 1 else ''}"


def either(said: Sequence[str]) -> str:
    """The alternatives as a clause."""
    if len(said) == 1:
        return said[0]
    shown = list(said[:_ALTERNATIVES])
    if len(said) > _ALTERNATIVES:
        shown.append(f"one of {len(said) - _ALTERNATIVES} more")
    return f"either {' or '.join(shown)}"
