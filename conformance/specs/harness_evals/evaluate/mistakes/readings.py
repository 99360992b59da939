"""What readers of the document alone understood of evaluating: what is caught, skipped and asserted."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import described
from reference_impl.harness_evals import score as score_rules
from reference_impl.harness_evals.evaluate import _add_dimension, _measured, assert_test
from reference_impl.harness_evals.evaluate import evaluate as reference_evaluate

in_measured = family("harness.evaluate", of=_measured, clause="004-1-returns-score")
in_assert_test = family("harness.evaluate", of=assert_test, clause="004-6-assert-test")
in_evaluate = family("harness.evaluate", of=reference_evaluate, clause="004-4.4-a-measure")
in_scores = family("harness.evaluate", of=described._scores, clause="004-1-name-and-threshold")
_Measure = Callable[..., Any]


def _chosen(metric: Any, asynchronous: bool) -> Callable[[Any], Any]:
    measure: Callable[[Any], Any] = metric.a_measure if asynchronous and metric.a_measure else metric.measure
    return measure


@way("harness.evaluate", clause="004-8-raised-message")
def reasons(reference: Variant, reason: Callable[[str], str]) -> None:
    """Changes the reason of a metric that raised."""
    measured = reference.get(_measured)

    def changed(metric: Any, asynchronous: bool) -> Any:
        score, raised = _with_raised(measured, metric, asynchronous)
        if raised:
            score.reason = reason(score.reason)
        return score

    reference.replace(_measured, changed)


def _with_raised(measured: _Measure, metric: Any, asynchronous: bool) -> tuple[Any, bool]:
    """What a metric is given for a score, and whether that is because it raised."""
    raised: list[bool] = []

    def noted(metric: Any) -> Any:
        try:
            return _chosen(given, asynchronous)(metric)
        except Exception:
            raised.append(True)
            raise

    given = metric
    score = measured(type(metric)(metric.name, metric.dimension, metric.threshold, noted, None), asynchronous)
    return score, bool(raised)


@way("harness.evaluate", clause="004-8-raised-caught")
def escaping(reference: Variant, escapes: Callable[[Exception, bool], bool]) -> None:
    """Lets some of what a metric raises out of the evaluation."""
    measured = reference.get(_measured)

    def changed(metric: Any, asynchronous: bool) -> Any:
        escaped: list[Exception] = []

        def noted(given: Any) -> Any:
            try:
                return _chosen(metric, asynchronous)(given)
            except Exception as error:
                if escapes(error, asynchronous):
                    escaped.append(error)
                raise

        score = measured(
            type(metric)(metric.name, metric.dimension, metric.threshold, noted, None), asynchronous
        )
        if escaped:
            raise escaped[0]
        return score

    reference.replace(_measured, changed)


@in_assert_test.replaced(invited_by="assert inside the loop")
def harness_assertion_stops_early(reference: Variant, metrics: Any) -> Any:
    """Evaluating with an assertion stops at the first score that failed. The outcome is known by then."""
    one_by_one = reference.its(reference_evaluate)
    scores = []
    for metric in metrics:
        for score in one_by_one([metric]):
            if not score.passed:
                raise AssertionError(score.name)
            scores.append(score)
    return scores


@in_assert_test.wrapped(clause="004-8-skipped", invited_by="all(score and score.passed)")
def harness_assertion_fails_if_skipped(test: _Measure, metrics: Any) -> Any:
    """An assertion fails where a metric was skipped. What has no score has not passed."""
    scores = test(metrics)
    if len(scores) < len(metrics):
        raise AssertionError("a metric was skipped")
    return scores


@in_assert_test.wrapped(invited_by="assert scores")
def harness_assertion_wants_scores(test: _Measure, metrics: Any) -> Any:
    """An assertion fails where there are no scores. Nothing has passed."""
    scores = test(metrics)
    if not scores:
        raise AssertionError("no scores")
    return scores


@in_assert_test.replaced(clause="004-4.4-a-measure", invited_by="asyncio.run(a_evaluate(...))")
def harness_assertion_asynchronous(reference: Variant, metrics: Any) -> Any:
    """Evaluating with an assertion calls a_measure where there is one. It is thought to be asynchronous."""
    scores = reference.its(reference_evaluate)(metrics, asynchronous=True)
    if not all(score.passed for score in scores):
        raise AssertionError("a metric failed")
    return scores


@reasons.made(invited_by="message.lines().next()")
def harness_raised_first_line(reason: str) -> str:
    """Of the message of a metric that raised only the first line is told. A reason is one line."""
    return reason.split("\n")[0]


@reasons.made(invited_by="trim()")
def harness_raised_message_trimmed(reason: str) -> str:
    """White space around the message of a metric that raised is left out. It tells nothing."""
    return f"Metric raised: {reason.removeprefix('Metric raised: ').strip()}"


@reasons.made(invited_by="trim()")
def harness_raised_reason_ends_trimmed(reason: str) -> str:
    """The reason of a metric that raised ends without blanks. Lines are often trimmed."""
    return reason.rstrip(" ")


@reasons.made(invited_by="str(error) or type(error).__name__")
def harness_raised_empty_named(reason: str) -> str:
    """An empty message of a metric that raised is told as `error`. A reason has to say something."""
    return reason if reason != "Metric raised: " else "Metric raised: error"


@reasons.made(invited_by="error.args[0], other languages' exceptions")
def harness_raised_key_unquoted(reason: str) -> str:
    """The message of a KeyError stands without quotes. The message is what was raised, as for others."""
    found = reason.removeprefix("Metric raised: ")
    quoted = len(found) > 1 and found[0] == found[-1] and found[0] in "'\""
    return f"Metric raised: {found[1:-1]}" if quoted else reason


@in_measured.wrapped(clause="004-8-raised-caught", invited_by="Score(name, 0.0)")
def harness_raised_with_default_threshold(
    reference: Variant, measured: _Measure, metric: Any, asynchronous: bool
) -> Any:
    """The score of a metric that raised has the threshold 1.0. It is made without saying one."""
    score, raised = _with_raised(measured, metric, asynchronous)
    return reference.its(score_rules.Score)(score.name, 0.0, 1.0, score.reason) if raised else score


@way("harness.evaluate", clause="004-2-dimension-added")
def raised_scores(reference: Variant, add: Callable[[Any, Any, Callable[..., None]], None]) -> None:
    """Changes how the score of a metric that raised gets its dimension."""
    measured, plain = reference.get(_measured), reference.get(_add_dimension)
    made: list[Any] = []

    def noted(metric: Any, asynchronous: bool) -> Any:
        score, raised = _with_raised(measured, metric, asynchronous)
        made[:] = [score] if raised else []
        return score

    def added(score: Any, metric: Any) -> None:
        if made and score is made[0]:
            add(score, metric, plain)
        else:
            plain(score, metric)

    reference.replace(_measured, noted)
    reference.replace(_add_dimension, added)


@raised_scores.made(invited_by="a fallback outside of the tagging")
def harness_raised_without_dimension(_score: Any, _metric: Any, _add: Callable[..., None]) -> None:
    """The score of a metric that raised gets no dimension. It is made apart from the others."""


@raised_scores.made(clause="004-2-plain-text-dimension", invited_by="try around all of it")
def harness_text_dimension_of_raised(score: Any, metric: Any, add: Callable[..., None]) -> None:
    """A plain text in place of a dimension is no error where the metric raised. One error seems enough."""
    if isinstance(metric.dimension, str):
        score.metadata = {}
    else:
        add(score, metric)


@raised_scores.made(clause="004-8-raised-caught", invited_by="a clock around success")
def harness_raised_without_duration(score: Any, metric: Any, add: Callable[..., None]) -> None:
    """The score of a metric that raised has no duration. It did not come to its end."""
    add(score, metric)
    score.scoring_duration_ms = None


@escaping.made(clause="004-8-raised-caught", invited_by="scores that the harness makes")
def harness_bad_score_escapes(error: Exception, _: bool) -> bool:
    """An error in making a score is not caught by evaluating. The fault is the score's, not the metric's."""
    return error.__cause__ is not None


@escaping.made(clause="004-8-not-caught", invited_by="an AttributeError out of the evaluation")
def harness_attribute_errors_escape(error: Exception, _: bool) -> bool:
    """An AttributeError that a metric raises is not caught. That of a returned non-score is not either."""
    return type(error).__name__ == "AttributeError"


@escaping.made(clause="004-8-not-caught", invited_by="except Exception")
def harness_asynchronous_exits_escape(error: Exception, asynchronous: bool) -> bool:
    """KeyboardInterrupt and SystemExit are not caught asynchronously either. In order they are not."""
    return asynchronous and type(error).__name__ in ("KeyboardInterrupt", "SystemExit")


@escaping.made(clause="004-8-raised-caught", invited_by="gather, Promise.all, try_join_all")
def harness_asynchronous_errors_escape(_: Exception, asynchronous: bool) -> bool:
    """A metric that raises ends an asynchronous evaluation. Waiting for all ends with the first error."""
    return asynchronous


@in_scores.wrapped(invited_by="name=self.name")
def harness_score_named_by_metric(make: _Measure, given: Any) -> Any:
    """A score has its metric's name whatever it was given. All templates give it."""
    return make({**given, "name": None})


