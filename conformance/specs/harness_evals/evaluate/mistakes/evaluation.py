"""Mistakes in evaluating a case with all metrics of harness-evals."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_MEASURED = "harness_evals.evaluate._measured"
_EVALUATE = "harness_evals.evaluate.evaluate"
_DIMENSION = "harness_evals.evaluate._add_dimension"


def _raising(reference: Variant, score: Callable[[Any, Exception], Any]) -> None:
    """Changes what becomes of a metric that raises."""
    stops = reference.get("harness_evals.evaluate.STOPS")

    def measured(metric: Any, asynchronous: bool) -> Any:
        measure = metric.a_measure if asynchronous and metric.a_measure else metric.measure
        try:
            return measure(metric)
        except Exception as error:
            if type(error).__name__ in stops and not asynchronous:
                raise
            return score(metric, error)

    reference.replace(_MEASURED, measured)


def _scores(reference: Variant, change: Callable[[list[Any]], list[Any]]) -> None:
    """Changes the list of scores."""

    def changed(evaluate: Callable[..., list[Any]]) -> Callable[..., list[Any]]:
        return lambda metrics, **how: change(evaluate(metrics, **how))

    reference.wrap(_EVALUATE, changed)


@mistake(
    "harness-raising-ends-evaluate",
    says="a metric that raises ends the evaluation with its exception",
    op="harness.evaluate",
    clause="004-8-raised-caught",
    why="A bug in a metric should be noticed.",
    invited_by="no try around measure",
)
def _(reference: Variant) -> None:
    def measured(metric: Any, asynchronous: bool) -> Any:
        return (metric.a_measure if asynchronous and metric.a_measure else metric.measure)(metric)

    reference.replace(_MEASURED, measured)


@mistake(
    "harness-raising-left-out",
    says="a metric that raises is left out",
    op="harness.evaluate",
    clause="004-8-raised-caught",
    why="There is no value to tell of.",
    invited_by="continue in the except clause",
)
def _(reference: Variant) -> None:
    _raising(reference, lambda metric, error: None)


@mistake(
    "harness-reason-without-message",
    says="the reason of a metric that raised lacks the exception's message",
    op="harness.evaluate",
    clause="004-8-raised-message",
    why="That it raised seems to be enough.",
    invited_by="constant reasons",
)
def _(reference: Variant) -> None:
    score = reference.get("harness_evals.score.Score")
    _raising(reference, lambda metric, _: score(metric.name, 0.0, metric.threshold, "Metric raised: "))


@mistake(
    "harness-reason-with-type",
    says="the reason of a metric that raised names the exception's type",
    op="harness.evaluate",
    clause="004-8-raised-message",
    why="The type tells more than the message.",
    invited_by="repr(error), traceback.format_exception_only",
)
def _(reference: Variant) -> None:
    score = reference.get("harness_evals.score.Score")

    def told(metric: Any, error: Exception) -> Any:
        reason = f"Metric raised: {type(error).__name__}: {error}"
        return score(metric.name, 0.0, metric.threshold, reason)

    _raising(reference, told)


@mistake(
    "harness-reason-is-the-message",
    says="the reason of a metric that raised is the bare message",
    op="harness.evaluate",
    clause="004-8-raised-caught",
    why="The message explains itself.",
    invited_by="str(error)",
)
def _(reference: Variant) -> None:
    score = reference.get("harness_evals.score.Score")
    _raising(reference, lambda metric, error: score(metric.name, 0.0, metric.threshold, str(error)))


@mistake(
    "harness-raised-never-passes",
    says="the score of a metric that raised fails even at a threshold of 0",
    op="harness.evaluate",
    clause="004-8-failing-score",
    why="The document calls it a failing score.",
    invited_by="passed=False",
)
def _(reference: Variant) -> None:
    def measured(measure: Callable[..., Any]) -> Callable[..., Any]:
        def fail(metric: Any, asynchronous: bool) -> Any:
            score = measure(metric, asynchronous)
            if str(getattr(score, "reason", "")).startswith("Metric raised: "):
                score.passed = False
            return score

        return fail

    reference.wrap(_MEASURED, measured)


@mistake(
    "harness-exits-caught",
    says="KeyboardInterrupt and SystemExit in a metric give a score of 0.0",
    op="harness.evaluate",
    clause="004-8-not-caught",
    why="A metric must not end the evaluation.",
    invited_by="except BaseException, bare except",
)
def _(reference: Variant) -> None:
    reference.replace("harness_evals.evaluate.STOPS", frozenset())


@mistake(
    "harness-skipped-scores-zero",
    says="a metric that returns nothing scores 0.0",
    op="harness.evaluate",
    clause="004-8-skipped",
    why="No score is taken for a bad one.",
    invited_by="score or Score(0.0)",
)
def _(reference: Variant) -> None:
    score = reference.get("harness_evals.score.Score")

    def zero(measure: Callable[..., Any]) -> Callable[..., Any]:
        def measured(metric: Any, asynchronous: bool) -> Any:
            made = measure(metric, asynchronous)
            return score(metric.name, 0.0, metric.threshold) if made is None else made

        return measured

    reference.wrap(_MEASURED, zero)


@mistake(
    "harness-false-results-skipped",
    says="a metric that returns 0 or false is skipped",
    op="harness.evaluate",
    clause="004-1-returns-score",
    why="They count as false.",
    invited_by="if not score: continue",
)
def _(reference: Variant) -> None:
    def falsy(measure: Callable[..., Any]) -> Callable[..., Any]:
        return lambda metric, asynchronous: measure(metric, asynchronous) or None

    reference.wrap(_MEASURED, falsy)


@mistake(
    "harness-numbers-taken-for-scores",
    says="a number that a metric returns becomes its score",
    op="harness.evaluate",
    clause="004-1-returns-score",
    why="Scorers elsewhere return numbers.",
    invited_by="other harnesses",
)
def _(reference: Variant) -> None:
    score = reference.get("harness_evals.score.Score")

    def scored(measure: Callable[..., Any]) -> Callable[..., Any]:
        def measured(metric: Any, asynchronous: bool) -> Any:
            made = measure(metric, asynchronous)
            return score(metric.name, made, metric.threshold) if isinstance(made, int | float) else made

        return measured

    reference.wrap(_MEASURED, scored)


@mistake(
    "harness-duplicates-merged",
    says="of scores with the same name only the last is kept",
    op="harness.evaluate",
    clause="004-8-order",
    why="Scores are kept in a map by name.",
    invited_by="dicts, {score.name: score}",
)
def _(reference: Variant) -> None:
    _scores(reference, lambda scores: list({score.name: score for score in scores}.values()))


@mistake(
    "harness-scores-sorted",
    says="scores are sorted by name",
    op="harness.evaluate",
    clause="004-8-order",
    why="Sorted results are easy to compare.",
    invited_by="sorted maps",
)
def _(reference: Variant) -> None:
    _scores(reference, lambda scores: sorted(scores, key=lambda score: score.name))


@mistake(
    "harness-passed-recomputed",
    says="whether a score passed is computed again after measuring",
    op="harness.evaluate",
    clause="004-1-passed-by-hand",
    why="passed is a property elsewhere.",
    invited_by="@property, computed fields",
)
def _(reference: Variant) -> None:
    def recomputed(scores: list[Any]) -> list[Any]:
        for score in scores:
            score.passed = bool(score.value >= score.threshold)
        return scores

    _scores(reference, recomputed)


@mistake(
    "harness-dimension-overwritten",
    says="the metric's dimension replaces the one in the score's metadata",
    op="harness.evaluate",
    clause="004-2-dimension-kept",
    why="The metric knows its dimension best.",
    invited_by="metadata['dimension'] = ...",
)
def _(reference: Variant) -> None:
    def overwritten(add: Callable[..., None]) -> Callable[..., None]:
        def put(score: Any, metric: Any) -> None:
            add(score, metric)
            score.metadata["dimension"] = metric.dimension.value

        return put

    reference.wrap(_DIMENSION, overwritten)


@mistake(
    "harness-dimension-not-added",
    says="evaluating adds no dimension to the metadata",
    op="harness.evaluate",
    clause="004-2-dimension-added",
    why="The document does not tell that it does.",
    invited_by="the document as it reads",
)
def _(reference: Variant) -> None:
    def left(add: Callable[..., None]) -> Callable[..., None]:
        def check(score: Any, metric: Any) -> None:
            before = score.metadata
            score.metadata = dict(before) if isinstance(before, dict) else before
            add(score, metric)
            score.metadata = before

        return check

    reference.wrap(_DIMENSION, left)


@mistake(
    "harness-dimension-first",
    says="the dimension is the first of the metadata",
    op="harness.evaluate",
    clause="004-2-dimension-added",
    why="It is put in before the metric's own.",
    invited_by="{'dimension': ..., **metadata}",
)
def _(reference: Variant) -> None:
    def first(add: Callable[..., None]) -> Callable[..., None]:
        def put(score: Any, metric: Any) -> None:
            add(score, metric)
            score.metadata = {"dimension": score.metadata["dimension"], **score.metadata}

        return put

    reference.wrap(_DIMENSION, first)
