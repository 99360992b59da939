"""What readers of the document alone understood of numbers in a job: sums, NaN, types, spelling."""

import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import as_double, naive_sum
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.wholes import (
    Trials,
    answered_by,
    json_object,
    with_groups,
)
from reference_impl import aggregation, job_result

mistakes = family("job_result", clause="003-3.3-metrics-keep-types")


@way("job_result", clause="003-3.3-metrics-keep-types")
def values_written(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes each value of a job's metrics."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        def changed(_: str, group: dict[str, Any]) -> dict[str, Any]:
            metrics = [json_object(reference, {k: change(v) for k, v in m.members}) for m in group["metrics"]]
            return {**group, "metrics": metrics}

        return with_groups(original(job, trials), changed)

    answered_by(reference, answer)


@way("job_result", clause="003-6-nan-in-result")
def metrics_kept(reference: Variant, keep: Callable[[Any], bool]) -> None:
    """Leaves metrics out of a job's lists."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        return with_groups(
            original(job, trials),
            lambda _, group: {**group, "metrics": [m for m in group["metrics"] if keep(m)]},
        )

    answered_by(reference, answer)


@mistakes.changed(clause="003-6-sum-compensated", invited_by="the text's sum of a list from left to right")
def sum_plain_mean_compensated(reference: Variant) -> None:
    """In a job the metric sum is a plain sum from left to right, and the mean is compensated.
    The mean is taken from a library, and the sum is written out."""
    metrics = reference.get((aggregation, "METRICS"))
    aggregate = reference.get((job_result, "aggregate"))

    def plainly(metric: str, rewards: Any) -> Any:
        due = metrics["sum"]
        metrics["sum"] = naive_sum
        try:
            return aggregate(metric, rewards)
        finally:
            metrics["sum"] = due

    reference.replace_use((job_result, "aggregate"), plainly)


@values_written.made(clause="003-6-ieee-double", invited_by="`value + 0.0`, printing -0 as 0")
def negative_zero_written_positive(value: Any) -> Any:
    """Minus zero is written as 0.0 in metrics. Zero has no sign."""
    return 0.0 if isinstance(value, float) and value == 0 else value


@metrics_kept.made(invited_by="null taken for missing")
def nan_metrics_left_out(metric: Any) -> bool:
    """A metric with a NaN is left out of its list. What is written as null need not be written."""
    return not any(value != value for _, value in metric.members)


@values_written.made(invited_by="JavaScript, Go, printf %g")
def whole_metrics_written_as_ints(value: Any) -> Any:
    """Whole float metrics are written without a fraction: 1 for 1.0.
    A number is written as short as it can be."""
    return int(value) if isinstance(value, float) and value.is_integer() and abs(value) < 2**53 else value


@values_written.made(invited_by="JavaScript, doubles for all numbers")
def metrics_rounded_to_doubles(value: Any) -> Any:
    """Ints in metrics that no double equals are written as the nearest double, without a fraction.
    Every number is a double."""
    nearest = as_double(value)
    return int(nearest) if isinstance(value, int) and math.isfinite(nearest) else value


@values_written.made(clause="003-3.3-number-text", invited_by="round(value, 15), toFixed")
def metrics_rounded_to_fifteen_digits(value: Any) -> Any:
    """Float metrics are rounded to 15 decimal places. The last digits are noise."""
    return round(value, 15) if isinstance(value, float) and math.isfinite(value) else value
