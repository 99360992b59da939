"""The latency, falling from 1 to 0, with a reason for whatever is no latency."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, max_value: float = 100.0, threshold: float = 0.5, **kwargs) -> None:
        super().__init__(name="quick", dimension=Dimension.PERFORMANCE, threshold=threshold, **kwargs)
        self.max_value = max_value

    def measure(self, eval_case: EvalCase) -> Score:
        latency = eval_case.latency_ms
        if not isinstance(latency, int | float) or not latency >= 0:
            return Score(
                name=self.name, value=0.0, threshold=self.threshold, reason="latency_ms not provided, or odd"
            )
        value = float(max(0.0, 1.0 - latency / self.max_value))
        return Score(name=self.name, value=value, threshold=self.threshold, metadata={"latency_ms": latency})
