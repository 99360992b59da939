"""Scores: the return values of metrics (004 §1).

A score's value is between 0 and 1. Whether it passed is computed once, at construction, and cannot be
passed as an argument. A value that is barely outside is moved to the nearest limit; the document does not
say so (erratum E41).
"""

from dataclasses import dataclass, field
from typing import Any

__all__ = ["OWN_WORDS", "TOLERANCE", "Score", "clamp"]

TOLERANCE = 1e-6  # how far outside of 0 to 1 a value may lie (erratum E41)
OWN_WORDS = "<reason>"  # replaces reasons that must exist, but whose words no rule fixes


@dataclass(slots=True)
class Score:
    """One metric's verdict on one case.

    Raises:
        TypeError: the value or the threshold is not a number.
        ValueError: the value is NaN, or outside of 0 to 1 by more than the tolerance.
    """

    name: str
    value: Any
    """From 0 to 1, with its original type: an int stays an int, a bool a bool, and -0.0 is in range."""
    threshold: Any
    """The least value that passes. It is not limited: if it is above 1, or NaN, nothing passes."""
    reason: str | None = None
    metadata: Any = None
    """Raw values, not normalised (004 §8)."""
    scoring_duration_ms: int | float | None = None
    """The duration of measuring in milliseconds; `evaluate` sets it."""
    created_at: str = ""
    """The creation time in ISO 8601."""
    passed: bool = field(init=False)

    def __post_init__(self) -> None:
        _demand_number(self.value)
        if not 0.0 <= self.value <= 1.0:
            if not -TOLERANCE <= self.value <= 1.0 + TOLERANCE:
                raise ValueError("a score's value is between 0.0 and 1.0")
            self.value = clamp(self.value)
        _demand_number(self.threshold)
        self.passed = bool(self.value >= self.threshold)

    def as_dict(self) -> dict[str, Any]:
        """The score as an object in the order of its fields; fields without a value are omitted.

        This applies only to the score's own fields, not to nulls inside its metadata.
        """
        members = {
            "name": self.name,
            "value": self.value,
            "threshold": self.threshold,
            "passed": self.passed,
            "reason": self.reason,
            "metadata": self.metadata,
            "scoring_duration_ms": self.scoring_duration_ms,
            "created_at": self.created_at,
        }
        return {name: value for name, value in members.items() if value is not None}


def clamp(value: Any) -> Any:
    """Limit a value to 0 to 1; a changed value becomes a float (004 §4.4).

    NaN becomes 1.0, since it is not less than 1.0 (erratum E42); 0, -0.0 and `false` become 0.0, 1 and
    `true` become 1.0.

    Raises:
        TypeError: the value is not a number.
    """
    _demand_number(value)
    at_most_one = value if value < 1.0 else 1.0
    return at_most_one if at_most_one > 0.0 else 0.0


def _demand_number(value: Any) -> None:
    if not isinstance(value, int | float):
        raise TypeError(f"a number is due here, not a {type(value).__name__}")
