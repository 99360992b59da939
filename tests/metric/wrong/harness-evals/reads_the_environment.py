"""Takes its limit from the environment."""

import os

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="short", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        most = float(os.environ.get("METRIC_MOST", "10"))
        value = 1.0 if len(str(eval_case.output)[:2000]) <= most else 0.0
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
