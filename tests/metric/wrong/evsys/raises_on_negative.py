"""Takes roots of rewards, which may be negative."""

import math

from evsys_sdk.registry import register_metric


@register_metric("roots")
class Metric:
    name = "roots"

    def compute(self, task_rewards):
        return float(sum(math.sqrt(reward) for rewards in task_rewards for reward in rewards))
