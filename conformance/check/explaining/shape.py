"""What an explanation is made of."""

from collections.abc import Hashable, Iterable
from dataclasses import dataclass, field

from conformance.check.findings import Finding

__all__ = ["Explanation", "Share", "Step", "shares"]

MOST_NAMED = 20
"""Trials of a share that are kept by name."""
MOST_SHARES = 200
"""Shares of a step that are kept."""


@dataclass(slots=True)
class Share:
    """Trials that have something in common."""

    what: str
    """What that is: a reward, an exception, a task's attempts."""
    count: int = 0
    """How many they are."""
    named: list[str] = field(default_factory=list)
    """The first of them."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step towards the number."""

    says: str
    shares: list[Share] = field(default_factory=list)
    left_out: int = 0
    """Shares beyond those."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """How a number comes about."""

    job: str
    """The job's name in the report."""
    name: str | None
    """The finding's name; None where a place without a finding was asked for."""
    finding: Finding | None
    file: str
    path: str
    clause: str | None
    rule: str | None
    """The clause in words."""
    steps: list[Step]
    result: str | None
    """What comes out, as the file has to have it; None where it is no single value."""


def shares(items: Iterable[tuple[Hashable, str, str]], says: str) -> Step:
    """A step that groups trials: of each its group, what the group has in common, and the trial's name.

    Groups come in the order of their first trials.
    """
    made: dict[Hashable, Share] = {}
    for group, what, name in items:
        share = made.setdefault(group, Share(what))
        share.count += 1
        if len(share.named) < MOST_NAMED:
            share.named.append(name)
    found = list(made.values())
    return Step(says, found[:MOST_SHARES], max(len(found) - MOST_SHARES, 0))
