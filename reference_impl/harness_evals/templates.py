"""The document's templates, with the dimension that they omit (004 §4, erratum E40).

A template never sees a threshold: it computes a value, and the score decides whether that passes.
"""

import math
from collections.abc import Sequence
from typing import Any

from ..cpython312.summation import compensated_sum
from .score import clamp

__all__ = ["deterministic", "embedding", "llm", "operational", "reliability"]

Fields = dict[str, Any]
"""The fields that a template gives its score, besides name and threshold."""


def deterministic(output: str, expected: str | None) -> Fields:
    """Compare two texts; a missing expectation is the text `None` (004 §4.1, erratum E46)."""
    return {"value": 1.0 if output == ("None" if expected is None else expected) else 0.0}


def operational(latency_ms: Any, max_value: int | float) -> Fields:
    """Fall linearly from 1.0 at no latency to 0.0 at the maximum, both in milliseconds (004 §4.2).

    A negative latency gives more than 1.0, which its score refuses; NaN gives 0.0.

    Raises:
        ZeroDivisionError: the maximum is 0.
        TypeError: the latency is not a number.
    """
    if latency_ms is None:
        return {"value": 0.0, "reason": "latency_ms not provided"}
    value = 1.0 - latency_ms / max_value
    metadata = {"latency_ms": latency_ms, "max_value": max_value}
    return {"value": value if value > 0.0 else 0.0, "metadata": metadata}


def reliability(runs: Sequence[str], value: Any) -> Fields:
    """Score `value` if there are two runs or more (004 §4.3)."""
    if len(runs) < 2:
        return {"value": 0.0, "reason": f"Need at least 2 runs, got {len(runs)}"}
    return {"value": value, "metadata": {"k": len(runs)}}


def llm(result: Any) -> Fields:
    """Limit the judge's `score` to 0 to 1, 0.0 if there is none; NaN becomes 1.0 (004 §4.4, erratum E42).

    Raises:
        AttributeError: the judge's answer is no object.
        TypeError: its score is not a number.
    """
    if not isinstance(result, dict):
        raise AttributeError(f"a {type(result).__name__} has no score")
    return {"value": clamp(result.get("score", 0.0))}


def embedding(first: Sequence[int | float], second: Sequence[int | float]) -> Fields:
    """Limit the cosine of two vectors to 0 to 1 (004 §4.5)."""
    return {"value": clamp(cosine_similarity(first, second))}


def cosine_similarity(first: Sequence[int | float], second: Sequence[int | float]) -> float:
    """The cosine of the angle between two vectors; 0.0 if one of them is zero.

    Items without a counterpart count for the norms and not for the product.
    """
    product = compensated_sum([one * other for one, other in zip(first, second)])  # noqa: B905
    norms = [math.sqrt(compensated_sum([item * item for item in vector])) for vector in (first, second)]
    if norms[0] == 0.0 or norms[1] == 0.0:
        return 0.0
    return product / (norms[0] * norms[1])
