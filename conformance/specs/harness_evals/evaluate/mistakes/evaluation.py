"""Mistakes in evaluating a case with several metrics, synchronous or not."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import score as score_rules
from reference_impl.harness_evals.evaluate import _add_dimension, _measured
from reference_impl.harness_evals.evaluate import evaluate as reference_evaluate

in_measured = family("harness.evaluate", of=_measured, clause="004-1-returns-score")
mistakes = family("harness.evaluate")
in_add_dimension = family("harness.evaluate", of=_add_dimension, clause="004-2-dimension-added")


@way("harness.evaluate", clause="004-8-raised-message")
def raising(reference: Variant, score: Callable[[Any, Exception], Any]) -> None:
    """Changes what becomes of a metric that raises."""
    stops = reference.get((reference_evaluate, "STOPS"))

    def measured(metric: Any, asynchronous: bool) -> Any:
        measure = metric.a_measure if asynchronous and metric.a_measure else metric.measure
        try:
            return measure(metric)
        except Exception as error:
            if type(error).__name__ in stops and not asynchronous:
                raise
            return score(metric, error)

    reference.replace(_measured, measured)


@way("harness.evaluate", clause="004-8-order")
def changed_scores(reference: Variant, change: Callable[[list[Any]], list[Any]]) -> None:
    """Changes the list of scores."""

    def changed(evaluate: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        return lambda metrics, **how: change(evaluate(metrics, **how))

    reference.wrap(reference_evaluate, changed)


@in_measured.replaced(clause="004-8-raised-caught", invited_by="no try around measure")
def harness_raising_ends_evaluate(metric: Any, asynchronous: bool) -> Any:
    """A metric that raises ends the evaluation with its exception. A bug in a metric should be noticed."""
    return (metric.a_measure if asynchronous and metric.a_measure else metric.measure)(metric)


@raising.made(clause="004-8-raised-caught", invited_by="continue in the except clause")
def harness_raising_left_out(metric: Any, error: Exception) -> Any:
    """A metric that raises is left out. There is no value to tell of."""
    return None


@raising.made(invited_by="constant reasons")
def harness_reason_without_message(reference: Variant, metric: Any, _: Exception) -> Any:
    """The reason of a metric that raised lacks the exception's message. That it raised seems to be enough."""
    score = reference.its(score_rules.Score)
    return score(metric.name, 0.0, metric.threshold, "Metric raised: ")


@raising.made(invited_by="repr(error), traceback.format_exception_only")
def harness_reason_with_type(reference: Variant, metric: Any, error: Exception) -> Any:
    """The reason of a metric that raised names the exception's type. The type tells more than the message."""
    score = reference.its(score_rules.Score)
    reason = f"Metric raised: {type(error).__name__}: {error}"
    return score(metric.name, 0.0, metric.threshold, reason)


@raising.made(clause="004-8-raised-caught", invited_by="str(error)")
def harness_reason_is_the_message(reference: Variant, metric: Any, error: Exception) -> Any:
    """The reason of a metric that raised is the bare message. The message explains itself."""
    score = reference.its(score_rules.Score)
    return score(metric.name, 0.0, metric.threshold, str(error))


@in_measured.wrapped(clause="004-8-failing-score", invited_by="passed=False")
def harness_raised_never_passes(measure: Callable[..., Any], metric: Any, asynchronous: bool) -> Any:
    """The score of a metric that raised fails even at a threshold of 0.
    The document calls it a failing score."""
    score = measure(metric, asynchronous)
    if str(getattr(score, "reason", "")).startswith("Metric raised: "):
        score.passed = False
    return score


@mistakes.changed(clause="004-8-not-caught", invited_by="except BaseException, bare except")
def harness_exits_caught(reference: Variant) -> None:
    """KeyboardInterrupt and SystemExit in a metric give a score of 0.0.
    A metric must not end the evaluation."""
    reference.replace((reference_evaluate, "STOPS"), frozenset())


