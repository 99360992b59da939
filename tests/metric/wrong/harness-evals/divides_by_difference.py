"""Divides by how much runs differ, and asks for two runs alone."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import Dimension, ReliabilityMetric
from harness_evals.core.score import Score


class Metric(ReliabilityMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="spread", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure_runs(self, eval_case: EvalCase) -> Score:
        runs = eval_case.runs or []
        kinds = {str(run.output) for run in runs}
        value = 1.0 if len(runs) < 2 else min(1.0, 1.0 / (len(kinds) - 1))
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
