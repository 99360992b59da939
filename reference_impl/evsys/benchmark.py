"""The metrics that a benchmark names, computed (002, Use a built-in)."""

from collections.abc import Sequence

from .metrics import TaskRewards
from .registry import Registry

__all__ = ["evaluate"]


def evaluate(
    registry: Registry, names: Sequence[str], task_rewards: TaskRewards
) -> tuple[dict[str, float], list[str]]:
    """The value of each metric by its name, and the names that have none, both in the given order.

    No name and no metric spoils the others: a name that is unknown, and a metric that raises, is
    left out with a warning. What a metric returns is handed on as it is.
    """
    values: dict[str, float] = {}
    left_out: list[str] = []
    for name in names:
        try:
            values[name] = registry.get(name)().compute(task_rewards)
        except Exception:
            left_out.append(name)
    return values, left_out
