"""Nothing says what it is called."""

from evsys_sdk import register_metric


@register_metric()
class Metric:
    def compute(self, task_rewards):
        return 0.5
