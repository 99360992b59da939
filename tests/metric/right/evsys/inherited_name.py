"""Its name comes from a class above it."""

from evsys_sdk.registry import register_metric


class Base:
    name = "constant"


@register_metric("constant")
class Metric(Base):
    @staticmethod
    def compute(task_rewards):
        return float(sum(map(len, filter(None, task_rewards)))) + float(sum(map(sum, task_rewards)))