@in_scores.wrapped(invited_by="threshold=self.threshold")
def harness_score_threshold_of_metric(make: _Measure, given: Any) -> Any:
    """A score has its metric's threshold whatever it was given. All templates give it."""
    return make({**given, "threshold": None})


@in_evaluate.wrapped(clause="004-8-not-caught", invited_by="map, then filter")
def harness_results_checked_at_end(
    reference: Variant, evaluate: _Measure, metrics: Any, *, asynchronous: bool = False
) -> Any:
    """What metrics return is looked at when all have run. Measuring and checking are two loops."""
    measured = reference.its(_measured)
    made = [(metric, measured(metric, asynchronous)) for metric in metrics]
    return evaluate(
        [
            type(metric)(metric.name, metric.dimension, metric.threshold, lambda _, it=it: it, None)
            for metric, it in made
        ]
    )


@in_evaluate.wrapped(clause="004-8-order", invited_by="the coroutines first")
def harness_own_a_measure_first(evaluate: _Measure, metrics: Any, *, asynchronous: bool = False) -> Any:
    """Scores of metrics with an a_measure stand in front, asynchronously.
    They are gathered first."""
    if asynchronous:
        metrics = sorted(metrics, key=lambda metric: metric.a_measure is None)
    return evaluate(metrics, asynchronous=asynchronous)


