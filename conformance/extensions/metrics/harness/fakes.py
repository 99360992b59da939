"""Fake models whose answers a request sets, and unexpected values; for the worker's part."""

import asyncio
from typing import Any


class JudgeUnreachableError(RuntimeError):
    """The model can't be reached."""


prompts: list[str] = []
"""The questions asked of the models."""
ODD = {"bytes": b"\xff\x00", "object": object()}
_INSTEAD: dict[str, Any] = {"null": None, "text": "high", "high": 7, "nan": float("nan")}
"""Replacements for numbers, by mode."""


async def _asked_for(mode: str, *question: object) -> None:
    """Records a question, and yields to waiting tasks."""
    prompts.append(repr(question))
    await asyncio.sleep(0)
    if mode == "raises":
        raise JudgeUnreachableError("the model can't be reached")


def llm(mode: str) -> Any:
    """A model that always answers in the same way."""
    from harness_evals.llm.base import BaseLLM

    kinds: dict[str, Any] = {"number": 0.8, "float": 0.8, "integer": 1, "int": 1}
    kinds |= {"boolean": True, "bool": True, "array": [], "list": [], "object": {}, "dict": {}}

    def filled(schema: Any) -> dict[str, Any]:
        answer: dict[str, Any] = {}
        for name, what in (schema.get("properties", schema) if isinstance(schema, dict) else {}).items():
            kind = what.get("type") if isinstance(what, dict) else what
            good = kinds.get(kind if isinstance(kind, str) else "", "a text")
            answer[name] = _INSTEAD.get(mode, good) if type(good) in (int, float) else good
        return answer

    class Llm(BaseLLM):  # type: ignore[misc]
        async def generate(self, prompt: str, **kwargs: object) -> str:
            await _asked_for(mode, prompt)
            return "" if mode == "empty" else str(_INSTEAD.get(mode, "0.8"))

        async def generate_json(self, prompt: str, schema: Any, **kwargs: object) -> Any:
            await _asked_for(mode, prompt)
            return {"empty": {}, "list": [0.8]}.get(mode) if mode in ("empty", "list") else filled(schema)

    return Llm()


def embedding(mode: str) -> Any:
    """An embedding that returns vectors of one kind."""
    from harness_evals.llm.embedding import BaseEmbedding

    class Embedding(BaseEmbedding):  # type: ignore[misc]
        async def embed(self, texts: list[str]) -> list[list[float]]:
            await _asked_for(mode, texts)
            if mode == "opposite":
                return [[1.0, 0.5] if at % 2 else [-1.0, -0.5] for at in range(len(texts))]
            if mode in ("nan", "zero"):
                return [[0.0 if mode == "zero" else float("nan")] * 2 for _ in texts]
            return [[1.0 + len(text), 1.0 + sum(map(ord, text)) % 97] for text in texts]

    return Embedding()


def provider(mode: str) -> Any:
    """A decision provider that always answers in the same way."""
    from harness_evals.decision import base, types

    class Provider(base.BaseDecisionProvider):  # type: ignore[misc]
        async def a_ask(self, state: Any, questions: dict[str, Any]) -> Any:
            await _asked_for(mode, state, questions)
            if mode == "list":
                return [0.8]
            answers = {} if mode == "empty" else {name: answer(one) for name, one in questions.items()}
            return types.DecisionResponse(model="the kit's", answers=answers)

    def answer(question: Any) -> Any:
        number = _INSTEAD.get(mode, 0.8)
        if isinstance(question, types.ChoiceQuestion):
            first = next(iter(question.criteria))
            return types.ChoiceAnswer(choice=first, confidence=number, probabilities={first: number})
        if isinstance(question, types.ScoreQuestion):
            legend, shares = dict(enumerate(question.criteria)), {0: 0.2, 1: 0.8}
            return types.ScoreAnswer(score=number, confidence=0.8, legend=legend, probabilities=shares)
        return types.NoulAnswer(noul=number)

    return Provider()
