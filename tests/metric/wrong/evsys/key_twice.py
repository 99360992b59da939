"""Two classes under one key."""

from evsys_sdk.registry import register_metric


@register_metric("mine")
class Other:
    name = "mine"

    def compute(self, task_rewards):
        return 0.0


@register_metric("mine")
class Metric:
    name = "mine"

    def compute(self, task_rewards):
        return 1.0
