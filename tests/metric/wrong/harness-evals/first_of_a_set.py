"""Measures the first word of a set."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="first_word", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        words = set(str(eval_case.output)[:2000].split())
        value = len(next(iter(words), "")) % 5 / 5
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
