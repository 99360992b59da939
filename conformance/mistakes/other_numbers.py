"""Adds, rounds, parses and formats numbers as other programs do; used by mistakes of several sections."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, localcontext

__all__ = [
    "DECIMAL",
    "NON_FINITE",
    "UNICODE_SPACE",
    "Number",
    "Rewards",
    "as_double",
    "by_java",
    "by_javascript",
    "for_doubles",
    "from_javascript",
    "naive_sum",
    "single_precision",
    "spelled",
]

Number = int | float
Rewards = dict[str, Number]
NON_FINITE = {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}
"""Python's repr of a float that is not finite, and its name in JavaScript and Java."""
UNICODE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
DECIMAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"


def from_javascript(text: str) -> float:
    """The number that JavaScript's ``Number`` parses from a text.

    Raises:
        ValueError: the result is NaN.
    """
    bare = text.strip(UNICODE_SPACE.replace("\x85", "") + "\ufeff")
    if re.fullmatch(r"0(?:[xX][0-9a-fA-F]+|[oO][0-7]+|[bB][01]+)", bare, re.ASCII):
        return float(int(bare, 0))
    if bare and not re.fullmatch(rf"[+-]?(?:Infinity|{DECIMAL})", bare, re.ASCII):
        raise ValueError("NaN")
    return float(bare or "0")


def naive_sum(values: Iterable[Number]) -> Number:
    """Adds left to right, rounding each time."""
    total: Number = 0
    for value in values:
        total += value
    return total


def for_doubles(add: Callable[[Sequence[float]], float]) -> Callable[[Iterable[Number]], Number]:
    """A sum that adds lists of ints exactly, and all others as doubles, with ``add``."""

    def total(values: Iterable[Number]) -> Number:
        listed = list(values)
        if all(isinstance(value, int) for value in listed):
            return sum(listed)
        return add([as_double(value) for value in listed])

    return total


def as_double(value: Number) -> float:
    """The nearest double; a number beyond the range becomes infinite, as in most languages."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def single_precision(value: Number) -> float:
    """The nearest single-precision float, as a double."""
    number = as_double(value)
    if not math.isfinite(number) or number == 0:
        return number
    _, exponent = math.frexp(number)
    unit = max(exponent - 24, -149)  # the smallest subnormal is 2**-149
    rounded = math.ldexp(round(math.ldexp(number, -unit)), unit)
    return math.copysign(math.inf, number) if abs(rounded) >= 2.0**128 else math.copysign(rounded, number)


def _upper_tie(number: float, shortest: Decimal) -> Decimal:
    """The next spelling away from zero if it is as short and as close as the shortest, else the shortest."""
    exponent = shortest.as_tuple().exponent
    assert isinstance(exponent, int)
    with localcontext() as exact:
        exact.prec = 1100  # the longest double has 1,075 digits before and after its point
        upper = shortest + Decimal(1).scaleb(exponent).copy_sign(shortest)
        return upper if shortest + upper == 2 * Decimal(number) else shortest


def spelled(
    number: float, plain: range, exponent: str, *, whole: str = ".0", digit: str = "", ties_up: bool = False
) -> str:
    """The fewest digits of a finite float, without an exponent if its power of ten is in ``plain``.

    ``whole`` is appended to a number without a fraction, ``digit`` to a single digit before an exponent. Of
    two equally short and close spellings, ``ties_up`` chooses the greater one, not the one with an even
    last digit.
    """
    shortest = Decimal(repr(number)).normalize()
    sign, digits, scale = (_upper_tie(number, shortest) if ties_up else shortest).as_tuple()
    assert isinstance(scale, int)
    text = "".join(map(str, digits))
    power = len(text) + scale - 1
    if power not in plain:
        body = text[0] + (f".{text[1:]}" if text[1:] else digit) + exponent.format(power)
    elif scale >= 0:
        body = text + "0" * scale + whole
    elif power >= 0:
        body = f"{text[: power + 1]}.{text[power + 1 :]}"
    else:
        body = f"0.{'0' * (-power - 1)}{text}"
    return "-" * sign + body


def by_javascript(number: float) -> str:
    """A finite float as JavaScript's ``String`` spells it."""
    return spelled(number or 0.0, range(-6, 21), "e{:+d}", whole="")


def by_java(number: float) -> str:
    """A finite float as ``Double.toString`` spells it since JDK 19: at least two digits, the closest two."""
    mantissa, _, power = f"{number:.1e}".partition("e")
    if float(f"{mantissa}e{power}") == number and number and int(power) not in range(-3, 7):
        return f"{mantissa}E{int(power)}"
    return spelled(number, range(-3, 7), "E{}", digit=".0")
