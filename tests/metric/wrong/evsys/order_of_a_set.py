"""Adds up in the order of a set of texts."""

from evsys_sdk.registry import register_metric


@register_metric("texts")
class Metric:
    name = "texts"

    def compute(self, task_rewards):
        rewards = [reward for rewards in task_rewards for reward in rewards]
        first = next(iter({f"reward {reward}" for reward in rewards}), "reward 0.0")
        return float(first.split()[1])
