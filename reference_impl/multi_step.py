"""Combines the steps of a multi-step trial into the trial's result (003 §4.5).

Steps run in order until one ends the trial: it raised and was not verified, or its rewards are below its
minimum. The trial's result is then the mean over the verified steps, key by key, or the last step's result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from .aggregation import mean
from .errors import ValidationError
from .reward import REWARD_KEY
from .verifier_result import Rewards, VerifierResult

__all__ = [
    "MinReward",
    "Step",
    "Strategy",
    "multi_step_reward",
    "select_reward",
    "steps_run",
    "validate_min_reward",
]

# A step's minimum: a number for the key `reward`, or one for each of several keys.
MinReward = float | dict[str, float] | None


class Strategy(Enum):
    """The way to combine steps into one result; `MEAN` by default (003 §4.5)."""

    MEAN = "mean"
    """The mean over the steps that were verified, key by key."""
    FINAL = "final"
    """The last step's result, unchanged, even if there is none."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step's result if it is run, and its minimum."""

    verifier_result: VerifierResult | None
    """None if the step was not verified; a result without rewards is still a result."""
    exception: str | None
    """The type of the exception that the step raised, if any."""
    min_reward: MinReward
    """A number for the key `reward`, or one for each of several keys; None for no minimum."""


def validate_min_reward(value: int | float | Mapping[str, int | float] | None) -> MinReward:
    """Turn every number of a step's `min_reward` into a float, as harbor's task file does.

    Raises:
        ValidationError: an int is beyond the double range.
    """
    if value is None:
        return None
    if isinstance(value, Mapping):
        return {key: _to_float(number) for key, number in value.items()}
    return _to_float(value)


def _to_float(number: int | float) -> float:
    """The nearest double."""
    try:
        return float(number)
    except OverflowError as error:
        raise ValidationError("min_reward", number) from error


def multi_step_reward(strategy: Strategy, steps: Sequence[Step]) -> tuple[VerifierResult | None, int]:
    """The trial's result and the number of steps that ran (003 §4.5).

    Raises:
        OverflowError: the mean of a key leaves the double range.
    """
    count = steps_run(steps)
    return select_reward(strategy, steps[:count]), count


def steps_run(steps: Sequence[Step]) -> int:
    """Count the steps up to and including the first that ends the trial (003 §4.5)."""
    for count, step in enumerate(steps, start=1):
        if _ends_trial(step):
            return count
    return len(steps)


def _ends_trial(step: Step) -> bool:
    """Whether the step is the last one that runs (003 §4.5)."""
    # It raised, and its verifier did not run.
    if step.exception is not None and step.verifier_result is None:
        return True

    # Otherwise only a minimum can end the trial.
    if step.min_reward is None:
        return False
    minimums = step.min_reward
    if isinstance(minimums, float):
        minimums = {REWARD_KEY: minimums}

    # A reward that is missing counts as -inf. NaN, on either side, is not below anything.
    result = step.verifier_result
    rewards = {} if result is None else result.rewards or {}
    return any(rewards.get(key, float("-inf")) < minimum for key, minimum in minimums.items())


def select_reward(strategy: Strategy, executed: Sequence[Step]) -> VerifierResult | None:
    """The result of the executed steps: the last one's, unchanged, or the mean (003 §4.5).

    The mean is over the steps that have a result; a key that one of them lacks counts as 0 there. There is
    no result if no step has one or if there is no key at all.

    harbor leaves the order of the mean's keys to chance (erratum E6); here it is the order in which they
    first appear.

    Raises:
        OverflowError: the mean of a key leaves the double range.
    """
    if strategy is Strategy.FINAL:
        return executed[-1].verifier_result if executed else None

    # A step without a result is left out; one without rewards is in, and lacks every key.
    results = [step.verifier_result for step in executed if step.verifier_result is not None]
    measured: list[Rewards] = [result.rewards or {} for result in results]
    keys = dict.fromkeys(key for rewards in measured for key in rewards)
    if not keys:
        return None

    # mean of a key = sum of its rewards, 0 where it is missing / number of steps with a result
    means = {key: mean([rewards.get(key, 0) for rewards in measured]) for key in keys}
    return VerifierResult(means)
