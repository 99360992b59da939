"""Computes the values of a leaderboard from the records of trials (003 §3.2, §3.3, §4).

A leaderboard does not write harbor's `result.json`. It keeps a record of each trial and shows a few
values for each of its groups: one submission, or one agent with one model on one dataset. They are
the values that harbor's own file would have for the same trials:

    n           all records of the group, the denominator of its mean
    n_scored    those with rewards; harbor calls it n_trials
    n_errors    those that ended in an exception, with rewards or without
    mean        their metric Mean (`aggregation`)
    pass_at_k   their pass@k (`pass_at_k`)

Only the order of the records matters. They have no numbers: a second record of a task is a second
attempt at it and replaces nothing. An exception is counted and has no other effect: its trial keeps
its rewards, and without rewards it is a 0 and a failed attempt.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .aggregation import DEFAULT_METRIC, aggregate
from .pass_at_k import GradedTrial, pass_at_k
from .verifier_result import Rewards

__all__ = ["GroupScore", "TrialRecord", "scores"]


@dataclass(frozen=True, slots=True)
class TrialRecord:
    """A leaderboard's record of one trial."""

    group: str
    """The group whose trials are scored together; any text. Names are compared character by character."""
    task: str
    """Trials of one task name in one group are attempts at one task."""
    rewards: Rewards | None
    """The verifier's rewards; None if it measured nothing, which is not the same as `{}`."""
    exception: str | None
    """The type of the exception that the trial ended in, if any; the type itself has no effect."""


@dataclass(frozen=True, slots=True)
class GroupScore:
    """The values of one group."""

    n: int
    """All trials: the denominator of the mean."""
    n_scored: int
    """The number of trials with rewards: `{}` counts, None does not."""
    n_errors: int
    """The number of trials that ended in an exception; a trial can count as both."""
    mean: Rewards
    """The mean under that name, or by reward key if there are several."""
    pass_at_k: dict[int, float]
    """By ascending k; empty if pass@k is not available."""


def scores(records: Iterable[TrialRecord]) -> dict[str, GroupScore]:
    """The values of each group, by its name; `records` come in trial order (003 §3.3).

    Groups are independent: each has the values that it would have alone.

    Raises:
        OverflowError: the mean of a group meets an int beyond the double range. Then no group has
            values, since such a job never finishes.
    """
    groups: dict[str, list[TrialRecord]] = {}
    for record in records:
        groups.setdefault(record.group, []).append(record)
    return {group: _score(trials) for group, trials in groups.items()}


def _score(trials: Sequence[TrialRecord]) -> GroupScore:
    """The values of the trials of one group, in trial order (003 §3.2, §3.3, §4).

    Raises:
        OverflowError: as for `scores`.
    """
    return GroupScore(
        n=len(trials),
        n_scored=sum(trial.rewards is not None for trial in trials),
        n_errors=sum(trial.exception is not None for trial in trials),
        mean=aggregate(DEFAULT_METRIC, [trial.rewards for trial in trials]),
        pass_at_k=pass_at_k([GradedTrial(trial.task, trial.rewards) for trial in trials]),
    )
