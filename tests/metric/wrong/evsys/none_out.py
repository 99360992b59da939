"""Returns None where there is one task."""

from evsys_sdk import register_metric


@register_metric("spread")
class Metric:
    name = "spread"

    def compute(self, task_rewards):
        means = [sum(rewards) / len(rewards) for rewards in task_rewards if rewards]
        return max(means) - min(means) if len(means) > 1 else None
