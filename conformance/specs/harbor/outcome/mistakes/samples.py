"""Mistakes in finding the samples of a score in a job's result."""

import json
from collections.abc import Callable
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

VALUES = "outcome._metric_values"
NUMBER = "outcome._number"
COUNT = "outcome._count"
Metrics = list[list[dict[str, Any]]]


def _samples(reference: Variant, choose: Callable[[Metrics], list[float]]) -> None:
    """Has ``choose`` make the samples of the metrics of each group; what is malformed stays so."""

    def around(original: Callable[[Any], list[float]]) -> Callable[[Any], list[float]]:
        def values(groups: Any) -> list[float]:
            original(groups)
            return choose([list(group.get("metrics", [])) for group in groups.values()])

        return values

    reference.wrap(VALUES, around)


def _of(reference: Variant, metric: dict[str, Any]) -> list[float]:
    """The samples of one metric, by the rule."""
    given = [metric["mean"]] if "mean" in metric else metric.values()
    return [reference.get(NUMBER)(value) for value in given]


def _mean(reference: Variant, values: list[float]) -> float:
    average: float = reference.get("aggregation.mean")(values)
    return average


@mistake(
    "score-by-group",
    says="the score is the mean of the groups' means",
    op="outcome",
    clause="003-5-flat-mean",
    why="Each group should weigh the same.",
    invited_by="groupby().mean().mean(), nested loops",
)
def _(reference: Variant) -> None:
    def choose(groups: Metrics) -> list[float]:
        samples = [[v for metric in group for v in _of(reference, metric)] for group in groups]
        return [_mean(reference, group) for group in samples if group]

    _samples(reference, choose)


@mistake(
    "score-by-metric",
    says="the values of a metric with several keys are averaged before metrics are",
    op="outcome",
    clause="003-5-separate-samples",
    why="Each metric should weigh the same.",
    invited_by="a function that makes one number of a metric",
)
def _(reference: Variant) -> None:
    def choose(groups: Metrics) -> list[float]:
        samples = [_of(reference, metric) for group in groups for metric in group]
        return [_mean(reference, values) for values in samples if values]

    _samples(reference, choose)


@mistake(
    "score-weighted-by-trials",
    says="each group's samples weigh as much as it has trials",
    op="outcome",
    clause="003-5-flat-mean",
    why="The mean over all trials is what one wants to know.",
    invited_by="numpy.average with weights, SQL over the trials",
)
def _(reference: Variant) -> None:
    def around(original: Callable[[Any], list[float]]) -> Callable[[Any], list[float]]:
        def values(groups: Any) -> list[float]:
            listed = [(original({"": group}), group.get("n_trials", 1)) for group in groups.values()]
            weighted = [
                v for samples, n in listed for v in samples * (n if type(n) is int and n < 999 else 1)
            ]
            return weighted or [v for samples, _ in listed for v in samples]

        return values

    reference.wrap(VALUES, around)


@mistake(
    "score-of-first-group",
    says="only the first group of a result is scored",
    op="outcome",
    clause="003-5-flat-mean",
    why="Most jobs have one.",
    invited_by="next(iter(evals.values())), jq's first, Object.values(evals)[0]",
)
def _(reference: Variant) -> None:
    _samples(reference, lambda groups: [v for group in groups[:1] for m in group for v in _of(reference, m)])


@mistake(
    "score-of-first-metric",
    says="only the first metric of each group is scored",
    op="outcome",
    clause="003-5-flat-mean",
    why="Most groups have one.",
    invited_by="metrics[0], jq's .metrics[0]",
)
def _(reference: Variant) -> None:
    _samples(reference, lambda groups: [v for group in groups for m in group[:1] for v in _of(reference, m)])


@mistake(
    "score-of-merged-metrics",
    says="the metrics of a group are merged, so that of two with the same key the last counts",
    op="outcome",
    clause="003-5-flat-mean",
    why="One object is easier to look things up in.",
    invited_by="dict.update, Object.assign, jq's add",
)
def _(reference: Variant) -> None:
    def choose(groups: Metrics) -> list[float]:
        merged = [{k: v for metric in group for k, v in metric.items()} for group in groups]
        return [v for metric in merged for v in _of(reference, metric)]

    _samples(reference, choose)


@mistake(
    "score-of-mean-only",
    says="metrics without the key mean give no sample",
    op="outcome",
    clause="003-5-every-value",
    why="The score is called a mean.",
    invited_by="metric.get('mean'), jq's .mean // empty, a struct with one field",
)
def _(reference: Variant) -> None:
    _samples(
        reference, lambda groups: [v for g in groups for m in g if "mean" in m for v in _of(reference, m)]
    )


