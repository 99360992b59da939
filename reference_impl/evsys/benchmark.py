"""The metrics that a benchmark names, computed (002, Use a built-in)."""

from collections.abc import Sequence

from .metrics import TaskRewards, sampled
from .registry import Registry

__all__ = ["DEFAULT_METRICS", "evaluate", "score"]

DEFAULT_METRICS = ("mean_reward", "pass_rate")
"""What a benchmark computes that names no metrics."""


def evaluate(
    registry: Registry, names: Sequence[str], task_rewards: TaskRewards
) -> tuple[dict[str, float], list[str]]:
    """The value of each metric by its name, and the names that have none, both in the given order.

    Metrics see the tasks that have samples, and what they return is made a float. No name and no metric
    spoils the others: a name that is unknown, and a metric that raises or does not return a number, is left
    out with a warning.
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
    """What a benchmark answers: `n_tasks`, the number of tasks that have samples, before the values.

    A metric that is called `n_tasks` takes its place.
    """
    values, left_out = evaluate(registry, names, task_rewards)
    return {"n_tasks": float(len(sampled(task_rewards)))} | values, left_out
