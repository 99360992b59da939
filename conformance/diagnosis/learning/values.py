"""Values compared to the last bit, and as a line of the list shows them."""

import json
import math
from collections.abc import Sequence
from typing import Any

from conformance.diagnosis.features import name_of
from conformance.judging.content import show
from conformance.wire.messages import Ok, Refused
from conformance.wire.text import shortened

__all__ = ["QUOTED", "as_text", "listed", "nearly", "quoted", "same"]

QUOTED = 80
"""The longest answer quoted."""
_LISTED = 6
"""The most keys listed."""
_LAST_BITS = 4
"""Units in the last place within which two floats differ only by the way they were computed."""


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same, kinds of number and signs of zero included."""
    if type(one) is not type(other):
        return False
    if isinstance(one, float):
        return (one == other and math.copysign(1, one) == math.copysign(1, other)) or (
            one != one and other != other
        )
    if isinstance(one, dict | list):
        return as_text(one) == as_text(other)
    return bool(one == other)


def nearly(due: Any, came: Any) -> bool:
    """Whether two floats differ in their last bits alone."""
    if not (
        isinstance(due, float) and isinstance(came, float) and math.isfinite(due) and math.isfinite(came)
    ):
        return False
    return due != came and abs(due - came) <= _LAST_BITS * math.ulp(due)


def as_text(value: Any) -> str:
    """A value as JSON text, to tell it from others by."""
    try:
        return json.dumps(value, default=repr)
    except (ValueError, RecursionError):
        return f"a {type(value).__name__} beyond showing"


def quoted(answer: Ok | Refused) -> str:
    """A whole answer, as a line of the list shows it."""
    if isinstance(answer, Refused):
        return f"the error {name_of(answer)}"
    return shortened(show(answer.value), QUOTED)


def listed(keys: Sequence[str]) -> str:
    """Keys, each once, as many as a line of the list has room for."""
    shown = [shortened(key, 40) for key in dict.fromkeys(keys)]
    more = len(shown) - _LISTED
    return ", ".join(shown[:_LISTED]) + (f" and {more} more" if more > 0 else "")
