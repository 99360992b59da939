"""What readers of the document alone understood of the line that a whole job prints."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.variant import Variant
from reference_impl import aggregation, outcome
from reference_impl.evals_key import SEPARATOR, evals_key
from reference_impl.job_result import job_result
from reference_impl.pipeline import pipeline, read_trial
from reference_impl.reason_code import reason_code

CANCELLED = "CancelledError"


@dataclass(frozen=True)
class Whole:
    """A job, its trials as given and as they were read, and its result, parsed."""

    job: Any
    given: list[Any]
    trials: list[Any]
    result: Any

    @property
    def groups(self) -> list[Any]:
        """The groups of the result, in its order."""
        return list(self.result["stats"]["evals"].values())

    def rewards(self) -> list[Any]:
        """The rewards of each trial, None where it has none."""
        return [None if t.verifier_result is None else t.verifier_result.rewards for t in self.trials]


def rounded(score: float, total: int) -> int:
    """``resolved`` of a score and a total."""
    return round(score * total)


@way("pipeline", clause="003-5-flat-mean", invited_by="a job's whole in memory")
def lined(reference: Variant, change: Callable[[Any, Whole], Any]) -> None:
    """Has ``change(summary, whole)`` correct the summary of a job."""

    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def whole(job: Any, trials: Any) -> Any:
            given = list(trials)
            result, _ = original(job, given)
            text = result.text()
            read = [reference.get(read_trial)(trial) for trial in given]
            summary = reference.get(outcome.summarise)(text.encode())
            return result, change(summary, Whole(job, given, read, json.loads(text))).line()

        return whole

    reference.wrap(pipeline, around)


@way("pipeline", clause="003-5-flat-mean", invited_by="a job's whole in memory")
def samples_by(reference: Variant, choose: Callable[[Whole], list[float]]) -> None:
    """Has ``choose(whole)`` give the samples of the job's score."""

    def change(summary: Any, whole: Whole) -> Any:
        if summary.reason_code is not None:
            return summary
        values = choose(whole)
        if None in values:
            return reference.get(outcome.summarise)(b"")
        score = reference.get(aggregation.mean)([float(v) for v in values]) if values else 0.0
        if not math.isfinite(score):
            return summary
        return replace(summary, score=score, resolved=rounded(score, whole.job.n_total_trials))

    lined(reference, change)


def samples(metrics: list[dict[str, Any]]) -> list[Any]:
    """The samples of a group's metrics, by the rule."""
    return [v for m in metrics for v in ([m["mean"]] if "mean" in m else m.values())]


@lined.made(clause="003-6-nan-in-result", invited_by="one program for both halves")
def line_from_memory(reference: Variant, summary: Any, whole: Whole) -> Any:
    """The line is made of the metrics as computed, where NaN and infinity are no null: they are 0 there.
    Who has just written the file need not read it."""
    if summary.reason_code != "harbor_result_malformed":
        return summary
    text = json.dumps(whole.result).replace("null", "0.0")
    return reference.get(outcome.summarise)(text.encode())


@lined.made(clause="003-6-nan-in-result", invited_by="json.dumps, which writes NaN and Infinity")
def line_with_nan(reference: Variant, summary: Any, whole: Whole) -> Any:
    """The line of a job with a NaN or infinite metric has the status and total, and null as its score.
    Such a score is written as in result.json."""
    if summary.reason_code != "harbor_result_malformed":
        return summary
    bare = {**whole.result, "stats": {**whole.result["stats"], "evals": {}}}
    return replace(reference.get(outcome.summarise)(json.dumps(bare).encode()), score=None)


@samples_by.made(invited_by="a mean over everything")
def line_score_of_trials(whole: Whole) -> list[float]:
    """The line's score is the mean of all rewards of all trials, 0 where there are none.
    The mean of the job is what one wants to know."""
    return [v for rewards in whole.rewards() for v in (rewards or {"": 0}).values()]


@samples_by.made(invited_by="a mean over everything")
def line_score_of_verified_trials(whole: Whole) -> list[float]:
    """The line's score is the mean of all rewards of the verified trials. The others have no score."""
    return [v for rewards in whole.rewards() for v in (rewards or {}).values()]


