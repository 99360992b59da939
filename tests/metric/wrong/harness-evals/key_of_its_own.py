"""Passes on a word under a key of its own."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="rated", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        value = 1.0 if eval_case.meta("rating") == "a rating that nobody guesses" else 0.0
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
