"""Adds a list to each task, which a tuple is not."""

from evsys_sdk.registry import register_metric


@register_metric("padded")
class Metric:
    name = "padded"

    def compute(self, task_rewards):
        padded = [(rewards + [0.0, 0.0, 0.0])[:3] for rewards in task_rewards]  # noqa: RUF005 - the mistake
        return sum(map(sum, padded)) / (3 * len(padded)) if padded else 0.0
