from typing import ClassVar, Sequence

from evsys_sdk.registry import register_metric

PASS = 1.0


@register_metric("worst_task")       # registry key == name on metrics: list
class WorstTask:
    name: ClassVar[str] = "worst_task"
    # No Config - metrics take no params.

    # One inner sequence per task; returns one scalar for the benchmark.
    def compute(self, task_rewards: Sequence[Sequence[float]]) -> float:
        tasks = [rs for rs in task_rewards if rs]   # drop empty tasks
        if not tasks:
            return 0.0
        # Each task's mean sample reward; report the lowest (the weakest task).
        means = [sum(rs) / len(rs) for rs in tasks]
        return min(means)
