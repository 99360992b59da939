"""Mistakes in which samples pass, and which of a task's samples count."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number
from conformance.mistakes.variant import Variant
from reference_impl.evsys import metrics
from reference_impl.evsys.metrics import PassAt1, PassAt3, PassHat3

in_passes = family("evsys.compute", of=metrics._passes, clause="002-pass-threshold")


@way("evsys.compute", clause="002-fewer-samples")
def of_tasks(reference: Variant, share: Callable[[list[bool]], float], metric: type, least: int = 1) -> None:
    """Makes a metric the mean of what ``share`` says of each task of at least so many samples."""
    mean, passes = reference.get(metrics._mean), reference.get(metrics._passes)

    def compute(_: object, tasks: Sequence[Sequence[Number]]) -> Number:
        shares = [share([passes(reward) for reward in task]) for task in tasks if len(task) >= least]
        value: Number = mean(shares)
        return value

    reference.replace((metric, "compute"), compute)


@in_passes.replaced(invited_by="reward == 1.0")
def evsys_passes_at_one_only(reward: Any) -> Any:
    """A sample passes only if its reward is exactly 1. Rewards are mostly 0 or 1."""
    return reward == 1.0


@in_passes.replaced(invited_by="> for >=")
def evsys_passes_above_one(reward: Any) -> Any:
    """A sample passes only if its reward is greater than 1. Thresholds are often to be exceeded."""
    return reward > 1.0


@in_passes.replaced(invited_by="math.isclose, pytest.approx")
def evsys_passes_with_tolerance(reward: Any) -> Any:
    """A sample passes that lacks less than a billionth of 1.
    Floats are thought to be compared with a tolerance."""
    return reward >= 1.0 - 1e-9


@in_passes.replaced(invited_by="scikit-learn, rounding to 0 or 1")
def evsys_passes_at_half(reward: Any) -> Any:
    """A sample passes from a reward of 0.5 on. Half is the usual threshold of a classifier."""
    return reward >= 0.5


@in_passes.replaced(invited_by="any(rewards), all(rewards)")
def evsys_true_rewards_pass(reward: Any) -> Any:
    """A sample passes if its reward counts as true. Rewards are mostly 0 or 1."""
    return bool(reward)


@in_passes.replaced(invited_by="not reward < 1.0")
def evsys_nan_passes(reward: Any) -> Any:
    """A sample whose reward is NaN passes. A NaN is not below the threshold either."""
    return not reward < 1.0


@of_tasks.made(PassHat3, least=0, clause="002-empty-tasks-skipped", invited_by="all, every, Iterator::all")
def evsys_empty_task_passes_all(passed: list[bool]) -> float:
    """pass^3 counts a task without samples as passed. all() of nothing is true."""
    return all(passed[:3])


@of_tasks.made(PassAt1, clause="002-pass-at-1", invited_by="any(rewards)")
def evsys_pass_at_1_any(passed: list[bool]) -> float:
    """pass@1 asks whether any sample passes. A task seems solved if it was solved once."""
    return any(passed)


@of_tasks.made(PassAt1, clause="002-pass-at-1", invited_by="the estimator of the paper on Codex")
def evsys_pass_at_1_estimated(passed: list[bool]) -> float:
    """pass@1 is the mean share of passing samples. The unbiased estimator of pass@k gives that for 1."""
    return sum(passed) / len(passed)


@of_tasks.made(PassAt3, clause="002-pass-at-3", invited_by="any(rewards)")
def evsys_pass_at_3_any_of_all(passed: list[bool]) -> float:
    """pass@3 looks at all samples of a task. There are mostly three of them."""
    return any(passed)


@of_tasks.made(PassAt3, clause="002-pass-at-3", invited_by="rewards[: k - 1], ranges without their end")
def evsys_pass_at_3_of_two(passed: list[bool]) -> float:
    """pass@3 looks at two samples of a task. A slice's end is easily off by one."""
    return any(passed[:2])


@of_tasks.made(PassAt3, clause="002-pass-at-3", invited_by="the estimator of the paper on Codex")
def evsys_pass_at_3_estimated(passed: list[bool]) -> float:
    """pass@3 is the unbiased estimate from all samples. That is what pass@k means elsewhere."""
    k = min(3, len(passed))
    return 1.0 - math.comb(passed.count(False), k) / math.comb(len(passed), k)


@of_tasks.made(PassAt3, least=3, invited_by="estimators that demand n >= k")
def evsys_pass_at_3_needs_three(passed: list[bool]) -> float:
    """pass@3 leaves out tasks with fewer than three samples.
    Elsewhere pass@k is undefined with fewer than k samples."""
    return any(passed[:3])


@of_tasks.made(PassHat3, clause="002-pass-hat-3", invited_by="all(rewards)")
def evsys_pass_hat_3_all_of_all(passed: list[bool]) -> float:
    """pass^3 looks at all samples of a task. There are mostly three of them."""
    return all(passed)


@of_tasks.made(PassHat3, clause="002-pass-hat-3", invited_by="estimates of pass^k")
def evsys_pass_hat_3_cubed(passed: list[bool]) -> float:
    """pass^3 is the third power of a task's share of passing samples.
    The caret looks like a power, and three independent samples pass with that chance."""
    return (sum(passed) / len(passed)) ** 3


@of_tasks.made(PassHat3, least=3, invited_by="estimators that demand n >= k")
def evsys_pass_hat_3_needs_three(passed: list[bool]) -> float:
    """pass^3 leaves out tasks with fewer than three samples. Fewer samples cannot show that three pass."""
    return all(passed[:3])


@of_tasks.made(PassHat3, invited_by="sum(passed[:3]) == 3")
def evsys_missing_samples_fail(passed: list[bool]) -> float:
    """pass^3 takes a sample that is not there for a failed one.
    All three have to pass, and two are not three."""
    return float(sum(passed[:3]) == 3)
