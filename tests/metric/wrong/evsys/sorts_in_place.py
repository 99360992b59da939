"""Sorts the caller's lists."""

from evsys_sdk.registry import register_metric


@register_metric("median")
class Metric:
    name = "median"

    def compute(self, task_rewards):
        rewards = task_rewards[0] if task_rewards else []
        if isinstance(rewards, list):
            rewards.sort()
        return float(rewards[len(rewards) // 2]) if rewards else 0.0
