"""The least task mean, of no tasks too."""

from evsys_sdk.registry import register_metric


@register_metric("least")
class Metric:
    name = "least"

    def compute(self, task_rewards):
        return min(sum(rewards) / len(rewards) for rewards in task_rewards if rewards)
