"""Models that answer as they are told, and values that nobody expects: for the worker's part harness_part."""

from typing import Any


class Raising:
    """Nothing can be done with it."""

    def __str__(self) -> str:
        raise RuntimeError("no text")

    __repr__ = __str__

    def __eq__(self, _: object) -> bool:
        raise RuntimeError("not comparable")

    def __hash__(self) -> int:
        raise RuntimeError("no hash")


class JudgeUnreachableError(RuntimeError):
    """A model that can't be reached."""


_asked = 0


def asked() -> int:
    """How many questions the models have been asked."""
    return _asked


def _count(mode: str) -> None:
    global _asked
    _asked += 1
    if mode == "raises":
        raise JudgeUnreachableError("the model can't be reached")


ODD = {"bytes": b"\xff\x00", "object": object(), "raising": Raising()}


def llm(mode: str) -> Any:
    """A model that answers in one way, whatever it is asked."""
    from harness_evals.llm.base import BaseLLM

    kinds: dict[str, Any] = {"number": 0.8, "float": 0.8, "integer": 1, "int": 1}
    kinds |= {"boolean": True, "bool": True, "array": [], "list": [], "object": {}, "dict": {}}
    instead: dict[str, Any] = {"null": None, "text": "high", "high": 7, "nan": float("nan")}

    def filled(schema: Any) -> dict[str, Any]:
        members = schema.get("properties", schema) if isinstance(schema, dict) else {}
        answer: dict[str, Any] = {}
        for name, what in members.items():
            kind = what.get("type") if isinstance(what, dict) else what
            good = kinds.get(kind if isinstance(kind, str) else "", "a text")
            is_number = isinstance(good, (int, float)) and not isinstance(good, bool)
            answer[name] = instead[mode] if mode in instead and is_number else good
        return answer

    class Llm(BaseLLM):  # type: ignore[misc]
        async def generate(self, prompt: str, **kwargs: object) -> str:
            _count(mode)
            return "" if mode == "empty" else str(instead.get(mode, "0.8"))

        async def generate_json(self, prompt: str, schema: Any, **kwargs: object) -> Any:
            _count(mode)
            return {"empty": {}, "list": [0.8]}.get(mode) if mode in ("empty", "list") else filled(schema)

    return Llm()


def embedding(mode: str) -> Any:
    """An embedding that gives vectors of one kind."""
    from harness_evals.llm.embedding import BaseEmbedding

    class Embedding(BaseEmbedding):  # type: ignore[misc]
        async def embed(self, texts: list[str]) -> list[list[float]]:
            _count(mode)
            if mode == "nan":
                return [[float("nan")] * 2 for _ in texts]
            if mode == "zero":
                return [[0.0, 0.0] for _ in texts]
            if mode == "opposite":
                return [[1.0, 0.5] if at % 2 else [-1.0, -0.5] for at in range(len(texts))]
            return [[1.0 + len(text), 1.0 + sum(map(ord, text)) % 97] for text in texts]

    return Embedding()


def provider(mode: str) -> Any:
    """A provider of decisions that answers every question in one way."""
    from harness_evals.decision import base, types

    class Provider(base.BaseDecisionProvider):  # type: ignore[misc]
        async def a_ask(self, state: Any, questions: dict[str, Any]) -> Any:
            _count(mode)
            if mode == "list":
                return [0.8]
            answers = {} if mode == "empty" else {name: answer(one) for name, one in questions.items()}
            return types.DecisionResponse(model="the kit's", answers=answers)

    def answer(question: Any) -> Any:
        instead: dict[str, Any] = {"null": None, "text": "high", "high": 7, "nan": float("nan")}
        number = instead.get(mode, 0.8)
        if isinstance(question, types.ChoiceQuestion):
            first = next(iter(question.criteria))
            return types.ChoiceAnswer(choice=first, confidence=number, probabilities={first: number})
        if isinstance(question, types.ScoreQuestion):
            legend = dict(enumerate(question.criteria))
            return types.ScoreAnswer(
                score=number, confidence=0.8, legend=legend, probabilities={0: 0.2, 1: 0.8}
            )
        return types.NoulAnswer(noul=number)

    return Provider()