@in_measured.wrapped(clause="004-8-skipped", invited_by="score or Score(0.0)")
def harness_skipped_scores_zero(
    reference: Variant, measure: Callable[..., Any], metric: Any, asynchronous: bool
) -> Any:
    """A metric that returns nothing scores 0.0. No score is taken for a bad one."""
    score = reference.its(score_rules.Score)
    made = measure(metric, asynchronous)
    return score(metric.name, 0.0, metric.threshold) if made is None else made


@in_measured.wrapped(invited_by="if not score: continue")
def harness_false_results_skipped(measure: Callable[..., Any], metric: Any, asynchronous: Any) -> Any:
    """A metric that returns 0 or false is skipped. They count as false."""
    return measure(metric, asynchronous) or None


@in_measured.wrapped(invited_by="other harnesses")
def harness_numbers_taken_for_scores(
    reference: Variant, measure: Callable[..., Any], metric: Any, asynchronous: bool
) -> Any:
    """A number that a metric returns becomes its score. Scorers elsewhere return numbers."""
    score = reference.its(score_rules.Score)
    made = measure(metric, asynchronous)
    return score(metric.name, made, metric.threshold) if isinstance(made, int | float) else made


@changed_scores.made(invited_by="dicts, {score.name: score}")
def harness_duplicates_merged(scores: list[Any]) -> list[Any]:
    """Of scores with the same name only the last is kept. Scores are kept in a map by name."""
    return list({score.name: score for score in scores}.values())


@changed_scores.made(invited_by="sorted maps")
def harness_scores_sorted(scores: list[Any]) -> list[Any]:
    """Scores are sorted by name. Sorted results are easy to compare."""
    return sorted(scores, key=lambda score: score.name)


@changed_scores.made(clause="004-1-passed-by-hand", invited_by="@property, computed fields")
def harness_passed_recomputed(scores: list[Any]) -> list[Any]:
    """Whether a score passed is computed again after measuring. passed is a property elsewhere."""
    for score in scores:
        score.passed = bool(score.value >= score.threshold)
    return scores


@in_add_dimension.wrapped(clause="004-2-dimension-kept", invited_by="metadata['dimension'] = ...")
def harness_dimension_overwritten(add: Callable[..., None], score: Any, metric: Any) -> None:
    """The metric's dimension replaces the one in the score's metadata.
    The metric knows its dimension best."""
    add(score, metric)
    score.metadata["dimension"] = metric.dimension.value


@in_add_dimension.wrapped(invited_by="the document as it reads")
def harness_dimension_not_added(add: Callable[..., None], score: Any, metric: Any) -> None:
    """Evaluating adds no dimension to the metadata. The document does not tell that it does."""
    before = score.metadata
    score.metadata = dict(before) if isinstance(before, dict) else before
    add(score, metric)
    score.metadata = before


@in_add_dimension.wrapped(invited_by="{'dimension': ..., **metadata}")
def harness_dimension_first(add: Callable[..., None], score: Any, metric: Any) -> None:
    """The dimension is the first of the metadata. It is put in before the metric's own."""
    add(score, metric)
    score.metadata = {"dimension": score.metadata["dimension"], **score.metadata}


@in_measured.wrapped(clause="004-4.4-a-measure", invited_by="asyncio.to_thread(metric.measure)")
def harness_asynchronous_measure_ignored(measure: Callable[..., Any], metric: Any, asynchronous: bool) -> Any:
    """Evaluating asynchronously calls measure. Threads run what is synchronous."""
    plain = type(metric)(metric.name, metric.dimension, metric.threshold, metric.measure, None)
    return measure(plain, asynchronous)


@in_measured.wrapped(clause="004-4.4-a-measure", invited_by="hasattr(metric, 'a_measure')")
def harness_asynchronous_measure_preferred(
    measure: Callable[..., Any], metric: Any, asynchronous: bool
) -> Any:
    """Evaluating in order calls a_measure where there is one.
    A metric's own a_measure seems to be the better one."""
    own = metric.a_measure or metric.measure
    made = type(metric)(metric.name, metric.dimension, metric.threshold, own, None)
    return measure(made, asynchronous)
