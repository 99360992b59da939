"""How far the tasks' means are apart."""

import statistics

from evsys_sdk.registry import register_metric


@register_metric("spread")
class Metric:
    name = "spread"

    def compute(self, task_rewards):
        means = [sum(rewards) / len(rewards) for rewards in task_rewards if rewards]
        return statistics.pstdev(means) if means else 0.0
