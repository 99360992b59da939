"""The five dimensions: every metric belongs to exactly one (004 §2).

The document writes their names in capitals; their values, which land in scores and files, are
lower case. What is no dimension is never refused where a metric is made, only where it is used.
"""

from enum import Enum

__all__ = ["DISPLAY_ORDER", "Dimension", "PlainText"]


class Dimension(Enum):
    """What a metric is about. `Dimension(value)` and `Dimension[name]` refuse what is none of these."""

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
