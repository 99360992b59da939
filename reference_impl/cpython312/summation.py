"""The sum of CPython 3.12, which is not the plain left-to-right sum (003 §6, erratum E4).

Since 3.12 the built-in `sum` keeps a second float next to the running total, which collects the
rounding error of each addition and is added at the end (Neumaier's compensated summation). Python
3.11 adds without it, 3.14 compensates ints too, so every mean in this package uses this function
and has the same bits as on 3.12.
"""

import math
from collections.abc import Iterable, Iterator

__all__ = ["compensated_sum"]

LONG_MIN, LONG_MAX = -(2**63), 2**63 - 1  # a C long on 64-bit Linux, which harbor's image runs


def compensated_sum(values: Iterable[int | float]) -> int | float:
    """Add up `values` as CPython 3.12's `sum` does; no values give the int 0 (003 §3.2, §6).

    Raises:
        OverflowError: an int beyond the double range meets a float.
    """
    # Three loops share one iterator: each continues where the previous one stopped.
    remaining = iter(values)
    total = _sum_of_leading_ints(remaining)
    if isinstance(total, float):
        total = _sum_from_float(total, remaining)
    for value in remaining:
        total += value
    return total


def _sum_of_leading_ints(remaining: Iterator[int | float]) -> int | float:
    """Add ints exactly while item and total fit a C long; the next item is added with an ordinary `+`."""
    total: int | float = 0
    for value in remaining:
        if not (_is_long(value) and _is_long(total + value)):
            return total + value
        total += value
    return total


def _sum_from_float(total: float, remaining: Iterator[int | float]) -> float:
    """Add with compensation until an int too large for a C long ends it.

    Floats are compensated. Ints are converted to double and added without compensation.
    """
    compensation = 0.0
    for value in remaining:
        if isinstance(value, float):
            # error of total + value = (larger - new total) + smaller, by absolute value
            new_total = total + value
            if abs(total) >= abs(value):
                compensation += (total - new_total) + value
            else:
                compensation += (value - new_total) + total
            total = new_total
        elif _is_long(value):
            total += value
        else:
            return _compensated(total, compensation) + value
    return _compensated(total, compensation)


def _compensated(total: float, compensation: float) -> float:
    """Add the compensation, unless it is infinite or NaN."""
    if math.isfinite(compensation):
        return total + compensation
    return total


def _is_long(value: int | float) -> bool:
    """Whether it is an int that fits a C long."""
    return isinstance(value, int) and LONG_MIN <= value <= LONG_MAX
