"""Sorts the caller's lists."""

from evsys_sdk.registry import register_metric


@register_metric("median")
class Metric:
    name = "median"

    def compute(self, task_rewards):
        medians = []
        for rewards in filter(None, task_rewards):
            if isinstance(rewards, list):
                rewards.sort()
            medians.append(rewards[len(rewards) // 2])
        return float(sum(medians) / len(medians)) if medians else 0.0
