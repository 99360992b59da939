"""Cuts rewards to 0 to 1."""

from evsys_sdk.registry import register_metric


@register_metric("clipped")
class Metric:
    name = "clipped"

    def compute(self, task_rewards):
        rewards = [min(1.0, max(0.0, reward)) for rewards in task_rewards for reward in rewards]
        return float(sum(rewards) / len(rewards)) if rewards else 0.0
