"""Mistakes in the score of a result, its totals and its outcome line."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import aggregation, outcome

in_read_outcome = family("read_outcome", of=outcome.read_outcome, clause="003-5-read-nonzero-exit")


@way("outcome", clause="003-5-resolved-float-product")
def changed_summary(reference: Variant, change: Callable[[Any, Any], Any]) -> None:
    """Corrects the summary of a readable result with ``change(summary, result)``."""
    reference.wrap(outcome._summarise, lambda original: lambda result: change(original(result), result))


@changed_summary.made(clause="003-5-clean-reason-null", invited_by="the list of known codes")
def failed_run_gives_reason(summary: Any, _: Any) -> Any:
    """A run with errored trials gives harbor_trial_failed as its reason.
    A failure needs a reason, and there is a code for it."""
    return replace(summary, reason_code="harbor_trial_failed") if summary.status == "failed" else summary


@family("outcome", of=outcome.Summary.line, clause="003-5-line-format").wrapped(
    invited_by="Go's omitempty, serde's skip_serializing_if, undefined in JavaScript"
)
def line_without_null_reason(line: Callable[..., str], self: Any) -> str:
    """The outcome line leaves reason_code out when it is null. Many readers treat absent and null alike."""
    return line(self).replace('"reason_code": null, ', "")


@way("outcome", clause="003-5-resolved-half-even")
def rounded(reference: Variant, rounding: Callable[[float], int]) -> None:
    """Changes the rounding of the number of resolved trials."""

    def change(summary: Any, result: Any) -> Any:
        planned = reference.get(outcome._count)(result.get("n_total_trials"))
        return replace(summary, resolved=rounding(summary.score * planned))

    changed_summary(reference, change)


def _counts(reference: Variant, result: Any) -> tuple[int, int, int]:
    count, stats = reference.get(outcome._count), result.get("stats", {})
    return (
        count(result.get("n_total_trials")),
        count(stats.get("n_completed_trials")),
        count(stats.get("n_errored_trials")),
    )


@rounded.made(invited_by="C before C99, awk, Lua, old JavaScript engines and Java up to 6")
def resolved_floor_of_sum(number: float) -> int:
    """Resolved is floor(x + 0.5), computed in doubles. Languages without a rounding function need it."""
    return math.floor(number + 0.5)


@rounded.made(invited_by="Math.floor, //, integer division")
def resolved_floored(number: float) -> int:
    """Resolved is rounded down. A trial is either resolved or not."""
    return math.floor(number)


@rounded.made(invited_by="int(x), Go's and Rust's casts, Java's (int), shell's printf %d")
def resolved_truncated(number: float) -> int:
    """Resolved is truncated towards zero. Conversion to an int truncates."""
    return math.trunc(number)


@changed_summary.made(
    clause="003-5-resolved-uses-reported-total",
    invited_by="tidying up: `total = planned or completed + errored` at the top",
)
def resolved_from_printed_total(summary: Any, _: Any) -> Any:
    """Resolved is computed with the total that is printed, fallback included.
    The fallback is applied first, so that there is a single total."""
    return replace(summary, resolved=round(summary.score * summary.total))


@changed_summary.made(
    clause="003-5-total-fallback", invited_by="stats.get('n_total_trials', …), ?? in JavaScript, jq's .a"
)
def total_without_fallback(reference: Variant, summary: Any, result: Any) -> Any:
    """A total of 0 is printed as it is. The field exists and has a value."""
    return replace(summary, total=_counts(reference, result)[0])


@changed_summary.made(
    clause="003-5-total-fallback", invited_by="Python's dict.get with a default, ?? of a missing member"
)
def total_of_zero_kept(reference: Variant, summary: Any, result: Any) -> Any:
    """A total that the file has is printed as it is, even 0; only a missing one is replaced, by the trials
    that ended.
    A default is for what is missing."""
    total = _counts(reference, result)[0]
    return replace(summary, total=total) if "n_total_trials" in result else summary


@changed_summary.made(clause="003-5-status-not-from-score", invited_by="test runners, CI badges")
def status_from_score(summary: Any, _: Any) -> Any:
    """The status is completed if the score is above 0, and failed otherwise.
    Status and success seem to be the same."""
    return replace(summary, status="completed" if summary.score > 0 else "failed")


@changed_summary.made(clause="003-5-status-not-from-score", invited_by="`errored == 0 and score > 0`")
def status_needs_success(summary: Any, _: Any) -> Any:
    """The status is failed if a trial ended in an error or the score is 0.0.
    A run in which nothing passed looks like a failure."""
    return replace(summary, status=summary.status if summary.score > 0 else "failed")


@in_read_outcome.wrapped(clause="003-5-read-timed-out-first", invited_by="not wanting to lose a result")
def line_before_time_out(
    reference: Variant, read: Callable[..., Any], stdout: str, code: int, timed_out: bool
) -> Any:
    """A run that timed out is judged by its line if it printed one.
    The result was printed before the time-out."""
    found = reference.get(outcome._find_payload)(stdout)
    return read(stdout, 0 if timed_out else code, timed_out and isinstance(found, str))


@in_read_outcome.wrapped(clause="003-5-read-timed-out-first", invited_by="a switch on the exit code first")
def exit_code_before_time_out(read: Callable[..., Any], stdout: str, code: int, timed_out: bool) -> Any:
    """A nonzero exit code counts before the time-out. A stopped process has one as well."""
    return read(stdout, code, timed_out and code == 0)


@in_read_outcome.wrapped(invited_by="shell pipes without pipefail, `|| true`")
def exit_code_ignored(
    reference: Variant, read: Callable[..., Any], stdout: str, code: int, timed_out: bool
) -> Any:
    """The exit code is ignored if there is a line. The line already states the outcome."""
    found = reference.get(outcome._find_payload)(stdout)
    return read(stdout, code if isinstance(found, str) else 0, timed_out)


in_metric_values = family("outcome", of=outcome._metric_values)
Metrics = list[list[dict[str, Any]]]


@way("outcome", clause="003-5-every-value")
def chosen_samples(reference: Variant, choose: Callable[[Metrics], list[float]]) -> None:
    """Selects the samples of each group's metrics with ``choose``; malformed groups stay malformed."""

    def around(original: Callable[[Any], list[float]]) -> Callable[[Any], list[float]]:
        def values(groups: Any) -> list[float]:
            original(groups)
            return choose([list(group.get("metrics", [])) for group in groups.values()])

        return values

    reference.wrap(outcome._metric_values, around)


