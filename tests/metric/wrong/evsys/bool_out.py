"""Whether all is solved."""

from evsys_sdk.registry import register_metric


@register_metric("all_solved")
class Metric:
    name = "all_solved"

    def compute(self, task_rewards):
        return all(reward >= 1.0 for rewards in task_rewards for reward in rewards)
