"""Has a parameter that nothing ever sets."""

from evsys_sdk.registry import register_metric


@register_metric("above")
class Metric:
    name = "above"

    def __init__(self, threshold=0.5):
        self.threshold = threshold

    def compute(self, task_rewards):
        return float(sum(map(sum, task_rewards)) / (sum(map(len, task_rewards)) or 1))
