"""Turns that a case tells in its metadata."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="turns", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        turns = eval_case.meta("turns")
        known = isinstance(turns, (int, float)) and not isinstance(turns, bool) and turns >= 0
        value = max(0.0, 1.0 - turns / 10.0) if known else 0.0
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
