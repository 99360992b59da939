"""A judge whose answers are not trusted."""

from harness_evals._async_compat import _run_async
from harness_evals.core.eval_case import EvalCase
from harness_evals.core.metric import BaseMetric, Dimension
from harness_evals.core.score import Score
from harness_evals.llm.base import BaseLLM


class Metric(BaseMetric):
    def __init__(self, llm: BaseLLM, threshold: float = 0.7, **kwargs) -> None:
        super().__init__(
            name="careful_judge", dimension=Dimension.GROUNDEDNESS, threshold=threshold, **kwargs
        )
        self.llm = llm

    def measure(self, eval_case: EvalCase) -> Score:
        return _run_async(self.a_measure(eval_case))

    async def a_measure(self, eval_case: EvalCase) -> Score:
        try:
            prompt = f"Rate this.\nInput: {eval_case.input}\nOutput: {eval_case.output}"
            result = await self.llm.generate_json(prompt, schema={"score": "number"})
            value = float(result["score"])
        except Exception as error:
            return Score(
                name=self.name,
                value=0.0,
                threshold=self.threshold,
                reason=f"no score: {type(error).__name__}",
            )
        if not 0.0 <= value <= 1.0:
            return Score(
                name=self.name, value=0.0, threshold=self.threshold, reason=f"the judge said {value}"
            )
        return Score(name=self.name, value=value, threshold=self.threshold)
