"""Mistakes in a group's mean and its pass@k, and in which groups there are."""

import math
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from conformance.mistakes.family import Case, family, way
from conformance.mistakes.other_numbers import Number, Rewards, as_double
from conformance.mistakes.variant import Variant
from reference_impl.aggregation import aggregate, mean
from reference_impl.cpython312.summation import compensated_sum
from reference_impl.pass_at_k import GradedTrial, pass_at_k, pass_at_k_for_task
from reference_impl.scores import GroupScore, TrialRecord, _score, scores

mistakes = family("scores")
in_scores = family("scores", of=scores, clause="003-3.3-groups-apart")
Trials = Sequence[TrialRecord]
Score = Callable[[Trials], GroupScore]


def _around_score(reference: Variant, change: Callable[[GroupScore, Trials], GroupScore]) -> None:
    reference.wrap(_score, lambda score: lambda trials: change(score(trials), trials))


@way("scores", clause="003-3.3-every-trial-aggregated")
def averaged(reference: Variant, choose: Callable[[Trials], Sequence[Rewards | None]]) -> None:
    """The mean is that of the rewards chosen; where none are, that of all trials."""
    combine = reference.its(aggregate)
    _around_score(
        reference,
        lambda score, trials: (
            replace(score, mean=combine("mean", chosen)) if (chosen := choose(trials)) else score
        ),
    )


@way("scores", clause="003-3.2-mean-division")
def mean_of_values(reference: Variant, combine: Callable[[Trials, str], Number]) -> None:
    """Each value of the mean is made by ``combine``, by reward key; at most one key has an empty name."""

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
    SQL's AVG leaves out NULL, and harbor's n_trials counts only these."""
    return [trial.rewards for trial in trials if trial.rewards is not None]


@averaged.made(invited_by="status = 'completed', try/except around a trial")
def mean_over_error_free(trials: Trials) -> Sequence[Rewards | None]:
    """A group's mean is that of its trials without an exception, unless it has none.
    The errored ones are shown beside it, as a count."""
    return [trial.rewards for trial in trials if trial.exception is None]


@averaged.made(clause="003-3.3-n-errors", invited_by="0 if trial.exception else reward, harness defaults")
def errored_average_as_zero(trials: Trials) -> Sequence[Rewards | None]:
    """A trial with an exception counts 0 in the mean, though it has rewards.
    A trial that crashed can't have succeeded."""
    return [None if trial.exception is not None else trial.rewards for trial in trials]


def _added(values: Sequence[Number]) -> Number:
    total: Number = 0
    for value in values:
        total += value
    return total


@mean_of_values.made(clause="003-6-ieee-double", invited_by="total += reward in any language, SQL's SUM")
def plain_group_total(trials: Trials, key: str) -> Number:
    """A group's total is added up plainly, without compensation, before it is divided.
    Each group keeps a running total."""
    return _added(_values(trials, key)) / len(trials)


@mean_of_values.made(clause="003-6-sum-is-rounded", invited_by="math.fsum, accurate sums")
def exact_group_total(trials: Trials, key: str) -> Number:
    """A group's total is added up exactly and rounded once before it is divided.
    It is the better number."""
    values = _values(trials, key)
    if all(isinstance(value, int) for value in values):
        return sum(values) / len(values)
    try:
        return math.fsum(values) / len(values)
    except (OverflowError, ValueError):
        return _added(values) / len(values)


@mean_of_values.made(clause="003-3.3-every-trial-aggregated", invited_by="resolved / completed, leaderboards")
def passes_over_scored(trials: Trials, key: str) -> Number:
    """A group's mean is its trials with a reward of 1, divided by those with rewards.
    A leaderboard shows how many of the finished tasks are resolved."""
    scored = [trial for trial in trials if trial.rewards is not None]
    return sum(value == 1 for value in _values(scored, key)) / max(len(scored), 1)


@mean_of_values.made(invited_by="resolved / total, accuracy, bool rewards")
def passes_over_all(trials: Trials, key: str) -> Number:
    """A group's mean is the share of its trials with a reward of 1. A task is resolved or it is not."""
    return sum(value == 1 for value in _values(trials, key)) / len(trials)


