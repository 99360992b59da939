"""Tells of its work on standard output."""

from evsys_sdk.registry import register_metric


@register_metric("talker")
class Metric:
    name = "talker"

    def compute(self, task_rewards):
        print("computing", len(task_rewards))
        return float(sum(map(sum, task_rewards)) / (sum(map(len, task_rewards)) or 1))
