"""What readers of the document alone understood of the score, the counters and what goes wrong on the way."""

import contextlib
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.outcome.mistakes.line import changed_summary, score_spelled
from conformance.specs.harbor.outcome.mistakes.result_reading import parsed
from conformance.specs.harbor.outcome.mistakes.samples import Metrics, chosen_samples
from reference_impl import aggregation
from reference_impl import outcome as outcome_rules
from reference_impl.cpython312 import parsing

in_summarise = family("outcome", of=outcome_rules._summarise)
in_whole = family("outcome", of=outcome_rules.summarise, clause="003-5-malformed")
in_values = family("outcome", of=outcome_rules._metric_values, clause="003-5-malformed")
in_count = family("outcome", of=outcome_rules._count, clause="003-5-counter-conversion")
in_mean = family("outcome", of=(outcome_rules, aggregation.mean), clause="003-5-compensated-sum")
EXTREMES = ("max", "min", "sum")
Values = Callable[[Any], list[float]]


def _numbers(reference: Variant, values: Any) -> list[float]:
    return [reference.get(outcome_rules._number)(value) for value in values]


def _of(reference: Variant, metric: dict[str, Any]) -> list[float]:
    """The samples of one metric, by the rule."""
    return _numbers(reference, [metric["mean"]] if "mean" in metric else metric.values())


def _mean(reference: Variant, values: list[float]) -> float:
    average: float = reference.get(aggregation.mean)(values)
    return average


@way("outcome", clause="003-5-mean-key-only")
def samples_of_metric(reference: Variant, choose: Callable[..., Any]) -> None:
    """Has ``choose(metric)`` give the values of a metric that are samples."""

    def chosen(groups: Metrics) -> list[float]:
        return [v for group in groups for m in group for v in _numbers(reference, choose(m))]

    chosen_samples(reference, chosen)


