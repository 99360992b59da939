"""Mistakes in evaluating a case with several metrics, synchronous or not."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import score as score_rules
from reference_impl.harness_evals.evaluate import _add_dimension, _measured, evaluate

in_measured = family("harness.evaluate", of=_measured, clause="004-1-returns-score")
in_add_dimension = family("harness.evaluate", of=_add_dimension, clause="004-2-dimension-added")


@in_measured.wrapped(clause="004-8-skipped", invited_by="score or Score(0.0)")
def harness_skipped_scores_zero(
    reference: Variant, measure: Callable[..., Any], metric: Any, asynchronous: bool
) -> Any:
    """A metric that returns nothing scores 0.0. A missing score is mistaken for a bad one."""
    score = reference.its(score_rules.Score)
    made = measure(metric, asynchronous)
    return score(metric.name, 0.0, metric.threshold) if made is None else made


@family("harness.evaluate", of=evaluate, clause="004-8-order").wrapped(
    invited_by="dicts, {score.name: score}"
)
def harness_duplicates_merged(evaluate: Callable[..., list[Any]], metrics: Any, **how: Any) -> list[Any]:
    """If scores have the same name, only the last is kept. Scores are stored in a map by name."""
    return list({score.name: score for score in evaluate(metrics, **how)}.values())


@in_add_dimension.wrapped(clause="004-2-dimension-kept", invited_by="metadata['dimension'] = ...")
def harness_dimension_overwritten(add: Callable[..., None], score: Any, metric: Any) -> None:
    """The metric's dimension replaces the one in the score's metadata.
    The metric knows its dimension best."""
    add(score, metric)
    score.metadata["dimension"] = metric.dimension.value


@in_measured.wrapped(clause="004-4.4-a-measure", invited_by="asyncio.to_thread(metric.measure)")
def harness_asynchronous_measure_ignored(measure: Callable[..., Any], metric: Any, asynchronous: bool) -> Any:
    """Evaluating asynchronously calls measure. Synchronous code can run in threads."""
    plain = type(metric)(metric.name, metric.dimension, metric.threshold, metric.measure, None)
    return measure(plain, asynchronous)