@mean_of_values.made(invited_by="reward >= 0.5, round(reward), classifiers")
def halves_averaged_as_passes(trials: Trials, key: str) -> Number:
    """A group's mean is the share of its trials with a reward of 0.5 or more.
    It is the usual threshold of a classifier."""
    return sum(value >= 0.5 for value in _values(trials, key)) / len(trials)


@mean_of_values.made(invited_by="GROUP BY task and then AVG, macro averages, DataFrame.mean().mean()")
def tasks_averaged_first(trials: Trials, key: str) -> Number:
    """A group's mean is the mean of its tasks' means.
    Every task weighs the same in a benchmark, whatever its attempts."""
    return mean([mean(_values(attempts, key)) for attempts in _by_task(trials).values()])


@mean_of_values.made(invited_by="best-of-n, MAX(reward) GROUP BY task, resolved tasks")
def best_of_tasks_averaged(trials: Trials, key: str) -> Number:
    """A group's mean is that of its tasks' best rewards. A task counts as solved if one attempt solves it."""
    return mean([max(_values(attempts, key)) for attempts in _by_task(trials).values()])


@mean_of_values.made(invited_by="sum(rewards) / n_tasks, tables by task")
def total_divided_by_tasks(trials: Trials, key: str) -> Number:
    """A group's total is divided by the number of its tasks. There is one trial for each task, usually."""
    return compensated_sum(_values(trials, key)) / len(_by_task(trials))


@mean_of_values.made(invited_by="statistics.median, robust statistics")
def median_for_mean(trials: Trials, key: str) -> Number:
    """A group's mean is the median of its rewards. It is robust against outliers."""
    ordered = sorted(_values(trials, key))
    middle = len(ordered) // 2
    return (ordered[middle] + ordered[~middle]) / 2


@mean_of_values.made(clause="003-6-nan-propagates", invited_by="numpy.nan_to_num, JavaScript's || 0")
def nan_averaged_as_zero(trials: Trials, key: str) -> Number:
    """A NaN reward counts 0 in a group's mean. A broken reward is taken for a failure."""
    return mean([0 if value != value else value for value in _values(trials, key)])


@mean_of_values.made(invited_by="Math.min(1, …), validated percentages")
def rewards_cut_to_unit(trials: Trials, key: str) -> Number:
    """Rewards below 0 and above 1 are cut to 0 and 1 before a group's mean is taken.
    A score is thought to lie between them."""
    return mean([min(1, max(0, value)) for value in _values(trials, key)])


@family("scores", clause="003-6-exact-answers").each(
    Case(
        "score-in-percent",
        "a group's mean is given in percent",
        "Leaderboards show percentages.",
        "f'{score:.1%}', 100 * mean",
        lambda value: 100 * value,
    ),
    Case(
        "score-to-three-digits",
        "a group's mean is rounded to three decimals",
        "The table shows as many.",
        "round(x, 3), NUMERIC(4, 3), harbor's own display",
        lambda value: round(value, 3),
    ),
    Case(
        "score-to-four-digits",
        "a group's mean is rounded to four decimals",
        "It is a percentage with two decimals.",
        "round(x, 4), toFixed(4)",
        lambda value: round(value, 4),
    ),
    Case(
        "score-to-fifteen-digits",
        "a group's mean is rounded to fifteen significant digits",
        "So many digits every double has for certain.",
        "%.15g, SQLite's text, spreadsheets",
        lambda value: float(f"{value:.15g}"),
    ),
)
def score_shown(reference: Variant, show: Callable[[float], float]) -> None:
    """Changes the values of the mean as they are shown."""
    _around_score(
        reference,
        lambda score, _: replace(score, mean={key: show(value) for key, value in score.mean.items()}),
    )


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


@mistakes.changed(clause="003-3.2-no-key-metric-name", invited_by="null for no data, guards against n = 0")
def unscored_group_without_mean(reference: Variant) -> None:
    """A group whose trials all lack rewards has an empty mean. Nothing was measured."""
    _around_score(reference, lambda score, _: score if score.n_scored else replace(score, mean={}))


# pass@k


