"""Random inputs for the document's templates."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harness_evals.drawn import TEXTS, amount, runs, text, threshold, value

__all__ = ["INPUTS"]

_MAXIMUMS = (100, 5000, 0.1, 0, 7, "Infinity")
_SCORES = ("1", "0", "0.7", "1.2", "-3", "NaN", "Infinity", '"0.9"', "null", "true", "[1]")
_JUDGED = (*(f'{{"score": {score}}}' for score in _SCORES), "{}", "[]", "0.5", "null")
_NUMBERS = (0, 0.0, 1, -1, 0.1, 0.2, 0.3, 1e-200, 1e200, 3, "NaN", "Infinity")


def _deterministic(source: Source) -> dict[str, Any]:
    return {"output": source.pick(TEXTS), "expected": text(source)}


def _operational(source: Source) -> dict[str, Any]:
    return {"latency_ms": amount(source), "max_value": source.pick(_MAXIMUMS)}


def _reliability(source: Source) -> dict[str, Any]:
    return {"runs": runs(source), "value": value(source)}


def _llm(source: Source) -> dict[str, Any]:
    return {"judge": {"text": source.pick(_JUDGED)}}


def _embedding(source: Source) -> dict[str, Any]:
    shape = range((0, 1, 2, 3, 10)[source.below(5)])
    vectors = [[source.pick(_NUMBERS) for _ in shape] for _ in range(2)]
    if source.chance(10):
        vectors[1].append(source.pick(_NUMBERS))
    return {"vectors": vectors}


_GIVEN: dict[str, Draw[dict[str, Any]]] = {
    "deterministic": _deterministic,
    "operational": _operational,
    "reliability": _reliability,
    "llm": _llm,
    "embedding": _embedding,
}
_NAMES = tuple(_GIVEN)


def _template(source: Source) -> Any:
    name = source.pick(_NAMES)
    return {"template": name, "threshold": threshold(source), "given": _GIVEN[name](source)}


INPUTS: Mapping[str, Draw[Any]] = {"harness.template": _template}
"""An input for every op of the section."""
