"""Finds the environment that explains a run, if vectors have different right answers (PROTOCOL.md)."""

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from conformance.judging.environments import best_explaining, description_of
from conformance.registry.ops import SPEC_TABLE
from conformance.registry.spec import MAIN

__all__ = ["Environments"]


@dataclass(slots=True)
class Environments:
    """The environments of one run, and the answers that are not right in all of them."""

    spec: str
    chosen: str = MAIN
    """The environment that explains most, once settled."""
    against: dict[str, str] = field(default_factory=dict)
    """The answers that are right only in another environment, by id, with that environment."""
    _right_in: dict[str, frozenset[str]] = field(default_factory=dict)
    """The environments in which an answer is right, by the id of the vector or property."""

    def add(self, key: str, right_in: Collection[str]) -> None:
        """Adds the environments in which an answer is right."""
        self._right_in[key] = frozenset(right_in)

    def settle(self) -> None:
        """Chooses the environment."""
        self.chosen = best_explaining(self.spec, self._right_in.values())
        self.against = {
            key: min(right_in)
            for key, right_in in self._right_in.items()
            if right_in and self.chosen not in right_in
        }

    def explains(self, key: str) -> bool:
        """Whether an answer is right in the chosen environment."""
        return self.chosen in self._right_in[key]

    @property
    def distinguishing(self) -> list[str]:
        """The answers that are right in the chosen environment, but not in all others."""
        return [key for key in sorted(self._right_in) if self.explains(key)]

    def mixing(self, key: str) -> str:
        """The sentence about an answer that contradicts the chosen environment."""
        other = description_of(self.spec, self.against[key])
        keys = self.distinguishing
        count = len(keys)
        times = f"{count} time{'' if count == 1 else 's'}, as in {keys[0]}" if count else "elsewhere"
        return (
            f"here it answers as {other}, and as {description_of(self.spec, self.chosen)} {times}: "
            "it mixes environments, and no single one explains the run"
        )

    def as_json(self) -> dict[str, Any] | None:
        """In the form of the schema ``run-report``; None if nothing distinguished environments."""
        if not self._right_in:
            return None
        main = SPEC_TABLE[self.spec].oracle.provenance
        return {
            "name": self.chosen or main,
            "stands_for": description_of(self.spec, self.chosen),
            "told_by": self.distinguishing,
            "against": {key: other or main for key, other in sorted(self.against.items())},
        }