@way("scores", clause="003-4.1-exception-free")
def graded(reference: Variant, change: Callable[[TrialRecord], Rewards | None]) -> None:
    """Changes the rewards that pass@k judges."""
    compute, trial_of = reference.its(pass_at_k), reference.its(GradedTrial)

    def changed(score: GroupScore, trials: Trials) -> GroupScore:
        return replace(score, pass_at_k=compute([trial_of(trial.task, change(trial)) for trial in trials]))

    _around_score(reference, changed)


@graded.made(invited_by="0 if trial.exception else reward")
def errored_attempts_fail(trial: TrialRecord) -> Rewards | None:
    """An attempt with an exception is a failure for pass@k, though its reward is 1.
    What crashed can't have passed."""
    return None if trial.exception is not None else trial.rewards


@graded.made(clause="003-4.1-fraction", invited_by="int(reward == 1), boolean columns")
def partial_attempts_fail(trial: TrialRecord) -> Rewards | None:
    """Pass@k is given for every group: whatever is not a single reward of 1 is a failure.
    A table has a boolean column for success."""
    passed = trial.rewards is not None and list(trial.rewards.values()) == [1]
    return {"reward": int(passed)}


@mistakes.changed(clause="003-4.1-exception-free", invited_by="completed attempts, try/except")
def errored_attempts_left_out(reference: Variant) -> None:
    """Attempts with an exception are left out of pass@k. They are not counted as attempts at all."""
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


@mistakes.changed(clause="003-4.2-never-pass-at-1", invited_by="leaderboards that show pass@1")
def mean_shown_as_pass_at_1(reference: Variant) -> None:
    """Where a group has pass@k, its mean is shown as pass@1 too. It is the usual first column."""
    _around_score(
        reference,
        lambda score, _: (
            replace(score, pass_at_k={1: next(iter(score.mean.values())), **score.pass_at_k})
            if score.pass_at_k
            else score
        ),
    )


