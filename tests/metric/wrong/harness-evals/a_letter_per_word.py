"""Gives every word a letter, of which there are 52."""

import string

from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score


class Metric(BaseMetric):
    def __init__(self, threshold: float = 1.0, **kwargs) -> None:
        super().__init__(name="letters", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)

    def measure(self, eval_case: EvalCase) -> Score:
        words = dict.fromkeys(str(eval_case.output)[:2000].split())
        letters = "".join(string.ascii_letters[at] for at, _ in enumerate(words))
        value = 1.0 if eval_case.output == eval_case.expected and letters else 0.0
        return Score(name=self.name, value=value, threshold=self.threshold, reason="as computed")
