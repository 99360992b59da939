"""Random parts of EvSys inputs: names of metrics, and tasks' rewards by sample."""

from typing import Any

from conformance.drawing.numbers import double, fraction, number, small_int, unit
from conformance.drawing.source import Draw, Source

__all__ = ["BUILT_INS", "LABELS", "SHARES", "benchmark", "grade", "key", "task_rewards"]

SHARES: tuple[str, ...] = ("pass_rate", "pass@1", "pass@3", "pass^3")
"""The metrics that count passing samples."""
BUILT_INS: tuple[str, ...] = ("mean_reward", "avg", *SHARES)
"""Names that are already registered."""
_KEYS = (
    "worst_task",
    "worst_task",
    "a",
    "A",
    "",
    "最悪",
    "pass@2",
    " avg",
    "average",
    "pass^1",
    "pass_hat_3",
    "pass@1:strict",
    "\uffee",
    "\U00010000",
    "n_tasks",
    *BUILT_INS,
)
_GRADES: tuple[Any, ...] = (
    0,
    1,
    1,
    1.0,
    0.0,
    0.5,
    0.9999999999999999,
    1.0000000000000002,
    2,
    -1,
    -0.0,
    "NaN",
)
LABELS: tuple[str, ...] = ("A", "B", "C")
"""Labels of classes in an input."""


def grade(source: Source) -> Any:
    """A reward on either side of the threshold, usually close to it."""
    return source.pick(_GRADES)


def _zero_or_one(source: Source) -> int:
    return source.below(2)


def _fraction_or_int(source: Source) -> int | float:
    return small_int(source) if source.below(2) else fraction(source)


def key(source: Source) -> str:
    """The name of a metric, perhaps one that is already registered."""
    return source.pick(_KEYS)


def benchmark(source: Source, value: Draw[Any] = grade, least: int = 0, most: int = 5) -> list[list[Any]]:
    """The rewards of a few tasks, each of ``least`` to ``most`` samples."""

    def task(source: Source) -> list[Any]:
        return [value(source) for _ in range(source.between(least, most))]

    return source.items(task, (2, 5, 6))


_KINDS = (grade, _zero_or_one, fraction, number, _fraction_or_int, double, unit, number)


def task_rewards(source: Source) -> list[list[Any]]:
    """The rewards of a benchmark, all of the same kind."""
    value = source.pick(_KINDS)
    most = (1, 3, 5, 11)[source.below(4)]
    if source.below(8) < 7:
        return benchmark(source, value, 0, most)
    return source.items(lambda source: source.times(most, value), (19,))
