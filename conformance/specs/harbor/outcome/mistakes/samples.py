"""Mistakes in finding the samples of a score in a job's result."""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import aggregation
from reference_impl import outcome as outcome_rules

in_metric_values = family("outcome", of=outcome_rules._metric_values)
in_entries = family("outcome", of=outcome_rules._entries)
in_number = family("outcome", of=outcome_rules._number, clause="003-5-sample-float")
in_count = family("outcome", of=outcome_rules._count, clause="003-5-counter-conversion")
Metrics = list[list[dict[str, Any]]]


@way("outcome", clause="003-5-every-value")
def chosen_samples(reference: Variant, choose: Callable[[Metrics], list[float]]) -> None:
    """Has ``choose`` make the samples of the metrics of each group; what is malformed stays so."""

    def around(original: Callable[[Any], list[float]]) -> Callable[[Any], list[float]]:
        def values(groups: Any) -> list[float]:
            original(groups)
            return choose([list(group.get("metrics", [])) for group in groups.values()])

        return values

    reference.wrap(outcome_rules._metric_values, around)


def _of(reference: Variant, metric: dict[str, Any]) -> list[float]:
    """The samples of one metric, by the rule."""
    given = [metric["mean"]] if "mean" in metric else metric.values()
    return [reference.get(outcome_rules._number)(value) for value in given]


def _mean(reference: Variant, values: list[float]) -> float:
    average: float = reference.get(aggregation.mean)(values)
    return average


@chosen_samples.made(clause="003-5-flat-mean", invited_by="groupby().mean().mean(), nested loops")
def score_by_group(reference: Variant, groups: Metrics) -> list[float]:
    """The score is the mean of the groups' means. Each group should weigh the same."""
    samples = [[v for metric in group for v in _of(reference, metric)] for group in groups]
    return [_mean(reference, group) for group in samples if group]


@chosen_samples.made(
    clause="003-5-separate-samples", invited_by="a function that makes one number of a metric"
)
def score_by_metric(reference: Variant, groups: Metrics) -> list[float]:
    """The values of a metric with several keys are averaged before metrics are.
    Each metric should weigh the same."""
    samples = [_of(reference, metric) for group in groups for metric in group]
    return [_mean(reference, values) for values in samples if values]


@in_metric_values.wrapped(
    clause="003-5-flat-mean", invited_by="numpy.average with weights, SQL over the trials"
)
def score_weighted_by_trials(original: Callable[[Any], list[float]], groups: Any) -> list[float]:
    """Each group's samples weigh as much as it has trials.
    The mean over all trials is what one wants to know."""
    listed = [(original({"": group}), group.get("n_trials", 1)) for group in groups.values()]
    weighted = [v for samples, n in listed for v in samples * (n if type(n) is int and n < 999 else 1)]
    return weighted or [v for samples, _ in listed for v in samples]


@chosen_samples.made(
    clause="003-5-flat-mean", invited_by="next(iter(evals.values())), jq's first, Object.values(evals)[0]"
)
def score_of_first_group(reference: Variant, groups: Metrics) -> list[float]:
    """Only the first group of a result is scored. Most jobs have one."""
    return [v for group in groups[:1] for m in group for v in _of(reference, m)]


@chosen_samples.made(clause="003-5-flat-mean", invited_by="metrics[0], jq's .metrics[0]")
def score_of_first_metric(reference: Variant, groups: Metrics) -> list[float]:
    """Only the first metric of each group is scored. Most groups have one."""
    return [v for group in groups for m in group[:1] for v in _of(reference, m)]


@chosen_samples.made(clause="003-5-flat-mean", invited_by="dict.update, Object.assign, jq's add")
def score_of_merged_metrics(reference: Variant, groups: Metrics) -> list[float]:
    """The metrics of a group are merged, so that of two with the same key the last counts.
    One object is easier to look things up in."""
    merged = [{k: v for metric in group for k, v in metric.items()} for group in groups]
    return [v for metric in merged for v in _of(reference, metric)]


@chosen_samples.made(invited_by="metric.get('mean'), jq's .mean // empty, a struct with one field")
def score_of_mean_only(reference: Variant, groups: Metrics) -> list[float]:
    """Metrics without the key mean give no sample. The score is called a mean."""
    return [v for g in groups for m in g if "mean" in m for v in _of(reference, m)]


@chosen_samples.made(
    clause="003-5-mean-key-only", invited_by="`metric.get('mean') or ...`, `metric.mean || ...` in JavaScript"
)
def mean_of_zero_not_seen(reference: Variant, groups: Metrics) -> list[float]:
    """A mean of 0 counts as none, and all values of its metric are samples. A test for truth fails on 0."""
    return [
        value
        for group in groups
        for metric in group
        for value in _of(reference, metric if metric.get("mean") else {f" {k}": v for k, v in metric.items()})
    ]


