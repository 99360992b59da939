"""Creates instances of a harness-evals metric with the real package, and measures cases. For the worker.

A metric with an ``llm`` or ``embedding`` parameter gets a fake model that answers as the request demands.
"""

import ast
import asyncio
import inspect
import sys
from collections.abc import Callable
from typing import Any

worker: Any = sys.modules["_harbor_conformance_worker"]
inputs: Any = worker.kit_module(__file__, "inputs")
arguments: dict[str, Any] = {}
models: set[str] = set()
"""The fake models passed to a constructor."""
needs_dimension: set[type] = set()
"""Classes that do not set their dimension."""
read: set[str] = set()
LONGEST, MOST_NAMED = 60, 16
OF_NO_METRIC = ("harness_evals.core", "abc", "builtins")
prompts: list[str] = []
ODD = {"bytes": b"\xff\x00", "object": object()}
_REPLACEMENTS: dict[str, Any] = {"null": None, "text": "high", "high": 7, "nan": float("nan")}
"""Replacements for numbers in a fake model's answers, by mode."""


class JudgeUnreachableError(RuntimeError):
    """The model can't be reached."""


async def _record_question(mode: str, *question: object) -> None:
    """Record a question, and yield to waiting tasks."""
    prompts.append(repr(question))
    await asyncio.sleep(0)
    if mode == "raises":
        raise JudgeUnreachableError("the model can't be reached")


def llm(mode: str) -> Any:
    """Create a model whose answers depend only on the mode and the schema."""
    from harness_evals.llm.base import BaseLLM

    kinds: dict[str, Any] = {"number": 0.8, "float": 0.8, "integer": 1, "int": 1}
    kinds |= {"boolean": True, "bool": True, "array": [], "list": [], "object": {}, "dict": {}}

    def answer(declared: Any) -> Any:
        kind = declared.get("type") if isinstance(declared, dict) else declared
        good = kinds.get(kind if isinstance(kind, str) else "", "a text")
        return _REPLACEMENTS.get(mode, good) if type(good) in (int, float) else good

    class Llm(BaseLLM):  # type: ignore[misc]
        async def generate(self, prompt: str, **kwargs: object) -> str:
            await _record_question(mode, prompt)
            return "" if mode == "empty" else str(_REPLACEMENTS.get(mode, "0.8"))

        async def generate_json(self, prompt: str, schema: Any, **kwargs: object) -> Any:
            await _record_question(mode, prompt)
            if mode in ("empty", "list"):
                return {} if mode == "empty" else [0.8]
            fields = schema.get("properties", schema) if isinstance(schema, dict) else {}
            return {name: answer(declared) for name, declared in fields.items()}

    return Llm()


def embedding(mode: str) -> Any:
    """Create an embedding that returns vectors of one kind."""
    from harness_evals.llm.embedding import BaseEmbedding

    class Embedding(BaseEmbedding):  # type: ignore[misc]
        async def embed(self, texts: list[str]) -> list[list[float]]:
            await _record_question(mode, texts)
            if mode == "opposite":
                return [[1.0, 0.5] if index % 2 else [-1.0, -0.5] for index in range(len(texts))]
            if mode in ("nan", "zero"):
                return [[0.0 if mode == "zero" else float("nan")] * 2 for _ in texts]
            return [[1.0 + len(text), 1.0 + sum(map(ord, text)) % 97] for text in texts]

    return Embedding()


