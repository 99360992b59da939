"""Wants a parameter that nothing gives it."""

from evsys_sdk.registry import register_metric


@register_metric("above")
class Metric:
    name = "above"

    def __init__(self, threshold):
        self.threshold = threshold

    def compute(self, task_rewards):
        return 0.0
