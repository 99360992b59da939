"""Every fifteenth answer of an instance is another."""

from evsys_sdk.registry import register_metric


@register_metric("flaky")
class Metric:
    name = "flaky"

    def compute(self, task_rewards):
        self.asked = getattr(self, "asked", 0) + 1
        rewards = [reward for rewards in task_rewards for reward in rewards]
        mean = float(sum(rewards) / len(rewards)) if rewards else 0.0
        return mean + 0.125 if self.asked == 15 else mean
