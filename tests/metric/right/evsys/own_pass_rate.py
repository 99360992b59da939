"""The built-in pass_rate, written again."""

from evsys_sdk.registry import register_metric


@register_metric("pass_rate")
class Metric:
    name = "pass_rate"

    def compute(self, task_rewards):
        rewards = [reward for rewards in task_rewards for reward in rewards]
        return sum(reward >= 1.0 for reward in rewards) / len(rewards) if rewards else 0.0
