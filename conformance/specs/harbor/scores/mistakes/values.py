"""Mistakes in a group's mean and its pass@k, and in the choice of groups."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.other_numbers import Number, Rewards
from conformance.mistakes.variant import Variant
from reference_impl.aggregation import aggregate, mean
from reference_impl.pass_at_k import GradedTrial, pass_at_k
from reference_impl.scores import GroupScore, TrialRecord, _score, scores

mistakes = family("scores")
in_scores = family("scores", of=scores, clause="003-3.3-groups-apart")
Trials = Sequence[TrialRecord]


def _around_score(reference: Variant, change: Callable[[GroupScore, Trials], GroupScore]) -> None:
    reference.wrap(_score, lambda score: lambda trials: change(score(trials), trials))


@way("scores", clause="003-3.3-every-trial-aggregated")
def averaged(reference: Variant, choose: Callable[[Trials], Sequence[Rewards | None]]) -> None:
    """The mean is that of the chosen rewards; if none are chosen, that of all trials."""
    combine = reference.its(aggregate)
    _around_score(
        reference,
        lambda score, trials: (
            replace(score, mean=combine("mean", chosen)) if (chosen := choose(trials)) else score
        ),
    )


@way("scores", clause="003-3.2-mean-division")
def mean_of_values(reference: Variant, combine: Callable[[Trials, str], Number]) -> None:
    """Computes each value of the mean with ``combine``, by reward key; a single key is passed as an empty
    name."""

    def change(score: GroupScore, trials: Trials) -> GroupScore:
        keys = {key for trial in trials for key in trial.rewards or {}}
        if len(keys) > 1:
            return replace(score, mean={key: combine(trials, key) for key in score.mean})
        return replace(score, mean={"mean": combine(trials, next(iter(keys), ""))})

    _around_score(reference, change)


def _values(trials: Trials, key: str) -> list[Number]:
    return [(trial.rewards or {}).get(key, 0) for trial in trials]


def _by_task(trials: Trials) -> dict[str, list[TrialRecord]]:
    tasks: dict[str, list[TrialRecord]] = {}
    for trial in trials:
        tasks.setdefault(trial.task, []).append(trial)
    return tasks


@averaged.made(invited_by="SQL's AVG, pandas' mean, n_trials as the denominator")
def mean_over_scored(trials: Trials) -> Sequence[Rewards | None]:
    """A group's mean is that of its trials with rewards, unless it has none.
    SQL's AVG ignores NULL, and harbor's n_trials counts only these."""
    return [trial.rewards for trial in trials if trial.rewards is not None]


@averaged.made(invited_by="status = 'completed', try/except around a trial")
def mean_over_error_free(trials: Trials) -> Sequence[Rewards | None]:
    """A group's mean is that of its trials without an exception, unless it has none.
    Errored trials are shown separately, as a count."""
    return [trial.rewards for trial in trials if trial.exception is None]


@mean_of_values.made(clause="003-3.3-every-trial-aggregated", invited_by="resolved / completed, leaderboards")
def passes_over_scored(trials: Trials, key: str) -> Number:
    """A group's mean is its trials with a reward of 1, divided by those with rewards.
    A leaderboard shows how many of the finished tasks were resolved."""
    scored = [trial for trial in trials if trial.rewards is not None]
    return sum(value == 1 for value in _values(scored, key)) / max(len(scored), 1)


@mean_of_values.made(invited_by="resolved / total, accuracy, bool rewards")
def passes_over_all(trials: Trials, key: str) -> Number:
    """A group's mean is the share of its trials with a reward of 1. A task is either resolved or not."""
    return sum(value == 1 for value in _values(trials, key)) / len(trials)


@mean_of_values.made(invited_by="GROUP BY task and then AVG, macro averages, DataFrame.mean().mean()")
def tasks_averaged_first(trials: Trials, key: str) -> Number:
    """A group's mean is the mean of its tasks' means.
    Every task has the same weight in a benchmark, whatever its attempts."""
    return mean([mean(_values(attempts, key)) for attempts in _by_task(trials).values()])


