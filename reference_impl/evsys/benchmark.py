"""Computes the metrics that a benchmark names (002, Use a built-in)."""

from collections.abc import Sequence

from .metrics import TaskRewards, sampled
from .registry import Registry

__all__ = ["DEFAULT_METRICS", "evaluate", "score"]

DEFAULT_METRICS = ("mean_reward", "pass_rate")
"""The metrics that a benchmark computes if it names none."""


def evaluate(
    registry: Registry, names: Sequence[str], task_rewards: TaskRewards
) -> tuple[dict[str, float], list[str]]:
    """The value of each metric by its name, and the names without a value, both in the given order.

    Metrics get only the tasks that have samples, and their result is converted to a float. One bad name or
    metric does not affect the others: an unknown name, and a metric that raises or does not return a
    number, are skipped with a warning.
    """
    tasks = sampled(task_rewards)
    values: dict[str, float] = {}
    left_out: list[str] = []
    for name in names or DEFAULT_METRICS:
        try:
            values[name] = float(registry.get(name)().compute(tasks))
        except Exception:
            left_out.append(name)
    return values, left_out


def score(
    registry: Registry, names: Sequence[str], task_rewards: TaskRewards
) -> tuple[dict[str, float], list[str]]:
    """A benchmark's answer: `n_tasks`, the number of tasks that have samples, before the values.

    A metric with the name `n_tasks` replaces it.
    """
    values, left_out = evaluate(registry, names, task_rewards)
    return {"n_tasks": float(len(sampled(task_rewards)))} | values, left_out
