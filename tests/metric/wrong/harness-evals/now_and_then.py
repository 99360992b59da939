"""Every fifteenth score of an instance is another."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="flaky", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        self.asked = getattr(self, "asked", 0) + 1
        value = 1.0 if eval_case.output == eval_case.expected else 0.0
        value = 0.5 if self.asked == 15 else value
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
