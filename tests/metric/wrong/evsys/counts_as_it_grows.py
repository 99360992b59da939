"""Keeps the most tasks that it saw, for as long as they become more."""

from evsys_sdk.registry import register_metric


@register_metric("progress")
class Metric:
    name = "progress"

    def compute(self, task_rewards):
        tasks = [rewards for rewards in task_rewards if rewards]
        seen = getattr(self, "seen", ())
        if len(seen) + 1 == len(tasks):
            self.seen = [list(rewards) for rewards in tasks]
        tasks = self.seen if seen and len(self.seen) == len(tasks) else tasks
        means = [sum(rewards) / len(rewards) for rewards in tasks]
        return float(sum(means) / len(means)) if means else 0.0
