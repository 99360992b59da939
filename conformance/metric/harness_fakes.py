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
            if mode == "raises":
                raise RuntimeError("the model can't be reached")
            return "" if mode == "empty" else str(instead.get(mode, "0.8"))

        async def generate_json(self, prompt: str, schema: Any, **kwargs: object) -> Any:
            if mode == "raises":
                raise RuntimeError("the model can't be reached")
            return {"empty": {}, "list": [0.8]}.get(mode) if mode in ("empty", "list") else filled(schema)

    return Llm()


def embedding(mode: str) -> Any:
    """An embedding that gives vectors of one kind."""
    from harness_evals.llm.embedding import BaseEmbedding

    class Embedding(BaseEmbedding):  # type: ignore[misc]
        async def embed(self, texts: list[str]) -> list[list[float]]:
            if mode == "raises":
                raise RuntimeError("the model can't be reached")
            if mode == "nan":
                return [[float("nan")] * 2 for _ in texts]
            if mode == "zero":
                return [[0.0, 0.0] for _ in texts]
            if mode == "opposite":
                return [[1.0, 0.5] if at % 2 else [-1.0, -0.5] for at in range(len(texts))]
            return [[1.0 + len(text), 1.0 + sum(map(ord, text)) % 97] for text in texts]

    return Embedding()
