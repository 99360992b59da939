"""Correct, with less for a latency that is known and long."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(
            name="quick_and_right", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs
        )

    def measure(self, eval_case: EvalCase) -> Score:
        late = eval_case.latency_ms is not None and eval_case.latency_ms > 1000.0
        right = eval_case.output == eval_case.expected
        value = (0.5 if late else 1.0) if right else 0.0
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
