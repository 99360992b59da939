"""Numbers: ints near the borders of some width, floats of every size, and what is not finite."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

__all__ = [
    "EDGE_FLOATS",
    "chance",
    "doubles",
    "finite",
    "fractions",
    "ints",
    "moderate",
    "numbers",
    "ordinary",
    "small_ints",
    "tenths",
]

_BORDERS: tuple[int, ...] = (10, 2**31, 2**32, 2**53 - 1, 2**53, 2**53 + 1, 2**53 + 2, 2**62, 2**63 - 1)
_BORDERS += (2**63, 2**63 + 1, 2**64 - 1, 2**64, 2**64 + 1, 10**19, 10**22, 10**23, 10**30)
_HUGE = (10**308, 2**1024 - 2**970, 2**1024 - 2**969 - 1, 2**1024 - 1, 2**1024, 10**309, 10**400)
EDGE_FLOATS: tuple[float, ...] = (
    0.0,
    1.0,
    0.1,
    0.2,
    0.3,
    0.7,
    1 / 3,
    2 / 3,
    -0.0,
    -1.0,
    0.5,
    2.0,
    1e-4,
    1e-5,
    1e-7,
)
EDGE_FLOATS += (0.9999999999999999, 1.0000000000000002, 1e15, 1e16, 1e17, 1e22, 1e23, 2.0**53, 2.0**53 + 2.0)
EDGE_FLOATS += (2.0**63, 2.0**64, 1e100, -1e100, 9.979201547673598e291, 1e308, -1e308, 1.7976931348623157e308)
EDGE_FLOATS += (5e-324, -5e-324, 2.225073858507201e-308, 2.2250738585072014e-308, 4.9406564584124654e-320)


def chance(percent: int) -> SearchStrategy[bool]:
    """True in about so many of a hundred cases; shrinks to False."""
    return st.integers(0, 99).map(lambda drawn: drawn >= 100 - percent)


def _signed(values: tuple[int, ...]) -> SearchStrategy[int]:
    return st.sampled_from((*values, *(-value for value in values)))


small_ints: SearchStrategy[int] = st.integers(0, 20).map(lambda drawn: drawn if drawn < 15 else 14 - drawn)
"""Ints from -6 to 14."""
ints: SearchStrategy[int] = st.one_of(small_ints, _signed(_BORDERS), _signed((*_BORDERS, *_HUGE)))
"""Ints of every size; a few are beyond the double range."""
tenths: SearchStrategy[float] = st.integers(0, 30).map(lambda drawn: drawn / 10)
"""0.0 to 3.0 by tenths: where naive sums go wrong."""
_DIGITS: tuple[str, ...] = (*map(str, range(1, 10)), "1.5", "2.5", "1.25", "9.999999999999999")
_DIGITS += ("1.7976931348623157",)
_DIGITS += tuple(
    f"{digit}.{(2**60 + digit * 7**18) % 10**length:0{length}}"
    for digit in range(1, 10)
    for length in (1, 3, 15)
)
_DIGITS += tuple(f"{digit}.{(3**40 + digit * 5**25) % 10**16:016}" for digit in range(1, 9))
_mantissas = st.sampled_from((*_DIGITS, *(f"-{digits}" for digits in _DIGITS)))
"""Digits, few and as many as a double has and one more, of either sign: 98 texts."""


def _scaled(low: int, count: int) -> SearchStrategy[float]:
    """Floats of any digits and one of fewer than a hundred powers of ten, from ``low`` on."""
    powers = st.sampled_from(sorted(range(low, low + count), key=abs))
    return st.builds(lambda digits, exponent: float(f"{digits}e{exponent}"), _mantissas, powers)


fractions: SearchStrategy[float] = st.one_of(tenths, _scaled(-2, 3))
"""Floats of a like size, so that sums have to round."""
doubles: SearchStrategy[float] = st.one_of(
    tenths, st.sampled_from(EDGE_FLOATS), fractions, _scaled(-20, 46), _scaled(250, 57), _scaled(-323, 74)
)
"""Finite floats of every size."""
moderate: SearchStrategy[float] = st.one_of(fractions, _scaled(-20, 46))
"""Floats that no sum of a few takes out of the normal range."""
ordinary: SearchStrategy[int | float] = st.one_of(tenths, small_ints, moderate, _signed(_BORDERS))
"""Ints and floats that no sum of a few takes out of the normal range."""
finite: SearchStrategy[int | float] = st.one_of(tenths, small_ints, doubles, doubles, ints)
"""Ints and finite floats; a few ints are beyond the double range."""


@st.composite
def _numbers(draw: Any) -> Any:
    drawn = draw(st.integers(0, 99))
    return draw(finite) if drawn < 95 else ("NaN", "NaN", "Infinity", "Infinity", "-Infinity")[drawn - 95]


numbers: SearchStrategy[Any] = _numbers()
"""Numbers as the protocol writes them: non-finite floats as strings."""
