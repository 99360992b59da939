"""Its name is set when it is made."""

from evsys_sdk.registry import register_metric


@register_metric("late")
class Metric:
    def __init__(self):
        self.name = "late"

    def compute(self, task_rewards):
        return 0.0
