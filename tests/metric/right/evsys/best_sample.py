"""The highest reward of any sample."""

from evsys_sdk.registry import register_metric


@register_metric("best_sample")
class Metric:
    name = "best_sample"

    def compute(self, task_rewards):
        return max((float(reward) for rewards in task_rewards for reward in rewards), default=0.0)
