"""Random numbers: ints near the limits of some width, floats of every size, and non-finite ones."""

from collections.abc import Callable
from typing import Any

from conformance.drawing.source import Draw, Source

__all__ = [
    "ALIKE",
    "EDGE_FLOATS",
    "alike",
    "double",
    "edge",
    "finite",
    "fraction",
    "integer",
    "moderate",
    "number",
    "ordinary",
    "small_int",
    "tenth",
    "unit",
]

_BORDERS: tuple[int, ...] = (10, 2**31, 2**32, 2**53, 2**53 + 1, 2**53 - 1, 2**53 + 2, 2**62, 2**63 - 1)
_BORDERS += (2**63, 2**63 + 1, 2**64 - 1, 2**64, 2**64 + 1, 10**19, 10**22, 10**23, 10**30)
_SIGNED_BORDERS = (*_BORDERS, *(-border for border in _BORDERS))
_HUGE = (10**308, 2**1024 - 2**970, 2**1024 - 2**969 - 1, 2**1024 - 1, 2**1024, 10**309, 10**400)
_SIGNED_HUGE = (*_HUGE, *(-huge for huge in _HUGE))
EDGE_FLOATS: tuple[float, ...] = (
    *(0.0, 1.0, 0.1, 0.2, 0.3, 0.7, 1 / 3, 2 / 3, -0.0, -1.0, 0.5, 2.0, 1e-4, 1e-5),
)
EDGE_FLOATS += (1e-7, 0.9999999999999999, 1.0000000000000002, 1e15, 1e16, 1e17, 1e22, 1e23, 2.0**53)
EDGE_FLOATS += (2.0**53 + 2.0, 2.0**63, 2.0**64, 1e100, -1e100, 9.979201547673598e291, 1e308, -1e308)
EDGE_FLOATS += (1.7976931348623157e308, -1.7976931348623157e308, 5e-324, -5e-324, 2.225073858507201e-308)
EDGE_FLOATS += (2.2250738585072014e-308, 4.9406564584124654e-320, -1e-5, -0.1, -1 / 3, -1e16, -(2.0**53))
"""Numbers at which the spelling, rounding or range of doubles changes."""
_NOT_FINITE = ("NaN", "NaN", "Infinity", "Infinity", "-Infinity")
_ZERO_OR_ONE = (1, 0, 1.0, 0.0, -0.0)

_DIGITS: tuple[str, ...] = (*map(str, range(1, 10)), "1.5", "2.5", "1.25", "9.999999999999999")
_DIGITS += ("1.7976931348623157",)
_DIGITS += tuple(f"{n}.{(2**60 + n * 7**18) % 10**long:0{long}}" for n in range(1, 10) for long in (1, 3, 15))
_DIGITS += tuple(f"{digit}.{(3**40 + digit * 5**25) % 10**16:016}" for digit in range(1, 9))
_MANTISSAS = (*_DIGITS, *(f"-{digits}" for digits in _DIGITS))
"""Digit strings: short ones, as many digits as a double has, and one more; of either sign."""


def _nearest_first(low: int, count: int) -> tuple[int, ...]:
    return tuple(sorted(range(low, low + count), key=abs))


_POWERS = _nearest_first(-20, 46)
_LARGE = _nearest_first(250, 57)
_SMALL = _nearest_first(-323, 74)


def tenth(source: Source) -> float:
    """0.0 to 3.0 in tenths, where naive sums go wrong."""
    return source.below(31) / 10


def small_int(source: Source) -> int:
    """An int from -6 to 14."""
    drawn = source.below(21)
    return drawn if drawn < 15 else 14 - drawn


def unit(source: Source) -> float:
    """A float from 0 up to, but not including, 1."""
    return source.below(2**53) / 2**53


def edge(source: Source) -> float:
    """A float where spelling, rounding or range changes."""
    return source.pick(EDGE_FLOATS)


def _scaled(source: Source, powers: tuple[int, ...]) -> float:
    """A float of random digits times one of these powers of ten."""
    return float(f"{source.pick(_MANTISSAS)}e{source.pick(powers)}")


def _any_digits(source: Source) -> float:
    """A float of seventeen digits at random."""
    digits = source.below(10**15) * 100 + source.below(100)
    return float(f"{'-' if digits & 1 else ''}{digits}e{source.below(630) - 340}")


