"""Whether output and expectation are equal, with a reason where there is none."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="exact", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        if eval_case.expected is None:
            return Score(name=self.name, value=0.0, threshold=self.threshold, reason="expected not provided")
        value = 1.0 if type(eval_case.output) is type(eval_case.expected) and _text(eval_case) else 0.0
        return Score(name=self.name, value=value, threshold=self.threshold)


def _text(eval_case: EvalCase) -> bool:
    try:
        return bool(eval_case.output == eval_case.expected)
    except Exception:
        return False
