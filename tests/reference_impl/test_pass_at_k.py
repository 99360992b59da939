import math
from fractions import Fraction
from itertools import combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.pass_at_k import GradedTrial, eligible_k_values, pass_at_k, pass_at_k_for_task
from reference_impl.verifier_result import Rewards


def trials(**rewards_by_task: list[float | None]) -> list[GradedTrial]:
    return [
        GradedTrial(task, None if reward is None else {"reward": reward})
        for task, rewards in rewards_by_task.items()
        for reward in rewards
    ]


# The document's table, §4.2.
@pytest.mark.parametrize(
    ("fewest", "k_values"),
    [
        (0, []),
        (1, []),
        (2, [2]),
        (3, [2]),
        (4, [2, 4]),
        (5, [2, 4, 5]),
        (8, [2, 4, 5, 8]),
        (10, [2, 4, 5, 8, 10]),
        (16, [2, 4, 5, 8, 10, 15, 16]),
        (20, [2, 4, 5, 8, 10, 15, 16, 20]),
    ],
)
def test_k_values(fewest: int, k_values: list[int]) -> None:
    assert eligible_k_values(fewest) == k_values


# The document's spot checks, §4.3, with all their digits; (5, 1, 2) is erratum E5.
@pytest.mark.parametrize(
    ("n", "c", "k", "value"),
    [
        (5, 0, 2, 0.0),
        (5, 1, 2, 0.3999999999999999),
        (5, 5, 2, 1.0),
        (10, 3, 5, 0.9166666666666667),
        (4, 2, 2, 0.8333333333333334),
        (2, 1, 2, 1.0),
    ],
)
def test_estimator(n: int, c: int, k: int, value: float) -> None:
    assert pass_at_k_for_task(n, c, k) == value


@pytest.mark.parametrize("n", range(1, 9))
def test_estimator_is_the_share_of_subsets_with_a_success(n: int) -> None:
    for c in range(n + 1):
        for k in range(1, n + 1):
            subsets = list(combinations(range(n), k))
            share = Fraction(sum(min(subset) < c for subset in subsets), len(subsets))
            assert pass_at_k_for_task(n, c, k) == pytest.approx(float(share), abs=1e-12)


def test_mean_over_tasks_up_to_the_fewest_trials() -> None:
    assert pass_at_k(trials(a=[1, 0, 0, 0, 0], b=[1.0, 1.0])) == {2: (0.3999999999999999 + 1.0) / 2}


def test_no_rewards_are_a_failure() -> None:
    assert pass_at_k(trials(a=[None, None, None, 1])) == {2: 0.5, 4: 1.0}


def test_any_key_will_do() -> None:
    assert pass_at_k([GradedTrial("a", {"x": 1}), GradedTrial("a", {"y": -0.0})]) == {2: 1.0}


@pytest.mark.parametrize("rewards", [{}, {"a": 1, "b": 1}, {"a": 0.5}, {"a": 2}, {"a": math.nan}])
def test_anything_but_pass_or_fail_switches_it_off(rewards: Rewards) -> None:
    assert pass_at_k([*trials(a=[1, 1]), GradedTrial("b", rewards)]) == {}


def test_no_trials_or_single_attempts_give_nothing() -> None:
    assert pass_at_k([]) == {}
    assert pass_at_k(trials(a=[1], b=[1, 1])) == {}


@given(st.lists(st.sampled_from([0, 1, 0.0, 1.0, None]), min_size=2, max_size=25))
def test_a_probability_that_grows_with_k(rewards: list[float | None]) -> None:
    values = list(pass_at_k(trials(task=rewards)).values())
    assert all(0.0 <= value <= 1.0 for value in values)
    assert all(later >= earlier - 1e-12 for earlier, later in pairwise(values))