@in_metric_values.replaced(clause="003-5-mean-key-only", invited_by="metric.values(), jq's .metrics[][]")
def score_of_all_values(reference: Variant, groups: Any) -> list[float]:
    """All values of a metric are samples, also beside the key mean. One rule for all metrics."""
    outcome = reference.its(outcome_rules)
    return [
        outcome._number(value)
        for group in map(outcome._object, groups.values())
        for metric in map(outcome._object, outcome._entries(group.get("metrics", [])))
        for value in metric.values()
    ]


@chosen_samples.made(invited_by="next(iter(metric.values())), Object.values(metric)[0]")
def score_of_first_value(reference: Variant, groups: Metrics) -> list[float]:
    """A metric without the key mean gives only its first value. Most metrics have one."""
    return [v for g in groups for m in g for v in _of(reference, m)[:1]]


@in_entries.wrapped(clause="003-5-null-metric", invited_by="pandas, SQL's AVG, compact, filter_map")
def null_sample_skipped(entries: Callable[[Any], Any], metrics: Any) -> Any:
    """Samples that are null are left out of the score. null is no number, so there is nothing to add."""
    return [_without_null(m) if isinstance(m, dict) else m for m in entries(metrics)]


@in_number.wrapped(
    clause="003-5-null-metric", invited_by="JavaScript's Number(null), Go's float64 fields, fillna(0)"
)
def null_sample_as_zero(number: Callable[..., Any], value: Any) -> Any:
    """Samples that are null count as 0.0. `value or 0`."""
    return 0.0 if value is None else number(value)


@in_number.wrapped(invited_by="serde, encoding/json, Jackson, pydantic's strict mode")
def string_samples_refused(number: Callable[..., Any], value: Any) -> Any:
    """Samples that are numbers in strings are malformed. A typed reader takes numbers for numbers alone."""
    return number(None if isinstance(value, str) else value)


@in_number.wrapped(invited_by="serde, encoding/json, Jackson, pydantic's strict mode")
def bool_samples_refused(number: Callable[..., Any], value: Any) -> Any:
    """Samples that are true or false are malformed.
    A typed reader takes numbers for numbers alone; in Python it takes an extra test."""
    return number(None if isinstance(value, bool) else value)


@in_number.wrapped(invited_by="JavaScript, TypeScript")
def samples_by_javascript(original: Callable[[Any], float], value: Any) -> float:
    """Samples are converted by JavaScript's Number: null, '' and [] are 0, 0x10 is 16.
    It is the language's conversion."""
    if isinstance(value, list) and len(value) <= 1:
        value = "" if not value else value[0] if isinstance(value[0], str) else json.dumps(value[0])
    if isinstance(value, str):
        text = value.strip(_JAVASCRIPT_SPACE)
        if text[:2].lower() in ("0x", "0o", "0b") and "_" not in text:
            return float(int(text, 0))
        if "_" in text or not text.isascii() or text.lower() in _NOT_JAVASCRIPT:
            raise ValueError("NaN")
        return original(text or 0)
    return 0.0 if value is None else original(value)


@in_count.wrapped(invited_by="serde, encoding/json, Jackson")
def string_counts_refused(count: Callable[[Any], int], value: Any) -> int:
    """Counts that are numbers in strings are malformed. A typed reader takes numbers for numbers alone."""
    return count({1: 1} if isinstance(value, str) else value)


@in_count.wrapped(invited_by="round, Math.round, %.0f, PHP's and SQL's casts")
def fractional_counts_rounded(count: Callable[[Any], int], value: Any) -> int:
    """Counts with a fraction are rounded, not cut. 3.7 trials are nearly 4."""
    return round(value) if isinstance(value, float) else count(value)


@in_count.wrapped(invited_by="int(stats['n_errored_trials']), required fields, serde")
def null_counts_refused(count: Callable[..., Any], value: Any) -> Any:
    """A count that is null or absent is malformed. The field is required."""
    return count({1: 1} if value is None else value)


def _without_null(metric: dict[str, Any]) -> dict[str, Any]:
    """What is left of a metric once the samples that are null are taken away."""
    if metric.get("mean", 0) is None:
        return {}
    return {name: value for name, value in metric.items() if value is not None}


_JAVASCRIPT_SPACE = (
    "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
_NOT_JAVASCRIPT = frozenset({"nan", "inf", "+inf", "-inf"})