@in_evaluate.wrapped(invited_by="all(hasattr(metric, 'a_measure'))")
def harness_one_sync_all_sync(evaluate: _Measure, metrics: Any, *, asynchronous: bool = False) -> Any:
    """If one metric has no a_measure, measure is called of all. A case is evaluated in one way."""
    return evaluate(metrics, asynchronous=asynchronous and all(metric.a_measure for metric in metrics))


@in_measured.wrapped(invited_by="if not score: continue")
def harness_empty_results_skipped(measured: _Measure, metric: Any, asynchronous: bool) -> Any:
    """A metric that returns an empty text, list or object is skipped. It returned nothing."""
    made = measured(metric, asynchronous)
    return made if made or not isinstance(made, str | list | dict) else None


@in_measured.wrapped(invited_by="duck typing, structural types")
def harness_objects_taken_for_scores(
    reference: Variant, measured: _Measure, metric: Any, asynchronous: bool
) -> Any:
    """An object with a value that a metric returns is taken for a score. It has the members of one."""
    made = measured(metric, asynchronous)
    if not isinstance(made, dict) or "value" not in made:
        return made
    return reference.its(score_rules.Score)(
        made.get("name", metric.name), made["value"], made.get("threshold", metric.threshold)
    )


@in_evaluate.wrapped(clause="004-8-normalised", invited_by="metadata={} as default, json.Unmarshal")
def harness_metadata_shared(evaluate: _Measure, metrics: Any, *, asynchronous: bool = False) -> Any:
    """Metadata of earlier scores are in later ones too. One object is filled again and again."""
    scores = evaluate(metrics, asynchronous=asynchronous)
    so_far: dict[str, Any] = {}
    for score in scores:
        so_far = {**so_far, **score.metadata}
        score.metadata = dict(so_far)
    return scores
