"""Mistakes that show in whole files of harbor's alone: another member is read in place of the right one."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import outcome as outcome_rules
from reference_impl.reason_code import reason_code

__all__: list[str] = []

in_summarise = family("outcome", of=outcome_rules._summarise, clause="003-5-other-members")
Result = dict[str, Any]
Group = dict[str, Any]
_MEMBERS = frozenset({"id", "started_at", "updated_at", "finished_at", "n_total_trials", "stats"})


def _groups(result: Result) -> list[Group]:
    """The groups that are objects; what is malformed the rule itself has refused by then."""
    return list(result.get("stats", {}).get("evals", {}).values())


def _whole(group: Group) -> bool:
    """Whether a group has what harbor writes beside its metrics."""
    return all(
        isinstance(group.get(member), kind)
        for member, kind in (("n_trials", int), ("reward_stats", dict), ("exception_stats", dict))
    )


def _all_whole(result: Result) -> bool:
    groups = _groups(result)
    return bool(groups) and all(map(_whole, groups))


def _count(result: Result, member: str) -> int:
    value = result.get("stats", {}).get(member)
    return value if type(value) is int else 0


def _rewards(group: Group) -> list[float]:
    """Every reward that a group lists, once for each trial."""
    return [
        float(spelled)
        for by_reward in group["reward_stats"].values()
        for spelled, names in by_reward.items()
        for _ in names
    ]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else 0.0


def _scored(summary: Any, result: Result, score: float) -> Any:
    """The summary with another score, where it can be rounded."""
    planned = result.get("n_total_trials")
    if type(planned) is not int or score - score:
        return summary
    return replace(summary, score=score, resolved=round(score * planned))


@way("outcome", clause="003-5-other-members")
def of_whole_files(reference: Variant, change: Callable[[Any, Result], Any]) -> None:
    """Has ``change(summary, result)`` correct the summary of a file whose groups are whole."""

    def around(summarise: Callable[[Result], Any]) -> Callable[[Result], Any]:
        def summarising(result: Result) -> Any:
            summary = summarise(result)
            return change(summary, result) if _all_whole(result) else summary

        return summarising

    reference.wrap(outcome_rules._summarise, around)


@way("outcome", clause="003-5-status-from-errored")
def failed_where(reference: Variant, failed: Callable[[Result], bool]) -> None:
    """Has the status be failed in further cases."""

    def around(summarise: Callable[[Result], Any]) -> Callable[[Result], Any]:
        def summarising(result: Result) -> Any:
            summary = summarise(result)
            return replace(summary, status="failed") if failed(result) else summary

        return summarising

    reference.wrap(outcome_rules._summarise, around)


@way("outcome", clause="003-5-status-from-errored")
def completed_where(reference: Variant, completed: Callable[[Result], bool]) -> None:
    """Has the status be completed in further cases, of files whose groups are whole."""

    def change(summary: Any, result: Result) -> Any:
        return replace(summary, status="completed") if completed(result) else summary

    of_whole_files(reference, change)


@of_whole_files.made(invited_by="the histogram of rewards, which looks like the raw data")
def score_of_listed_rewards(summary: Any, result: Result) -> Any:
    """The score is the mean of the rewards that reward_stats lists, not of the metrics.
    It is the nearest that the file has to single trials."""
    return _scored(summary, result, _mean([v for group in _groups(result) for v in _rewards(group)]))


@of_whole_files.made(clause="003-5-empty-values-zero", invited_by="fallbacks, `score or ...`")
def score_of_listed_rewards_without_metrics(summary: Any, result: Result) -> Any:
    """Where no group has metrics the score is the mean of the rewards that reward_stats lists.
    A score of 0.0 for trials that passed looks like a mistake."""
    if any(group.get("metrics") for group in _groups(result)):
        return summary
    return _scored(summary, result, _mean([v for group in _groups(result) for v in _rewards(group)]))


@of_whole_files.made(invited_by="leaderboards of pass@k, max(pass_at_k)")
def score_of_pass_at_k(summary: Any, result: Result) -> Any:
    """Where groups have pass@k the score is the mean of their first one.
    It is the number that benchmarks report."""
    first = [next(iter(group["pass_at_k"].values())) for group in _groups(result) if group.get("pass_at_k")]
    return _scored(summary, result, _mean(first)) if first else summary


@of_whole_files.made(clause="003-5-flat-mean", invited_by="max(evals, key=...), the main run of a job")
def score_of_largest_group(summary: Any, result: Result) -> Any:
    """Of several groups only the one with the most trials is scored.
    The others seem to be trials of the set-up."""
    groups = _groups(result)
    most = max(group["n_trials"] for group in groups)
    kept = [group for group in groups if group["n_trials"] == most]
    if len(kept) == len(groups):
        return summary
    values = [v for g in kept for m in g["metrics"] for v in ([m["mean"]] if "mean" in m else m.values())]
    return _scored(summary, result, _mean(values))


@of_whole_files.made(
    clause="003-5-resolved-half-even", invited_by='reward_stats["reward"]["1.0"], counting passes'
)
def resolved_counts_passes(summary: Any, result: Result) -> Any:
    """Resolved is the number of trials that reward_stats lists with a reward of 1.
    A resolved trial is one that passed."""
    passed = [v for group in _groups(result) for v in _rewards(group) if v == 1]
    return replace(summary, resolved=len(passed))


@of_whole_files.made(
    clause="003-5-resolved-uses-reported-total", invited_by="score * n_trials, group by group"
)
def resolved_of_verified_trials(summary: Any, result: Result) -> Any:
    """Resolved is the score times the verified trials of all groups.
    The groups say how many trials they are of."""
    return replace(summary, resolved=round(summary.score * sum(g["n_trials"] for g in _groups(result))))


@of_whole_files.made(
    clause="003-5-total-reported", invited_by="sum(group.n_trials), tables with a row a group"
)
def total_of_verified_trials(summary: Any, result: Result) -> Any:
    """Total is the sum of the groups' n_trials. Each group has its number, so the total is their sum."""
    return replace(summary, total=sum(group["n_trials"] for group in _groups(result)))


