"""The share of runs that agree with the first."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import Dimension, ReliabilityMetric
from harness_evals.core.score import Score


class Metric(ReliabilityMetric):
    def __init__(self, threshold: float = 0.8, k: int = 5, **kwargs) -> None:
        super().__init__(
            name="agreement", dimension=Dimension.CORRECTNESS, threshold=threshold, k=k, **kwargs
        )

    def measure_runs(self, eval_case: EvalCase) -> Score:
        outputs = [repr(run.output) for run in eval_case.runs]
        if len(outputs) < 2:
            return Score(
                name=self.name, value=0.0, threshold=self.threshold, reason="at least two runs are needed"
            )
        value = sum(output == outputs[0] for output in outputs) / len(outputs)
        return Score(name=self.name, value=value, threshold=self.threshold)
