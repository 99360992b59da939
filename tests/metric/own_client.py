"""Asks a service of its own."""

import urllib.request

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="asks", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        with urllib.request.urlopen("http://127.0.0.1:9/score") as answer:
            value = float(answer.read())
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
