import math
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.cpython312.summation import LONG_MAX, LONG_MIN, compensated_sum

# What `sum` gives on CPython 3.12, by repr.
KNOWN = [
    ([], "0"),
    ([-0.0], "0.0"),
    ([0.1] * 10, "1.0"),
    ([0.1, 0.2, 0.3], "0.6"),
    ([1, 0.1, 0.1], "1.2000000000000002"),
    ([1.0, 0.1, 0.1], "1.2"),
    ([0.5, 2**53, -(2**53)], "0.0"),
    ([1e308, 1e308, -1e308], "inf"),
    ([math.inf, -math.inf], "nan"),
    ([sys.float_info.max, 9.979201547673598e291, 9.979201547673598e291], "inf"),
    ([LONG_MAX, 1], "9223372036854775808"),
    ([LONG_MAX, 1, 0.1, 0.2], "9.223372036854776e+18"),
    ([0.1, 0.2, 2**63], "9.223372036854776e+18"),
    ([0.1] * 10 + [2**64, -(2**64)], "0.0"),
    ([True, 0.5], "1.5"),
]

whole = st.integers() | st.sampled_from([LONG_MIN, LONG_MAX, LONG_MIN - 1, LONG_MAX + 1, 2**53 + 1])
number = st.floats() | whole | st.booleans() | st.sampled_from([0.1, 0.2, -0.0, 1e308, -1e308])


@pytest.mark.parametrize(("values", "expected"), KNOWN)
def test_known_sums(values: list[float], expected: str) -> None:
    assert repr(compensated_sum(values)) == expected


def test_an_int_beyond_the_double_range_does_not_meet_a_float() -> None:
    with pytest.raises(OverflowError):
        compensated_sum([10**400, 0.5])


@pytest.mark.skipif(sys.version_info[:2] not in ((3, 12), (3, 13)), reason="others add differently")
@given(st.lists(number, max_size=12))
def test_bit_for_bit_the_interpreters_own(values: list[float]) -> None:
    assert repr(compensated_sum(values)) == repr(sum(values))


@given(st.lists(whole))
def test_ints_are_added_exactly(values: list[int]) -> None:
    assert compensated_sum(values) == sum(values)


@given(st.lists(st.floats(-1e6, 1e6), max_size=20))
def test_close_to_the_exact_sum(values: list[float]) -> None:
    exact = sum(map(Fraction, values), Fraction())
    magnitude = sum(map(abs, map(Fraction, values)), Fraction())
    tolerance = Fraction(2) ** -53 * (abs(exact) + len(values) ** 2 * magnitude * Fraction(2) ** -52)
    assert abs(Fraction(compensated_sum(values)) - exact) <= tolerance + Fraction(5e-324)
