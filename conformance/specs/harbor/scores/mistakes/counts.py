"""Mistakes in a group's counts: its trials, those that are scored, those that ended in an error."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.scores import GroupScore, TrialRecord, _score

mistakes = family("scores")
Trials = Sequence[TrialRecord]
Count = Callable[[Trials], int]


def _with(score: GroupScore, member: str, count: Any) -> GroupScore:
    return replace(score, **{member: count})


def counted(reference: Variant, member: str, count: Count) -> None:
    """Counts a group's trials by ``count`` for one member of its values."""

    def around(score: Callable[[Trials], GroupScore]) -> Callable[[Trials], GroupScore]:
        return lambda trials: _with(score(trials), member, count(trials))

    reference.wrap(_score, around)


@way("scores", clause="003-3.3-every-trial-aggregated")
def all_counted(reference: Variant, count: Count) -> None:
    """Changes ``n``."""
    counted(reference, "n", count)


@way("scores", clause="003-3.3-n-trials")
def scored_counted(reference: Variant, scored: Callable[[TrialRecord], bool]) -> None:
    """Changes which trials count in ``n_scored``."""
    counted(reference, "n_scored", lambda trials: sum(map(scored, trials)))


@way("scores", clause="003-3.3-n-errors")
def errors_counted(reference: Variant, errored: Callable[[TrialRecord], bool]) -> None:
    """Changes which trials count in ``n_errors``."""
    counted(reference, "n_errors", lambda trials: sum(map(errored, trials)))


@all_counted.made(invited_by="harbor's own name n_trials, len(df.dropna())")
def scored_taken_for_all(trials: Trials) -> int:
    """The n of a group is the number of trials with rewards.
    Harbor's result calls that n_trials, and it reads like the number of all trials."""
    return sum(trial.rewards is not None for trial in trials)


@all_counted.made(invited_by="completed = total - errors, status columns")
def errored_not_in_all(trials: Trials) -> int:
    """The n of a group leaves out trials with an exception. What failed is thought not to be completed."""
    return sum(trial.exception is None for trial in trials)


@all_counted.made(invited_by="leaderboards by task, COUNT(DISTINCT task)")
def tasks_counted_for_all(trials: Trials) -> int:
    """The n of a group is the number of its tasks. A benchmark has so many tasks, whatever the attempts."""
    return len({trial.task for trial in trials})


@all_counted.made(invited_by="grids of tasks by attempts, pivot tables")
def grid_counted_for_all(trials: Trials) -> int:
    """The n of a group is its tasks times the attempts of the task with the most.
    A plan has as many attempts for each task."""
    tasks = [trial.task for trial in trials]
    return len(set(tasks)) * max(map(tasks.count, tasks))


@all_counted.made(invited_by="rows in a success table and rows in an error table, added up")
def scored_and_errors_added(trials: Trials) -> int:
    """The n of a group is n_scored plus n_errors.
    Each trial is thought to have either rewards or an error."""
    return sum((trial.rewards is not None) + (trial.exception is not None) for trial in trials)


@scored_counted.made(invited_by="if rewards:, Lodash's isEmpty, not rewards")
def empty_rewards_unscored(trial: TrialRecord) -> bool:
    """A trial whose rewards are an empty object is not counted as scored. An empty dict is falsy."""
    return bool(trial.rewards)


@scored_counted.made(invited_by="if reward:, any(rewards.values()), filter(Boolean)")
def zero_rewards_unscored(trial: TrialRecord) -> bool:
    """A trial whose rewards are all 0 is not counted as scored. A reward of 0 is falsy."""
    return trial.rewards is not None and (not trial.rewards or any(trial.rewards.values()))


@scored_counted.made(invited_by="reward > 0, a score that is a success")
def only_passes_scored(trial: TrialRecord) -> bool:
    """The trials with a reward of 1 are counted where those with rewards are due.
    To score is taken for to succeed."""
    return 1 in (trial.rewards or {}).values()


