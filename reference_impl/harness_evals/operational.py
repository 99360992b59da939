"""The built-in metrics that read typed fields of a case: latency, tokens, cost, retries (004 §4.2, §8).

A missing field never raises: the score is 0.0, its reason names the field, and it fails unless the
threshold is 0 or less. A negative value gives 0.0 too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ..cpython312.parsing import parse_float, parse_int
from ..cpython312.summation import compensated_sum
from .score import OWN_WORDS, Score

__all__ = ["Case", "Message", "measure_operational"]


@dataclass(frozen=True, slots=True)
class Message:
    """A message of a conversation; missing fields are None."""

    role: str
    latency_ms: Any
    token_count: Any
    metadata: Any


@dataclass(frozen=True, slots=True)
class Case:
    """The fields of a case that these metrics read; missing ones are None."""

    latency_ms: Any
    token_count: Any
    cost_usd: Any
    retry_count: Any
    messages: Sequence[Message] | None


@dataclass(frozen=True, slots=True)
class _Kind:
    """One metric that reads one field."""

    field: str
    limit_name: str
    default_limit: float
    default_threshold: float
    convert: Callable[[Any], Any]


def _as_float(value: Any) -> float:
    return parse_float(value) if isinstance(value, str) else float(value)


def _as_int(value: Any) -> int:
    return parse_int(value) if isinstance(value, str) else int(value)


_KINDS = {
    "latency": _Kind("latency_ms", "max_ms", 5000, 1.0, _as_float),
    "token_cost": _Kind("token_count", "max_tokens", 10000, 0.5, _as_int),
    "cost_efficiency": _Kind("cost_usd", "max_cost_usd", 0.10, 0.5, _as_float),
    "retry_count": _Kind("retry_count", "max_retries", 5, 0.5, _as_int),
    "turn_latency": _Kind("latency_ms", "max_ms_per_turn", 3000, 1.0, _as_float),
    "turn_token_cost": _Kind("token_count", "max_tokens_per_turn", 2000, 0.5, _as_int),
}


@dataclass(frozen=True, slots=True)
class _Found:
    """A metric's result for a case: its value, the missing field if there is one, and its reason's text."""

    value: float
    missing: str | None = None
    metadata: dict[str, Any] | None = None


def measure_operational(
    name: str, case: Case, maximum: int | float | None, threshold: int | float | None
) -> tuple[Score, str | None]:
    """The score of a built-in operational metric, and the field that its reason names as missing.

    `maximum` (unit: that of the field) and `threshold` have defaults. latency is 1.0 up to the
    maximum and 0.0 above; token_cost, cost_efficiency and retry_count fall from 1.0 in a straight
    line to 0.0 at the maximum. The two for turns look at the assistant's messages that have data:
    turn_latency is 1.0 if all are within the maximum, turn_token_cost the mean over turns.

    Raises:
        ValueError: the maximum is 0 or less; the field is a text or NaN that is not a number of its kind.
        TypeError: the field is neither a number nor a text.
        OverflowError: the field does not fit a float, or is infinite where an int is expected; a latency has
            a maximum that does not fit a float.
    """
    kind = _KINDS[name]
    limit = kind.default_limit if maximum is None else maximum
    if limit <= 0:
        raise ValueError(f"{kind.limit_name} must be positive")
    found = _MEASURES[name](kind, limit, case)
    least = kind.default_threshold if threshold is None else threshold
    return Score(name, found.value, least, reason=OWN_WORDS, metadata=found.metadata), found.missing


def _field(kind: _Kind, limit: float, case: Case) -> _Found:
    given = getattr(case, kind.field)
    if given is None:
        return _Found(0.0, missing=kind.field)
    amount = kind.convert(given)
    if amount < 0:
        return _Found(0.0)
    value = _within(amount, limit) if kind.field == "latency_ms" else _falling(amount, limit)
    return _Found(value, metadata={kind.field: amount, kind.limit_name: limit})


def _within(amount: float, limit: float) -> float:
    """1.0 up to the limit, 0.0 above."""
    return 1.0 if amount <= _told(limit) else 0.0


def _told(limit: float) -> float:
    """The maximum as the reason shows it: as a float, unless it is an int beyond the double range."""
    float(limit)
    return limit


def _falling(amount: float, limit: float) -> float:
    """1.0 for nothing, 0.0 at the limit and beyond; NaN gives 0.0."""
    value = 1.0 - amount / limit
    return value if value > 0.0 else 0.0


def _turn_latency(kind: _Kind, limit: float, case: Case) -> _Found:
    """Turns whose latency is not a number, or negative, count as turns without data."""
    if not case.messages:
        return _Found(0.0, missing="messages")
    latencies = [
        latency
        for message in case.messages
        if message.role == "assistant" and (latency := _latency_of(message)) is not None
    ]
    if not latencies:
        return _Found(0.0)
    failed = sum(1 for latency in latencies if not latency <= _told(limit))
    return _Found(
        0.0 if failed else 1.0,
        metadata={
            "turn_latencies": latencies,
            "mean_latency_ms": compensated_sum(latencies) / len(latencies),
            kind.limit_name: limit,
            "n_turns_scored": len(latencies),
            "n_turns_failed": failed,
        },
    )


def _latency_of(message: Message) -> float | None:
    """The message's own latency, else that of its metadata, in milliseconds."""
    given = message.latency_ms
    if given is None and isinstance(message.metadata, dict):
        given = message.metadata.get("latency_ms")
    if given is None:
        return None
    try:
        latency = _as_float(given)
    except (TypeError, ValueError):
        return None
    return None if latency < 0 else latency


def _turn_token_cost(kind: _Kind, limit: float, case: Case) -> _Found:
    """Token counts are taken as they are: one that is not a number raises."""
    if not case.messages:
        return _Found(0.0, missing="messages")
    given = [message.token_count for message in case.messages if message.role == "assistant"]
    counts = [count for count in given if count is not None and not count < 0]
    if not counts:
        return _Found(0.0)
    return _Found(
        compensated_sum([_falling(count, limit) for count in counts]) / len(counts),
        metadata={
            "turn_token_counts": counts,
            "mean_token_count": compensated_sum(counts) / len(counts),
            kind.limit_name: limit,
            "n_turns_scored": len(counts),
        },
    )


_MEASURES: dict[str, Callable[[_Kind, float, Case], _Found]] = {
    "latency": _field,
    "token_cost": _field,
    "cost_efficiency": _field,
    "retry_count": _field,
    "turn_latency": _turn_latency,
    "turn_token_cost": _turn_token_cost,
}