@mistakes.changed(clause="003-3.3-pass-at-k-stored", invited_by="None for not applicable, nullable columns")
def no_pass_at_k_is_null(reference: Variant) -> None:
    """A group without pass@k has null in its place. Nothing applies, and a column can be empty."""

    def around(answer: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def answering(given: Any) -> Any:
            answered = answer(given)
            for values in answered["groups"].values():
                values["pass_at_k"] = values["pass_at_k"] or None
            return answered

        return answering

    reference.wrap_op("scores", around)


@mistakes.changed(clause="003-4.3-mean-over-tasks", invited_by="n attempts and c successes of a submission")
def group_estimated_as_one_task(reference: Variant) -> None:
    """A group's pass@k is estimated once, from all its attempts and successes.
    The records are counted by group and not by task."""

    def change(score: GroupScore, trials: Trials) -> GroupScore:
        estimate = reference.its(pass_at_k_for_task)
        passed = sum(trial.rewards is not None and 1 in trial.rewards.values() for trial in trials)
        return replace(score, pass_at_k={k: estimate(len(trials), passed, k) for k in score.pass_at_k})

    _around_score(reference, change)


@mistakes.changed(clause="003-4.2-k-at-most-min", invited_by="k = n_attempts, one column for pass@k")
def largest_k_alone(reference: Variant) -> None:
    """A group has pass@k for the largest k alone.
    A leaderboard has one column, for the number of attempts."""
    _around_score(
        reference,
        lambda score, _: replace(score, pass_at_k=dict(list(score.pass_at_k.items())[-1:])),
    )


@mistakes.changed(clause="003-3.3-groups-apart", invited_by="dicts by task, a missing GROUP BY")
def attempts_of_all_groups(reference: Variant) -> None:
    """For pass@k, attempts at a task of the same name in other groups count as well.
    Attempts are kept by task name."""

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


@way("scores", clause="003-3.3-evals-key-verbatim")
def groups_renamed(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the names of groups before trials are grouped."""
    reference.wrap(
        scores,
        lambda compute: lambda records: compute([replace(one, group=change(one.group)) for one in records]),
    )


@groups_renamed.made(invited_by="str.strip, CSV readers, form fields")
def groups_trimmed(name: str) -> str:
    """Groups lose the white space around their names. Cleaning input does no harm, it seems."""
    return name.strip()


@groups_renamed.made(invited_by="slugs, case-insensitive collations")
def groups_in_lower_case(name: str) -> str:
    """Groups are written in lower case. Slugs and databases compare so."""
    return name.lower()


@groups_renamed.made(invited_by="unicodedata.normalize, Swift's strings, macOS")
def groups_normalised(name: str) -> str:
    """Groups whose names are composed of other characters are one.
    Names are normalised before they are stored."""
    return unicodedata.normalize("NFC", name)


@groups_renamed.made(invited_by="harbor's own evals_key.split('__')[-1]")
def groups_by_last_part(name: str) -> str:
    """Groups are called what stands behind the last two underscores. Harbor's own keys are split so."""
    return name.split("__")[-1]


@groups_renamed.made(invited_by="basename, 'organisation/model'")
def groups_by_base_name(name: str) -> str:
    """Groups are called what stands behind the last slash. Model names look like paths."""
    return name.rsplit("/", 1)[-1]


@groups_renamed.made(invited_by="name or 'adhoc', harbor's own default for a dataset")
def nameless_group_adhoc(name: str) -> str:
    """The group with an empty name is called adhoc. Harbor calls a missing dataset so."""
    return name or "adhoc"


@in_scores.wrapped(invited_by="if group:, NULL in GROUP BY")
def nameless_group_dropped(compute: Callable[..., Any], records: Any) -> Any:
    """The group with an empty name is left out. An empty name is falsy."""
    return compute([record for record in records if record.group])


@in_scores.wrapped(invited_by="itertools.groupby, uniq, streams that close a group")
def only_neighbours_scored(compute: Callable[..., Any], records: Any) -> Any:
    """Trials of one group are scored together only where they stand together, the last run counting.
    groupby wants its input sorted."""
    runs = {group: list(run) for group, run in groupby(records, key=lambda record: record.group)}
    return compute([record for run in runs.values() for record in run])


@in_scores.wrapped(clause="003-3.3-n-trials", invited_by="inner joins, HAVING COUNT(reward) > 0")
def unscored_groups_dropped(compute: Callable[..., Any], records: Any) -> Any:
    """A group whose trials all lack rewards is left out. There is nothing to rank."""
    return {group: score for group, score in compute(records).items() if score.n_scored}


@in_scores.wrapped(clause="003-4.2-never-pass-at-1", invited_by="HAVING COUNT(*) > 1, minimum sample sizes")
def single_trial_groups_dropped(compute: Callable[..., Any], records: Any) -> Any:
    """A group of one trial is left out. One trial is too few to rank."""
    return {group: score for group, score in compute(records).items() if score.n > 1}


@in_scores.wrapped(clause="003-3.3-metric-failure", invited_by="try/except for each group, partial results")
def overflowing_group_dropped(compute: Callable[..., Any], records: Any) -> Any:
    """A group whose mean overflows is left out, and the others are given.
    One bad submission must not take down the page."""
    every = list(records)
    found: dict[str, GroupScore] = {}
    for group in dict.fromkeys(record.group for record in every):
        try:
            found |= compute([record for record in every if record.group == group])
        except OverflowError:
            continue
    return found


@in_scores.wrapped(clause="003-3.2-mean-overflow", invited_by="JavaScript numbers, float(reward) with inf")
def overflowing_rewards_infinite(compute: Callable[..., Any], records: Any) -> Any:
    """A reward that is an int beyond the double range is infinite. Every number is a double there."""
    return compute(
        [
            replace(
                record,
                rewards=record.rewards
                and {
                    key: value if math.isfinite(as_double(value)) else as_double(value)
                    for key, value in record.rewards.items()
                },
            )
            for record in records
        ]
    )


@in_scores.wrapped(clause="003-3.3-empty-job", invited_by="an overall row, defaults for an empty table")
def nothing_is_a_group(reference: Variant, compute: Callable[..., Any], records: Any) -> Any:
    """Without trials there is one group, without a name, whose values are all 0.
    A page without rows shows a row of zeros."""
    every = list(records)
    return compute(every) if every else {"": reference.its(GroupScore)(0, 0, 0, {"mean": 0.0}, {})}
