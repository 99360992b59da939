"""A mutant's outcome, and the error when mutants can't be tried."""

from dataclasses import dataclass
from enum import Enum

from conformance.errors import UserError

__all__ = ["Fate", "MutantsError", "Verdict"]


class MutantsError(UserError):
    """The mutants can't be tried; the message is one sentence."""


class Fate(str, Enum):
    """The outcome of a mutant."""

    KILLED = "killed"
    """A vector got a wrong answer."""
    TIMED_OUT = "timed-out"
    """It exceeded a limit of time or memory, or its process died, on a vector that expects an answer."""
    AT_IMPORT = "at-import"
    """The program does not start; no vector was run."""
    EXCUSED = "excused"
    """No vector catches it, and it is proven that none can."""
    UNREACHABLE = "unreachable"
    """No vector of an operation catches it, and it is proven that none of that operation can."""
    SURVIVED = "survived"
    """No vector catches it."""

    def __str__(self) -> str:
        return self.value

    @property
    def heading(self) -> str:
        """The heading of its column."""
        return "surviving" if self is Fate.SURVIVED else self.value.replace("-", " ")


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on one mutant."""

    fate: Fate
    by: str | None = None
    """The first vector that killed it; others may too."""