@mistake(
    "score-of-all-values",
    says="all values of a metric are samples, also beside the key mean",
    op="outcome",
    clause="003-5-mean-key-only",
    why="One rule for all metrics.",
    invited_by="metric.values(), jq's .metrics[][]",
)
def _(reference: Variant) -> None:
    outcome = reference.module("outcome")

    def values(groups: Any) -> list[float]:
        return [
            outcome._number(value)
            for group in map(outcome._object, groups.values())
            for metric in map(outcome._object, outcome._entries(group.get("metrics", [])))
            for value in metric.values()
        ]

    reference.replace(VALUES, values)


@mistake(
    "score-of-first-value",
    says="a metric without the key mean gives only its first value",
    op="outcome",
    clause="003-5-every-value",
    why="Most metrics have one.",
    invited_by="next(iter(metric.values())), Object.values(metric)[0]",
)
def _(reference: Variant) -> None:
    _samples(reference, lambda groups: [v for g in groups for m in g for v in _of(reference, m)[:1]])


@mistake(
    "null-sample-skipped",
    says="samples that are null are left out of the score",
    op="outcome",
    clause="003-5-null-metric",
    why="null is no number, so there is nothing to add.",
    invited_by="pandas, SQL's AVG, compact, filter_map",
)
def _(reference: Variant) -> None:
    def around(entries: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda metrics: [_without_null(m) if isinstance(m, dict) else m for m in entries(metrics)]

    reference.wrap("outcome._entries", around)


@mistake(
    "null-sample-as-zero",
    says="samples that are null count as 0.0",
    op="outcome",
    clause="003-5-null-metric",
    why="`value or 0`.",
    invited_by="JavaScript's Number(null), Go's float64 fields, fillna(0)",
)
def _(reference: Variant) -> None:
    reference.wrap(NUMBER, lambda number: lambda value: 0.0 if value is None else number(value))


@mistake(
    "string-samples-refused",
    says="samples that are numbers in strings are malformed",
    op="outcome",
    clause="003-5-sample-float",
    why="A typed reader takes numbers for numbers alone.",
    invited_by="serde, encoding/json, Jackson, pydantic's strict mode",
)
def _(reference: Variant) -> None:
    reference.wrap(NUMBER, lambda number: lambda value: number(None if isinstance(value, str) else value))


@mistake(
    "bool-samples-refused",
    says="samples that are true or false are malformed",
    op="outcome",
    clause="003-5-sample-float",
    why="A typed reader takes numbers for numbers alone; in Python it takes an extra test.",
    invited_by="serde, encoding/json, Jackson, pydantic's strict mode",
)
def _(reference: Variant) -> None:
    reference.wrap(NUMBER, lambda number: lambda value: number(None if isinstance(value, bool) else value))


@mistake(
    "samples-by-javascript",
    says="samples are converted by JavaScript's Number: null, '' and [] are 0, 0x10 is 16",
    op="outcome",
    clause="003-5-sample-float",
    why="It is the language's conversion.",
    invited_by="JavaScript, TypeScript",
)
def _(reference: Variant) -> None:
    def around(original: Callable[[Any], float]) -> Callable[[Any], float]:
        def number(value: Any) -> float:
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

        return number

    reference.wrap(NUMBER, around)


@mistake(
    "string-counts-refused",
    says="counts that are numbers in strings are malformed",
    op="outcome",
    clause="003-5-counter-conversion",
    why="A typed reader takes numbers for numbers alone.",
    invited_by="serde, encoding/json, Jackson",
)
def _(reference: Variant) -> None:
    def around(count: Callable[[Any], int]) -> Callable[[Any], int]:
        return lambda value: count({1: 1} if isinstance(value, str) else value)

    reference.wrap(COUNT, around)


@mistake(
    "fractional-counts-rounded",
    says="counts with a fraction are rounded, not cut",
    op="outcome",
    clause="003-5-counter-conversion",
    why="3.7 trials are nearly 4.",
    invited_by="round, Math.round, %.0f, PHP's and SQL's casts",
)
def _(reference: Variant) -> None:
    def around(count: Callable[[Any], int]) -> Callable[[Any], int]:
        return lambda value: round(value) if isinstance(value, float) else count(value)

    reference.wrap(COUNT, around)


@mistake(
    "null-counts-refused",
    says="a count that is null or absent is malformed",
    op="outcome",
    clause="003-5-counter-conversion",
    why="The field is required.",
    invited_by="int(stats['n_errored_trials']), required fields, serde",
)
def _(reference: Variant) -> None:
    reference.wrap(COUNT, lambda count: lambda value: count({1: 1} if value is None else value))


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