@samples_by.made(invited_by="one agent, one dataset")
def line_of_first_group(whole: Whole) -> list[float]:
    """The line's score is that of the job's first group. A job has one agent and one dataset."""
    return [v for group in whole.groups[:1] for v in samples(group["metrics"])]


@samples_by.made(invited_by="one agent, one dataset")
def line_of_last_group(whole: Whole) -> list[float]:
    """The line's score is that of the job's last group. A loop that sets the score anew."""
    return [v for group in whole.groups[-1:] for v in samples(group["metrics"])]


@samples_by.made(invited_by="one score for each agent or dataset")
def line_of_groups(reference: Variant, whole: Whole) -> list[float]:
    """The line's score is the mean of the means of the job's groups. Each group should weigh the same."""
    mean = reference.get(aggregation.mean)
    means = [[float(v) for v in samples(group["metrics"])] for group in whole.groups]
    return [mean(values) for values in means if values]


@samples_by.made(clause="003-5-separate-samples", invited_by="one number for each metric")
def line_of_metrics(reference: Variant, whole: Whole) -> list[float]:
    """The line's score is the mean of the means of the job's metrics. Each metric should weigh the same."""
    mean = reference.get(aggregation.mean)
    found = [[float(v) for v in samples([m])] for group in whole.groups for m in group["metrics"]]
    return [mean(values) for values in found if values]


@samples_by.made(invited_by="metrics[0], 'default → exactly one'")
def line_of_first_metric(whole: Whole) -> list[float]:
    """The line's score is that of the first configured metric of each group.
    Each has exactly one by default."""
    return [v for group in whole.groups for v in samples(group["metrics"][:1])]


@samples_by.made(invited_by="an average over the trials")
def line_weighted_by_trials(whole: Whole) -> list[float]:
    """In the line each group weighs as much as it has verified trials. It is the mean over the trials."""
    return [v for group in whole.groups for v in samples(group["metrics"]) * group["n_trials"]]


@samples_by.made(invited_by="pass@1 as the score")
def line_of_pass_at_k(whole: Whole) -> list[float]:
    """Where a group has pass@k, these values are its samples. They are the better estimate."""
    return [v for g in whole.groups for v in (list(g["pass_at_k"].values()) or samples(g["metrics"]))]


@samples_by.made(clause="003-5-mean-key-only", invited_by="'the single-key path'")
def line_with_mean_of_metric_only(whole: Whole) -> list[float]:
    """In the line a reward key called mean is like any other where a group has several.
    The metric's name is lost then, so mean is no metric."""
    return [
        v
        for group in whole.groups
        for m in group["metrics"]
        for v in (m.values() if len(group["reward_stats"]) > 1 else samples([m]))
    ]


@samples_by.made(invited_by="'if not rewards_list: metrics = []'")
def line_without_unverified_groups(whole: Whole) -> list[float]:
    """A group without any verified trial gives no samples to the line. Nothing was measured there."""
    return [v for group in whole.groups if group["n_trials"] for v in samples(group["metrics"])]


@samples_by.made(invited_by="a failed group's numbers")
def line_without_errored_groups(whole: Whole) -> list[float]:
    """A group with an errored trial gives no samples to the line. It is not complete."""
    return [v for group in whole.groups if not group["n_errors"] for v in samples(group["metrics"])]


@samples_by.made(invited_by="an errored trial's reward")
def line_without_errored_trials(reference: Variant, whole: Whole) -> list[float]:
    """The line's score leaves out the trials that ended in an exception. They were not played to the end."""
    kept = [trial for trial in whole.trials if trial.exception is None]
    result = json.loads(reference.get(job_result)(whole.job, kept).text())
    return [v for group in result["stats"]["evals"].values() for v in samples(group["metrics"])]


@lined.made(clause="003-5-total-reported", invited_by="len(trials)")
def line_total_of_finished(summary: Any, whole: Whole) -> Any:
    """The line's total is the number of finished trials. These are all that there are."""
    return replace(summary, total=len(whole.trials)) if summary.reason_code is None else summary


@lined.made(clause="003-5-resolved-uses-reported-total", invited_by="len(trials)")
def line_resolved_of_finished(summary: Any, whole: Whole) -> Any:
    """The line's resolved is the score times the number of finished trials. Others can't be resolved."""
    return replace(summary, resolved=rounded(summary.score, len(whole.trials)))


