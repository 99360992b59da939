"""Compares with the case before."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    before = None

    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="exact", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        value = 1.0 if eval_case.output == Metric.before else 0.0
        Metric.before = eval_case.output
        return Score(name=self.name, value=value, threshold=self.threshold)