@in_summarise.wrapped(clause="003-5-total-reported", invited_by="n_completed_trials, progress bars")
def total_of_finished_trials(summarise: Callable[[Result], Any], result: Result) -> Any:
    """Total is the number of trials that have ended, in a file that says how many are pending.
    What has not run has no part in a result."""
    summary = summarise(result)
    pending = "n_pending_trials" in result.get("stats", {})
    return replace(summary, total=_count(result, "n_completed_trials")) if pending else summary


@in_summarise.wrapped(clause="003-5-total-reported", invited_by="adding up the states of a job")
def total_of_all_states(summarise: Callable[[Result], Any], result: Result) -> Any:
    """Total is the sum of completed, running and pending trials where the file has them.
    Every trial is in one of these states."""
    summary = summarise(result)
    states = ("n_completed_trials", "n_running_trials", "n_pending_trials")
    if any(state not in result.get("stats", {}) for state in states):
        return summary
    return replace(summary, total=sum(_count(result, state) for state in states))


@failed_where.made(invited_by="flaky tests, retries shown in red")
def restarted_is_failed(result: Result) -> bool:
    """A job that started trials again is failed. A restart stands for an error."""
    return _count(result, "n_retries") > 0


@failed_where.made(clause="003-5-status-not-from-score", invited_by="`if not group.n_trials`, empty results")
def nothing_verified_is_failed(result: Result) -> bool:
    """A job with trials of which none was verified is failed. There is nothing to score."""
    return _all_whole(result) and not any(group["n_trials"] for group in _groups(result))


@completed_where.made(invited_by="enums of final states, of which cancelled is one")
def cancelled_only_is_completed(result: Result) -> bool:
    """A job whose only errors are cancelled trials is completed. Cancelled is another state than errored."""
    cancelled = _count(result, "n_cancelled_trials")
    return 0 < _count(result, "n_errored_trials") <= cancelled


@completed_where.made(invited_by="a trial with a reward is a trial that worked")
def errors_with_rewards_are_none(result: Result) -> bool:
    """A job is failed only where some trial has no rewards.
    A trial that was verified in spite of an error counts."""
    verified: int = sum(group["n_trials"] for group in _groups(result))
    return verified >= _count(result, "n_completed_trials")


@completed_where.made(clause="003-5-counter-places", invited_by="next(iter(evals.values())).n_errors")
def errors_of_first_group(result: Result) -> bool:
    """Only errors of the first group make a job failed. Most jobs have one group."""
    return _groups(result)[0].get("n_errors") == 0


@of_whole_files.made(clause="003-5-clean-reason-null", invited_by="a failure that wants a reason")
def reason_of_first_exception(reference: Variant, summary: Any, result: Result) -> Any:
    """A failed job's reason is the code of the first exception that it lists. The file says why it failed."""
    kinds = [kind for group in _groups(result) for kind in group["exception_stats"]]
    if summary.status != "failed" or not kinds:
        return summary
    return replace(summary, reason_code=reference.its(reason_code)(kinds[0]))


@in_summarise.wrapped(
    invited_by="pydantic's extra='forbid', serde's deny_unknown_fields, FAIL_ON_UNKNOWN_PROPERTIES"
)
def unknown_members_refused(summarise: Callable[[Result], Any], result: Result) -> Any:
    """A whole file with a member that this release does not write is malformed.
    A model of the file is strict about what it does not know."""
    if result.keys() > _MEMBERS:
        raise ValueError("an unknown member")
    return summarise(result)


@in_summarise.wrapped(
    invited_by="int and float fields in Go, Java, C# and Rust that are no pointers or options"
)
def null_totals_refused(summarise: Callable[[Result], Any], result: Result) -> Any:
    """A file whose totals of tokens or cost are null is malformed. Their fields are declared as numbers."""
    stats = result.get("stats", {})
    if isinstance(stats, dict) and stats.get("n_input_tokens", 0) is None:
        raise TypeError("a number is due")
    return summarise(result)


@in_summarise.wrapped(clause="003-5-counter-places", invited_by="readers that have to serve several releases")
def older_counters_read(summarise: Callable[[Result], Any], result: Result) -> Any:
    """Where stats lacks a counter, the one of older releases is read: n_trials, n_errors.
    harbor renamed them, and old files are still about."""
    stats = result.get("stats", {})
    if not isinstance(stats, dict):
        return summarise(result)
    older = {"n_completed_trials": "n_trials", "n_errored_trials": "n_errors"}
    found = {new: stats[old] for new, old in older.items() if new not in stats and old in stats}
    return summarise({**result, "stats": {**stats, **found}})


@of_whole_files.made(invited_by="recursive look-ups, jq's ..|numbers")
def cost_is_a_sample(summary: Any, result: Result) -> Any:
    """The job's cost is a further sample of the score.
    Floats of the file are gathered wherever they stand."""
    cost = result["stats"].get("cost_usd")
    values = [v for g in _groups(result) for m in g["metrics"] for v in m.values()]
    return _scored(summary, result, _mean([*values, cost])) if isinstance(cost, float) else summary