def _of(reference: Variant, metric: dict[str, Any]) -> list[float]:
    """The samples of one metric, by the rule."""
    given = [metric["mean"]] if "mean" in metric else metric.values()
    return [reference.get(outcome._number)(value) for value in given]


@chosen_samples.made(invited_by="metric.get('mean'), jq's .mean // empty, a struct with one field")
def score_of_mean_only(reference: Variant, groups: Metrics) -> list[float]:
    """Metrics without the key mean give no sample. The score is described as a mean."""
    return [v for g in groups for m in g if "mean" in m for v in _of(reference, m)]


@chosen_samples.made(clause="003-5-flat-mean", invited_by="GROUP BY, a mean per dataset, then their mean")
def score_of_group_means(reference: Variant, groups: Metrics) -> list[float]:
    """The score is the mean of the groups' means. Every dataset seems to have the same weight."""
    samples = [[v for m in group for v in _of(reference, m)] for group in groups]
    return [reference.get(aggregation.mean)(values) for values in samples if values]


@in_metric_values.replaced(clause="003-5-mean-key-only", invited_by="metric.values(), jq's .metrics[][]")
def score_of_all_values(reference: Variant, groups: Any) -> list[float]:
    """All values of a metric are samples, even next to the key mean.
    One rule seems to apply to all metrics."""
    rules = reference.its(outcome)
    return [
        rules._number(value)
        for group in map(rules._object, groups.values())
        for metric in map(rules._object, rules._entries(group.get("metrics", [])))
        for value in metric.values()
    ]


@rounded.made(invited_by="C, Rust, Go, PHP, SQL; ROUND_HALF_UP of decimals")
def resolved_half_away(number: float) -> int:
    """Resolved is rounded half away from zero.
    It is the rounding taught at school, and most languages' round."""
    whole = math.floor(abs(number))
    return int(math.copysign(1, number)) * (whole + (abs(number) - whole >= 0.5))


@chosen_samples.made(clause="003-5-flat-mean", invited_by="metrics[0], jq's .metrics[0]")
def score_of_first_metric(reference: Variant, groups: Metrics) -> list[float]:
    """Only the first metric of each group is scored. Most groups have one."""
    return [v for group in groups for m in group[:1] for v in _of(reference, m)]


@chosen_samples.made(
    clause="003-5-separate-samples", invited_by="a function that turns a metric into one number"
)
def score_by_metric(reference: Variant, groups: Metrics) -> list[float]:
    """The values of a metric with several keys are averaged first, and the metrics after that.
    Each metric should weigh the same."""
    samples = [_of(reference, metric) for group in groups for metric in group]
    return [sum(values) / len(values) for values in samples if values]


@chosen_samples.made(
    clause="003-5-mean-key-only", invited_by="`metric.get('mean') or ...`, `metric.mean || ...` in JavaScript"
)
def mean_of_zero_not_seen(reference: Variant, groups: Metrics) -> list[float]:
    """A mean of 0 counts as none, and all values of its metric are samples. A truth test fails on 0."""
    number = reference.get(outcome._number)
    metrics = [metric for group in groups for metric in group]
    chosen = [[one["mean"]] if one.get("mean") else one.values() for one in metrics]
    return [number(value) for values in chosen for value in values]


@rounded.made(invited_by="JavaScript's and Java's Math.round")
def resolved_half_up(number: float) -> int:
    """Resolved is rounded half up, towards positive infinity. It is the language's Math.round."""
    whole = math.floor(number)
    return whole + (number - whole >= 0.5)
