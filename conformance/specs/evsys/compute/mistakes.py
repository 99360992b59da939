"""Mistakes in the metrics of EvSys: means over tasks and samples, the threshold, the number of samples."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number, naive_sum
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import summation
from reference_impl.evsys import metrics
from reference_impl.evsys.metrics import PassAt1, PassAt3, PassHat3

in_sampled = family("evsys.compute", of=metrics.sampled, clause="002-empty-tasks-skipped")
in_compensated_sum = family("evsys.compute", of=(metrics, summation.compensated_sum), clause="002-sum")
in_mean_reward = family("evsys.compute", of=metrics.MeanReward.compute, clause="002-mean-reward")
in_pass_rate = family("evsys.compute", of=metrics.PassRate.compute)
in_mean = family("evsys.compute", of=metrics._mean)
TaskRewards = Sequence[Sequence[Number]]
_SUM = (metrics, summation.compensated_sum)


@way("evsys.compute", clause="002-returns-float")
def changed_value(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes the answered value."""

    def changed(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def answer(given: Any) -> Any:
            value = compute(given)["value"]
            return {"value": value if isinstance(value, str) else change(value)}

        return answer

    reference.wrap_op("evsys.compute", changed)


@in_mean_reward.replaced(invited_by="itertools.chain, numpy's mean of a matrix")
def evsys_micro_mean(reference: Variant, _: Any, tasks: Any) -> Any:
    """mean_reward is the mean of all samples, not of the tasks' means.
    Chaining the tasks' lists is easy, and gives the same result if they are equally long."""
    mean = reference.its(metrics._mean)
    return mean([reward for task in tasks for reward in task])


@in_mean_reward.replaced(invited_by="returns of episodes in reinforcement learning")
def evsys_mean_summed(reference: Variant, _: Any, tasks: Any) -> Any:
    """mean_reward is the mean of the tasks' sums. With one sample per task both are the same."""
    mean, add = reference.its(metrics._mean), reference.its(_SUM)
    return mean([add(task) for task in tasks if task])


@in_pass_rate.replaced(clause="002-pooled", invited_by="one helper for all metrics")
def evsys_macro_pass_rate(reference: Variant, _: Any, tasks: TaskRewards) -> Any:
    """pass_rate is the mean of the tasks' rates, not the rate of all samples.
    All other metrics weigh tasks equally."""
    mean, passes = reference.its(metrics._mean), reference.its(metrics._passes)
    return mean([mean([passes(reward) for reward in task]) for task in tasks if task])


@in_compensated_sum.used(invited_by="Python before 3.12, Rust, Go, JavaScript, Java")
def evsys_naive_sum(_: Callable[..., Any], values: Sequence[Number]) -> Number:
    """Sums of rewards are added left to right without compensation.
    A loop does so in every language, and Python's sum did before 3.12."""
    return naive_sum(values)


@changed_value.made(invited_by="JavaScript, Lua, PHP")
def evsys_ints_out(value: Any) -> Any:
    """A whole value comes back as an int. A language with one kind of number prints 1.0 as 1."""
    return int(value) if value == int(value) else value


@in_mean.replaced(clause="002-empty-is-zero", invited_by="sum(x) / len(x)")
def evsys_no_samples_raise(reference: Variant, values: Any) -> Any:
    """A benchmark without samples is a ZeroDivisionError. A mean divides by the count, which is 0 there."""
    add = reference.its(_SUM)
    return add(values) / len(values)


@in_sampled.replaced(invited_by="len(task_rewards), a mean that is 0.0 for nothing")
def evsys_empty_tasks_count_zero(tasks: Any) -> Any:
    """A task without samples counts as 0. A benchmark is divided by its number of tasks."""
    return [task or [0.0] for task in tasks]


in_passes = family("evsys.compute", of=metrics._passes, clause="002-pass-threshold")


@way("evsys.compute", clause="002-fewer-samples")
def of_tasks(reference: Variant, share: Callable[[list[bool]], float], metric: type, least: int = 1) -> None:
    """Makes a metric the mean of ``share`` over the tasks with at least ``least`` samples."""
    mean, passes = reference.get(metrics._mean), reference.get(metrics._passes)

    def compute(_: object, tasks: Sequence[Sequence[Number]]) -> Number:
        shares = [share([passes(reward) for reward in task]) for task in tasks if len(task) >= least]
        value: Number = mean(shares)
        return value

    reference.replace((metric, "compute"), compute)


@in_passes.replaced(invited_by="> for >=")
def evsys_passes_above_one(reward: Any) -> Any:
    """A sample passes only if its reward is greater than 1. Many thresholds have to be exceeded."""
    return reward > 1.0


@of_tasks.made(PassAt1, clause="002-pass-at-1", invited_by="any(rewards)")
def evsys_pass_at_1_any(passed: list[bool]) -> float:
    """pass@1 asks whether any sample passes. A task that was solved once seems solved."""
    return any(passed)


@of_tasks.made(PassAt3, clause="002-pass-at-3", invited_by="rewards[: k - 1], ranges without their end")
def evsys_pass_at_3_of_two(passed: list[bool]) -> float:
    """pass@3 considers two samples of a task. The end of a slice is easily off by one."""
    return any(passed[:2])


@of_tasks.made(PassAt3, clause="002-pass-at-3", invited_by="the estimator of the paper on Codex")
def evsys_pass_at_3_estimated(passed: list[bool]) -> float:
    """pass@3 is the unbiased estimate from all samples. That is the meaning of pass@k elsewhere."""
    k = min(3, len(passed))
    return 1.0 - math.comb(passed.count(False), k) / math.comb(len(passed), k)


@of_tasks.made(PassHat3, clause="002-pass-hat-3", invited_by="estimates of pass^k")
def evsys_pass_hat_3_cubed(passed: list[bool]) -> float:
    """pass^3 is the third power of a task's share of passing samples.
    The caret looks like a power, and three independent samples pass with that probability."""
    return (sum(passed) / len(passed)) ** 3
