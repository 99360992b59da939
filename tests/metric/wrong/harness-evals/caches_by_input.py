"""Remembers scores by the input, for the whole module."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score

_scores = {}


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="cached", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        key = str(eval_case.input)
        if key not in _scores:
            _scores[key] = 1.0 if eval_case.output == eval_case.expected else 0.0
        value = _scores[key]
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