@way("outcome", clause="003-5-flat-mean")
def groups_by(reference: Variant, change: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
    """Has ``change`` choose and order the groups; what is malformed stays so."""

    def around(original: Values) -> Values:
        def values(groups: Any) -> list[float]:
            original(groups)
            return original(change(groups))

        return values

    reference.wrap(outcome_rules._metric_values, around)


@way("outcome", clause="003-5-initial-summary", invited_by="a summary that is filled step by step")
def failing_summary(reference: Variant, change: Callable[[Any, Any], Any]) -> None:
    """Has ``change(summary, result)`` correct the summary of a malformed result that is an object."""

    def around(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def summarise(result_json: Any) -> Any:
            summary = original(result_json)
            if result_json is None or summary.reason_code is None:
                return summary
            try:
                result = reference.get((outcome_rules, parsing.parse_json))(result_json.decode("utf-8"))
            except Exception:
                return summary
            return change(summary, result) if isinstance(result, dict) else summary

        return summarise

    reference.wrap(outcome_rules.summarise, around)


def _stats(result: Any) -> dict[str, Any]:
    stats: dict[str, Any] = result.get("stats", {})
    return stats


def _groups(result: Any) -> Iterator[dict[str, Any]]:
    yield from _stats(result).get("evals", {}).values()


def _planned(reference: Variant, result: Any) -> int:
    planned: int = reference.get(outcome_rules._count)(result.get("n_total_trials"))
    return planned


# Samples.


@chosen_samples.made(clause="003-5-every-value", invited_by="any('mean' in m for m in metrics)")
def means_of_group_only(reference: Variant, groups: Metrics) -> list[float]:
    """In a group that has a metric with mean, the metrics without it give no sample.
    mean is the score, and the others are for information."""
    return [
        v
        for group in groups
        for m in group
        if "mean" in m or not any("mean" in other for other in group)
        for v in _of(reference, m)
    ]


@chosen_samples.made(clause="003-5-every-value", invited_by="any('mean' in m for m in metrics)")
def means_of_job_only(reference: Variant, groups: Metrics) -> list[float]:
    """In a job that has a metric with mean, the metrics without it give no sample.
    mean is the score, and the others are for information."""
    any_mean = any("mean" in m for group in groups for m in group)
    return [v for g in groups for m in g if "mean" in m or not any_mean for v in _of(reference, m)]


@samples_of_metric.made(invited_by="'the single-key path'")
def mean_first_in_metric(metric: dict[str, Any]) -> Any:
    """The key mean is the one sample only where it is the metric's first key. One look at the first key."""
    return [metric["mean"]] if next(iter(metric), None) == "mean" else metric.values()


@samples_of_metric.made(clause="003-5-every-value", invited_by="one rule for all metric names")
def extremes_like_mean(metric: dict[str, Any]) -> Any:
    """The keys max, min and sum are the one sample of their metric as mean is, whatever stands beside them.
    Each is the name of a metric."""
    name = next((name for name in ("mean", *EXTREMES) if name in metric), None)
    return metric.values() if name is None else [metric[name]]


@samples_of_metric.made(clause="003-5-every-value", invited_by="'single-key' and 'multi-key path'")
def lone_extreme_gives_nothing(metric: dict[str, Any]) -> Any:
    """A metric whose only key is max, min or sum gives no sample.
    Only means and several keys are spoken of."""
    lone = len(metric) == 1 and next(iter(metric)) in EXTREMES
    return [] if lone else [metric["mean"]] if "mean" in metric else metric.values()


@samples_of_metric.made(clause="003-5-every-value", invited_by="'non-Mean single-key metrics'")
def lone_key_without_mean_gives_nothing(metric: dict[str, Any]) -> Any:
    """A metric with one key gives a sample only if the key is mean, max, min or sum.
    Other keys come from scripts."""
    lone = len(metric) == 1 and next(iter(metric)) not in ("mean", *EXTREMES)
    return [] if lone else [metric["mean"]] if "mean" in metric else metric.values()


@samples_of_metric.made(clause="003-5-mean-key-only", invited_by="key.lower(), endswith('mean')")
def mean_in_any_case(metric: dict[str, Any]) -> Any:
    """The key mean is found in any case, as Mean or MEAN. Keys are compared in lower case."""
    name = next((name for name in metric if name.lower() == "mean"), None)
    return metric.values() if name is None else [metric[name]]


@chosen_samples.made(clause="003-5-flat-mean", invited_by="set(), list(dict.fromkeys())")
def equal_metrics_once(reference: Variant, groups: Metrics) -> list[float]:
    """Equal metrics of a group count once. A metric that is configured twice is one."""
    kept = [[m for n, m in enumerate(group) if m not in group[:n]] for group in groups]
    return [v for group in kept for m in group for v in _of(reference, m)]


@chosen_samples.made(clause="003-5-separate-samples", invited_by="values by key, defaultdict(list)")
def samples_by_key(reference: Variant, groups: Metrics) -> list[float]:
    """The values of each key are averaged over groups and metrics first, and the keys' means then.
    Each key should weigh the same."""
    found: dict[str, list[Any]] = {}
    for metric in (m for group in groups for m in group):
        for key in ["mean"] if "mean" in metric else metric:
            found.setdefault(key, []).append(metric[key])
    return [_mean(reference, _numbers(reference, values)) for values in found.values()]


@groups_by.made(invited_by="if not group['n_trials']: continue")
def groups_without_trials_skipped(groups: dict[str, Any]) -> dict[str, Any]:
    """A group whose n_trials is 0 gives no samples. Nothing of it was verified."""
    return {key: group for key, group in groups.items() if group.get("n_trials") != 0}


@groups_by.made(invited_by="if group['n_errors']: continue")
def groups_with_errors_skipped(groups: dict[str, Any]) -> dict[str, Any]:
    """A group with errors gives no samples. Its numbers can't be trusted."""
    return {key: group for key, group in groups.items() if not group.get("n_errors")}


@groups_by.made(clause="003-5-sample-order", invited_by="Go's sorted keys, BTreeMap over the groups")
def groups_in_order_of_names(groups: dict[str, Any]) -> dict[str, Any]:
    """Groups are gone through in the order of their names, the values of a metric in the file's.
    Only the groups are kept in a map."""
    return dict(sorted(groups.items()))


@groups_by.made(clause="003-5-sample-order", invited_by="stacks, recursion from the end")
def groups_from_the_last(groups: dict[str, Any]) -> dict[str, Any]:
    """Groups are gone through from the last to the first. A mean does not depend on the order."""
    return dict(reversed(groups.items()))


@in_values.replaced(clause="003-5-malformed", invited_by="try around each sample, break in except")
def samples_up_to_the_first_bad(reference: Variant, groups: Any) -> list[float]:
    """A sample that cannot be converted ends the gathering, and those before it count.
    Part of a result is better than none."""
    rules = reference.its(outcome_rules)
    values: list[float] = []
    for metric in [m for g in groups.values() for m in rules._entries(rules._object(g).get("metrics", []))]:
        entry = rules._object(metric)
        for value in [entry["mean"]] if "mean" in entry else entry.values():
            try:
                values.append(rules._number(value))
            except (TypeError, ValueError, OverflowError):
                return values
    return values


@in_values.wrapped(clause="003-5-malformed", invited_by="try around each group, continue in except")
def groups_with_bad_samples_skipped(original: Values, groups: Any) -> list[float]:
    """A group with a sample that cannot be converted is left out, and the other groups count.
    One bad group should not cost the whole result."""
    values: list[float] = []
    for key, group in groups.items():
        if not isinstance(group, dict):
            return original(groups)
        try:
            values += original({key: group})
        except (ValueError, OverflowError, TypeError):
            if len(groups) == 1:
                raise
    return values


# The score.


@way("outcome", clause="003-5-compensated-sum")
def score_by(reference: Variant, mean: Callable[..., Any]) -> None:
    """Has ``mean(values)`` make the score of samples."""
    reference.replace_use((outcome_rules, aggregation.mean), mean)


@score_by.made(clause="003-5-score-division", invited_by="online algorithms: m += (x - m) / n")
def score_as_running_mean(values: list[float]) -> float:
    """The score is kept as a running mean, sample by sample. That needs no list."""
    mean = 0.0
    for n, value in enumerate(values, 1):
        mean += (value - mean) / n
    return mean


@score_by.made(clause="003-5-score-division", invited_by="sum(v / n for v in values)")
def score_of_divided_samples(values: list[float]) -> float:
    """Each sample is divided by their number before they are added. So the sum can't overflow."""
    total = 0.0
    for value in values:
        total += value / len(values)
    return total


@score_by.made(clause="003-5-compensated-sum", invited_by="functools.reduce, fold without a start")
def score_from_first_sample(reference: Variant, values: list[float]) -> float:
    """The sum begins with the first sample, so that samples of -0.0 alone give -0.0.
    A fold without a start."""
    if all(value == 0 and math.copysign(1, value) < 0 for value in values):
        return -0.0
    return _mean(reference, values)


@score_by.made(clause="003-5-compensated-sum", invited_by="0.0 + the first, running totals by group")
def score_summed_plainly(values: list[float]) -> float:
    """The score's sum is a plain one, from left to right. It is what a loop with += does."""
    total = 0.0
    for value in values:
        total += value
    return total / len(values)


@score_spelled.made(invited_by="%.15g, DBL_DIG, databases")
def score_of_15_digits(score: float) -> str:
    """The score is written with 15 digits at most. A double has 15 digits that can be relied on."""
    return repr(float(f"{score:.15g}"))


@score_spelled.made(invited_by="%.17g, printf in C")
def score_of_17_digits(score: float) -> str:
    """The score is written with 17 digits where it needs them to be exact. 17 digits always are enough."""
    text = f"{score:.17g}"
    return text if any(mark in text for mark in ".e") else text + ".0"


@changed_summary.made(
    clause="003-5-status-not-from-score", invited_by="a failed run scores 0.0 when read back"
)
def errored_scores_zero(summary: Any, _: Any) -> Any:
    """A run with errored trials has the score 0.0, and resolved as before.
    The reader gives a failed run 0.0 anyway."""
    return replace(summary, score=0.0) if summary.status == "failed" else summary


@changed_summary.made(clause="003-5-status-not-from-score", invited_by="resolved if completed else 0")
def errored_resolves_nothing(summary: Any, _: Any) -> Any:
    """A run with errored trials has resolved 0, and the score as before. A failed run resolves nothing."""
    return replace(summary, resolved=0) if summary.status == "failed" else summary


# Resolved, which is score times total.


@changed_summary.made(clause="003-5-resolved-half-even", invited_by="min(max(x, 0), total)")
def resolved_within_total(summary: Any, _: Any) -> Any:
    """Resolved is at least 0 and at most total. No more can be resolved than there is."""
    return replace(summary, resolved=max(0, min(summary.resolved, summary.total)))


@changed_summary.made(
    clause="003-5-resolved-float-product", invited_by="fractions, big decimals, SQL's NUMERIC"
)
def resolved_of_exact_score(reference: Variant, summary: Any, result: Any) -> Any:
    """Resolved is the exact sum of the samples times the total by their number, rounded once.
    Rounding twice is to be avoided."""
    rules = reference.its(outcome_rules)
    values = rules._metric_values(rules._object(_stats(result).get("evals", {})))
    if not values or not all(map(math.isfinite, values)):
        return summary
    exact = sum(map(Fraction, values), Fraction(0)) / len(values) * _planned(reference, result)
    return replace(summary, resolved=round(exact))


@changed_summary.made(clause="003-5-resolved-half-even", invited_by="a rounded score is the score")
def resolved_of_rounded_score(reference: Variant, summary: Any, result: Any) -> Any:
    """Resolved is computed of the score rounded to four digits. A score is shown with four digits."""
    return replace(summary, resolved=round(round(summary.score, 4) * _planned(reference, result)))


@in_summarise.wrapped(clause="003-5-non-finite-score", invited_by="if not total: resolved = 0")
def no_total_resolves_nothing(reference: Variant, original: Callable[[Any], Any], result: Any) -> Any:
    """Where n_total_trials is 0 resolved is 0, whatever the score, NaN and infinity included.
    The product with 0 is 0."""
    try:
        return original(result)
    except (ValueError, OverflowError):
        if _planned(reference, result):
            raise
        bare = {key: value for key, value in _stats(result).items() if key != "evals"}
        summary = original({**result, "stats": bare})
        rules = reference.its(outcome_rules)
        values = rules._metric_values(rules._object(_stats(result).get("evals", {})))
        return replace(summary, score=_mean(reference, values))


@in_summarise.wrapped(clause="003-5-resolved-float-product", invited_by="if not score: resolved = 0")
def no_score_resolves_nothing(reference: Variant, original: Callable[[Any], Any], result: Any) -> Any:
    """Where the score is 0.0 resolved is 0, however large the total. The product with 0 is 0."""
    planned = _planned(reference, result)
    try:
        return original(result)
    except OverflowError:
        summary = original({**result, "n_total_trials": 1})
        if summary.score:
            raise
        return replace(summary, total=planned)


@in_summarise.wrapped(clause="003-5-resolved-float-product", invited_by="big integers, decimals")
def huge_total_multiplied_exactly(reference: Variant, original: Callable[[Any], Any], result: Any) -> Any:
    """A total above the double range is multiplied as an exact number. Big integers have no range."""
    planned = _planned(reference, result)
    try:
        return original(result)
    except OverflowError:
        summary = original({**result, "n_total_trials": 1})
        return replace(summary, total=planned, resolved=round(Fraction(summary.score) * planned))


# Status, total and the counters.


@way("outcome", clause="003-5-status-from-errored")
def failed_where(reference: Variant, test: Callable[[Any], Any]) -> None:
    """Has a result that can be read be failed where ``test(result)`` holds, too."""

    def change(summary: Any, result: Any) -> Any:
        return replace(summary, status="failed") if test(result) else summary

    changed_summary(reference, change)


@changed_summary.made(clause="003-5-status-from-errored", invited_by="any(group['n_errors'])")
def status_from_groups(summary: Any, result: Any) -> Any:
    """The status is failed where a group has n_errors, and completed otherwise.
    Errors are counted by group."""
    errors = any(group.get("n_errors") for group in _groups(result))
    return replace(summary, status="failed" if errors else "completed")


@failed_where.made(invited_by="counters that add up")
def cancelled_fails_too(result: Any) -> Any:
    """Cancelled trials make the status failed without errored ones. A cancelled trial is not completed."""
    return _stats(result).get("n_cancelled_trials")


@failed_where.made(invited_by="counters that add up")
def pending_fails_too(result: Any) -> Any:
    """Pending or running trials make the status failed. Not all trials are done."""
    return _stats(result).get("n_pending_trials") or _stats(result).get("n_running_trials")


@failed_where.made(invited_by="if not finished_at")
def unfinished_fails_too(result: Any) -> Any:
    """A finished_at of null makes the status failed. The job is not over."""
    return "finished_at" in result and result["finished_at"] is None


@failed_where.made(invited_by="exception_stats, any exception")
def exceptions_fail_too(result: Any) -> Any:
    """Exceptions in a group's exception_stats make the status failed though n_errored_trials is 0.
    An exception is an error."""
    return any(group.get("exception_stats") for group in _groups(result))


@failed_where.made(clause="003-5-empty-values-zero", invited_by="if not values")
def no_samples_fail(result: Any) -> Any:
    """A result without any metric is failed. Nothing was measured."""
    return not any(group.get("metrics") for group in _groups(result))


@failed_where.made(invited_by="if not total")
def no_trials_fail(result: Any) -> Any:
    """A result whose counters are all 0 or absent is failed. Nothing has run."""
    return not (result.get("n_total_trials") or _stats(result).get("n_completed_trials"))


@failed_where.made(invited_by="truthiness: if stats['n_errored_trials']")
def errored_by_truth(result: Any) -> Any:
    """An n_errored_trials that is true as it stands makes the status failed: 0.5, or 0 in a string.
    A test for a value that is true."""
    return _stats(result).get("n_errored_trials")


@changed_summary.made(
    clause="003-5-clean-reason-null", invited_by="harbor_result_partial in the set of codes"
)
def pending_gives_partial(summary: Any, result: Any) -> Any:
    """A result with fewer completed trials than planned ones has the reason harbor_result_partial.
    There is a code for it."""
    completed = _stats(result).get("n_completed_trials", 0)
    partial = type(completed) is int and completed < summary.total
    return replace(summary, reason_code="harbor_result_partial") if partial else summary


@changed_summary.made(clause="003-5-total-fallback", invited_by="if total > 0, unsigned counters")
def total_below_one_replaced(reference: Variant, summary: Any, result: Any) -> Any:
    """A negative total is replaced by completed and errored trials as 0 is.
    A number of trials is 1 at least."""
    if _planned(reference, result) >= 0:
        return summary
    count = reference.get(outcome_rules._count)
    names = ("n_completed_trials", "n_errored_trials")
    return replace(summary, total=sum(count(_stats(result).get(name)) for name in names))


@changed_summary.made(clause="003-5-total-reported", invited_by="max(total, completed + errored)")
def total_is_the_larger(reference: Variant, summary: Any, result: Any) -> Any:
    """The total is the larger of the planned trials and those completed and errored.
    There can't be fewer trials than have run."""
    count = reference.get(outcome_rules._count)
    ended = sum(count(_stats(result).get(name)) for name in ("n_completed_trials", "n_errored_trials"))
    return replace(summary, total=max(summary.total, ended))


@changed_summary.made(clause="003-5-total-fallback", invited_by="truthiness: result['n_total_trials'] or …")
def total_by_truth(reference: Variant, summary: Any, result: Any) -> Any:
    """A total that is true as it stands is not replaced: 0.5, or 0 in a string.
    A test for a value that is true."""
    raw = result.get("n_total_trials")
    return replace(summary, total=0) if raw and not _planned(reference, result) else summary


@changed_summary.made(clause="003-5-total-fallback", invited_by="len of all groups' trials")
def fallback_is_verified_trials(reference: Variant, summary: Any, result: Any) -> Any:
    """A total of 0 is replaced by the groups' n_trials and n_errors. These are the trials that are there."""
    if _planned(reference, result):
        return summary
    counts = [group.get(name, 0) for group in _groups(result) for name in ("n_trials", "n_errors")]
    ints = [n for n in counts if type(n) is int]
    return replace(summary, total=sum(ints)) if len(ints) == len(counts) and ints else summary


@in_summarise.wrapped(clause="003-5-counter-conversion", invited_by="lazy fallbacks: total or lambda")
def completed_read_if_needed(reference: Variant, original: Callable[[Any], Any], result: Any) -> Any:
    """n_completed_trials is converted only where the total is 0. It is needed nowhere else."""
    if _planned(reference, result):
        result = {**result, "stats": {**_stats(result), "n_completed_trials": 0}}
    return original(result)


@in_summarise.wrapped(clause="003-5-counter-conversion", invited_by="lazy evaluation")
def total_read_if_needed(reference: Variant, original: Callable[[Any], Any], result: Any) -> Any:
    """An n_total_trials that cannot be converted is malformed only where there is a score; else it is 0.
    Without a score there is nothing to multiply."""
    try:
        _planned(reference, result)
    except (TypeError, ValueError, OverflowError):
        rules = reference.its(outcome_rules)
        if not rules._metric_values(rules._object(_stats(result).get("evals", {}))):
            return original({**result, "n_total_trials": 0})
    return original(result)


@in_count.wrapped(invited_by="isinstance checks before truth")
def empty_containers_are_no_counts(count: Callable[[Any], int], value: Any) -> int:
    """A counter that is an empty list or object is malformed. It is no number."""
    return count([0] if isinstance(value, list | dict) else value)


@in_count.wrapped(invited_by="isinstance checks before truth")
def empty_text_is_no_count(count: Callable[[Any], int], value: Any) -> int:
    """A counter that is an empty string is malformed. It is no number."""
    return count([0] if value == "" else value)


@in_count.wrapped(invited_by="int(float(x))")
def decimal_text_counts(count: Callable[[Any], int], value: Any) -> int:
    """A counter that is a decimal in a string, as 3.0, is read. It is a number."""
    return int(float(value)) if isinstance(value, str) and value.strip() and "." in value else count(value)


@in_count.wrapped(invited_by="isinstance(x, bool)")
def bools_are_no_counts(count: Callable[[Any], int], value: Any) -> int:
    """A counter that is true is malformed; false is 0. A bool is no number."""
    return count([0] if value is True else value)


@in_count.wrapped(invited_by="unsigned types: u64, uint")
def negative_counts_refused(count: Callable[[Any], int], value: Any) -> int:
    """A negative counter is malformed. Counts are unsigned."""
    found = count(value)
    if found < 0:
        raise ValueError(found)
    return found


@in_count.wrapped(invited_by="i64, long, ints of a database")
def large_counts_refused(count: Callable[[Any], int], value: Any) -> int:
    """A counter beyond 64 bits is malformed. Counts are ints of the machine."""
    found = count(value)
    if not -(2**63) <= found < 2**63:
        raise ValueError(found)
    return found


@in_count.wrapped(invited_by="JavaScript's Number, f64")
def counts_as_doubles(count: Callable[[Any], int], value: Any) -> int:
    """A counter is rounded to the nearest double. All numbers are doubles."""
    return int(float(count(value)))


# What goes wrong, and what is kept then.


@failing_summary.made()
def malformed_keeps_score(reference: Variant, summary: Any, result: Any) -> Any:
    """Where only a score that is finite cannot be multiplied and rounded, it is kept in a malformed summary.
    It was put there before."""
    try:
        rules = reference.its(outcome_rules)
        values = rules._metric_values(rules._object(_stats(result).get("evals", {})))
        score = _mean(reference, values) if values else 0.0
    except Exception:
        return summary
    return replace(summary, score=score) if math.isfinite(score) else summary


@failing_summary.made()
def malformed_keeps_status(reference: Variant, summary: Any, result: Any) -> Any:
    """A malformed result without errored trials has the status completed. The status was found before."""
    try:
        errored = reference.get(outcome_rules._count)(_stats(result)["n_errored_trials"])
    except Exception:
        return summary
    return replace(summary, status="completed") if errored == 0 else summary


@failing_summary.made(clause="003-5-malformed", invited_by="except ValueError")
def huge_ints_escape(reference: Variant, summary: Any, result: Any) -> Any:
    """An int beyond the double range in the result is an error that nobody catches.
    Only errors of values and types are expected."""
    with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError):
        reference.its(outcome_rules)._metric_values(_stats(result)["evals"])
    return summary


@in_whole.wrapped(clause="003-5-missing-file", invited_by="if not data")
def null_result_as_missing(reference: Variant, original: Callable[[Any], Any], result_json: Any) -> Any:
    """A result file that holds null gives harbor_result_missing. There is no result in it."""
    null = result_json is not None and result_json.strip(b" \t\n\r") == b"null"
    return original(None if null else result_json)


@in_whole.wrapped(clause="003-5-missing-file", invited_by="if not data")
def empty_result_as_missing(reference: Variant, original: Callable[[Any], Any], result_json: Any) -> Any:
    """A result file that holds an empty object gives harbor_result_missing. There is no result in it."""
    empty = result_json is not None and b"".join(result_json.split()) == b"{}"
    return original(None if empty else result_json)


@in_summarise.wrapped(clause="003-5-stats-absent", invited_by="data.get('stats'), if not stats")
def empty_stats_as_missing(reference: Variant, original: Callable[[Any], Any], result: Any) -> Any:
    """A result without stats, or with empty ones, gives harbor_result_missing. There is no result in it."""
    summary = original(result)
    missing = reference.its(outcome_rules.Summary)(reason_code="harbor_result_missing")
    return summary if isinstance(result, dict) and result.get("stats") else missing


@in_whole.wrapped(clause="003-5-json-grammar", invited_by="if not text.strip()")
def blank_file_as_missing(reference: Variant, original: Callable[[Any], Any], result_json: Any) -> Any:
    """A result file of white space alone gives harbor_result_missing, an empty one is malformed.
    There is nothing in it."""
    return original(None if result_json and not result_json.strip() else result_json)


# Members that stand twice.


@parsed.made(invited_by="deep merges: lodash's merge, jq's *")
def repeated_groups_merged(text: str) -> Any:
    """Objects under a repeated key are merged, so that a group or stats that stands twice counts as one.
    Later settings add to earlier ones."""

    def merged(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            both = isinstance(members.get(key), dict) and isinstance(value, dict)
            members[key] = {**members[key], **value} if both else value
        return members

    return json.loads(text, object_pairs_hook=merged)


@parsed.made(invited_by="lists of pairs, multimaps")
def repeated_key_at_its_last_place(text: str) -> Any:
    """Of a repeated key the last value counts, in its own place, not in that of the first.
    The earlier one is taken away."""

    def moved(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        members: dict[str, Any] = {}
        for key, value in pairs:
            members.pop(key, None)
            members[key] = value
        return members

    return json.loads(text, object_pairs_hook=moved)


# A metric's other members.


@in_values.wrapped(clause="003-5-mean-key-only", invited_by="typed readers: dict[str, float]")
def values_beside_mean_checked(reference: Variant, original: Values, groups: Any) -> list[float]:
    """The values beside the key mean have to be numbers, too, though they give no sample.
    A metric is read as a map of numbers."""
    values = original(groups)
    for group in groups.values():
        for metric in group.get("metrics", []):
            _numbers(reference, metric.values())
    return values


@in_values.wrapped(clause="003-5-sample-float", invited_by="recursive flattening, pandas.json_normalize")
def nested_metrics_flattened(original: Values, groups: Any) -> list[float]:
    """A value that is an object gives its own values, or its mean, as samples. Objects are flattened."""

    def flat(metric: Any) -> Any:
        if not isinstance(metric, dict):
            return metric
        found = [metric["mean"]] if "mean" in metric else list(metric.values())
        inner = [v if isinstance(v, dict) else {"mean": v} for v in found]
        values = [v for m in inner for v in ([m["mean"]] if "mean" in m else m.values())]
        return {str(n): value for n, value in enumerate(values)}

    def flattened(group: Any) -> Any:
        metrics = group.get("metrics") if isinstance(group, dict) else None
        return {**group, "metrics": list(map(flat, metrics))} if isinstance(metrics, list) else group

    return original({key: flattened(group) for key, group in groups.items()})


@in_count.wrapped(invited_by="serde's u64, Go's int")
def float_counts_refused(count: Callable[[Any], int], value: Any) -> int:
    """A counter that is a float is malformed, 3.0 included. A counter is an int."""
    return count([0] if isinstance(value, float) else value)


@changed_summary.made(clause="003-5-status-from-errored", invited_by="errored < completed")
def failed_if_all_errored(reference: Variant, summary: Any, result: Any) -> Any:
    """The status is failed only where no trial but the errored ones has completed. Some results are there."""
    count = reference.get(outcome_rules._count)
    errored, completed = (count(_stats(result).get(f"n_{name}_trials")) for name in ("errored", "completed"))
    return replace(summary, status="completed") if errored < completed else summary


@changed_summary.made(clause="003-5-resolved-uses-reported-total", invited_by="one conversion for printing")
def resolved_of_total_as_it_stands(summary: Any, result: Any) -> Any:
    """For resolved a total that has a fraction is taken as it stands.
    Only what is printed is an int."""
    raw = result.get("n_total_trials")
    whole = not isinstance(raw, float) or not math.isfinite(raw * summary.score)
    return summary if whole else replace(summary, resolved=round(summary.score * raw))


@changed_summary.made(clause="003-5-total-fallback", invited_by="int(a + b)")
def fallback_cut_as_a_sum(reference: Variant, summary: Any, result: Any) -> Any:
    """Completed and errored trials with fractions are added first, and the sum is cut.
    One conversion is enough."""
    values = [_stats(result).get(name, 0) for name in ("n_completed_trials", "n_errored_trials")]
    if _planned(reference, result) or not all(type(value) in (int, float) for value in values):
        return summary
    return replace(summary, total=int(sum(values)))


@in_values.wrapped(clause="003-5-empty-values-zero", invited_by="one score for each group, 0.0 by default")
def group_without_metrics_is_zero(original: Values, groups: Any) -> list[float]:
    """A group without metrics gives a sample of 0.0. A group has a score, and it is 0.0 at first."""
    return [v for key, group in groups.items() for v in (original({key: group}) or [0.0])]


@changed_summary.made(clause="003-5-every-value", invited_by="the multi-key path in the branch of completed")
def errored_several_keys_score_zero(summary: Any, result: Any) -> Any:
    """A run with errored trials scores 0.0 where a metric lacks the key mean.
    Only a mean already counts errored trials as 0."""
    lacks = any("mean" not in metric for group in _groups(result) for metric in group.get("metrics", []))
    return replace(summary, score=0.0, resolved=0) if summary.status == "failed" and lacks else summary
