"""Returns a number in place of a score."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="exact", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> float:
        return 1.0 if eval_case.output == "Paris" else 0.0
