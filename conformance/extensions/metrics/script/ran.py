"""One run of a metric script: what it was given, and what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from conformance.extensions.metrics.sandbox.environments import FIRST, Environment
from conformance.extensions.metrics.sandbox.limits import Ended
from conformance.extensions.metrics.script.output import Output
from conformance.wire.text import shortened

__all__ = ["PLAIN", "How", "Problem", "Ran", "Rewards", "Trials", "last_line"]

Rewards = dict[str, int | float] | None
Trials = Sequence[Rewards]
Problem = tuple[str, str]
"""The rule that is broken, and one sentence."""


@dataclass(frozen=True, slots=True)
class How:
    """How a run differs from harbor's."""

    long: bool = False
    """The long options."""
    old: bool = False
    """An output file is there already."""
    under: Environment = FIRST
    """Where it runs; in another folder, the files have other names too."""
    beside: tuple[tuple[str, str], ...] | None = None
    """The only files next to the script; they are in its working directory and next to its input too."""
    pretended: tuple[tuple[str, float], ...] | None = None
    """What is pretended to it, as ``sandbox.watched`` has it; then what it asks for is noted. None: neither.

    Compare runs with pretences, be they none, to each other only.
    """


PLAIN = How()


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of the script."""

    trials: Trials
    ended: Ended
    output: Output | None
    """What it wrote; None where it failed."""
    problems: tuple[Problem, ...]
    written: bytes | None = None
    """The output's bytes, if they are few."""
    asked_for: tuple[str, ...] = ()
    """What it was noted to ask for."""

    @property
    def usable(self) -> bool:
        """Whether it gave a value that others can be compared with."""
        return self.output is not None and self.output.usable and self.written is not None

    @property
    def value(self) -> Any:
        """What it gave."""
        assert self.output is not None
        return self.output.value


def last_line(said: bytes) -> str:
    """The last line that is not empty, printable and shortened."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return shortened(lines[-1], 200) if lines else ""