def constructor(metric: type, request: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments for the constructor."""
    from harness_evals import Dimension

    keywords, modes = dict(arguments), request.get("models", {})
    needed = {"dimension": Dimension.CORRECTNESS, "name": "named_by_the_kit"}
    fakes: dict[str, Callable[[str], Any]] = {"llm": llm, "embedding": embedding}
    named = {"llm": "llm", "judge": "llm", "embedding": "embedding"}
    for arg in worker.parameters(metric):
        annotation = f"{arg.annotation}".lower()
        model = named.get(arg.name) or next((name for name in fakes if f"base{name}" in annotation), None)
        if arg.name not in keywords and model is not None:
            keywords[arg.name] = fakes[model](modes.get(model, "good"))
            models.add(model)
        elif arg.name in needed and arg.default is arg.empty:
            keywords.setdefault(arg.name, needed[arg.name])
    if metric in needs_dimension:
        keywords.setdefault("dimension", Dimension.CORRECTNESS)
    return keywords


def collect_names(metric: type) -> None:
    """Collect the texts in the metric's modules and arguments, which it may look for."""
    modules = dict.fromkeys(kind.__module__ for kind in metric.__mro__)
    own = [sys.modules[name] for name in modules if not name.startswith(OF_NO_METRIC)]
    sources = (worker.tried(lambda module=module: inspect.getsource(module))[0] or "" for module in own)
    nodes = [node for source in sources for node in ast.walk(ast.parse(source))]
    described = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and id(node) not in described]
    named = [text for text in texts if isinstance(text, str) and not text.startswith("_")]
    for text in dict.fromkeys((*map(str, arguments.values()), *named)):
        if 1 < len(text) <= LONGEST and text not in inputs.FULL and len(inputs.named) < MOST_NAMED:
            inputs.named.append(inputs.example(text))


def make(metric: type, request: dict[str, Any], **more: Any) -> Any:
    """Create an instance."""
    return metric(**{**constructor(metric, request), **more})


def fresh(fields: dict[str, Any], kind: type | None = None) -> Any:
    """Return a new case with these fields; objects with the member ``$`` become values that JSON lacks."""
    from harness_evals import EvalCase
    from harness_evals.core.types import Message, ToolCall

    def decoded(value: Any) -> Any:
        if isinstance(value, dict):
            return ODD[value["$"]] if "$" in value else {key: decoded(value[key]) for key in value}
        return list(map(decoded, value)) if isinstance(value, list) else value

    values = decoded(fields)
    for name, cls in (("messages", Message), ("tool_calls", ToolCall), ("expected_tool_calls", ToolCall)):
        if values.get(name):
            values[name] = [cls.from_dict(item) for item in values[name]]
    if values.get("runs"):
        values["runs"] = [fresh(run) for run in values["runs"]]
    return (kind or EvalCase)(**values)


def as_text(case: Any) -> str:
    """Return the case as text, including added attributes, to detect changes."""
    return str(worker.tried(lambda: f"{case!r} {[list(vars(run)) for run in (case, *(case.runs or ()))]}")[0])


def measured(instance: Any, fields: dict[str, Any]) -> Any:
    """Measure a new case once."""
    return outcome(worker.tried(lambda: instance.measure(fresh(fields))))


def outcome(attempt: tuple[Any, Any]) -> Any:
    """Return the outcome of a measurement: a score, or the exception."""
    score, raised = attempt
    if raised:
        return worker.Outcome(None, raised.kind, f"raised {raised.kind}", raised)
    if not is_score(score):
        return worker.Outcome(score, worker.spelled(score), type(score).__name__)
    value, threshold, name = map(worker.spelled, (score.value, score.threshold, score.name))
    of_a_kind = f"a {type(score.value).__name__} with passed {score.passed is True}"
    brief = f"{value}, {of_a_kind}, threshold {threshold} and name {name}"
    details = worker.spelled((score.reason, score.metadata))
    return worker.Outcome(score, value, brief, None, details)


def is_score(value: Any) -> bool:
    """Return whether it is one of the package's scores."""
    from harness_evals import Score

    return isinstance(value, Score)


def out_of_range(raised: Any) -> bool:
    """Return whether the score's class rejected the value."""
    return bool(raised.file.endswith("core/score.py")) and raised.kind == "ValueError"


def is_true(comparison: Callable[[], Any]) -> bool:
    """Return whether a comparison of values, which may not be numbers, is true."""
    return bool(worker.tried(lambda: bool(comparison()))[0])


def watched(fields: dict[str, Any]) -> Any:
    """Return a case that records which of its fields are read."""
    from harness_evals import EvalCase

    class Watched(EvalCase):  # type: ignore[misc]
        def __getattribute__(self, name: str) -> Any:
            if name in EvalCase.__dataclass_fields__:
                read.add(name)
            return super().__getattribute__(name)

    case = fresh(fields, Watched)
    read.clear()
    return case
