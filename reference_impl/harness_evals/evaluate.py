"""Evaluating a case: runs all metrics, one after the other, and never stops early (004 §8).

A metric that raises gives a failing score, one that returns nothing is skipped, and the scores keep the
metrics' order. A return value that is not a score at all is not caught (erratum E43).
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from .dimension import Dimension, PlainText
from .score import Score

__all__ = ["RAISED", "STOPS", "AnyScore", "Metric", "assert_test", "evaluate"]

RAISED = "Metric raised: "  # the start of the reason if a metric raised; its message follows
STOPS = frozenset({"KeyboardInterrupt", "SystemExit"})
"""Exceptions that end a program. Evaluating in order lets them through (erratum E43)."""

AnyScore = Any
"""The return value of a measure: a score, None to be skipped, or something invalid."""


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as `evaluate` uses it."""

    name: str
    dimension: Dimension | PlainText
    threshold: Any
    measure: Callable[["Metric"], AnyScore]
    a_measure: Callable[["Metric"], AnyScore] | None
    """Its own asynchronous measure; None if it has none, so that `measure` is called."""


def evaluate(metrics: Iterable[Metric], *, asynchronous: bool = False) -> list[Score]:
    """The scores of the metrics that apply, in the metrics' order; names may repeat.

    Each score gets its duration and its metric's dimension, unless its metadata have one already. If a
    metric changed `passed` by hand, the change stays.

    Raises:
        AttributeError: a metric returned something else than a score or None, its metadata are no
            object, or its dimension is a plain text.
        TypeError: a metric raised, and its threshold is not a number.
        KeyboardInterrupt, SystemExit: a metric raised it, and not `asynchronous`.
    """
    scores = []
    for metric in metrics:
        score = _measured(metric, asynchronous)
        if score is None:
            continue
        if not isinstance(score, Score):
            raise AttributeError(f"a {type(score).__name__} is no score")
        score.scoring_duration_ms = 0.0
        _add_dimension(score, metric)
        scores.append(score)
    return scores


def _measured(metric: Metric, asynchronous: bool) -> AnyScore:
    measure = metric.a_measure if asynchronous and metric.a_measure else metric.measure
    try:
        return measure(metric)
    except Exception as error:
        if type(error).__name__ in STOPS and not asynchronous:
            raise
        return Score(metric.name, 0.0, metric.threshold, reason=f"{RAISED}{error}")


def _add_dimension(score: Score, metric: Metric) -> None:
    if score.metadata is None:
        score.metadata = {}
    if not isinstance(score.metadata, dict):
        raise AttributeError("metadata are an object")
    if not isinstance(metric.dimension, Dimension):
        raise AttributeError("the metric's dimension is a text and no Dimension")
    score.metadata.setdefault("dimension", metric.dimension.value)


def assert_test(metrics: Iterable[Metric]) -> list[Score]:
    """The same scores, if all of them passed (004 §6).

    Raises:
        AssertionError: at least one score did not pass.
    """
    scores = evaluate(metrics)
    failed = [score.name for score in scores if not score.passed]
    if failed:
        raise AssertionError(f"{len(failed)} metric(s) failed: {', '.join(failed)}")
    return scores
