"""Divides by the words that are expected."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="recall", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        expected = str(eval_case.expected or "nothing").split() if eval_case.expected != "" else []
        found = set(str(eval_case.output).split())
        value = sum(word in found for word in expected) / len(expected)
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
