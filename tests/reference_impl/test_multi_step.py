import math

import pytest

from reference_impl.errors import ValidationError
from reference_impl.multi_step import (
    MinReward,
    Step,
    Strategy,
    multi_step_reward,
    steps_run,
    validate_min_reward,
)
from reference_impl.verifier_result import Rewards, VerifierResult


def step(rewards: Rewards | None, min_reward: MinReward = None, exception: str | None = None) -> Step:
    return Step(VerifierResult(rewards), exception, min_reward)


UNVERIFIED = Step(verifier_result=None, exception=None, min_reward=None)
CRASHED = Step(verifier_result=None, exception="ValueError", min_reward=None)


def test_mean_counts_a_missing_key_as_0_and_leaves_unverified_steps_out() -> None:
    steps = [step({"a": 1}), UNVERIFIED, step({"b": 1}), step(None), step({"a": 2, "b": 1})]
    result, count = multi_step_reward(Strategy.MEAN, steps)
    assert result == VerifierResult({"a": 0.75, "b": 0.5})
    assert count == 5


def test_mean_is_compensated() -> None:
    result, _ = multi_step_reward(Strategy.MEAN, [step({"a": 0.1}), step({"a": 0.2}), step({"a": 0.3})])
    assert result == VerifierResult({"a": 0.19999999999999998})


@pytest.mark.parametrize("steps", [[], [UNVERIFIED], [step(None)], [step({})]])
def test_mean_of_nothing(steps: list[Step]) -> None:
    assert multi_step_reward(Strategy.MEAN, steps) == (None, len(steps))


def test_mean_leaves_the_double_range() -> None:
    with pytest.raises(OverflowError):
        multi_step_reward(Strategy.MEAN, [step({"a": 10**400})])


@pytest.mark.parametrize("rewards", [{"a": 1}, {}, None])
def test_final_is_the_last_result_as_it_is(rewards: Rewards | None) -> None:
    result, _ = multi_step_reward(Strategy.FINAL, [step({"a": 0.5}), step(rewards)])
    assert repr(result) == repr(VerifierResult(rewards))


def test_final_takes_the_last_step_that_ran() -> None:
    assert multi_step_reward(Strategy.FINAL, [step({"a": 1}), CRASHED, step({"a": 1})]) == (None, 2)
    assert multi_step_reward(Strategy.FINAL, []) == (None, 0)


@pytest.mark.parametrize(
    ("first", "goes_on"),
    [
        (step({"reward": 1}, 1.0), True),
        (step({"reward": 0.5}, 0.75), False),
        (step({"reward": 2**53 + 1}, 2.0**53), True),
        (step({"other": 1}, 0.0), False),
        (step({"other": 1}, -math.inf), True),
        (step(None, 0.0), False),
        (step(None, -math.inf), True),
        (step({"reward": math.nan}, 1.0), True),
        (step({"reward": 0}, math.nan), True),
        (step({"a": 1, "b": 0}, {"a": 1.0, "b": 1.0}), False),
        (step({"a": 1}, {"a": 1.0}), True),
        (step({"a": 1}, {"b": 0.0}), False),
        (step({"a": 0}, {}), True),
        (step({"a": 1}, None, "ValueError"), True),
        (step(None, None, "ValueError"), True),
        (step({"reward": 0}, 1.0, "ValueError"), False),
        (UNVERIFIED, True),
        (CRASHED, False),
        (Step(None, None, 0.0), False),
    ],
)
def test_what_ends_the_trial(first: Step, goes_on: bool) -> None:
    assert steps_run([first, step({})]) == (2 if goes_on else 1)


def test_minimums_become_floats() -> None:
    assert repr(validate_min_reward(1)) == "1.0"
    assert repr(validate_min_reward({"a": 2**53 + 1})) == "{'a': 9007199254740992.0}"
    assert validate_min_reward(None) is None


@pytest.mark.parametrize("value", [10**400, {"a": -(10**400)}])
def test_minimum_beyond_the_double_range(value: int | dict[str, int]) -> None:
    with pytest.raises(ValidationError, match="min_reward"):
        validate_min_reward(value)