@mean_of_values.made(invited_by="best-of-n, MAX(reward) GROUP BY task, resolved tasks")
def best_of_tasks_averaged(trials: Trials, key: str) -> Number:
    """A group's mean is that of its tasks' best rewards. A task counts as solved if one attempt solves it."""
    return mean([max(_values(attempts, key)) for attempts in _by_task(trials).values()])


@mistakes.changed(clause="003-3.2-many-keys-by-key", invited_by="rewards['reward'], one column for the score")
def one_score_of_several(reference: Variant) -> None:
    """A group with several reward keys has one mean, that of its key `reward` or of the first by name.
    A leaderboard has one column for the score."""
    _around_score(
        reference,
        lambda score, _: replace(
            score, mean={"mean": score.mean.get("reward", next(iter(score.mean.values())))}
        ),
    )


# pass@k


@way("scores", clause="003-4.1-exception-free")
def graded(reference: Variant, change: Callable[[TrialRecord], Rewards | None]) -> None:
    """Changes the rewards that pass@k judges."""
    compute, trial_of = reference.its(pass_at_k), reference.its(GradedTrial)

    def changed(score: GroupScore, trials: Trials) -> GroupScore:
        return replace(score, pass_at_k=compute([trial_of(trial.task, change(trial)) for trial in trials]))

    _around_score(reference, changed)


@mistakes.changed(clause="003-4.1-exception-free", invited_by="completed attempts, try/except")
def errored_attempts_left_out(reference: Variant) -> None:
    """Attempts with an exception are left out of pass@k. They do not seem to be attempts at all."""
    compute, trial_of = reference.its(pass_at_k), reference.its(GradedTrial)
    _around_score(
        reference,
        lambda score, trials: replace(
            score,
            pass_at_k=compute(
                [trial_of(trial.task, trial.rewards) for trial in trials if trial.exception is None]
            ),
        ),
    )


@mistakes.changed(clause="003-3.3-groups-apart", invited_by="dicts by task, a missing GROUP BY")
def attempts_of_all_groups(reference: Variant) -> None:
    """For pass@k, attempts at a task of the same name in other groups count as well.
    Attempts are stored by task name."""

    def around(compute: Callable[..., dict[str, GroupScore]]) -> Callable[..., dict[str, GroupScore]]:
        estimate, trial_of = reference.its(pass_at_k), reference.its(GradedTrial)

        def computing(records: Any) -> dict[str, GroupScore]:
            every = list(records)
            found = compute(every)
            for group, score in found.items():
                tasks = {record.task for record in every if record.group == group}
                trials = [trial_of(one.task, one.rewards) for one in every if one.task in tasks]
                found[group] = replace(score, pass_at_k=estimate(trials))
            return found

        return computing

    reference.wrap(scores, around)


# Groups


@in_scores.wrapped(invited_by="itertools.groupby, uniq, streams that close a group")
def only_neighbours_scored(compute: Callable[..., Any], records: Any) -> Any:
    """Only adjacent trials of a group are scored together, and the last run counts.
    itertools.groupby expects sorted input."""
    runs = {group: list(run) for group, run in groupby(records, key=lambda record: record.group)}
    return compute([record for run in runs.values() for record in run])


@in_scores.wrapped(clause="003-3.3-metric-failure", invited_by="try/except for each group, partial results")
def overflowing_group_dropped(compute: Callable[..., Any], records: Any) -> Any:
    """A group whose mean overflows is left out, and the others are given.
    One bad submission must not break the page."""
    every = list(records)
    found: dict[str, GroupScore] = {}
    for group in dict.fromkeys(record.group for record in every):
        try:
            found |= compute([record for record in every if record.group == group])
        except OverflowError:
            continue
    return found
