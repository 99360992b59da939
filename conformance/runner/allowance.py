"""Limits the memory for a runner's replies.

The protocol allows replies of 1 MiB, but four thousand of them would take gigabytes. So a reply's memory is
estimated before parsing, and the part that exceeds a normal reply is charged to an allowance.
"""

import threading
from dataclasses import dataclass, field

from conformance.wire.messages import LARGE_LINE, Request

__all__ = [
    "ALLOWED",
    "HEAVIEST",
    "KEPT",
    "KEPT_EACH",
    "LIGHT",
    "SPENT",
    "Allowance",
    "Keeping",
    "TooHeavyError",
    "weighed",
    "weight_of",
]

_MIB = 1 << 20
LIGHT = 64 << 10
"""The memory that a reply may take without charge, in bytes; two of the kit's own vectors need more."""
ALLOWED = 64 * _MIB
"""The additional memory for all replies of one conversation, in bytes."""
KEPT = 64 * _MIB
"""The memory for all stored wrong answers of a run, in bytes."""
KEPT_EACH = _MIB
"""The memory for one stored wrong answer; the kit's own vectors need less than a quarter of it."""
HEAVIEST = 128 * _MIB
"""The most memory for one reply, in bytes; a line of 1 MiB needs at most 40 MiB."""
_OF_A_VALUE = 36
_OF_A_MEMBER = 64
SPENT = (
    "not run: the runner was stopped, as its replies are far longer than the questions warrant: "
    f"{ALLOWED // _MIB} MiB too much in all"
)


class TooHeavyError(Exception):
    """The reply would take too much memory; the message is one sentence."""


def weight_of(line: bytes) -> int:
    """Estimate the memory for a parsed line of JSON in bytes, without parsing it."""
    values = line.count(b",") + line.count(b"[") + line.count(b"{")
    return len(line) + _OF_A_VALUE * values + _OF_A_MEMBER * line.count(b":")


def weighed(line: bytes) -> int:
    """Return the weight of a line, which may then be parsed.

    Raises:
        TooHeavyError: it would take more than ``HEAVIEST``.
    """
    weight = weight_of(line)
    if weight > HEAVIEST:
        raise TooHeavyError(
            f"the runner's reply would take {weight // _MIB} MiB of memory; {HEAVIEST // _MIB} are the most"
        )
    return weight


@dataclass(slots=True)
class Allowance:
    """The remaining allowance for the replies of one conversation; thread-safe."""

    left: int = field(default_factory=lambda: ALLOWED)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, request: Request, weight: int) -> bool:
        """Charge the excess weight of a reply; return whether the allowance was sufficient."""
        free = LIGHT + 4 * len(request.tail) + (LARGE_LINE if request.line_limit == LARGE_LINE else 0)
        with self._lock:
            self.left -= max(0, weight - free)
            return self.left >= 0


@dataclass(slots=True)
class Keeping:
    """The remaining budget for storing wrong answers, for the report and the diagnosis."""

    left: int = KEPT
    left_out: int = 0
    """The number of answers not stored."""

    def keeps(self, weight: int) -> bool:
        """Return whether an answer fits into the budget, and charge it; later, smaller ones may still fit."""
        if weight > min(self.left, KEPT_EACH):
            self.left_out += 1
            return False
        self.left -= weight
        return True
