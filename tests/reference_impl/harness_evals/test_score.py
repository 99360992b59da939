"""Scores (004 §1, §8)."""

import math
from typing import Any

import pytest

from reference_impl.harness_evals import Score, clamp


def score(value: Any, threshold: Any = 0.5) -> Score:
    return Score("m", value, threshold)


@pytest.mark.parametrize(
    ("value", "threshold", "passed"),
    [
        (0.5, 0.5, True),
        (0.4999999999999999, 0.5, False),
        (0.0, 0, True),
        (1.0, math.nan, False),
        (1, 1.0, True),
    ],
)
def test_passes_at_its_threshold(value: Any, threshold: Any, passed: bool) -> None:
    assert score(value, threshold).passed is passed


@pytest.mark.parametrize("value", [0.0, 1.0, 0, 1, True, 0.3, 5e-324])
def test_a_value_in_range_stays_what_it_is(value: Any) -> None:
    kept = score(value).value
    assert (kept, type(kept)) == (value, type(value))


def test_a_negative_zero_keeps_its_sign() -> None:
    assert math.copysign(1.0, score(-0.0).value) == -1.0
    assert math.copysign(1.0, clamp(-0.0)) == 1.0


@pytest.mark.parametrize(("value", "moved"), [(1.000001, 1.0), (-1e-6, 0.0), (1.0000000000000002, 1.0)])
def test_a_value_barely_outside_is_moved(value: float, moved: float) -> None:
    assert score(value).value == moved


@pytest.mark.parametrize(
    "value", [1.0000010000000001, -1.0000000000000002e-06, 1.5, math.nan, math.inf, 10**400]
)
def test_a_value_outside_is_refused(value: Any) -> None:
    with pytest.raises(ValueError, match=r"between 0\.0 and 1\.0"):
        score(value)


@pytest.mark.parametrize("other", [None, "0.5", [0.5], {}])
def test_what_is_no_number_is_refused(other: Any) -> None:
    for refused in (lambda: score(other), lambda: score(0.5, other), lambda: clamp(other)):
        with pytest.raises(TypeError):
            refused()


@pytest.mark.parametrize(
    ("value", "clamped"),
    [(1.5, 1.0), (-3, 0.0), (1, 1.0), (True, 1.0), (math.nan, 1.0), (-math.inf, 0.0), (0.3, 0.3)],
)
def test_clamping_gives_a_float_in_range(value: Any, clamped: float) -> None:
    assert (clamp(value), type(clamp(value))) == (clamped, float)


def test_members_without_a_value_are_left_out() -> None:
    assert list(Score("m", 0.0, 0.5, created_at="t").as_dict()) == [
        *("name", "value", "threshold", "passed", "created_at")
    ]
    whole = Score("m", 1, 1, "", {"a": None}, 0.0, "t").as_dict()
    assert list(whole) == [
        *("name", "value", "threshold", "passed", "reason", "metadata", "scoring_duration_ms", "created_at")
    ]
    assert whole["metadata"] == {"a": None}
