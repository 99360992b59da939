"""The mean of each task, of empty ones too."""

from evsys_sdk.registry import register_metric


@register_metric("macro")
class Metric:
    name = "macro"

    def compute(self, task_rewards):
        means = [sum(rewards) / len(rewards) for rewards in task_rewards]
        return sum(means) / len(means) if means else 0.0
