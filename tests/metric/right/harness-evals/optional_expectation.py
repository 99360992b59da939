"""Asks a judge, and shows it the expectation where there is one."""

from typing import TYPE_CHECKING

from harness_evals._async_compat import _run_async
from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score
from harness_evals.llm.base import BaseLLM
from harness_evals.metrics.composite.operators import OPERATORS

if TYPE_CHECKING:
    from harness_evals.metrics.llm_judge.geval import GEvalMetric

_SCHEMA = {"type": "object", "properties": {"score": {"type": "number"}}}


class Metric(BaseMetric):
    like: "GEvalMetric"

    def __init__(self, llm: BaseLLM, threshold: float = 0.7, **kwargs) -> None:
        super().__init__(name="judged", dimension=Dimension.CORRECTNESS, threshold=threshold, **kwargs)
        self.llm = llm
        self.operators = sorted(OPERATORS)

    def measure(self, eval_case: EvalCase) -> Score:
        return _run_async(self.a_measure(eval_case))

    async def a_measure(self, eval_case: EvalCase) -> Score:
        prompt = f"{eval_case.input} {eval_case.output}"
        if eval_case.expected is not None:
            prompt += f" {eval_case.expected}"
        answer = await self.llm.generate_json(prompt, _SCHEMA)
        value = max(0.0, min(1.0, float(answer["score"])))
        return Score(name=self.name, value=value, threshold=self.threshold)
