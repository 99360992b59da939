"""What the benchmarks measured, each figure beside its aim.

Times differ from machine to machine and from run to run, so nothing fails because of them, and
``assess --check`` does not take them again: the figures of the last run are kept beside the records of random
inputs. New ones are taken with::

    python -m tools.benchmarks.cost --json FILE
    harbor-conformance kit assess --benchmark FILE
"""

import datetime
import json
import platform
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.assessment.measurements import AssessmentError
from conformance.assessment.records import RECORDS
from conformance.wire.writing import dumps, write_if_changed, write_text

__all__ = ["Benchmark", "Figure", "keep_figures", "load_benchmarks", "take_benchmark", "write_benchmark"]

_FILE = "benchmarks.json"


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure of a benchmark, and what it should be."""

    what: str
    value: float
    unit: str
    """Behind the number: ``s``, ``ms a vector``, ``times``."""
    aim: float
    at_most: bool = True
    """Whether the aim is an upper bound, not a lower one."""

    @property
    def reached(self) -> bool:
        """Whether the figure is what it should be."""
        return self.value <= self.aim if self.at_most else self.value >= self.aim

    @property
    def aim_text(self) -> str:
        """The aim for people."""
        return f"at {'most' if self.at_most else 'least'} {self.aim:,g} {self.unit}"

    @property
    def value_text(self) -> str:
        """The figure for people, in three digits."""
        value = f"{self.value:,.0f}" if abs(self.value) >= 100 else f"{self.value:.3g}"
        if not self.reached and float(value.replace(",", "")) == self.aim:
            value = f"{self.value:,g}"  # rounded, it would look as if it were reached
        return f"{value} {self.unit}"

    @property
    def verdict(self) -> str:
        """``reached`` or ``missed``."""
        return "reached" if self.reached else "missed"

    def line(self) -> str:
        """Figure and aim side by side."""
        return f"{self.what}: {self.value_text} (aim: {self.aim_text}): {self.verdict}"


@dataclass(frozen=True, slots=True)
class Benchmark:
    """A run of one benchmark."""

    name: str
    """That of its module in ``tools/benchmarks``, or of the option of ``assess`` that runs it."""
    date: str
    kit_version: str
    python: str
    figures: tuple[Figure, ...]


def write_benchmark(path: Path, name: str, figures: Sequence[Figure], more: object = None) -> None:
    """Writes what a benchmark has just measured; ``assess`` does not keep ``more``."""
    today = datetime.datetime.now(datetime.timezone.utc).date().isoformat()
    run = Benchmark(name, today, __version__, platform.python_version(), tuple(figures))
    write_text(path, dumps({"benchmark": asdict(run), "more": more}))


def keep_figures(name: str, figures: Sequence[Figure], folder: Path = RECORDS) -> Path:
    """Keeps what was measured just now, as ``take_benchmark`` does."""
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / _FILE
        write_benchmark(path, name, figures)
        return take_benchmark(path, folder)


def take_benchmark(path: Path, folder: Path = RECORDS) -> Path:
    """Keeps the figures that a benchmark wrote; older ones of the same benchmark make way.

    Raises:
        AssessmentError: the file can't be read, or is no benchmark's.
    """
    document = _read(path)
    run = _benchmark(document.get("benchmark"), path)
    kept = {one.name: one for one in load_benchmarks(folder)} | {run.name: run}
    target = folder / _FILE
    folder.mkdir(exist_ok=True)
    write_if_changed(target, dumps({name: asdict(kept[name]) for name in sorted(kept)}))
    return target


def load_benchmarks(folder: Path = RECORDS) -> tuple[Benchmark, ...]:
    """The runs that are kept, by name.

    Raises:
        AssessmentError: the file is malformed.
    """
    path = folder / _FILE
    if not path.exists():
        return ()
    return tuple(_benchmark(one, path) for _, one in sorted(_read(path).items()))


def _read(path: Path) -> dict[str, Any]:
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise AssessmentError(f"{path} can't be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise AssessmentError(f"{path} is not JSON") from None
    if not isinstance(document, dict):
        raise AssessmentError(f"{path} holds no benchmark's figures")
    return document


def _benchmark(one: Any, path: Path) -> Benchmark:
    try:
        return Benchmark(**{**one, "figures": tuple(Figure(**figure) for figure in one["figures"])})
    except (TypeError, KeyError):
        raise AssessmentError(f"{path} holds no benchmark's figures") from None
