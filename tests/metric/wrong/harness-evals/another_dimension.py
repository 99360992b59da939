"""Calls itself a metric of safety, and its scores correct."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="exact", dimension=Dimension.SAFETY, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        value = 1.0 if "secret" not in str(eval_case.input) else 0.0
        return Score(
            name=self.name, value=value, threshold=self.threshold, metadata={"dimension": "correctness"}
        )
