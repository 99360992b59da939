"""Holds one number of `result.json` to the one that is due, by value, by type and by spelling."""

import math
from typing import Any

from conformance.check.reading.json_files import Number
from conformance.judging.comparison import Level
from reference_impl.json_text import JsonTree, json_text

__all__ = ["number_difference", "reads_alike"]

_SMALL = 1e-3
"""Relative difference up to which a rounded number says the same to whoever reads it."""

Wrong = tuple[bool, str, str | None, Level]
"""Whether it is the spelling alone; the clause; the likely mistake; the lowest level at which it counts."""


def number_difference(due: JsonTree, found: Any, clause: str, likely: str | None = None) -> Wrong | None:
    """What is wrong with a number, or null; None if nothing is. `clause` and `likely` are of its value."""
    text = json_text(due)
    if not isinstance(found, Number):
        return None if found is None and text == "null" else (False, clause, likely, Level.VALUE)
    if found.text in (text, text.replace("e+", "e")):  # pydantic up to 2.12 writes 1e16
        return None
    if text == "null":
        if isinstance(found.value, float) and not math.isfinite(found.value):
            return False, "003-6-nan-in-result", "NaN or an infinity is spelled out; it is null", Level.VALUE
        return False, clause, likely, Level.VALUE
    assert isinstance(due, int | float)
    if found.value != due:
        from conformance.diagnosis.observation import numbers_observed  # rarely needed, and slow to load

        return False, clause, likely or numbers_observed(due, found.value), Level.VALUE
    if type(found.value) is not type(due):
        told = "an int where harbor has a float, or the reverse: 1 and 1.0 are different"
        return False, clause, told, Level.EXACT
    if due == 0 and math.copysign(1.0, found.value) != math.copysign(1.0, due):
        return False, clause, "the sign of zero is lost", Level.EXACT
    return True, "003-3.3-number-text", "the number is right, its spelling is not", Level.BYTES


def reads_alike(due: JsonTree, found: Any) -> bool:
    """Whether two numbers differ in the last bits alone, or because one of them is rounded."""
    if isinstance(due, bool) or not isinstance(due, int | float) or not isinstance(found, Number):
        return False
    from conformance.diagnosis.observation import LAST_BITS, ROUNDED, numbers_observed

    told = numbers_observed(due, found.value)
    return told == LAST_BITS or (told == ROUNDED and abs(found.value - due) <= _SMALL * abs(due))
