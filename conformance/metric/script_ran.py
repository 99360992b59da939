"""One run of a metric script: what it was given, and what came of it."""

import codecs
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.metric.confinement import Ended
from conformance.metric.script_output import Output
from conformance.wire.text import shortened

__all__ = [
    "PLAIN",
    "How",
    "Ran",
    "Rewards",
    "Trials",
    "code_of",
    "how_ended",
    "is_utf_8",
    "last_line",
    "no_output",
]

Rewards = dict[str, int | float] | None
Trials = Sequence[Rewards]


@dataclass(frozen=True, slots=True)
class How:
    """How a run differs from harbor's."""

    long: bool = False
    """The long options."""
    old: bool = False
    """An output file is there already."""
    environment: tuple[tuple[str, str | None], ...] = ()
    """Environment variables that are set, or taken away."""


PLAIN = How()


@dataclass(frozen=True, slots=True)
class Ran:
    """One run of the script."""

    trials: Trials
    ended: Ended
    output: Output | None
    """What it wrote; None where it failed."""
    problems: tuple[tuple[str, str], ...]
    written: bytes | None = None
    """The output's bytes, if they are few."""

    @property
    def usable(self) -> bool:
        """Whether it gave a value that others can be compared with."""
        return self.output is not None and self.output.usable and self.written is not None

    @property
    def value(self) -> Any:
        """What it gave."""
        assert self.output is not None
        return self.output.value


def no_output(ended: Ended) -> list[tuple[str, str]]:
    """What is wrong with a run that succeeded without an output file."""
    printed = ended.stdout.strip()
    sentence = "It exited with 0 and wrote no output file"
    if printed.startswith(b"{"):
        sentence += (
            f"; it printed {shortened(printed.decode('utf-8', 'replace'), 80)}, which harbor does not look at"
        )
    return [("no-output", f"{sentence}.")]


def code_of(line: bytes) -> int:
    """The exit code in a line of `in_turn`; 1 where somebody else wrote it."""
    try:
        return int(json.loads(line)["code"])
    except (ValueError, TypeError, KeyError):
        return 1


def is_utf_8(path: Path) -> bool:
    """Whether a file is UTF-8, or not there."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        with path.open("rb") as file:
            while chunk := file.read(1 << 16):
                decoder.decode(chunk)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    except OSError:
        return True
    return True


def how_ended(ended: Ended) -> str:
    """A process's end in words."""
    assert ended.code is not None
    return f"exited with {ended.code}" if ended.code >= 0 else f"was killed by signal {-ended.code}"


def last_line(said: bytes) -> str:
    """The last line that is not empty, printable and shortened."""
    lines = [line.strip() for line in said.decode("utf-8", "replace").splitlines() if line.strip()]
    return shortened(lines[-1], 200) if lines else ""
