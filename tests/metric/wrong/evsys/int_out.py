"""The number of tasks solved."""

from evsys_sdk.registry import register_metric


@register_metric("solved")
class Metric:
    name = "solved"

    def compute(self, task_rewards):
        return sum(any(reward >= 1.0 for reward in rewards) for rewards in task_rewards)
