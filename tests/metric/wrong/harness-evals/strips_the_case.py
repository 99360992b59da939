"""Tidies the caller's case."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="exact", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        if isinstance(eval_case.output, str):
            eval_case.output = eval_case.output.strip().lower()
        value = 1.0 if eval_case.output == "paris" else 0.0
        return Score(name=self.name, value=value, threshold=self.threshold)
