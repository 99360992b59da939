"""pass@k: the chance that at least one of k attempts at a task succeeds (003 §4).

It exists only for groups whose trials are all plain passes or failures, only for certain k, and
never for k = 1. A task with n trials and c successes has the unbiased estimate

    pass@k = 1 - C(n-c, k) / C(n, k) = 1 - product over i from 0 to k-1 of (n-c-i) / (n-i)

and a group has the mean over its tasks. Doubles are rounded at each step, so the order of the
product is part of the rule.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from .aggregation import mean
from .verifier_result import Rewards

__all__ = ["GradedTrial", "eligible_k_values", "pass_at_k", "pass_at_k_for_task"]


@dataclass(frozen=True, slots=True)
class GradedTrial:
    """One attempt at a task."""

    task: str
    """The task's name; trials of one name are attempts at one task."""
    rewards: Rewards | None
    """What the verifier measured; None counts as a failure."""


def pass_at_k(trials: Sequence[GradedTrial]) -> dict[int, float]:
    """The mean over tasks of each task's pass@k, by k ascending, for one group (003 §4).

    Empty if any trial's rewards are something other than one value equal to 0 or 1 (003 §4.1),
    or if the task with the fewest trials has fewer than two. Values are probabilities, 0 to 1.
    """
    # Collect each task's passes and failures. One trial that is neither leaves the group without.
    successes_by_task: dict[str, list[bool]] = {}
    for trial in trials:
        success = _success(trial.rewards)
        if success is None:
            return {}
        successes_by_task.setdefault(trial.task, []).append(success)
    tasks = [(len(successes), sum(successes)) for successes in successes_by_task.values()]

    # Every task needs at least k trials, so the one with the fewest limits k (003 §4.2).
    k_values = eligible_k_values(min((n for n, _ in tasks), default=0))

    # The order of tasks has no effect: each estimate is a multiple of 2**-53, and the sum is compensated.
    return {k: mean([pass_at_k_for_task(n, c, k) for n, c in tasks]) for k in k_values}


def _success(rewards: Rewards | None) -> bool | None:
    """Whether a trial passed; None if its rewards make pass@k unavailable (003 §4.1)."""
    if rewards is None:
        return False
    values = list(rewards.values())
    if len(values) != 1 or values[0] not in (0, 1):
        return None
    return values[0] == 1


def eligible_k_values(min_trials_per_task: int) -> list[int]:
    """Powers of two from 2 and multiples of 5, up to the fewest trials of a task (003 §4.2)."""
    powers_of_two = {2**exponent for exponent in range(1, min_trials_per_task.bit_length())}
    multiples_of_five = set(range(5, min_trials_per_task + 1, 5))
    return sorted(powers_of_two | multiples_of_five)


def pass_at_k_for_task(n: int, c: int, k: int) -> float:
    """The estimate for one task of `n` trials with `c` successes; `k` is n at most (003 §4.3).

    Exactly 1.0 if fewer than k trials failed: any k then include a success, and one factor is 0.
    """
    product = 1.0
    for i in range(k):
        product *= (n - c - i) / (n - i)
    return 1.0 - product
