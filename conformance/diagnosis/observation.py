"""What differences have in common if no known mistake explains them: observations, not a diagnosis."""

import math
from collections.abc import Sequence
from typing import Any

from conformance.diagnosis.departures import Departure
from conformance.judging.comparison import Difference, Level

__all__ = ["LAST_BITS", "OFF_BY_ONE", "ROUNDED", "common_difference", "is_last_bits", "numbers_observed"]

_LAST_BITS = 4
"""Units in the last place within which two floats differ only by the way they were computed."""

OFF_BY_ONE = "off by one"
LAST_BITS = "only the last bits differ: another order of operations, or a sum that is not CPython 3.12's"
ROUNDED = "the number is rounded"


def common_difference(differences: Sequence[Difference]) -> str | None:
    """What all differences of one answer have in common, as a clause; None if nothing notable."""
    if not differences:
        return None
    if all(difference.breaks is Level.EXACT for difference in differences):
        if all(_kinds(difference) == {int, float} for difference in differences):
            return "int against float: 1 and 1.0 are different"
        if all(_kinds(difference) == {float} for difference in differences):
            return "the sign of zero: 0.0 and -0.0 are different"
        return None
    if all(difference.what.startswith("the keys' order") for difference in differences):
        return "the order of keys"
    if all(is_last_bits(difference) for difference in differences):
        return "the last bits"
    return None


def _kinds(difference: Difference) -> set[type]:
    return {type(difference.expected), type(difference.actual)}


def is_last_bits(difference: Difference | Departure, most: int = _LAST_BITS) -> bool:
    """Whether two floats differ by no more than the way they were computed: ``most`` last places."""
    expected: Any = difference.expected
    actual: Any = difference.actual
    if not (isinstance(expected, float) and isinstance(actual, float)):
        return False
    if not (math.isfinite(expected) and math.isfinite(actual)):
        return False
    return abs(expected - actual) <= most * math.ulp(expected)


def numbers_observed(expected: int | float, actual: int | float) -> str | None:
    """What distinguishes two numbers, as a clause; None if nothing notable."""
    if isinstance(expected, int) and isinstance(actual, int):
        return OFF_BY_ONE if abs(expected - actual) == 1 else None
    try:
        if not (math.isfinite(expected) and math.isfinite(actual)):
            return None
        if abs(expected - actual) <= _LAST_BITS * math.ulp(expected):
            return LAST_BITS
        if any(actual == round(float(expected), digits) for digits in range(1, 7)):
            return ROUNDED
    except OverflowError:
        pass
    return None
