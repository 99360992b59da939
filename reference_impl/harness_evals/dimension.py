"""The five dimensions: every metric belongs to exactly one (004 §2).

The document writes their names in capitals; their values, which appear in scores and files, are lower case.
An invalid dimension is never refused when a metric is constructed, only when the metric is used.
"""

from enum import Enum

__all__ = ["DISPLAY_ORDER", "Dimension", "PlainText"]


class Dimension(Enum):
    """The subject of a metric. `Dimension(value)` and `Dimension[name]` refuse anything else."""

    CORRECTNESS = "correctness"
    """Compares the output to an expected answer, or judges whether the task was done."""
    GROUNDEDNESS = "groundedness"
    """Asks whether the output is supported by the context."""
    SAFETY = "safety"
    """Looks for violations of a policy; a hard constraint (004 §8, ADR-003)."""
    TRAJECTORY = "trajectory"
    """Judges the path that was taken."""
    PERFORMANCE = "performance"
    """Measures what it cost."""


DISPLAY_ORDER = tuple(dimension.value for dimension in Dimension)
"""Lists of dimensions are in the document's order (004 §2)."""


class PlainText(str):
    """A text in place of a dimension: a metric accepts it, `evaluate` does not."""

    __slots__ = ()
