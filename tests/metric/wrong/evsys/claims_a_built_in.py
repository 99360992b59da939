"""Calls itself pass_rate, and takes the mean over tasks."""

from evsys_sdk.registry import register_metric


@register_metric("pass_rate")
class Metric:
    name = "pass_rate"

    def compute(self, task_rewards):
        tasks = [rewards for rewards in task_rewards if rewards]
        rates = [sum(reward >= 1.0 for reward in rewards) / len(rewards) for rewards in tasks]
        return sum(rates) / len(rates) if rates else 0.0
