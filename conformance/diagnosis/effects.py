"""Ways in which implementations change a value, a key, or an order: what a learned deviation may consist of.

Each is a function from what is due to what comes instead, and the words for it. None is a diagnosis before it
has been held to all evidence.
"""

import json
import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

__all__ = ["KEYS", "ORDERS", "UNCHANGED", "VALUES", "Effect"]

UNCHANGED = object()
"""What a function gives where it says nothing."""

_INT64 = (1 << 63) - 1


@dataclass(frozen=True, slots=True)
class Effect:
    """One way to change something."""

    says: str
    """What the runner does, as a clause without its subject."""
    mend: str
    """What to do about it."""
    change: Callable[[Any], Any]


def _is_int(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _as_float(value: Any) -> Any:
    if not _is_int(value):
        return UNCHANGED
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _whole(value: Any) -> bool:
    return isinstance(value, float) and math.isfinite(value) and value.is_integer()


def _as_int(value: Any) -> Any:
    return int(value) if _whole(value) else UNCHANGED


def _as_int64(value: Any) -> Any:
    return max(-_INT64 - 1, min(_INT64, int(value))) if _whole(value) else UNCHANGED


def _as_javascript(value: Any) -> Any:
    """Whole numbers as JavaScript prints them: the shortest digits, then zeros, no point below 1e21."""
    if not (_whole(value) or _is_int(value)):
        return UNCHANGED
    try:
        number = float(value)
    except OverflowError:
        return UNCHANGED
    return int(Decimal(repr(number))) if abs(number) < 1e21 else number


def _through_double(value: Any) -> Any:
    if not _is_int(value):
        return UNCHANGED
    try:
        return int(float(value))
    except OverflowError:
        return UNCHANGED


def _rounded(digits: int) -> Callable[[Any], Any]:
    def change(value: Any) -> Any:
        return round(value, digits) if isinstance(value, float) and math.isfinite(value) else UNCHANGED

    return change


def _significant(digits: int) -> Callable[[Any], Any]:
    def change(value: Any) -> Any:
        return (
            float(f"{value:.{digits - 1}e}")
            if isinstance(value, float) and math.isfinite(value)
            else UNCHANGED
        )

    return change


def _single(value: Any) -> Any:
    if not isinstance(value, float) or not math.isfinite(value):
        return UNCHANGED
    try:
        return struct.unpack("f", struct.pack("f", value))[0]
    except OverflowError:
        return math.copysign(math.inf, value)


def _number(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def only(value: Any) -> Any:
        if not (_is_int(value) or isinstance(value, float)):
            return UNCHANGED
        try:
            return change(value)
        except (OverflowError, ValueError):
            return UNCHANGED

    return only


def _text(change: Callable[[str], Any]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, str) else UNCHANGED


def _array(change: Callable[[list[Any]], Any]) -> Callable[[Any], Any]:
    return lambda value: change(value) if isinstance(value, list) else UNCHANGED


def _instead(known: Any, by: Any) -> Callable[[Any], Any]:
    return lambda value: by if type(value) is type(known) and value == known else UNCHANGED


def _not_finite(by: Any, which: Callable[[float], bool]) -> Callable[[Any], Any]:
    return lambda value: by if isinstance(value, float) and which(value) else UNCHANGED


def _sorted(value: list[Any]) -> Any:
    try:
        return sorted(value)
    except TypeError:
        return UNCHANGED


def _unique(value: list[Any]) -> list[Any]:
    found: list[Any] = []
    for item in value:
        if item not in found:
            found.append(item)
    return found


def _odd(value: float) -> bool:
    return not math.isfinite(value)


VALUES: Sequence[Effect] = (
    Effect("gives ints as floats", "keep an int an int: 1 and 1.0 are different", _as_float),
    Effect("gives whole floats as ints", "keep a float a float: print 1.0, not 1", _as_int),
    Effect(
        "gives whole floats as ints, cut at 64 bits",
        "keep a float a float: print 1.0, not 1, and do not cast it to an integer type",
        _as_int64,
    ),
    Effect(
        "gives whole numbers as JavaScript prints them: 1 for 1.0, and digits lost beyond 2**53",
        "keep ints and floats apart, and ints exact (in JavaScript: read numbers as text, or use BigInt)",
        _as_javascript,
    ),
    Effect("reads ints through doubles", "keep ints exact, of any size", _through_double),
    Effect("gives numbers as strings", "answer numbers as numbers", _number(lambda value: json.dumps(value))),
    Effect(
        "gives numbers as strings of floats",
        "answer numbers as numbers",
        _number(lambda value: str(float(value))),
    ),
    Effect(
        "loses the sign of minus zero",
        "keep -0.0",
        lambda value: 0.0 if _whole(value) and value == 0 else UNCHANGED,
    ),
    Effect("computes in single precision", "use doubles", _single),
    *(
        Effect(f"rounds to {digits} decimal{'s' * (digits != 1)}", "do not round", _rounded(digits))
        for digits in range(13)
    ),
    *(
        Effect(
            f"keeps {digits} significant digits",
            "print the shortest digits that read back the same",
            _significant(digits),
        )
        for digits in range(4, 18)
    ),
    Effect(
        "clamps numbers to [0, 1]",
        "leave numbers outside [0, 1] as they are",
        _number(lambda value: max(0.0, min(1.0, float(value))) if not 0 <= value <= 1 else value),
    ),
    Effect(
        "gives negative numbers as 0",
        "leave negative numbers as they are",
        _number(lambda value: type(value)(0) if value < 0 else value),
    ),
    Effect("drops the sign", "keep the sign", _number(abs)),
    Effect("turns the sign", "keep the sign", _number(lambda value: -value)),
    Effect("gives fractions as percent", "answer the number itself", _number(lambda value: value * 100)),
    Effect("gives 1 less the number", "answer the number itself", _number(lambda value: 1 - value)),
    Effect(
        "counts one too many",
        "count as the clause says",
        lambda value: value + 1 if _is_int(value) else UNCHANGED,
    ),
    Effect(
        "counts one too few",
        "count as the clause says",
        lambda value: value - 1 if _is_int(value) else UNCHANGED,
    ),
    Effect(
        "cuts the fraction off",
        "keep the fraction",
        lambda value: float(int(value)) if isinstance(value, float) and math.isfinite(value) else UNCHANGED,
    ),
    Effect(
        "gives numbers that are not finite as null",
        "NaN and the infinities are answers",
        _not_finite(None, _odd),
    ),
    Effect("gives NaN as null", "NaN is an answer", _not_finite(None, math.isnan)),
    Effect("gives NaN as 0.0", "NaN is an answer", _not_finite(0.0, math.isnan)),
    Effect(
        "gives numbers that are not finite as 0.0",
        "NaN and the infinities are answers",
        _not_finite(0.0, _odd),
    ),
    Effect("gives infinities as NaN", "the infinities are answers", _not_finite(math.nan, math.isinf)),
    Effect("gives null as 0.0", "null is an answer", _instead(None, 0.0)),
    Effect("gives null as 0", "null is an answer", _instead(None, 0)),
    Effect("gives null as an empty string", "null is an answer", _instead(None, "")),
    Effect("gives null as an empty object", "null is an answer", _instead(None, {})),
    Effect("gives null as an empty array", "null is an answer", _instead(None, [])),
    Effect("gives an empty object as null", "an empty object is an answer", _instead({}, None)),
    Effect("gives an empty array as null", "an empty array is an answer", _instead([], None)),
    Effect("gives an empty string as null", "an empty string is an answer", _instead("", None)),
    Effect(
        "gives booleans as 0 and 1",
        "keep booleans",
        lambda value: int(value) if isinstance(value, bool) else UNCHANGED,
    ),
    Effect(
        "turns booleans round",
        "keep booleans",
        lambda value: not value if isinstance(value, bool) else UNCHANGED,
    ),
    Effect("gives text in lower case", "keep the case", _text(str.lower)),
    Effect("gives text in upper case", "keep the case", _text(str.upper)),
    Effect("trims text", "keep white space", _text(str.strip)),
    Effect("gives arrays sorted", "keep the order", _array(_sorted)),
    Effect("gives arrays in the reverse order", "keep the order", _array(lambda value: value[::-1])),
    Effect("gives each item of an array once", "keep what is repeated", _array(_unique)),
    Effect("gives only the first item of an array", "give all items", _array(lambda value: value[:1])),
    Effect("gives only the last item of an array", "give all items", _array(lambda value: value[-1:])),
    Effect("gives arrays empty", "fill the array", _array(lambda value: [])),
)
"""Changes of a value."""


def _whole_key(key: str) -> Any:
    try:
        number = float(key)
    except ValueError:
        return UNCHANGED
    return str(int(number)) if math.isfinite(number) and number.is_integer() and "." in key else UNCHANGED


def _float_key(key: str) -> Any:
    try:
        return str(float(int(key)))
    except (ValueError, OverflowError):
        return UNCHANGED


KEYS: Sequence[Effect] = (
    Effect(
        "spells whole floats as ints where they are keys",
        "spell keys as Python spells the number: 1.0",
        _whole_key,
    ),
    Effect("spells ints as floats where they are keys", "spell keys as Python spells the number", _float_key),
    Effect("gives keys in lower case", "keep the case of keys", str.lower),
    Effect("trims keys", "keep white space in keys", str.strip),
)
"""Changes of a key that is data."""


def _integers_first(keys: list[str]) -> list[str]:
    whole = [key for key in keys if key.isascii() and key.isdigit() and str(int(key)) == key]
    return [*sorted(whole, key=int), *(key for key in keys if key not in whole)]


ORDERS: Sequence[Effect] = (
    Effect("sorts keys", "keep the order in which keys come", sorted),
    Effect("puts keys that look like integers first", "keep the order in which keys come", _integers_first),
    Effect("gives keys in the reverse order", "keep the order in which keys come", lambda keys: keys[::-1]),
    Effect(
        "sorts keys without regard to case",
        "keep the order in which keys come",
        lambda keys: sorted(keys, key=str.lower),
    ),
    Effect(
        "sorts keys in the reverse order",
        "keep the order in which keys come",
        lambda keys: sorted(keys, reverse=True),
    ),
    Effect(
        "sorts keys by UTF-16",
        "keep the order in which keys come",
        lambda keys: sorted(keys, key=lambda key: key.encode("utf-16-be", "surrogatepass")),
    ),
)
"""Changes of the order of an object's keys."""
