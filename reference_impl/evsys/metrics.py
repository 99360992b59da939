"""Reduces the rewards of all samples of all tasks to one number (002, Use a built-in).

A sample is one rollout of a task, and its reward a number of any size and sign. The built-ins differ in two
ways: whether tasks have equal weight (all but `pass_rate`) or samples do, and whether the reward itself
counts or only whether it passes. A task without samples is skipped, and if no task is left the answer is
0.0.
"""

from collections.abc import Sequence
from typing import ClassVar, Protocol

from ..cpython312.summation import compensated_sum

__all__ = [
    "BUILT_INS",
    "PASS_THRESHOLD",
    "Avg",
    "MeanReward",
    "Metric",
    "PassAt1",
    "PassAt3",
    "PassHat3",
    "PassRate",
    "TaskRewards",
    "sampled",
]

TaskRewards = Sequence[Sequence[int | float]]
"""One inner sequence per task: `task_rewards[i][j]` is the reward of sample j on task i."""

PASS_THRESHOLD = 1.0  # 002, The contract


class Metric(Protocol):
    """A reduction of a benchmark's rewards to one number; it takes no configuration (002, The contract)."""

    name: ClassVar[str]
    """Its own name; the registry uses the decorator's name instead."""

    def compute(self, task_rewards: TaskRewards) -> float:
        """The benchmark's score."""


class MeanReward:
    """The mean over tasks of the mean over a task's samples (002, Use a built-in)."""

    name: ClassVar[str] = "mean_reward"

    def compute(self, task_rewards: TaskRewards) -> float:
        """All tasks have equal weight, however many samples they have.

        Raises:
            OverflowError: an int beyond the double range meets a float, or a task's mean is beyond it.
        """
        return _mean([_mean(rewards) for rewards in sampled(task_rewards)])


class Avg(MeanReward):
    """`mean_reward` under another name (002, Use a built-in)."""

    name: ClassVar[str] = "avg"


class PassRate:
    """The share of all samples, pooled across tasks, that pass (002, Use a built-in)."""

    name: ClassVar[str] = "pass_rate"

    def compute(self, task_rewards: TaskRewards) -> float:
        """A task with three samples has three times the weight of a task with one."""
        return _mean([_passes(reward) for rewards in task_rewards for reward in rewards])


class PassAt1:
    """The share of tasks whose first sample passes (002, Use a built-in)."""

    name: ClassVar[str] = "pass@1"

    def compute(self, task_rewards: TaskRewards) -> float:
        """Only the first sample counts; this is not an estimate from all samples."""
        return _mean([any(_first_passes(rewards, 1)) for rewards in sampled(task_rewards)])


class PassAt3:
    """The share of tasks where any of the first three samples passes (002, Use a built-in)."""

    name: ClassVar[str] = "pass@3"

    def compute(self, task_rewards: TaskRewards) -> float:
        """With fewer than three samples, all of them count."""
        return _mean([any(_first_passes(rewards, 3)) for rewards in sampled(task_rewards)])


class PassHat3:
    """The share of tasks where all of the first three samples pass (002, Use a built-in)."""

    name: ClassVar[str] = "pass^3"

    def compute(self, task_rewards: TaskRewards) -> float:
        """With fewer than three samples, all of them count, so a single passing sample can be enough."""
        return _mean([all(_first_passes(rewards, 3)) for rewards in sampled(task_rewards)])


BUILT_INS: dict[str, type[Metric]] = {
    metric.name: metric for metric in (MeanReward, Avg, PassRate, PassAt1, PassAt3, PassHat3)
}


def _passes(reward: int | float) -> bool:
    """Whether a reward reaches the threshold: equal is enough, NaN is not (002, The contract)."""
    return reward >= PASS_THRESHOLD


def _first_passes(rewards: Sequence[int | float], k: int) -> list[bool]:
    return [_passes(reward) for reward in rewards[:k]]


def sampled(task_rewards: TaskRewards) -> list[Sequence[int | float]]:
    """The tasks that have samples; `if rs` in the document's example."""
    return [rewards for rewards in task_rewards if len(rewards) > 0]


def _mean(values: Sequence[int | float]) -> float:
    """The sum by CPython 3.12 divided by the count, 0.0 for no values (002, Use a built-in; erratum E29).

    An int sum is divided exactly and rounded once.
    """
    return compensated_sum(values) / len(values) if values else 0.0
