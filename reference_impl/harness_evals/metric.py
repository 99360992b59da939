"""What a metric keeps of the arguments that it is made with (004 §1, §8).

All configuration goes into the constructor. A dimension is demanded, which the document's
templates leave out (erratum E40). An argument that no base class knows is swallowed: a misspelt
`threshold` is no error, it is no threshold.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import Enum
from typing import Any

from .dimension import Dimension, PlainText

__all__ = ["Base", "Settings", "construct"]

DEFAULT_THRESHOLD = 1.0  # of all three base classes
DEFAULT_K = 5  # runs that a reliability metric expects; named in its reason, never enforced


class Base(Enum):
    """The class that a metric extends, and the methods that it has to supply."""

    METRIC = ("BaseMetric", frozenset({"measure"}))
    SAFETY = ("SafetyMetric", frozenset({"measure"}))
    RELIABILITY = ("ReliabilityMetric", frozenset({"measure_runs"}))

    @property
    def demanded(self) -> frozenset[str]:
        """The methods without which there is no metric."""
        return self.value[1]


@dataclass(frozen=True, slots=True)
class Settings:
    """What a metric knows of itself."""

    name: str
    dimension: Dimension | PlainText
    threshold: int | float
    k: int | float | None
    """How many runs a reliability metric expects; None for the others."""


def construct(base: Base, methods: Collection[str], arguments: dict[str, Any]) -> Settings:
    """Make a metric of one of the base classes.

    A safety metric's dimension is safety unless it says otherwise; every other names its own.
    Nothing is checked: a threshold may be above 1, a dimension any text.

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
