"""What readers of the document alone understood of asserting, and of several metrics of one case."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals.evaluate import _add_dimension, assert_test
from reference_impl.harness_evals.evaluate import evaluate as reference_evaluate

in_evaluate = family("harness.evaluate", of=reference_evaluate, clause="004-8-order")
_Evaluate = Callable[..., Any]


@way("harness.evaluate", clause="004-6-assert-test")
def asserting(reference: Variant, passes: Callable[[list[Any]], bool]) -> None:
    """Changes which scores an assertion looks at."""
    evaluate = reference.get(reference_evaluate)

    def tested(metrics: Any) -> Any:
        scores = evaluate(metrics)
        if scores and not passes(scores):
            raise AssertionError("a metric failed")
        return scores

    reference.replace(assert_test, tested)


@asserting.made(invited_by="{score.name: score}")
def harness_assertion_by_name(scores: list[Any]) -> bool:
    """An assertion looks at the last score of each name. Scores are kept in a map by name."""
    return all(score.passed for score in {score.name: score for score in scores}.values())


@asserting.made(invited_by="any for all")
def harness_assertion_needs_one(scores: list[Any]) -> bool:
    """An assertion holds where one score passed. One is thought to be enough."""
    return any(score.passed for score in scores)


@asserting.made(invited_by="a variable that the loop overwrites")
def harness_assertion_of_last(scores: list[Any]) -> bool:
    """An assertion looks at the last score alone. The loop leaves it."""
    return bool(scores[-1].passed)


@asserting.made(invited_by="hard constraints")
def harness_assertion_of_safety(scores: list[Any]) -> bool:
    """Only scores of safety can fail an assertion. Safety is the hard constraint."""
    return all(score.passed or score.metadata.get("dimension") != "safety" for score in scores)


@asserting.made(invited_by="mean of values")
def harness_assertion_of_mean(scores: list[Any]) -> bool:
    """An assertion holds where the scores' mean reaches the mean of their thresholds.
    A test is one number."""
    return sum(float(it.value) for it in scores) >= sum(float(it.threshold) for it in scores)


@asserting.made(invited_by="failures of metrics are no failures of the answer")
def harness_assertion_spares_raised(scores: list[Any]) -> bool:
    """A metric that raised does not fail an assertion. The fault is the metric's."""
    return all(it.passed or str(it.reason).startswith("Metric raised: ") for it in scores)


@in_evaluate.wrapped(invited_by="setdefault(score.name, score)")
def harness_first_of_name_kept(evaluate: _Evaluate, metrics: Any, *, asynchronous: bool = False) -> Any:
    """Of scores with the same name only the first is kept. A second one is taken for a repetition."""
    first: dict[str, Any] = {}
    for score in evaluate(metrics, asynchronous=asynchronous):
        first.setdefault(score.name, score)
    return list(first.values())


@in_evaluate.wrapped(invited_by="unique keys")
def harness_names_numbered(evaluate: _Evaluate, metrics: Any, *, asynchronous: bool = False) -> Any:
    """A second score of a name gets a number behind it. Names are thought to be unique."""
    scores = evaluate(metrics, asynchronous=asynchronous)
    seen: dict[str, int] = {}
    for score in scores:
        seen[score.name] = seen.get(score.name, 0) + 1
        if seen[score.name] > 1:
            score.name = f"{score.name}_{seen[score.name]}"
    return scores


@in_evaluate.wrapped(clause="004-8-skipped", invited_by="return for continue")
def harness_skipped_ends(evaluate: _Evaluate, metrics: Any, *, asynchronous: bool = False) -> Any:
    """A skipped metric ends the evaluation. What comes behind it is thought to be skipped too."""
    scores: list[Any] = []
    for metric in metrics:
        made = evaluate([metric], asynchronous=asynchronous)
        if not made:
            break
        scores += made
    return scores


@in_evaluate.wrapped(clause="004-8-safety-apart", invited_by="hard constraints")
def harness_safety_failure_ends(evaluate: _Evaluate, metrics: Any, *, asynchronous: bool = False) -> Any:
    """A safety score that failed ends the evaluation. Safety is a hard constraint."""
    scores: list[Any] = []
    for metric in metrics:
        made = evaluate([metric], asynchronous=asynchronous)
        scores += made
        if made and not made[0].passed and made[0].metadata.get("dimension") == "safety":
            break
    return scores


@in_evaluate.wrapped(clause="004-8-safety-apart", invited_by="safety apart")
def harness_safety_stands_last(evaluate: _Evaluate, metrics: Any, *, asynchronous: bool = False) -> Any:
    """Scores of safety stand behind all others. They are kept apart."""
    scores = evaluate(metrics, asynchronous=asynchronous)
    return sorted(scores, key=lambda score: score.metadata.get("dimension") == "safety")


