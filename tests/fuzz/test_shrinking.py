"""The shrinker, without any process; what it makes of sums and files, ``test_engine.py`` shows."""

import pytest

from conformance.fuzz.inputs import Inputs
from conformance.fuzz.shrinking import OutOfBudgetError, shrink, weight
from conformance.suite.shapes import fits, shape_of


def test_every_op_shrinks_to_something_valid() -> None:
    large = ("pipeline", "job_result", "multi_step_reward", "resolve_metrics", "read_outcome", "plan_trials")
    for op in large:
        given = next(iter(Inputs(5, [op]))).input
        small = shrink(op, given, lambda candidates: next(iter(enumerate(candidates)), (None,))[0])
        assert fits(shape_of(op), small)
        assert weight(small) <= weight(given)


@pytest.mark.parametrize("budget", [0, 1, 3, 10])
def test_the_best_so_far_survives_the_end_of_the_budget(budget) -> None:
    given = {"metric": "mean", "rewards": [{"reward": 0.1}] * 20}
    left = budget

    def still(candidates):
        nonlocal left
        if not left:
            raise OutOfBudgetError
        left -= 1
        return next((i for i, one in enumerate(candidates) if len(one["rewards"]) >= 2), None)

    small = shrink("aggregate", given, still)
    assert 2 <= len(small["rewards"]) <= 20
    assert budget < 2 or weight(small) < weight(given)
