"""What readers of the document alone understood of a summary over several cases."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.harness_evals import summary

in_summarise = family("harness.dimensions", of=summary.summarise, clause="004-8-summary-rates")
in_metric = family("harness.dimensions", of=summary._metric, clause="004-8-summary-means")
in_mean = family("harness.dimensions", of=summary._mean, clause="004-8-summary-means")
_Cases = Sequence[Sequence[Any]]
_Summarise = Callable[[Any], Any]


@in_summarise.wrapped(invited_by="columns of the first row")
def harness_names_of_first_case(summarise: _Summarise, cases: _Cases) -> Any:
    """Only metrics that the first case has are summed up. Every case is thought to have the same."""
    names = {score.name for score in cases[0] if score is not None} if cases else set()
    return summarise([[it for it in case if it is not None and it.name in names] for case in cases])


@in_summarise.wrapped(invited_by="zip of cases and metrics")
def harness_scores_by_place(summarise: _Summarise, cases: _Cases) -> Any:
    """Cases end where the shortest does, skipped metrics left out. Rows of a table are equally long."""
    kept = [[it for it in case if it is not None] for case in cases]
    length = min((len(case) for case in kept if case), default=0)
    return summarise([case[:length] for case in kept])


@way("harness.dimensions", clause="004-8-summary-means")
def by_case(reference: Variant, values: Callable[[Any], Any]) -> None:
    """Changes a metric's mean to that of one number per case."""

    def changed(summarise: _Summarise) -> _Summarise:
        def made(cases: _Cases) -> Any:
            summed = summarise(cases)
            means = {}
            for name, metric in summed.by_metric.items():
                rows = [[it.value for it in case if it is not None and it.name == name] for case in cases]
                numbers = [values(row) for row in rows if row]
                means[name] = replace(metric, mean=sum(numbers) / len(numbers))
            return replace(summed, by_metric=means)

        return made

    reference.wrap(summary.summarise, changed)


@by_case.made(invited_by="mean of means")
def harness_metric_means_by_case(row: Any) -> Any:
    """A metric's mean is that of its means in the cases. A case is what is counted."""
    return sum(row) / len(row)


@in_mean.wrapped(invited_by="round(mean, 4)")
def harness_means_rounded(mean: Callable[[Any], float], values: Any) -> float:
    """Means of the summary are rounded to 4 decimals before anything is written. So many are told."""
    return round(mean(values), 4)


@in_metric.wrapped(invited_by="min = 1.0, max = 0.0 before the loop")
def harness_extremes_from_borders(metric: Callable[..., Any], name: str, scores: list[Any]) -> Any:
    """Least and greatest values start at 1.0 and 0.0, and stay so where a value equals them.
    Loops start so."""
    values = [score.value for score in scores]
    return replace(metric(name, scores), min_value=min([1.0, *values]), max_value=max([0.0, *values]))


@in_metric.wrapped(invited_by="min = 0 before the loop")
def harness_least_from_zero(metric: Callable[..., Any], name: str, scores: list[Any]) -> Any:
    """The least value of a metric is never above 0. A loop starts at its variable's zero."""
    made = metric(name, scores)
    return replace(made, min_value=min(made.min_value, 0.0))


@way("harness.dimensions", clause="004-8-safety-apart")
def scores_of_case(
    reference: Variant, change: Callable[[list[Any], Callable[[Any], Any]], list[Any]]
) -> None:
    """Changes the scores of each case: ``change`` has them and what tells a score's dimension."""

    def changed(summarise: _Summarise) -> _Summarise:
        def made(cases: _Cases) -> Any:
            dimension_of = reference.its(summary.dimension_of)
            return summarise([change([it for it in case if it is not None], dimension_of) for case in cases])

        return made

    reference.wrap(summary.summarise, changed)


@scores_of_case.made(invited_by="one flag per case")
def harness_safety_spreads(scores: list[Any], dimension_of: Callable[[Any], Any]) -> list[Any]:
    """All scores of a case that has one of safety count to safety. The case is one of safety."""
    if not any(dimension_of(score) == "safety" for score in scores):
        return scores
    return [_with(score, metadata={"dimension": "safety"}) for score in scores]


@scores_of_case.made(invited_by="hard constraints")
def harness_violation_fails_case(scores: list[Any], dimension_of: Callable[[Any], Any]) -> list[Any]:
    """No score of a case with a violation counts as passed. Safety is a hard constraint."""
    if all(score.passed or dimension_of(score) != "safety" for score in scores):
        return scores
    return [_with(score, passed=False) for score in scores]


@scores_of_case.made(clause="004-8-summary-order", invited_by="lower()")
def harness_metric_names_in_any_case(scores: list[Any], _: Callable[[Any], Any]) -> list[Any]:
    """Names of metrics are compared without regard to letter case. They are thought to be spelled freely."""
    return [_with(score, name=score.name.lower()) for score in scores]


@scores_of_case.made(clause="004-8-summary-order", invited_by="strip()")
def harness_metric_names_trimmed(scores: list[Any], _: Callable[[Any], Any]) -> list[Any]:
    """White space around a metric's name is left out. It is taken for noise."""
    return [_with(score, name=score.name.strip()) for score in scores]


def _with(score: Any, **changed: Any) -> Any:
    score = copy.copy(score)
    for name, value in changed.items():
        setattr(score, name, value)
    return score


@way("harness.dimensions", clause="004-8-summary-rates")
def summed(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes the summary."""
    reference.wrap(summary.summarise, lambda summarise: lambda cases: change(summarise(cases)))


@summed.made(invited_by="mean of the metrics' rates")
def harness_quality_rate_of_dimensions(made: Any) -> Any:
    """The quality rate is the mean of its dimensions' rates. Each dimension counts alike."""
    rates = [it.pass_rate for it in made.by_dimension.values() if not it.is_safety]
    return replace(made, quality_pass_rate=sum(rates) / len(rates) if rates else 0.0)


@summed.made(invited_by="1 - violations / cases")
def harness_safety_rate_of_cases(made: Any) -> Any:
    """The safety rate is 1 less the violations per case. Violations are counted in cases."""
    if "safety" not in made.by_dimension:
        return made
    return replace(made, safety_pass_rate=1.0 - made.safety_violations / made.total_cases)
