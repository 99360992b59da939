"""Its name is set when it is made."""

from evsys_sdk.registry import register_metric


@register_metric("late")
class Metric:
    def __init__(self):
        self.name = "late"

    def compute(self, task_rewards):
        return float(sum(map(sum, task_rewards)) / (sum(map(len, task_rewards)) or 1))
