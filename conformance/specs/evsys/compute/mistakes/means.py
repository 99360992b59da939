"""Mistakes in the means of EvSys, and in what a value is."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number, naive_sum
from conformance.mistakes.variant import Variant
from reference_impl.cpython312 import summation
from reference_impl.evsys import metrics

in_sampled = family("evsys.compute", of=metrics.sampled, clause="002-empty-tasks-skipped")
in_compensated_sum = family("evsys.compute", of=(metrics, summation.compensated_sum), clause="002-sum")
in_mean_reward = family("evsys.compute", of=metrics.MeanReward.compute, clause="002-mean-reward")
in_pass_rate = family("evsys.compute", of=metrics.PassRate.compute)
in_mean = family("evsys.compute", of=metrics._mean)
TaskRewards = Sequence[Sequence[Number]]
_SUM = (metrics, summation.compensated_sum)


@way("evsys.compute", clause="002-returns-float")
def changed_value(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes the value as it is answered."""

    def changed(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def answer(given: Any) -> Any:
            value = compute(given)["value"]
            return {"value": value if isinstance(value, str) else change(value)}

        return answer

    reference.wrap_op("evsys.compute", changed)


@way("evsys.compute", clause="002-mean-reward")
def samples(reference: Variant, change: Callable[[Sequence[Number]], Sequence[Number]]) -> None:
    """Lets mean_reward be computed of other samples of each task."""
    compute = reference.get(metrics.MeanReward.compute)
    reference.replace(
        metrics.MeanReward.compute, lambda metric, tasks: compute(metric, [change(task) for task in tasks])
    )


@in_mean_reward.replaced(invited_by="itertools.chain, numpy's mean of a matrix")
def evsys_micro_mean(reference: Variant, _: Any, tasks: Any) -> Any:
    """mean_reward is the mean of all samples, not of the tasks' means.
    The tasks' lists are easily chained, and equally long ones give the same."""
    mean = reference.its(metrics._mean)
    return mean([reward for task in tasks for reward in task])


@in_mean_reward.replaced(invited_by="returns of episodes in reinforcement learning")
def evsys_mean_summed(reference: Variant, _: Any, tasks: Any) -> Any:
    """mean_reward is the mean of the tasks' sums. With one sample a task both are the same."""
    mean, add = reference.its(metrics._mean), reference.its(_SUM)
    return mean([add(task) for task in tasks if task])


@samples.made(invited_by="one helper for all metrics")
def evsys_mean_of_three(task: Sequence[Number]) -> Sequence[Number]:
    """mean_reward looks at the first three samples of a task. pass@3 and pass^3 do."""
    return task[:3]


@in_pass_rate.replaced(clause="002-pooled", invited_by="one helper for all metrics")
def evsys_macro_pass_rate(reference: Variant, _: Any, tasks: TaskRewards) -> Any:
    """pass_rate is the mean of the tasks' rates, not the rate of all samples.
    All other metrics let tasks count alike."""
    mean, passes = reference.its(metrics._mean), reference.its(metrics._passes)
    return mean([mean([passes(reward) for reward in task]) for task in tasks if task])


@in_compensated_sum.used(invited_by="Python before 3.12, Rust, Go, JavaScript, Java")
def evsys_naive_sum(_: Callable[..., Any], values: Sequence[Number]) -> Number:
    """Sums of rewards are added left to right without compensation.
    Every language's loop does so, and Python's sum did before 3.12."""
    return naive_sum(values)


@in_compensated_sum.used(invited_by="math.fsum, statistics.fmean")
def evsys_exact_sum(_: Callable[..., Any], values: Sequence[Number]) -> Number:
    """Sums of rewards are exact and rounded once. It is the better sum, and statistics.fmean has it."""
    return math.fsum(values) if any(isinstance(value, float) for value in values) else sum(values)


@in_compensated_sum.used(invited_by="list[float], double fields")
def evsys_floats_first(add: Callable[..., Any], values: Any) -> Any:
    """Rewards become floats before they are added up. Rewards are declared as floats."""
    return add([float(value) for value in values])


@samples.made(invited_by="np.clip, harness scores")
def evsys_rewards_clamped(task: Sequence[Number]) -> Sequence[Number]:
    """mean_reward clamps rewards into 0 to 1. Rewards are mostly shares."""
    return [reward if reward != reward else min(max(reward, 0), 1) for reward in task]


@samples.made(invited_by="pandas, numpy.nanmean")
def evsys_nan_skipped(task: Sequence[Number]) -> Sequence[Number]:
    """mean_reward skips rewards that are NaN. NaN stands for a missing value in data frames."""
    return [reward for reward in task if reward == reward]


@changed_value.made(invited_by="JavaScript, Lua, PHP")
def evsys_ints_out(value: Any) -> Any:
    """A whole value comes back as an int. Where there is one kind of number, 1.0 is 1."""
    return int(value) if value == int(value) else value


@changed_value.made(invited_by="round(value, 4)")
def evsys_values_rounded(value: Any) -> Any:
    """A value is rounded to four decimals. Tables show no more."""
    return round(value, 4)


@in_mean.replaced(clause="002-empty-is-zero", invited_by="sum(x) / len(x)")
def evsys_no_samples_raise(reference: Variant, values: Any) -> Any:
    """A benchmark without samples is a ZeroDivisionError. A mean divides by the count, which is 0 there."""
    add = reference.its(_SUM)
    return add(values) / len(values)


@in_sampled.replaced(invited_by="len(task_rewards), a mean that is 0.0 for nothing")
def evsys_empty_tasks_count_zero(tasks: Any) -> Any:
    """A task without samples counts as 0. The number of tasks is what a benchmark is divided by."""
    return [task or [0.0] for task in tasks]
