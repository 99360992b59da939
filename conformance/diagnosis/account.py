"""The result of a diagnosis, for people and for programs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from conformance.mistakes.catalogue import Mistake

__all__ = ["Diagnosis", "Explanation"]

_NAMED = 3
"""The most evidence named in a sentence."""
_ALTERNATIVES = 3
"""The most alternatives named; a choice of more says little."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """A mistake, and the failures that it explains."""

    mistakes: tuple[Mistake, ...]
    """More than one: any of them, which the evidence can't tell apart."""
    keys: tuple[str, ...]
    """The failures explained; one that two mistakes cause together stands under both."""

    @property
    def names(self) -> str:
        """The mistakes' names, joined by "or"."""
        return _either([one.name for one in self.mistakes])

    @property
    def likely(self) -> str:
        """What the runner does, for the account of one failure."""
        return _either([f"{one.says} (mistake {one.name})" for one in self.mistakes])

    def sentence(self, total: int, statements: Mapping[str, str]) -> str:
        """What is explained and by what, with the clause that is broken."""
        said = _either([_told(one, statements) for one in self.mistakes])
        if len(self.mistakes) > 1:
            said += ": this evidence can't tell them apart"
        return (
            f"{len(self.keys)} of {_failures(total)}: {said}; "
            f"see harbor-conformance run --runner mistake:{self.mistakes[0].name}"
        )


@dataclass(frozen=True)
class Diagnosis:
    """Which known mistakes explain a runner's failures."""

    explanations: tuple[Explanation, ...] = ()
    """Those that explain most come first."""
    unexplained: tuple[str, ...] = ()
    """Wrong answers that no known mistake explains."""
    unanswered: tuple[str, ...] = ()
    """Failures without an answer that could be compared."""
    observations: tuple[str, ...] = ()
    """What the unexplained have in common, as far as it is worth saying."""

    @property
    def total(self) -> int:
        """The failures among the evidence."""
        return len(self._by_key) + len(self.unexplained) + len(self.unanswered)

    @cached_property
    def _by_key(self) -> dict[str, list[Explanation]]:
        found: dict[str, list[Explanation]] = {}
        for explanation in self.explanations:
            for key in explanation.keys:
                found.setdefault(key, []).append(explanation)
        return found

    def likely(self, key: str) -> str | None:
        """What explains one failure, as a clause; None where nothing known does."""
        found = self._by_key.get(key)
        return "; and ".join(explanation.likely for explanation in found) if found else None

    def sentences(self, statements: Mapping[str, str] | None = None) -> list[str]:
        """The whole for people, a line each; ``statements`` gives the words of clauses by id."""
        said = [each.sentence(self.total, statements or {}) for each in self.explanations]
        if self.unexplained:
            line = f"{len(self.unexplained)} of {_failures(self.total)}: no known mistake explains "
            line += "them" if len(self.unexplained) > 1 else "it"
            if self.observations:
                line += f" ({', '.join(self.observations)})"
            said.append(f"{line}: {_some(self.unexplained)}")
        if self.unanswered:
            count = len(self.unanswered)
            line = f"{count} of {_failures(self.total)}: no answer that could be compared"
            said.append(f"{line}: {_some(self.unanswered)}")
        return said

    def as_json(self) -> dict[str, Any]:
        """The diagnosis as the schema ``run-report`` has it."""
        return {
            "failures": self.total,
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


def _told(one: Mistake, statements: Mapping[str, str]) -> str:
    statement = statements.get(one.clause, "").rstrip(".")
    return f"{one.says} ({one.name}; breaks {one.clause}{f': {statement}' if statement else ''})"


def _failures(count: int) -> str:
    return f"{count} failure{'s' if count != 1 else ''}"


def _either(said: Sequence[str]) -> str:
    if len(said) == 1:
        return said[0]
    shown = list(said[:_ALTERNATIVES])
    if len(said) > _ALTERNATIVES:
        shown.append(f"one of {len(said) - _ALTERNATIVES} more")
    return f"either {' or '.join(shown)}"


def _some(keys: Sequence[str]) -> str:
    more = len(keys) - _NAMED
    return ", ".join(keys[:_NAMED]) + (f" and {more} more" if more > 0 else "")
