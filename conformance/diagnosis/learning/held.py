"""A template held to the evidence: what speaks for it, and what against.

What is learned is small: a clause without its subject, and the failures that it accounts for.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["FEW_AGAINST", "FEW_THIRD", "LEAST", "Learned", "Tally", "as_learned"]

FEW_AGAINST = 0.05
"""Of what shows a deviation, how much may speak against it."""
FEW_THIRD = 0.25
"""Of what shows it, how much may be wrong in another way."""
LEAST = 2
"""Failures that a deviation must show in: of one, anything can be learned."""


@dataclass(frozen=True, slots=True)
class Learned:
    """One deviation, and the failures that it accounts for; numbers are indexes of evidence."""

    says: str
    """What the runner does, as a clause without its subject."""
    mend: str
    """What to do about it."""
    ops: tuple[str, ...]
    covers: Mapping[int, frozenset[str]]
    """By failure, the paths of what it accounts for."""
    against: frozenset[int]
    """Where it would show, and the runner is right, or wrong in another way."""
    foretells: bool = True
    """Whether it says which answer comes, not only which does not."""
    where: str = ""
    """The words for where it shows, as far as it does not show everywhere."""


@dataclass(slots=True)
class Tally:
    """A template held to the evidence."""

    covers: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    against: set[int] = field(default_factory=set)
    third: set[int] = field(default_factory=set)
    ops: set[str] = field(default_factory=set)

    def add(self, other: "Tally") -> None:
        """Takes in what another place or op shows of the same template."""
        for index, paths in other.covers.items():
            self.covers[index] |= paths
        self.against |= other.against
        self.third |= other.third
        self.ops |= other.ops

    @property
    def holds(self) -> bool:
        """Whether it shows, and little speaks against it."""
        shown = len(self.covers)
        return bool(
            shown
            and len(self.against) <= FEW_AGAINST * shown
            and len(self.third - self.covers.keys()) <= FEW_THIRD * shown
        )


def as_learned(says: str, mend: str, tally: Tally) -> Learned:
    """The deviation that a template is, by its tally."""
    covers = {index: frozenset(paths) for index, paths in tally.covers.items()}
    return Learned(
        says,
        mend,
        tuple(sorted(tally.ops)),
        covers,
        frozenset(tally.against | tally.third - covers.keys()),
    )
