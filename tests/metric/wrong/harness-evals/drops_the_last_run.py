"""Leaves out the last run, which may still be going on."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import Dimension, ReliabilityMetric
from harness_evals.core.score import Score


class Metric(ReliabilityMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="settled", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure_runs(self, eval_case: EvalCase) -> Score:
        runs = (eval_case.runs or [])[:-1] or eval_case.runs or []
        value = sum(run.output == "Paris" for run in runs) / len(runs)
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
