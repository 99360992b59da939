"""Mistakes in the means of EvSys, and in what a value is."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.hooks import Number, naive_sum
from conformance.mistakes.variant import Variant

TaskRewards = Sequence[Sequence[Number]]
_SUM = "evsys.metrics.compensated_sum"
_MEAN = "evsys.metrics.MeanReward.compute"


def _value(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes the value as it is answered."""

    def changed(compute: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def answer(given: Any) -> Any:
            value = compute(given)["value"]
            return {"value": value if isinstance(value, str) else change(value)}

        return answer

    reference.wrap_op("evsys.compute", changed)


def _samples(reference: Variant, change: Callable[[Sequence[Number]], Sequence[Number]]) -> None:
    """Lets mean_reward be computed of other samples of each task."""
    compute = reference.get(_MEAN)
    reference.replace(_MEAN, lambda metric, tasks: compute(metric, [change(task) for task in tasks]))


@mistake(
    "evsys-micro-mean",
    says="mean_reward is the mean of all samples, not of the tasks' means",
    op="evsys.compute",
    clause="002-mean-reward",
    why="The tasks' lists are easily chained, and equally long ones give the same.",
    invited_by="itertools.chain, numpy's mean of a matrix",
)
def _(reference: Variant) -> None:
    mean = reference.get("evsys.metrics._mean")
    reference.replace(_MEAN, lambda _, tasks: mean([reward for task in tasks for reward in task]))


@mistake(
    "evsys-mean-summed",
    says="mean_reward is the mean of the tasks' sums",
    op="evsys.compute",
    clause="002-mean-reward",
    why="With one sample a task both are the same.",
    invited_by="returns of episodes in reinforcement learning",
)
def _(reference: Variant) -> None:
    mean, add = reference.get("evsys.metrics._mean"), reference.get(_SUM)
    reference.replace(_MEAN, lambda _, tasks: mean([add(task) for task in tasks if task]))


@mistake(
    "evsys-mean-of-three",
    says="mean_reward looks at the first three samples of a task",
    op="evsys.compute",
    clause="002-mean-reward",
    why="pass@3 and pass^3 do.",
    invited_by="one helper for all metrics",
)
def _(reference: Variant) -> None:
    _samples(reference, lambda task: task[:3])


@mistake(
    "evsys-macro-pass-rate",
    says="pass_rate is the mean of the tasks' rates, not the rate of all samples",
    op="evsys.compute",
    clause="002-pooled",
    why="All other metrics let tasks count alike.",
    invited_by="one helper for all metrics",
)
def _(reference: Variant) -> None:
    mean, passes = reference.get("evsys.metrics._mean"), reference.get("evsys.metrics._passes")

    def macro(_: Any, tasks: TaskRewards) -> Any:
        return mean([mean([passes(reward) for reward in task]) for task in tasks if task])

    reference.replace("evsys.metrics.PassRate.compute", macro)


@mistake(
    "evsys-naive-sum",
    says="sums of rewards are added left to right without compensation",
    op="evsys.compute",
    clause="002-sum",
    why="Every language's loop does so, and Python's sum did before 3.12.",
    invited_by="Python before 3.12, Rust, Go, JavaScript, Java",
)
def _(reference: Variant) -> None:
    reference.replace_use(_SUM, naive_sum)


@mistake(
    "evsys-exact-sum",
    says="sums of rewards are exact and rounded once",
    op="evsys.compute",
    clause="002-sum",
    why="It is the better sum, and statistics.fmean has it.",
    invited_by="math.fsum, statistics.fmean",
)
def _(reference: Variant) -> None:
    def exact_sum(values: Sequence[Number]) -> Number:
        return math.fsum(values) if any(isinstance(value, float) for value in values) else sum(values)

    reference.replace_use(_SUM, exact_sum)


@mistake(
    "evsys-floats-first",
    says="rewards become floats before they are added up",
    op="evsys.compute",
    clause="002-sum",
    why="Rewards are declared as floats.",
    invited_by="list[float], double fields",
)
def _(reference: Variant) -> None:
    add = reference.get(_SUM)
    reference.replace_use(_SUM, lambda values: add([float(value) for value in values]))


@mistake(
    "evsys-rewards-clamped",
    says="mean_reward clamps rewards into 0 to 1",
    op="evsys.compute",
    clause="002-mean-reward",
    why="Rewards are mostly shares.",
    invited_by="np.clip, harness scores",
)
def _(reference: Variant) -> None:
    def clamped(task: Sequence[Number]) -> Sequence[Number]:
        return [reward if reward != reward else min(max(reward, 0), 1) for reward in task]

    _samples(reference, clamped)


@mistake(
    "evsys-nan-skipped",
    says="mean_reward skips rewards that are NaN",
    op="evsys.compute",
    clause="002-mean-reward",
    why="NaN stands for a missing value in data frames.",
    invited_by="pandas, numpy.nanmean",
)
def _(reference: Variant) -> None:
    _samples(reference, lambda task: [reward for reward in task if reward == reward])


@mistake(
    "evsys-ints-out",
    says="a whole value comes back as an int",
    op="evsys.compute",
    clause="002-returns-float",
    why="Where there is one kind of number, 1.0 is 1.",
    invited_by="JavaScript, Lua, PHP",
)
def _(reference: Variant) -> None:
    _value(reference, lambda value: int(value) if value == int(value) else value)


@mistake(
    "evsys-values-rounded",
    says="a value is rounded to four decimals",
    op="evsys.compute",
    clause="002-returns-float",
    why="Tables show no more.",
    invited_by="round(value, 4)",
)
def _(reference: Variant) -> None:
    _value(reference, lambda value: round(value, 4))


@mistake(
    "evsys-no-samples-raise",
    says="a benchmark without samples is a ZeroDivisionError",
    op="evsys.compute",
    clause="002-empty-is-zero",
    why="A mean divides by the count, which is 0 there.",
    invited_by="sum(x) / len(x)",
)
def _(reference: Variant) -> None:
    add = reference.get(_SUM)
    reference.replace("evsys.metrics._mean", lambda values: add(values) / len(values))


@mistake(
    "evsys-empty-tasks-count-zero",
    says="a task without samples counts as 0",
    op="evsys.compute",
    clause="002-empty-tasks-skipped",
    why="The number of tasks is what a benchmark is divided by.",
    invited_by="len(task_rewards), a mean that is 0.0 for nothing",
)
def _(reference: Variant) -> None:
    reference.replace("evsys.metrics._sampled", lambda tasks: [task or [0.0] for task in tasks])
