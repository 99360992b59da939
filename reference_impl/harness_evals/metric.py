"""The settings that a metric keeps from its constructor's arguments (004 §1, §8).

All configuration goes into the constructor. A dimension is required, although the document's templates omit
it (erratum E40). An argument that no base class knows is ignored: a misspelt `threshold` is not an error,
it just has no effect.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .dimension import Dimension, PlainText

__all__ = ["Base", "Settings", "construct"]

DEFAULT_THRESHOLD = 1.0  # of all three base classes
DEFAULT_K = 5  # the runs that a reliability metric expects; used in its reason, never enforced


class Base(Enum):
    """The class that a metric extends, and the methods that the metric must implement."""

    METRIC = ("BaseMetric", frozenset({"measure"}))
    SAFETY = ("SafetyMetric", frozenset({"measure"}))
    RELIABILITY = ("ReliabilityMetric", frozenset({"measure_runs"}))

    @property
    def demanded(self) -> frozenset[str]:
        """The methods that a metric must implement to be constructed."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Settings:
    """The settings that a metric keeps."""

    name: str
    dimension: Dimension | PlainText
    threshold: int | float
    k: int | float | None
    """The number of runs that a reliability metric expects; None for the others."""


def construct(base: Base, methods: Collection[str], arguments: dict[str, Any]) -> Settings:
    """Construct a metric of one of the base classes.

    A safety metric's dimension is safety unless it says otherwise; all others must name their own. Nothing
    is checked: a threshold may be above 1, a dimension any text.

    Raises:
        TypeError: a demanded method, the name or the dimension is missing.
    """
    if not base.demanded <= set(methods):
        raise TypeError("the metric lacks a method that its base class demands")
    if base is Base.SAFETY:
        arguments = {"dimension": Dimension.SAFETY, **arguments}
    if not {"name", "dimension"} <= arguments.keys():
        raise TypeError("a metric has a name and a dimension")
    k = arguments.get("k", DEFAULT_K) if base is Base.RELIABILITY else None
    threshold = arguments.get("threshold", DEFAULT_THRESHOLD)
    return Settings(arguments["name"], arguments["dimension"], threshold, k)
