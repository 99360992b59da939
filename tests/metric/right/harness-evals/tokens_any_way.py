"""Tokens, as a total or as two parts, with options in the metadata."""

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, most: int = 100, threshold: float = 0.5, **kwargs) -> None:
        self.most = most
        super().__init__(name="tokens", dimension=Dimension.PERFORMANCE, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        total = eval_case.token_count
        if total is None and eval_case.input_tokens is not None and eval_case.output_tokens is not None:
            total = eval_case.input_tokens + eval_case.output_tokens
        if not isinstance(total, int) or total < 0:
            return Score(
                name=self.name, value=0.0, threshold=self.threshold, reason="token_count not provided"
            )
        most = self.most
        return Score(
            name=self.name,
            value=max(0.0, 1.0 - total / most),
            threshold=self.threshold,
            metadata={"most": most, "turn": eval_case.meta("turn")},
        )
