"""Random cases with amounts of time, tokens and money, and a metric for them."""

from collections.abc import Mapping
from typing import Any

from conformance.drawing.source import Draw, Source
from conformance.specs.harness_evals.drawn import amount, threshold

__all__ = ["INPUTS", "operational"]

_METRICS = ("latency", "token_cost", "cost_efficiency", "retry_count", "turn_latency", "turn_token_cost")
_FIELDS = ("latency_ms", "token_count", "cost_usd", "retry_count")
_LIMITS: tuple[Any, ...] = (None, None, None, 1, 3, 7.0, 0.1, 5000, 1e-300, 1e308, 0, -1, "NaN", "Infinity")
_ROLES = ("assistant", "assistant", "assistant", "user", "tool", "Assistant")
_TOKENS = (None, 0, 1, 3, None, 700, 1999, 2001, -1, 0.1)
_METADATA = ('{"latency_ms": 40}', '{"latency_ms": "2500"}', '{"latency_ms": null}', "[]")


def _message(source: Source) -> dict[str, Any]:
    return {
        "role": source.pick(_ROLES),
        "latency_ms": amount(source),
        "token_count": source.pick(_TOKENS),
        "metadata": {"text": source.pick(_METADATA)} if source.chance(30) else None,
    }


def operational(source: Source) -> Any:
    """A built-in operational metric, and a case."""
    return {
        "metric": source.pick(_METRICS),
        "maximum": source.pick(_LIMITS),
        "threshold": None if source.below(2) == 0 else threshold(source),
        "case": {field: amount(source) for field in _FIELDS}
        | {"messages": None if source.chance(20) else source.items(_message, (5,))},
    }


INPUTS: Mapping[str, Draw[Any]] = {"harness.operational": operational}
"""An input for every op of the section."""
