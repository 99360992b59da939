"""What became of a mutant, and what keeps it from being tried."""

from dataclasses import dataclass
from enum import Enum

__all__ = ["Fate", "MutantsError", "Verdict"]


class MutantsError(Exception):
    """The mutants can't be tried; the message is one sentence."""


class Fate(str, Enum):
    """How a mutant ended."""

    KILLED = "killed"
    """A vector got a wrong answer."""
    TIMED_OUT = "timed-out"
    """A limit of time or memory ended it, or its process died, where a vector expected an answer."""
    AT_IMPORT = "at-import"
    """It is no program that starts; no vector was asked."""
    EXCUSED = "excused"
    """No vector notices it, and it is proven that none could."""
    UNREACHABLE = "unreachable"
    """No vector of an operation notices it, and it is proven that none of that operation could."""
    SURVIVED = "survived"
    """No vector notices it."""

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True, slots=True)
class Verdict:
    """The end of one mutant."""

    fate: Fate
    by: str | None = None
    """The vector that killed it: the first one asked that did, which others may do too."""