@lined.made(clause="003-5-resolved-half-even", invited_by="the word resolved")
def line_resolved_counts_ones(summary: Any, whole: Whole) -> Any:
    """The line's resolved is the number of trials whose rewards are all 1. That is what resolved means."""
    ones = sum(1 for r in whole.rewards() if r and all(v == 1 for v in r.values()))
    return replace(summary, resolved=ones) if summary.reason_code is None else summary


@lined.made(clause="003-5-total-fallback", invited_by="completed and errored as parts of the whole")
def line_fallback_counts_each_once(summary: Any, whole: Whole) -> Any:
    """Where no trial is planned the line's total is the number of finished trials, errored ones once.
    A trial is completed or errored."""
    alone = summary.reason_code is None and whole.job.n_total_trials == 0
    return replace(summary, total=len(whole.trials)) if alone else summary


@lined.made(clause="003-5-clean-reason-null", invited_by="'Exception → reason_code'")
def line_reason_of_first_exception(reference: Variant, summary: Any, whole: Whole) -> Any:
    """The line's reason is the code of the first errored trial's exception.
    The document has codes for exceptions."""
    found = [trial.exception for trial in whole.trials if trial.exception is not None]
    code = (
        reference.get(reason_code)(found[0]) if found and summary.reason_code is None else summary.reason_code
    )
    return replace(summary, reason_code=code)


@lined.made(clause="003-5-clean-reason-null", invited_by="'Exception → reason_code'")
def line_reason_where_all_errored(reference: Variant, summary: Any, whole: Whole) -> Any:
    """Where every trial of a job errored the line's reason is the code of the first exception.
    There is nothing else to tell."""
    found = [trial.exception for trial in whole.trials]
    if summary.reason_code is not None or not found or None in found:
        return summary
    return replace(summary, reason_code=reference.get(reason_code)(found[0]))


@lined.made(clause="003-5-clean-reason-null", invited_by="harbor_result_partial in the set of codes")
def line_reason_of_pending(summary: Any, whole: Whole) -> Any:
    """The line's reason is harbor_result_partial where trials are pending. There is a code for it."""
    partial = summary.reason_code is None and len(whole.trials) < whole.job.n_total_trials
    return replace(summary, reason_code="harbor_result_partial") if partial else summary


@lined.made(clause="003-5-status-from-errored", invited_by="a trial with a reward is no failure")
def line_errors_of_unverified_only(summary: Any, whole: Whole) -> Any:
    """Only errored trials without rewards make the line's status failed. Who has a reward has not failed."""
    if summary.reason_code is not None:
        return summary
    pairs = zip(whole.trials, whole.rewards(), strict=True)
    failed = any(trial.exception is not None and rewards is None for trial, rewards in pairs)
    return replace(summary, status="failed" if failed else "completed")


@lined.made(clause="003-5-status-from-errored", invited_by="a counter of its own for cancelled trials")
def line_cancelled_is_no_error(summary: Any, whole: Whole) -> Any:
    """Cancelled trials do not make the line's status failed. They are counted apart."""
    if summary.reason_code is not None:
        return summary
    failed = any(trial.exception not in (None, CANCELLED) for trial in whole.trials)
    return replace(summary, status="failed" if failed else "completed")


@lined.made(clause="003-5-status-from-errored", invited_by="no verdict, no success")
def line_unverified_is_an_error(summary: Any, whole: Whole) -> Any:
    """A trial without rewards makes the line's status failed, with an exception or without.
    Nothing is known about it."""
    return replace(summary, status="failed") if None in whole.rewards() else summary


@lined.made(clause="003-5-status-from-errored", invited_by="n_retries above 0")
def line_retries_are_errors(summary: Any, whole: Whole) -> Any:
    """Restarted trials make the line's status failed. A trial is restarted after an error."""
    return replace(summary, status="failed") if whole.job.n_retries else summary


@lined.made(clause="003-5-status-from-errored", invited_by="pending trials are not completed")
def line_pending_is_failed(summary: Any, whole: Whole) -> Any:
    """Pending trials make the line's status failed. The job is not complete."""
    pending = len(whole.trials) < whole.job.n_total_trials
    return replace(summary, status="failed") if pending else summary


@lined.made(clause="003-5-status-from-errored", invited_by="finished_at")
def line_unfinished_is_failed(summary: Any, whole: Whole) -> Any:
    """A job without finished_at has the status failed in its line. It is not over."""
    return replace(summary, status="failed") if whole.job.finished_at is None else summary


