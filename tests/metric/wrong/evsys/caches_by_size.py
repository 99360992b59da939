"""Remembers answers by the number of tasks, for the whole module."""

from evsys_sdk.registry import register_metric

_answers = {}


@register_metric("cached")
class Metric:
    name = "cached"

    def compute(self, task_rewards):
        size = len(task_rewards)
        if size not in _answers:
            rewards = [reward for rewards in task_rewards for reward in rewards]
            _answers[size] = float(sum(rewards) / len(rewards)) if rewards else 0.0
        return _answers[size]
