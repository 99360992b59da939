"""The verifier's result: a reward per key, or none at all.

`None` means that nothing was measured; it is not the same as a reward of 0.0 (003 §2). The
document says that value types are not checked. They are: harbor passes the parsed file to a
pydantic model, which converts what it can and refuses the rest (erratum E1).

Numbers in strings are parsed by pydantic, not by Python. It first tries a float, then an int, and
the two parsers trim and drop underscores differently. A few strings that the first parser refuses
are ints to the second: `" 1_0"` is 10, `"0__1"` is 1, `"0-1"` is -1.
"""

import re
from dataclasses import dataclass

from .cpython312.parsing import MAX_INT_DIGITS, Json
from .cpython312.unicode15 import WHITE_SPACE
from .errors import ValidationError

__all__ = ["Rewards", "VerifierResult", "validate_rewards"]

Rewards = dict[str, int | float]  # in the order in which the keys were written

_FLOAT = re.compile(
    r"[+-]?(?:inf|infinity|nan|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[+-]?[0-9]+)?)",
    re.ASCII | re.IGNORECASE,
)
# A sign; zeros and any underscores among them, if digits follow; the digits; a fraction of zeros.
_INT = re.compile(r"([+-]?)(?:0[0_]*(?=[0-9]))?([0-9]+(?:_[0-9]+)*)(?:\.0+)?")
# The reader forgets that it has seen zeros when a minus follows them.
_INT_AFTER_ZEROS = re.compile(r"\+?0[0_]*(-)_?(0|[1-9][0-9]*(?:_[0-9]+)*)(?:\.0+)?")


@dataclass(frozen=True, slots=True)
class VerifierResult:
    """The result of one verifier run."""

    rewards: Rewards | None = None
    """Reward by key, dimensionless, any int or double; None if nothing was measured."""


def validate_rewards(value: Json) -> Rewards | None:
    """Accept null, or an object of numbers; bools and numeric strings become numbers (003 §2, E1).

    Raises:
        ValidationError: `value` is neither null nor an object, or an entry is null, an array, an
            object or a string that is not a number.
    """
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValidationError("rewards", value)
    return {key: _validate_reward(key, reward) for key, reward in value.items()}


def _validate_reward(key: str, value: Json) -> int | float:
    """Keep ints and floats; true is 1.0; a string is parsed as a float, or else as an int."""
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, int | float):
        return value
    if isinstance(value, str):
        number = _read_float(value)
        if number is None:
            number = _read_int(value)
        if number is not None:
            return number
    raise ValidationError(f"rewards[{key!a}]", value)


def _read_float(text: str) -> float | None:
    """Read a float; white space around it is trimmed only if the text has no underscores."""
    # No underscores at the ends or next to each other; then they are dropped.
    if "_" in text:
        if text.startswith("_") or text.endswith("_") or "__" in text:
            return None
        bare = text.replace("_", "")
    else:
        bare = text.strip(WHITE_SPACE)
    return float(bare) if _FLOAT.fullmatch(bare) else None


def _read_int(text: str) -> int | None:
    """Read an int of at most 4300 digits, not counting leading zeros and underscores."""
    # White space is trimmed, with or without underscores.
    bare = text.strip(WHITE_SPACE)
    match = _INT.fullmatch(bare) or _INT_AFTER_ZEROS.fullmatch(bare)
    if match is None:
        return None
    sign, digits = match[1], match[2].replace("_", "")
    return int(sign + digits) if len(digits) <= MAX_INT_DIGITS else None
