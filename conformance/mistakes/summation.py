"""Mistakes in adding up and dividing: sums, means."""

import math
from collections.abc import Iterable

from conformance.mistakes.catalogue import mistake
from conformance.variant import Variant

Number = int | float


def naive_sum(values: Iterable[Number]) -> Number:
    """Left to right, every addition rounded."""
    total: Number = 0
    for value in values:
        total += value
    return total


@mistake(
    "naive-sum",
    says="sums are added left to right without compensation",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="The document says that sum is naive, and every language's loop is.",
    invited_by="Python before 3.12, Rust, Go, JavaScript, Java",
)
def _(reference: Variant) -> None:
    reference.replace("summation.compensated_sum", naive_sum)


@mistake(
    "exact-sum",
    says="sums are exact and rounded once",
    op="aggregate",
    clause="003-6-sum-compensated",
    why="It is the better sum, and the name of Python's own function suggests it.",
    invited_by="math.fsum, statistics.fmean, Shewchuk sums, decimal types",
)
def _(reference: Variant) -> None:
    def exact_sum(values: Iterable[Number]) -> Number:
        listed = list(values)
        return math.fsum(listed) if any(isinstance(value, float) for value in listed) else sum(listed)

    reference.replace("summation.compensated_sum", exact_sum)
