"""What the tests of the fuzzer share: narrow runners, and short runs of the engine."""

import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from conformance.fuzz import engine
from conformance.fuzz.engine import Fuzz, Plan
from conformance.fuzz.inputs import all_ops
from conformance.judging.comparison import Level
from conformance.run.options import RunOptions
from conformance.suite.vectors import Vector


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine too, counterexamples are made as small as they get."""
    monkeypatch.setattr(engine, "_SHRINK_SECONDS", 300.0)
    monkeypatch.setattr(engine, "_SHRINK_ALL", 900.0)


NARROW = Path(__file__).parents[1] / "runners" / "narrow.py"


@pytest.fixture
def narrow() -> Callable[[str], tuple[str, ...]]:
    """The command of ``runners/narrow.py``."""
    return lambda way: (sys.executable, str(NARROW), way)


@pytest.fixture
def narrow_text(narrow: Callable[[str], tuple[str, ...]]) -> Callable[[str], str]:
    """The same command as a user would write it."""
    return lambda way: shlex.join(narrow(way))


@pytest.fixture
def fuzz() -> Callable[..., Fuzz]:
    """A run of so many inputs, with a seed; nothing has been asked yet."""

    def make(
        command: Sequence[str],
        inputs: int,
        *,
        ops: Sequence[str] = (),
        vectors: Sequence[Vector] = (),
        seed: int = 1,
        timeout: float = 20.0,
        level: Level = Level.BYTES,
        **more: Any,
    ) -> Fuzz:
        options = RunOptions(command=shlex.join(command), timeout=timeout, level=level, **more)
        return Fuzz(Plan(options, options.settings(), seed, ops or all_ops(), vectors, None, inputs))

    return make