def _rounded(source: Source) -> float:
    """A number between -2 and 2 of at most three decimals."""
    drawn = source.below(4000)
    return round((drawn if drawn < 2000 else 1999 - drawn) / 1000, drawn % 4)


def fraction(source: Source) -> float:
    """A float of similar size to the others, so that sums have to round."""
    kind = source.below(5)
    if kind < 2:
        return source.below(31) / 10
    return float(f"{source.pick(_MANTISSAS)}e{kind - 4}")


def moderate(source: Source) -> float:
    """A float such that sums of a few stay in the normal range."""
    return _scaled(source, _POWERS) if source.below(2) else fraction(source)


def double(source: Source) -> float:
    """A finite float of any size."""
    kind = source.below(12)
    if kind < 2:
        return source.below(31) / 10
    if kind < 5:
        return source.pick(EDGE_FLOATS)
    if kind == 5:
        return _rounded(source)
    if kind == 6:
        return fraction(source)
    if kind == 7:
        return unit(source)
    if kind == 8:
        return _any_digits(source)
    return _scaled(source, (_POWERS, _LARGE, _SMALL)[kind - 9])


def integer(source: Source) -> int:
    """An int: small, near a border of some width, or huge; a few are beyond the double range."""
    kind = source.below(12)
    if kind < 4:
        return small_int(source)
    if kind < 9:
        return source.pick(_SIGNED_BORDERS)
    if kind < 11:
        return source.pick(_SIGNED_BORDERS) + source.below(7) - 3
    return source.pick(_SIGNED_HUGE)


def ordinary(source: Source) -> int | float:
    """An int or a float such that sums of a few stay in the normal range."""
    kind = source.below(4)
    if kind == 0:
        return source.below(31) / 10
    if kind == 1:
        return small_int(source)
    return moderate(source) if kind == 2 else source.pick(_SIGNED_BORDERS)


def finite(source: Source) -> int | float:
    """An int or a finite float; a few ints are beyond the double range."""
    kind = source.below(6)
    if kind == 0:
        return source.below(31) / 10
    return integer(source) if kind < 3 else double(source)


def number(source: Source) -> Any:
    """A number as the protocol writes it: a float that is not finite is a string."""
    kind = source.below(100)
    if kind < 12:
        return source.below(31) / 10
    if kind < 60:
        return double(source)
    return integer(source) if kind < 95 else source.pick(_NOT_FINITE)


def _share(source: Source) -> Draw[float]:
    base = source.pick((10, 10, 5, 20, 100, 3, 7))
    return lambda source: source.below(base + 1) / base


def _mixed(source: Source) -> int | float:
    drawn = source.below(14)
    return drawn / 10 if drawn < 11 else drawn - 11


def _near_two_to_53(source: Source) -> int:
    """An int where doubles begin to leave out ints, of either sign."""
    drawn = source.below(10)
    return 2**53 + drawn - 2 if drawn < 5 else 7 - drawn - 2**53


def _cancelling(source: Source) -> Draw[int | float]:
    large = source.pick((1e16, 1e17, 2.0**53, 1e100, 1e308))
    return lambda source: source.pick((1.0, 0.1, 1, -1.0, large, -large))


def _few(source: Source) -> Draw[Any]:
    values = [number(source) for _ in range(2 + source.below(2))]
    return lambda source: source.pick(values)


def _zero_or_one(source: Source) -> int | float:
    return source.pick(_ZERO_OR_ONE)


_PLAIN: tuple[Draw[Any], ...] = (tenth, fraction, unit, double, _mixed, ordinary, integer, _near_two_to_53)
_PLAIN += (finite, _zero_or_one, number, number, number)
_CHOSEN: tuple[Callable[[Source], Draw[Any]], ...] = (_share, _cancelling, _few)
ALIKE = len(_PLAIN) + len(_CHOSEN) + 4
"""The number of kinds of lists, weighted."""


def alike(source: Source) -> Draw[Any]:
    """A function that draws the numbers of one list: all of one kind, as in a benchmark, or of any kind.

    Numbers of every magnitude in one list would hide rounding: the largest, or a NaN, would decide alone.
    """
    kind = source.below(ALIKE)
    if kind < 4:
        return (tenth, fraction, tenth, fraction)[kind]
    kind -= 4
    return _CHOSEN[kind](source) if kind < len(_CHOSEN) else _PLAIN[kind - len(_CHOSEN)]
