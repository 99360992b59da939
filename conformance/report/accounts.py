"""What one class of vectors came to, and how that is put into words."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from conformance.judging.verdict import Outcome

__all__ = ["ClassAccount", "told"]

_DID = {
    Outcome.MISMATCH: "gave a wrong answer",
    Outcome.WRONG_ERROR: "ended in a wrong error",
    Outcome.CRASH: "crashed",
    Outcome.TIMEOUT: "timed out",
    Outcome.PROTOCOL_ERROR: "broke the protocol",
    Outcome.UNSUPPORTED: "unsupported",
    Outcome.NOT_RUN: "not run",
    Outcome.EXPECTED_FAILURE: "failed as expected",
    Outcome.UNEXPECTED_PASS: "passed unexpectedly",
}


def told(counts: Mapping[str, int]) -> str:
    """What vectors did instead of passing, as a sentence."""
    said: list[str] = []
    for outcome, did in _DID.items():
        count = counts.get(outcome.value, 0)
        if count:
            passive = outcome in (Outcome.UNSUPPORTED, Outcome.NOT_RUN)
            verb = ("was " if count == 1 else "were ") if passive else ""
            noun = "" if said else " vector" if count == 1 else " vectors"
            said.append(f"{count}{noun} {verb}{did}")
    return ", ".join(said)


@dataclass(frozen=True, slots=True)
class ClassAccount:
    """What one class of vectors came to."""

    name: str
    totals: Counter[str]
    reached: str | None
    """The highest level at which every vector of the class that ran agrees."""
    claimed: str | None
    """The level that the runner may claim: only after a whole, clean run of the class."""
    reason: str | None
    """Why there is no claim."""
    properties: Counter[str]
    """What became of the class's properties."""
    vectors: int = 0
    """How many vectors the set has of the class, selected or not."""
