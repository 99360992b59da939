"""The share of tasks whose samples all pass."""

from evsys_sdk.metrics.basic import PASS_THRESHOLD
from evsys_sdk.registry import register_metric


@register_metric("all_or_nothing")
class Metric:
    name = "all_or_nothing"

    def compute(self, task_rewards):
        tasks = [rewards for rewards in task_rewards if rewards]
        passing = [all(reward >= PASS_THRESHOLD for reward in rewards) for rewards in tasks]
        return sum(passing) / len(tasks) if tasks else 0.0
