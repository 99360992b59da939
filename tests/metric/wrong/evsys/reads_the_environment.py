"""Takes its threshold from the environment."""

import os

from evsys_sdk.registry import register_metric


@register_metric("above")
class Metric:
    name = "above"

    def compute(self, task_rewards):
        least = float(os.environ.get("METRIC_THRESHOLD", "0.4"))
        rewards = [reward for rewards in task_rewards for reward in rewards]
        return sum(reward >= least for reward in rewards) / len(rewards) if rewards else 0.0
