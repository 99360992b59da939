"""How much a runner may answer in all: replies are read into memory, and some of them are kept there.

A reply of 1 MiB is within the protocol, and four thousand of them are gigabytes. So a reply is weighed before
it is parsed, and what it weighs beyond what a question warrants is taken from an allowance.
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
"""Bytes of memory that any reply may take; two of the kit's own vectors have a longer one."""
ALLOWED = 64 * _MIB
"""Bytes of memory that the replies of one talk may take beyond that, all together."""
KEPT = 64 * _MIB
"""Bytes of memory that the wrong answers which a run keeps may take, all together."""
KEPT_EACH = _MIB
"""And what one of them may take; none of the kit's own vectors has an answer of a quarter of that."""
HEAVIEST = 128 * _MIB
"""Bytes of memory that one reply may take; a line of 1 MiB takes no more than 40 MiB, whatever it holds."""
_OF_A_VALUE = 36
_OF_A_MEMBER = 64
SPENT = (
    "not run: the runner was stopped, as its replies are far longer than the questions warrant: "
    f"{ALLOWED // _MIB} MiB too much in all"
)


class TooHeavyError(Exception):
    """A reply that is not read, as it would take too much memory; the message is one sentence."""


def weight_of(line: bytes) -> int:
    """About how many bytes of memory the values of a line of JSON take, without parsing it."""
    values = line.count(b",") + line.count(b"[") + line.count(b"{")
    return len(line) + _OF_A_VALUE * values + _OF_A_MEMBER * line.count(b":")


def weighed(line: bytes) -> int:
    """The weight of a line that may be parsed.

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
    """What the replies of one talk may still take; several threads may ask."""

    left: int = field(default_factory=lambda: ALLOWED)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self, request: Request, weight: int) -> bool:
        """Takes what a reply weighs beyond what the request warrants; whether there was that much left."""
        free = LIGHT + 4 * len(request.tail) + (LARGE_LINE if request.line_limit == LARGE_LINE else 0)
        with self._lock:
            self.left -= max(0, weight - free)
            return self.left >= 0


@dataclass(slots=True)
class Keeping:
    """What may still be kept of a runner's wrong answers, for the report and the diagnosis."""

    left: int = KEPT
    left_out: int = 0
    """How many were not kept."""

    def keeps(self, weight: int) -> bool:
        """Whether there is room for an answer; a light one may still find some where a heavy one did not."""
        if weight > min(self.left, KEPT_EACH):
            self.left_out += 1
            return False
        self.left -= weight
        return True
