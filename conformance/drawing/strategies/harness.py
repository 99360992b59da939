"""Inputs of harness-evals: what the seeded generator makes of choices that hypothesis draws, and shrinks."""

import functools
import random
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.drawing.random_harness import HarnessGenerator

__all__ = [
    "DIMENSIONS",
    "HARNESS_INPUTS",
    "harness",
    "names",
    "scores",
    "scoring",
    "summed",
    "thresholds",
    "units",
]

DIMENSIONS: tuple[str, ...] = ("correctness", "groundedness", "safety", "trajectory", "performance")
_MOST = 100


@functools.cache
def _below(limit: int) -> SearchStrategy[int]:
    assert 0 < limit <= _MOST, f"{limit} is no choice among fewer than a hundred"
    return st.integers(0, limit - 1)


class _Choices(random.Random):
    """Chance as hypothesis draws it; the generator asks for nothing else."""

    def __init__(self, draw: Callable[[SearchStrategy[int]], int]) -> None:
        super().__init__(0)
        self._drawn = draw

    def random(self) -> float:
        """0.99 down to 0.0 by hundredths: what is rare does not happen in the simplest case."""
        return (_MOST - 1 - self._drawn(_below(_MOST))) / _MOST

    def choice(self, seq: Any) -> Any:
        """One of the items, the first in the simplest case."""
        return seq[self._drawn(_below(len(seq)))]

    def randrange(self, start: int, stop: int | None = None, step: int = 1) -> int:
        """A number below ``start``: the only form that is used."""
        assert stop is None
        assert step == 1
        return self._drawn(_below(start))


class _Drawing(HarnessGenerator):
    def __init__(self, draw: Callable[[SearchStrategy[int]], int]) -> None:
        super().__init__(0)
        self._random = _Choices(draw)


@st.composite
def harness(draw: Any, op: str) -> Any:
    """Inputs of an op of harness-evals."""
    return _Drawing(draw).draw(op)


_OPS = ("score", "metric", "evaluate", "reliability", "operational", "dimensions", "json", "template")
HARNESS_INPUTS: dict[str, SearchStrategy[Any]] = {
    f"harness.{name}": harness(f"harness.{name}") for name in _OPS
}
"""An input for every op of harness-evals."""

units: SearchStrategy[Any] = st.sampled_from(
    (0.0, 1.0, 0.5, 0.1, 0.3, 0.7, 1 / 3, 2 / 3, 0.8, 0.9999999999999999, 5e-324, -0.0, 0, 1)
)
"""Values that a score may have."""
thresholds: SearchStrategy[Any] = st.one_of(
    units, units, units, st.sampled_from((2, -1, 1.5, "NaN", "Infinity", "-Infinity", 10**30))
)
names: SearchStrategy[str] = st.sampled_from(("m", "n", "latency", "", "é", "名前", "a b", '"'))
_metadata: Sequence[Any] = (None, None, {"text": '{"raw": 12.5}'}, {"text": '{"b": [1, 1.0], "a": null}'})


@st.composite
def scores(draw: Any) -> dict[str, Any]:
    """All that a score is given, none of it refused."""
    return {
        "name": draw(names),
        "value": draw(units),
        "threshold": draw(thresholds),
        "reason": draw(st.sampled_from((None, "", "ok", "é"))),
        "metadata": draw(st.sampled_from(_metadata)),
        "scoring_duration_ms": draw(st.sampled_from((None, 0, 1.5))),
        "created_at": "2026-01-02T03:04:05.678900+00:00",
        "clamped": False,
        "passed": None,
    }


def _does(value: Any) -> dict[str, Any]:
    made = {"name": None, "value": value, "threshold": None, "reason": None, "metadata": None}
    return {"score": {**made, "clamped": False, "passed": None}}


@st.composite
def scoring(draw: Any) -> dict[str, Any]:
    """A metric that makes a score, or is skipped."""
    return {
        "name": draw(names),
        "dimension": draw(st.sampled_from(DIMENSIONS)),
        "threshold": draw(thresholds),
        "measure": {"returns": None} if draw(st.integers(0, 9)) == 9 else _does(draw(units)),
        "a_measure": None,
    }


@st.composite
def summed(draw: Any, dimensions: SearchStrategy[str] | None = None) -> dict[str, Any]:
    """A score as it is summed up."""
    dimension = draw(st.sampled_from(DIMENSIONS) if dimensions is None else dimensions)
    return {
        "name": draw(names),
        "value": draw(units),
        "threshold": draw(units),
        "metadata": {"text": f'{{"dimension": "{dimension}"}}'},
    }
