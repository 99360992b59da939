"""The benchmarks' results, each figure next to its target.

Times differ from machine to machine and from run to run, so nothing fails because of them, and ``assess
--check`` does not measure them: the figures of the last run are stored. To store new ones::

    python -m tools.benchmarks.cost --json FILE
    harbor-conformance kit assess --benchmark FILE
"""

import datetime
import platform
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from conformance import __version__
from conformance.errors import UserError
from conformance.wire.writing import dumps, write_if_changed, write_text

__all__ = [
    "RECORDS",
    "AssessmentError",
    "Benchmark",
    "Figure",
    "keep",
    "load_benchmarks",
    "measured_now",
    "take_benchmark",
    "write_benchmark",
]

RECORDS = Path(__file__).with_name("records")
"""The folder of figures that were measured elsewhere."""
_FILE = "benchmarks.json"


class AssessmentError(UserError):
    """The assessment failed; the message is one sentence."""


class Figure(msgspec.Struct, frozen=True):
    """One figure of a benchmark, and its target."""

    what: str
    value: int | float
    unit: str
    """Printed after the number: ``s``, ``ms a vector``, ``times``."""
    aim: int | float
    at_most: bool = True
    """Whether the target is an upper bound; otherwise it is a lower bound."""

    @property
    def reached(self) -> bool:
        """Whether the figure meets its target."""
        return self.value <= self.aim if self.at_most else self.value >= self.aim

    @property
    def aim_text(self) -> str:
        """The target as text."""
        return f"at {'most' if self.at_most else 'least'} {self.aim:,g} {self.unit}"

    @property
    def value_text(self) -> str:
        """The figure as text, with three digits."""
        value = f"{self.value:,.0f}" if abs(self.value) >= 100 else f"{self.value:.3g}"
        if not self.reached and float(value.replace(",", "")) == self.aim:
            value = f"{self.value:,g}"  # rounded, it would look reached
        return f"{value} {self.unit}"

    @property
    def verdict(self) -> str:
        """``reached`` or ``missed``."""
        return "reached" if self.reached else "missed"

    def line(self) -> str:
        """The figure next to its target."""
        return f"{self.what}: {self.value_text} (aim: {self.aim_text}): {self.verdict}"


class Benchmark(msgspec.Struct, frozen=True):
    """A run of one benchmark."""

    name: str
    """The name of its module in ``tools/benchmarks``, or of the ``assess`` option that runs it."""
    date: str
    kit_version: str
    python: str
    figures: tuple[Figure, ...]


_Kind = TypeVar("_Kind")


def _decoded(path: Path, kind: type[_Kind]) -> _Kind:
    try:
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except OSError as error:
        raise AssessmentError(f"{path} can't be read: {error.strerror}") from None
    except (msgspec.DecodeError, RecursionError) as error:
        raise AssessmentError(f"{path} is not a file of a benchmark's figures: {error}") from None


class _BenchmarkFile(msgspec.Struct):
    benchmark: Benchmark


def measured_now(name: str, figures: Sequence[Figure]) -> Benchmark:
    """A benchmark run that has just ended."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    return Benchmark(name, today, __version__, platform.python_version(), tuple(figures))


def write_benchmark(path: Path, name: str, figures: Sequence[Figure], more: object = None) -> None:
    """Writes a benchmark's figures; ``assess`` does not store ``more``."""
    write_text(path, dumps({"benchmark": msgspec.to_builtins(measured_now(name, figures)), "more": more}))


def take_benchmark(path: Path, folder: Path = RECORDS) -> Path:
    """Stores the figures in a benchmark's file; returns the file of all figures.

    Raises:
        AssessmentError: the file can't be read, or was not written by a benchmark.
    """
    return keep(_decoded(path, _BenchmarkFile).benchmark, folder)


def keep(run: Benchmark, folder: Path = RECORDS) -> Path:
    """Stores a run in place of an older one of the same benchmark; returns the file of all figures."""
    kept = {stored.name: stored for stored in load_benchmarks(folder)} | {run.name: run}
    folder.mkdir(exist_ok=True)
    write_if_changed(folder / _FILE, dumps({name: msgspec.to_builtins(kept[name]) for name in sorted(kept)}))
    return folder / _FILE


def load_benchmarks(folder: Path = RECORDS) -> tuple[Benchmark, ...]:
    """The stored runs, by name.

    Raises:
        AssessmentError: the file is malformed.
    """
    path = folder / _FILE
    kept = _decoded(path, dict[str, Benchmark]) if path.exists() else {}
    return tuple(run for _, run in sorted(kept.items()))
