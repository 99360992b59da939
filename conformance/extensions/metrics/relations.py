"""Reads table files, lists of numbers in them, and relations between results.

The worker, a standalone program, loads this file too.
"""

import math
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path

__all__ = ["close", "expanded", "holds", "table_rows"]

_REPEATED = re.compile(r"\(([^)]*)\)\*(\d+)")
_SPREAD = re.compile(r"(\S+)\.\.(\S+)\*(\d+)")


def table_rows(path: Path) -> Iterator[list[str]]:
    """Yield the cells of each line of a table file, skipping empty lines and those that start with ``#``."""
    for line in path.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield [cell.strip() for cell in line.split("|")]


def expanded(text: str) -> list[str]:
    """Expand a list into words: ``(0.5 1)*2`` repeats words, ``0..1*3`` gives evenly spaced numbers."""
    text = _REPEATED.sub(lambda match: f"{match[1]} " * int(match[2]), text)

    def spread(match: re.Match[str]) -> str:
        low, high, last = float(match[1]), float(match[2]), int(match[3]) - 1
        return " ".join(str(low + (high - low) * index / last) for index in range(last + 1))

    return _SPREAD.sub(spread, text).split()


def close(*values: float, tolerance: float = 1e-9) -> bool:
    """Return whether all values are the same number, except for the last digits."""
    return all(
        first == second
        or (math.isnan(first) and math.isnan(second))
        or math.isclose(first, second, rel_tol=tolerance, abs_tol=tolerance)
        for first, second in pairwise(map(_double, values))
    )


def holds(relation: str, numbers: Sequence[float]) -> bool:
    """Return whether numbers ``a``, ``b``, … satisfy ``a=b=1 b<c``; ``a!=b!=c`` means not all are equal."""
    if relation == "rounds down":
        return _rounds_down(*numbers)
    for part in relation.split():
        sign, *_ = re.findall(r"!=|=|<", part)
        few = [numbers[ord(term) - 97] if term.isalpha() else float(term) for term in part.split(sign)]
        if not (few[0] < few[1] - 1e-3 if sign == "<" else close(*few) == (sign == "=")):
            return False
    return True


def _double(value: float) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _rounds_down(small: float, large: float) -> bool:
    """Return whether a number, a mean or a percentage, is a millionth of another, but rounded down."""
    exact = large / 1e6
    floors = [math.floor(exact * 10**digits) / 10**digits for digits in range(4)]
    down = [small == floor < exact != round(small, 9) for floor in floors]
    return (2 < exact < 7 or 200 < exact < 700) and any(
        floored and small != round(exact, digits) for digits, floored in enumerate(down)
    )
