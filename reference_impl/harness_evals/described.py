"""Metrics built from descriptions in requests (docs/metric-contracts.md).

Also the other values in requests: arguments for fields, and scores.
"""

import re
from collections.abc import Callable
from typing import Any

from ..cpython312.parsing import parse_json
from ..runner.wire import decode_content, decode_number
from .dimension import Dimension, PlainText
from .evaluate import AnyScore, Metric
from .score import Score, clamp

__all__ = [
    "MADE_AT",
    "decode_dimension",
    "decode_given",
    "decode_json",
    "decode_metric",
    "decode_score",
    "does",
]

MADE_AT = "2026-01-01T00:00:00+00:00"
"""Replaces the creation time of a score in an answer."""

_NO_FRACTION = re.compile(r"\.0{6}(?=[+-]|$)")
"""A fraction of zero, which Python's ISO 8601 format omits."""


def decode_given(value: Any) -> Any:
    """The value of a field: null, a bool, a number, `{"text": …}`, or `{"json": …}` for any other value."""
    if value is None or isinstance(value, bool):
        return value
    if not isinstance(value, dict):
        return decode_number(value)
    return value["text"] if "text" in value else parse_json(value["json"])


def decode_json(content: Any) -> Any:
    """The value in a JSON file; None for null."""
    return None if content is None else parse_json(decode_content(content).decode("utf-8"))


def decode_dimension(value: Any) -> Dimension | PlainText:
    """A dimension by its value or, in an object, by its name; `{"text": …}` is not a dimension.

    Raises:
        ValueError: no dimension has this value.
        KeyError: no dimension has this name.
    """
    if isinstance(value, str):
        return Dimension(value)
    return Dimension[value["member"]] if "member" in value else PlainText(value["text"])


def decode_score(given: Any) -> Score:
    """A score with all the fields that a request can set.

    Raises:
        TypeError: it says whether the score passed, or as `Score`.
        ValueError: as `Score`.
    """
    value = decode_given(given["value"])
    if given.get("clamped"):
        value = clamp(value)
    if given.get("passed") is not None:
        raise TypeError("a score computes by itself whether it passed")
    duration = given["scoring_duration_ms"]
    return Score(
        given["name"],
        value,
        decode_given(given["threshold"]),
        given["reason"],
        decode_json(given["metadata"]),
        None if duration is None else decode_number(duration),
        _NO_FRACTION.sub("", given["created_at"]),
    )


def decode_metric(given: Any) -> Metric:
    """A metric as described by `harness.evaluate`."""
    own_async = given["a_measure"]
    return Metric(
        given["name"],
        decode_dimension(given["dimension"]),
        decode_given(given["threshold"]),
        does(given["measure"]),
        None if own_async is None else does(own_async),
    )


def does(described: Any) -> Callable[[Metric], AnyScore]:
    """A measure that raises, returns or scores what is described."""
    if "raises" in described:
        return _raises(described["raises"]["type"], described["raises"]["message"])
    if "returns" in described:
        value = decode_given(described["returns"])
        return lambda _: value
    return _scores(described["score"])


def _raises(name: str, message: str) -> Callable[[Metric], AnyScore]:
    """Raises an exception with that name. As in Python, the text of a KeyError is its message in quotes."""
    exception = type(name, (Exception,), {})

    def measure(_: Metric) -> AnyScore:
        raise exception(repr(message) if name == "KeyError" else message)

    return measure


def _scores(described: Any) -> Callable[[Metric], AnyScore]:
    """Creates the score; an error in doing so has only a type, since no rule fixes its message."""

    def measure(metric: Metric) -> AnyScore:
        value, threshold = decode_given(described["value"]), decode_given(described["threshold"])
        metadata = decode_json(described["metadata"])
        try:
            score = Score(
                metric.name if described["name"] is None else described["name"],
                clamp(value) if described["clamped"] else value,
                metric.threshold if threshold is None else threshold,
                described["reason"],
                metadata,
            )
        except (TypeError, ValueError) as error:
            raise type(error)(f"<{type(error).__name__}>") from error
        if described["passed"] is not None:
            score.passed = described["passed"]
        return score

    return measure