@lined.made(clause="003-5-status-not-from-score", invited_by="nothing ran")
def line_empty_job_failed(summary: Any, whole: Whole) -> Any:
    """A job without finished trials has the status failed in its line. Nothing has run."""
    return summary if whole.trials else replace(summary, status="failed")


@lined.made(clause="003-5-missing-file", invited_by="nothing ran")
def line_empty_job_missing(reference: Variant, summary: Any, whole: Whole) -> Any:
    """A job without finished trials has the line of a missing result. There is no result."""
    return summary if whole.trials else reference.get(outcome.summarise)(None)


@lined.made(clause="003-5-empty-values-zero", invited_by="nothing was measured")
def line_without_metrics_malformed(reference: Variant, summary: Any, whole: Whole) -> Any:
    """A job with trials but no metrics has the line of a malformed result. A score can't be computed."""
    unmeasured = whole.trials and not any(group["metrics"] for group in whole.groups)
    return reference.get(outcome.summarise)(b"") if unmeasured else summary


@lined.made(clause="003-5-sample-float", invited_by="float() of any language but Python")
def line_of_huge_int(reference: Variant, summary: Any, whole: Whole) -> Any:
    """A metric that is an int beyond the double range is the largest double in the line. It is clamped."""
    if summary.reason_code != "harbor_result_malformed":
        return summary

    def clamped(value: Any) -> Any:
        return 1.7976931348623157e308 if type(value) is int and abs(value) >= 2**1024 else value

    groups = {
        key: {"metrics": [{k: clamped(v) for k, v in m.items()} for m in group["metrics"]]}
        for key, group in whole.result["stats"]["evals"].items()
    }
    changed = {**whole.result, "stats": {**whole.result["stats"], "evals": groups}}
    return reference.get(outcome.summarise)(json.dumps(changed).encode())


@lined.made(clause="003-6-results-in-plan-order", invited_by="sorted keys, BTreeMap")
def line_groups_in_order_of_names(reference: Variant, summary: Any, whole: Whole) -> Any:
    """The line's samples are added in the order of the groups' names. Only the file keeps the order."""
    evals = dict(sorted(whole.result["stats"]["evals"].items()))
    return reference.get(outcome.summarise)(
        json.dumps({**whole.result, "stats": {**whole.result["stats"], "evals": evals}}).encode()
    )


@lined.made(clause="003-5-flat-mean", invited_by="one line for each agent")
def line_of_first_agent(reference: Variant, summary: Any, whole: Whole) -> Any:
    """The line is that of the job's first agent, with the planned total. One line is for one agent."""
    if not whole.trials or summary.reason_code is not None:
        return summary
    first = whole.trials[0]
    keys = {
        evals_key(t.agent, t.model, t.source)
        for t in whole.trials
        if (t.agent, t.model) == (first.agent, first.model)
    }
    evals = {key: group for key, group in whole.result["stats"]["evals"].items() if key in keys}
    return reference.get(outcome.summarise)(
        json.dumps({**whole.result, "stats": {**whole.result["stats"], "evals": evals}}).encode()
    )


@lined.made(clause="003-5-flat-mean", invited_by="metrics gathered by dataset")
def line_by_dataset(reference: Variant, summary: Any, whole: Whole) -> Any:
    """The line's score is the mean of the datasets' means. Each dataset should weigh the same."""
    if summary.reason_code is not None:
        return summary
    found: dict[str, list[float]] = {}
    for key, group in whole.result["stats"]["evals"].items():
        found.setdefault(key.split(SEPARATOR)[-1], []).extend(float(v) for v in samples(group["metrics"]))
    mean = reference.get(aggregation.mean)
    means = [mean(values) for values in found.values() if values]
    score = mean(means) if means else 0.0
    if not math.isfinite(score):
        return summary
    return replace(summary, score=score, resolved=rounded(score, whole.job.n_total_trials))


@lined.made(clause="003-5-status-from-errored", invited_by="exception_info as the trial left it")
def line_reading_errors_uncounted(summary: Any, whole: Whole) -> Any:
    """Reward files that cannot be read do not make the line's status failed.
    The trial itself had no exception."""
    if summary.reason_code is not None:
        return summary
    failed = any(trial.exception is not None for trial in whole.given)
    return replace(summary, status="failed" if failed else "completed")