@in_evaluate.wrapped(invited_by="as_completed, JoinSet")
def harness_asynchronous_backwards(evaluate: _Evaluate, metrics: Any, *, asynchronous: bool = False) -> Any:
    """Asynchronous scores stand in the order in which they are done, the last first. None of them waits."""
    scores = evaluate(metrics, asynchronous=asynchronous)
    return scores[::-1] if asynchronous else scores


@in_evaluate.wrapped(clause="004-8-raised-message", invited_by="a variable outside of the loop")
def harness_reason_stays(evaluate: _Evaluate, metrics: Any, *, asynchronous: bool = False) -> Any:
    """A score without a reason has that of the score before. A variable is not cleared."""
    scores, reason = evaluate(metrics, asynchronous=asynchronous), None
    for score in scores:
        score.reason = reason = reason if score.reason is None else score.reason
    return scores


@way("harness.evaluate", clause="004-2-dimension-added")
def dimension_once(reference: Variant, _: Callable[..., Any]) -> None:
    """Gives each score of an evaluation the dimension of its first metric."""
    add = reference.get(_add_dimension)
    first: list[Any] = []

    def added(score: Any, metric: Any) -> None:
        first.append(metric)
        add(score, first[0])

    def anew(evaluate: _Evaluate) -> _Evaluate:
        def evaluated(metrics: Any, *, asynchronous: bool = False) -> Any:
            first.clear()
            return evaluate(metrics, asynchronous=asynchronous)

        return evaluated

    reference.replace(_add_dimension, added)
    reference.wrap(reference_evaluate, anew)


@dimension_once.made(invited_by="closures over the loop")
def harness_dimension_of_first_metric() -> None:
    """All scores get the dimension of the first metric. It is looked up once."""


@way("harness.evaluate", clause="004-8-not-caught")
def stops(reference: Variant, names: Callable[[], set[str]]) -> None:
    """Lets other exceptions end an evaluation in order."""
    reference.replace((reference_evaluate, "STOPS"), frozenset(names()))


@stops.made(invited_by="except (Exception, SystemExit)")
def harness_only_interrupts_end() -> set[str]:
    """SystemExit is caught in order, KeyboardInterrupt is not. Exits of a script are its own affair."""
    return {"KeyboardInterrupt"}


@stops.made(invited_by="other languages, which have no KeyboardInterrupt")
def harness_only_exits_end() -> set[str]:
    """KeyboardInterrupt is caught in order, SystemExit is not. Only leaving is meant."""
    return {"SystemExit"}


@stops.made(invited_by="except ValueError, except RuntimeError")
def harness_assertions_end() -> set[str]:
    """An AssertionError of a metric is not caught. Assertions are thought to be the test's."""
    return {"KeyboardInterrupt", "SystemExit", "AssertionError"}


@asserting.made(invited_by="quality gates")
def harness_assertion_of_quality(scores: list[Any]) -> bool:
    """Scores of safety do not fail an assertion. They are counted apart."""
    return all(score.passed or score.metadata.get("dimension") == "safety" for score in scores)


@in_evaluate.wrapped(clause="004-4.4-a-measure", invited_by="a variable outside of the loop")
def harness_a_measure_of_metric_before(
    evaluate: _Evaluate, metrics: Any, *, asynchronous: bool = False
) -> Any:
    """Asynchronously a metric without an a_measure has that of the metric before called.
    A variable is not cleared."""
    own, changed = None, []
    for metric in metrics:
        own = metric.a_measure or own
        changed.append(type(metric)(metric.name, metric.dimension, metric.threshold, metric.measure, own))
    return evaluate(changed, asynchronous=asynchronous)


@in_evaluate.wrapped(clause="004-1-name-and-threshold", invited_by="closures over the loop")
def harness_threshold_of_first_metric(
    evaluate: _Evaluate, metrics: Any, *, asynchronous: bool = False
) -> Any:
    """All metrics have the threshold of the first. It is looked up once."""
    changed = [
        type(metric)(metric.name, metric.dimension, metrics[0].threshold, metric.measure, metric.a_measure)
        for metric in metrics
    ]
    return evaluate(changed, asynchronous=asynchronous)


@in_evaluate.wrapped(invited_by="early exits on failure")
def harness_failure_ends(evaluate: _Evaluate, metrics: Any, *, asynchronous: bool = False) -> Any:
    """A score that failed ends the evaluation. The case has failed by then."""
    scores: list[Any] = []
    for metric in metrics:
        scores += evaluate([metric], asynchronous=asynchronous)
        if scores and not scores[-1].passed:
            break
    return scores
