"""Leaves out the last task, which may still be running."""

from evsys_sdk.registry import register_metric


@register_metric("settled")
class Metric:
    name = "settled"

    def compute(self, task_rewards):
        means = [sum(rewards) / len(rewards) for rewards in task_rewards if rewards]
        means = means[:-1] or means
        return float(sum(means) / len(means)) if means else 0.0