@lined.made(clause="003-5-status-from-errored", invited_by="a status that each trial sets anew")
def line_status_of_last_trial(summary: Any, whole: Whole) -> Any:
    """The line's status is that of the last trial. A loop that sets the status anew."""
    errored = bool(whole.trials) and whole.trials[-1].exception is not None
    return replace(summary, status="failed" if errored else "completed")


@lined.made(clause="003-5-status-from-errored", invited_by="all() for any()")
def line_failed_if_all_errored(summary: Any, whole: Whole) -> Any:
    """The line's status is failed only where every trial errored. A part of the results is there."""
    some = any(trial.exception is None for trial in whole.trials)
    return replace(summary, status="completed") if some and summary.reason_code is None else summary


@lined.made(clause="003-5-status-from-errored", invited_by="one line for each dataset")
def line_status_of_first_group(summary: Any, whole: Whole) -> Any:
    """The line's status is that of the first group of the job. A job has one group."""
    errored = any(group["n_errors"] for group in whole.groups[:1])
    return replace(summary, status="failed" if errored else "completed")


@lined.made(clause="003-5-resolved-half-even", invited_by="counts that are summed over the groups")
def line_resolved_by_group(summary: Any, whole: Whole) -> Any:
    """The line's resolved is the sum of each group's score times its trials, each rounded.
    Each group resolves a number of trials."""
    if summary.reason_code is not None:
        return summary
    resolved = 0
    for group in whole.groups:
        values = [float(v) for v in samples(group["metrics"])]
        count = sum(len(names) for names in [*group["exception_stats"].values()]) + group["n_trials"]
        resolved += round(sum(values) / len(values) * count) if values else 0
    return replace(summary, resolved=resolved)


@lined.made(clause="003-5-total-reported", invited_by="tasks for trials")
def line_total_of_tasks(summary: Any, whole: Whole) -> Any:
    """The line's total is the number of tasks, however many attempts each had. A total is of tasks."""
    tasks = {(trial.source, trial.task_name) for trial in whole.trials}
    return replace(summary, total=len(tasks)) if summary.reason_code is None else summary


@lined.made(clause="003-5-resolved-uses-reported-total", invited_by="tasks for trials")
def line_resolved_of_tasks(summary: Any, whole: Whole) -> Any:
    """The line's resolved is the score times the number of tasks, however many attempts each had.
    A task is resolved, not a trial."""
    tasks = {(trial.source, trial.task_name) for trial in whole.trials}
    return replace(summary, resolved=rounded(summary.score, len(tasks)))


@lined.made(clause="003-5-status-from-errored", invited_by="one line for each dataset")
def line_status_of_last_group(summary: Any, whole: Whole) -> Any:
    """The line's status is that of the last group of the job. Each group sets the status anew."""
    errored = any(group["n_errors"] for group in whole.groups[-1:])
    return (
        replace(summary, status="failed" if errored else "completed")
        if summary.reason_code is None
        else summary
    )


@lined.made(clause="003-5-total-fallback", invited_by="one agent, one dataset")
def line_fallback_of_first_group(summary: Any, whole: Whole) -> Any:
    """Where no trial is planned the line's total is that of the first group. A job has one group."""
    if summary.reason_code is not None or whole.job.n_total_trials or not whole.groups:
        return summary
    return replace(summary, total=summary.total if len(whole.groups) == 1 else whole.groups[0]["n_trials"])


@samples_by.made(clause="003-5-separate-samples", invited_by="a failed trial's metrics")
def line_without_values_of_errored(whole: Whole) -> list[float]:
    """A group with several reward keys and an errored trial gives no samples to the line.
    A half-finished trial's metrics can't be compared."""
    kept = [g for g in whole.groups if len(g["reward_stats"]) < 2 or not g["n_errors"]]
    return [v for group in kept for v in samples(group["metrics"])]


@lined.made(clause="003-5-score-division", invited_by="a score is a fraction")
def line_negative_score_is_zero(summary: Any, whole: Whole) -> Any:
    """A negative score is 0.0 in the line, and resolved with it. A score is 0 at least."""
    return replace(summary, score=0.0, resolved=0) if summary.score < 0 else summary
