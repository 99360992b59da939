"""Does not say that the cost is missing."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="cheap", dimension=Dimension.PERFORMANCE, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        cost = float("inf") if eval_case.cost_usd is None else eval_case.cost_usd
        value = 1.0 if 0.0 <= cost < 1.0 else 0.0
        return Score(name=self.name, value=value, threshold=self.threshold)