@scored_counted.made(invited_by="rewards['reward'], columns of a fixed schema")
def only_key_reward_scored(trial: TrialRecord) -> bool:
    """A trial without the key `reward` is not counted as scored. It is the key that reward.txt gets."""
    return "reward" in (trial.rewards or {})


@scored_counted.made(invited_by="enum statuses, match arms, try/except/else")
def errored_unscored(trial: TrialRecord) -> bool:
    """A trial with an exception is not counted as scored, though it has rewards.
    A trial is thought to be either scored or errored."""
    return trial.rewards is not None and trial.exception is None


@scored_counted.made(invited_by="pandas' count(), notna, NaN for missing cells")
def nan_rewards_unscored(trial: TrialRecord) -> bool:
    """A trial with a NaN reward is not counted as scored. Table libraries take NaN for a missing value."""
    return trial.rewards is not None and all(value == value for value in trial.rewards.values())


@scored_counted.made(invited_by="n - n_errors")
def error_free_scored(trial: TrialRecord) -> bool:
    """Every trial without an exception is counted as scored, with rewards or without.
    What did not fail is thought to have been measured."""
    return trial.exception is None


@errors_counted.made(invited_by="enum statuses, Rust's Result, if rewards … elif exception")
def rewarded_errors_uncounted(trial: TrialRecord) -> bool:
    """An exception is counted as an error only where there are no rewards.
    A trial that was scored is thought to have gone well."""
    return trial.exception is not None and trial.rewards is None


@errors_counted.made(invited_by="if exception.type, empty strings as null in a database")
def nameless_errors_uncounted(trial: TrialRecord) -> bool:
    """An exception whose type is an empty text is not counted as an error. An empty text is falsy."""
    return bool(trial.exception)


@errors_counted.made(invited_by="n - n_scored, null rewards as a status")
def unscored_counted_as_errors(trial: TrialRecord) -> bool:
    """A trial without rewards is counted as an error, with an exception or without.
    Something must have gone wrong where nothing was measured."""
    return trial.exception is not None or trial.rewards is None


@errors_counted.made(clause="003-3.3-exception-kind-free", invited_by="harbor's n_cancelled_trials")
def cancelled_no_errors(trial: TrialRecord) -> bool:
    """A CancelledError is not counted as an error. A cancelled trial has a counter of its own in harbor."""
    return trial.exception not in (None, "CancelledError")


@errors_counted.made(
    clause="003-3.3-exception-kind-free",
    invited_by="leaderboards that take a time limit for part of the task",
)
def agent_timeouts_no_errors(trial: TrialRecord) -> bool:
    """An AgentTimeoutError is not counted as an error. Too slow is a result like any other."""
    return trial.exception not in (None, "AgentTimeoutError")


@mistakes.changed(clause="003-3.3-n-errors", invited_by="len(exception_stats), COUNT(DISTINCT type)")
def kinds_of_errors_counted(reference: Variant) -> None:
    """The n_errors of a group is the number of different exceptions.
    Harbor lists trials under each type, and the list of types is counted."""
    counted(reference, "n_errors", lambda trials: len({trial.exception for trial in trials} - {None}))


@mistakes.changed(clause="003-3.3-n-errors", invited_by="sets of failed tasks, COUNT(DISTINCT task)")
def failed_tasks_counted(reference: Variant) -> None:
    """The n_errors of a group is the number of tasks with an exception.
    Attempts at one task are thought to fail alike."""
    counted(
        reference,
        "n_errors",
        lambda trials: len({trial.task for trial in trials if trial.exception is not None}),
    )


@mistakes.changed(clause="003-3.3-exception-kind-free", invited_by="if exception.message, str(error) or None")
def errors_without_message_uncounted(reference: Variant) -> None:
    """An exception with an empty message is not counted as an error.
    A text column holds the message, and an empty one is taken for none."""

    def around(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def answering(given: Any) -> Any:
            answered = answer(given)
            for group, values in answered["groups"].items():
                values["n_errors"] = sum(
                    bool(trial["exception"] and trial["exception"]["message"])
                    for trial in given["trials"]
                    if trial["group"] == group
                )
            return answered

        return answering

    reference.wrap_op("scores", around)
