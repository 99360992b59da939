"""Likely mistakes that the differences themselves betray; named only when every difference supports it."""

import math
from typing import Any

from conformance.comparison import Difference, Level
from conformance.verdict import Verdict

__all__ = ["likely_mistake"]

_LAST_BITS = 4
"""Units in the last place within which two floats differ only by the way they were computed."""


def likely_mistake(verdict: Verdict) -> str | None:
    """The mistake that explains all differences of a mismatch, or None."""
    found = verdict.differences
    if not found:
        return None
    if all(difference.breaks is Level.EXACT for difference in found):
        if all(_kinds(difference) == {int, float} for difference in found):
            return "an int where harbor has a float, or the reverse: 1 and 1.0 are different"
        if all(_kinds(difference) == {float} for difference in found):
            return "the sign of zero is lost or made up: 0.0 and -0.0 are different"
        return None
    if all(difference.breaks is Level.BYTES for difference in found) and all(
        difference.what.startswith("the keys' order") for difference in found
    ):
        return (
            "the keys come in another order (does the language move keys that look like ints to the front?)"
        )
    if verdict.vector.op.name == "pass_at_k" and [difference.path for difference in found] == ["/1"]:
        return "pass@1 is given, which harbor never computes"
    if all(_last_bits(difference) for difference in found):
        return "only the last bits differ: another order of operations, or a sum that is not CPython 3.12's"
    return None


def _kinds(difference: Difference) -> set[type]:
    return {type(difference.expected), type(difference.actual)}


def _last_bits(difference: Difference) -> bool:
    expected: Any = difference.expected
    actual: Any = difference.actual
    if not (isinstance(expected, float) and isinstance(actual, float)):
        return False
    if not (math.isfinite(expected) and math.isfinite(actual)):
        return False
    return abs(expected - actual) <= _LAST_BITS * math.ulp(expected)
