"""Its name comes from a class above it."""

from evsys_sdk.registry import register_metric


class Base:
    name = "constant"


@register_metric("constant")
class Metric(Base):
    @staticmethod
    def compute(task_rewards):
        return 0.5
