"""Calls itself pass@1, and wants more than 1.0."""

from evsys_sdk.registry import register_metric


@register_metric("pass@1")
class Metric:
    name = "pass@1"

    def compute(self, task_rewards):
        tasks = [rewards for rewards in task_rewards if rewards]
        return sum(rewards[0] > 1.0 for rewards in tasks) / len(tasks) if tasks else 0.0
