"""Mistakes in the choice of a group's trials, and in counting them."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.variant import Variant
from reference_impl.scores import GroupScore, TrialRecord, _score

Trials = Sequence[TrialRecord]
Sent = list[Any]


@way("scores", clause="003-3.3-every-trial-aggregated")
def trials_first(reference: Variant, change: Callable[[Trials], Iterable[TrialRecord]]) -> None:
    """Changes the trials of a group before anything is counted; if none would be left, all stay."""

    def around(score: Callable[[Trials], GroupScore]) -> Callable[[Trials], GroupScore]:
        return lambda trials: score(list(change(trials)) or trials)

    reference.wrap(_score, around)


@way("scores", clause="003-3.3-no-attempt-number")
def sent_first(reference: Variant, change: Callable[[Sent], Sent]) -> None:
    """Changes the records in the request, with their numbers and messages."""
    reference.wrap_op(
        "scores", lambda answer: lambda given: answer({**given, "trials": change(given["trials"])})
    )


def by_task(trials: Trials) -> dict[str, list[TrialRecord]]:
    """The attempts at each task, in order."""
    tasks: dict[str, list[TrialRecord]] = {}
    for trial in trials:
        tasks.setdefault(trial.task, []).append(trial)
    return tasks


@trials_first.made(invited_by="try/except around a trial, status = 'completed' in SQL")
def errored_left_out(trials: Trials) -> Iterable[TrialRecord]:
    """Trials with an exception are left out, except in a group that has no others.
    A crash seems to say nothing about the agent."""
    return [trial for trial in trials if trial.exception is None]


@trials_first.made(invited_by="dropna(), inner joins with a table of rewards")
def unscored_left_out(trials: Trials) -> Iterable[TrialRecord]:
    """Trials without rewards are left out, except in a group that has no others.
    A row without a score can't be scored."""
    return [trial for trial in trials if trial.rewards is not None]


@trials_first.made(clause="003-3.3-no-attempt-number", invited_by="drop_duplicates(), SELECT DISTINCT, sets")
def equal_records_merged(trials: Trials) -> Iterable[TrialRecord]:
    """Trials of one task with the same rewards and exception are counted once.
    Equal rows look like a duplicate import."""
    kept: list[TrialRecord] = []
    for trial in trials:
        if trial not in kept:
            kept.append(trial)
    return kept


@trials_first.made(clause="003-3.3-no-attempt-number", invited_by="dicts by task, upserts, INSERT OR REPLACE")
def last_attempt_kept(trials: Trials) -> Iterable[TrialRecord]:
    """Only the last trial of each task is kept.
    A dict by task name holds one trial per task, the latest."""
    return [attempts[-1] for attempts in by_task(trials).values()]


def _best(trial: TrialRecord) -> float:
    return max((float(value) for value in (trial.rewards or {}).values() if value == value), default=0.0)


@trials_first.made(clause="003-3.3-no-attempt-number", invited_by="best-of-n, MAX(reward) GROUP BY task")
def best_attempt_kept(trials: Trials) -> Iterable[TrialRecord]:
    """Only the best trial of each task is kept. Submissions are asked to send their best attempt."""
    return [max(attempts, key=_best) for attempts in by_task(trials).values()]


def _number(trial: Any) -> int:
    return int(trial["attempt"])


@sent_first.made(invited_by="`attempt == 1`, n_attempts=1 as the default")
def only_attempt_one_counted(trials: Sent) -> Sent:
    """In a group that has trials with the attempt number 1, the others are left out.
    A leaderboard shows first attempts."""
    first = {trial["group"] for trial in trials if _number(trial) == 1}
    return [trial for trial in trials if _number(trial) == 1 or trial["group"] not in first]


Count = Callable[[Trials], Any]


def counted(reference: Variant, member: str, count: Count) -> None:
    """Counts a group's trials with ``count`` for one member of its values."""

    def around(score: Callable[[Trials], GroupScore]) -> Callable[[Trials], GroupScore]:
        return lambda trials: replace(score(trials), **{member: count(trials)})

    reference.wrap(_score, around)


@way("scores", clause="003-3.3-every-trial-aggregated")
def all_counted(reference: Variant, count: Count) -> None:
    """Changes ``n``."""
    counted(reference, "n", count)


@way("scores", clause="003-3.3-n-trials")
def scored_counted(reference: Variant, scored: Callable[[TrialRecord], bool]) -> None:
    """Changes which trials count in ``n_scored``."""
    counted(reference, "n_scored", lambda trials: sum(map(scored, trials)))


@all_counted.made(invited_by="leaderboards by task, COUNT(DISTINCT task)")
def tasks_counted_for_all(trials: Trials) -> int:
    """The n of a group is the number of its tasks.
    A benchmark has a fixed number of tasks, however many attempts there are."""
    return len({trial.task for trial in trials})


@scored_counted.made(invited_by="rewards['reward'], columns of a fixed schema")
def only_key_reward_scored(trial: TrialRecord) -> bool:
    """A trial without the key `reward` is not counted as scored. reward.txt has this key."""
    return "reward" in (trial.rewards or {})


@scored_counted.made(invited_by="n - n_errors")
def error_free_scored(trial: TrialRecord) -> bool:
    """Every trial without an exception is counted as scored, with rewards or without.
    A trial without an error seems to have been measured."""
    return trial.exception is None


@way("scores", clause="003-3.3-n-errors")
def errors_counted(reference: Variant, errored: Callable[[TrialRecord], bool]) -> None:
    """Changes which trials count in ``n_errors``."""
    counted(reference, "n_errors", lambda trials: sum(map(errored, trials)))


@errors_counted.made(invited_by="if/else around the rewards, `if rewards is None and exception`")
def rewarded_errors_uncounted(trial: TrialRecord) -> bool:
    """A trial with rewards is not counted as an error, though it has an exception. It was measured."""
    return trial.exception is not None and trial.rewards is None
