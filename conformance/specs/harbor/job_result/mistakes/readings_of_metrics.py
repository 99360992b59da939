"""What readers of the document alone understood of a job's metrics: over which trials, keys and groups.

The rules of section 3 are told of one list of rewards. Each of these mistakes aggregates a list rightly, and
makes the list, or what becomes of it, otherwise where it is a group's among others in a job.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.other_numbers import Number, Rewards, naive_sum
from conformance.mistakes.variant import Variant
from reference_impl import aggregation, json_text
from reference_impl.job_result import JobStatistics, _Group

__all__: list[str] = []

Trials = list[Any]
Aggregate = Callable[[str, Sequence[Rewards | None]], Rewards]
CANCELLED = "CancelledError"


@dataclass(frozen=True, slots=True)
class Known:
    """A graded trial that still knows the trial it was made of."""

    task: str
    rewards: Rewards | None
    trial: Any


@dataclass(frozen=True, slots=True)
class Whole:
    """A job whose trials are all in."""

    aggregate: Aggregate
    """The reference's own."""
    configured: Mapping[str, Sequence[str]]
    """The job's metrics by dataset."""
    planned: int
    """n_total_trials."""
    groups: dict[str, Trials]
    """The trials of each group, in order."""

    def names(self, key: str) -> list[str]:
        """The metrics of a group, as the reference finds them."""
        return list(self.configured.get(key.split("__")[-1], []))

    def every(self) -> Trials:
        """The trials of all groups."""
        return [trial for trials in self.groups.values() for trial in trials]

    def over(self, key: str, trials: Trials) -> list[Rewards]:
        """A group's metrics, taken over these trials; of none there are none."""
        return [self.aggregate(m, [t.rewards for t in trials]) for m in self.names(key)] if trials else []


@way("job_result", clause="003-3.3-metrics-list")
def of_group(reference: Variant, metrics: Callable[[Whole, str], list[Rewards]]) -> None:
    """Has ``metrics`` compute each group's list, given the whole job and the group's key."""

    def around_add(add: Callable[..., None]) -> Callable[..., None]:
        def adding(self: Any, trial: Any) -> None:
            add(self, trial)
            graded = self.graded.pop()
            self.graded.append(Known(graded.task, graded.rewards, trial))

        return adding

    def around(result: Callable[..., Any]) -> Callable[..., Any]:
        def with_metrics(self: Any, job: Any) -> Any:
            whole = result(self, replace(job, metrics={}))
            groups = {key: list(group.graded) for key, group in self._groups.items()}
            known = Whole(aggregate, job.metrics, job.n_total_trials, groups)
            lists = [[json_object(list(m.items())) for m in metrics(known, key)] for key in groups]
            stats = dict(whole.tree.members)["stats"]
            evals = dict(stats.members)["evals"]
            for (_, entry), written in zip(evals.members, lists, strict=True):
                entry.members[:] = [(n, written if n == "metrics" else v) for n, v in entry.members]
            return whole

        return with_metrics

    aggregate = reference.its(aggregation.aggregate)
    json_object = reference.its(json_text.JsonObject)
    reference.wrap(_Group.add, around_add)
    reference.wrap(JobStatistics.result, around)


@way("job_result", clause="003-3.2-none-is-zero")
def over_trials(reference: Variant, choose: Callable[[Trials], Trials]) -> None:
    """Chooses a group's trials, and their order, for its metrics alone."""
    of_group(reference, lambda whole, key: whole.over(key, choose(whole.groups[key])))


@way("job_result", clause="003-3.2-none-is-zero")
def with_rewards(reference: Variant, change: Callable[[Any], Rewards | None]) -> None:
    """Changes the rewards that a trial brings to its group's metrics alone."""
    over_trials(reference, lambda trials: [replace(trial, rewards=change(trial)) for trial in trials])


@way("job_result", clause="003-3.3-metrics-list")
def rewritten(reference: Variant, change: Callable[[Rewards], Rewards]) -> None:
    """Changes what each metric of a group gives."""
    of_group(reference, lambda whole, key: [change(m) for m in whole.over(key, whole.groups[key])])


def keys_of(trials: Trials) -> set[str]:
    """The reward keys of trials."""
    return {key for trial in trials for key in trial.rewards or {}}


def filled(trials: Trials, keys: set[str]) -> Trials:
    """The trials with 0 for each of ``keys`` that one lacks."""
    return [replace(t, rewards={**dict.fromkeys(keys, 0), **(t.rewards or {})}) for t in trials]


# Which metrics.


@of_group.made(clause="003-3.3-lookup-finds-nothing", invited_by="metrics.get(name) or [Mean()]")
def mean_for_an_empty_list(whole: Whole, key: str) -> list[Rewards]:
    """A group whose dataset has an empty list of metrics gets a mean, one whose dataset has none does not.
    An empty list is a dataset without any configured metric."""
    empty = not whole.names(key) and key.split("__")[-1] in whole.configured
    known = replace(whole, configured={key.split("__")[-1]: ["mean"]}) if empty else whole
    return known.over(key, whole.groups[key])


@of_group.made(clause="003-3.3-lookup-finds-nothing", invited_by="metrics.get(name, metrics['adhoc'])")
def adhoc_metrics_where_nothing_is_found(whole: Whole, key: str) -> list[Rewards]:
    """A group whose look-up finds no metrics gets those of ad-hoc tasks.
    What belongs to no dataset is ad hoc."""
    name = key.split("__")[-1]
    found = whole.configured.get(name, whole.configured.get("adhoc", []))
    return replace(whole, configured={name: found}).over(key, whole.groups[key])


@of_group.made(clause="003-3.1-job-metrics", invited_by="adding the job's metrics where they are computed")
def adhoc_metrics_for_every_group(whole: Whole, key: str) -> list[Rewards]:
    """The metrics of ad-hoc tasks are computed for every group, behind its own.
    The job's metrics go to every dataset."""
    name = key.split("__")[-1]
    more = [] if name == "adhoc" else whole.configured.get("adhoc", [])
    return replace(whole, configured={name: [*whole.names(key), *more]}).over(key, whole.groups[key])


@of_group.made(clause="003-3.1-keyed-by-dataset", invited_by="a job of one dataset")
def metrics_of_the_first_group(whole: Whole, key: str) -> list[Rewards]:
    """Every group has the metrics of the first group's dataset.
    A job has metrics, it seems, not its datasets."""
    names = whole.names(next(iter(whole.groups)))
    return replace(whole, configured={key.split("__")[-1]: names}).over(key, whole.groups[key])


@of_group.made(clause="003-3.1-keyed-by-dataset", invited_by="the first entry of the map")
def metrics_of_any_configured_where_one_dataset(whole: Whole, key: str) -> list[Rewards]:
    """In a job of one group all configured metrics are computed, whatever dataset they are for.
    There is nothing else that they could be for."""
    if len(whole.groups) > 1:
        return whole.over(key, whole.groups[key])
    name = key.split("__")[-1]
    others = [m for n, listed in whole.configured.items() if n not in (name, "adhoc") for m in listed]
    return replace(whole, configured={name: [*whole.names(key), *others]}).over(key, whole.groups[key])


@of_group.made(clause="003-3.2-many-keys-by-key", invited_by="a map from reward key to value for each group")
def one_metric_where_keys_are_many(whole: Whole, key: str) -> list[Rewards]:
    """A group with several reward keys has its first metric alone.
    The metric's name is lost, so a second one could not be told from it."""
    objects = whole.over(key, whole.groups[key])
    return objects[:1] if len(keys_of(whole.groups[key])) > 1 else objects


@of_group.made(clause="003-3.2-no-key-metric-name", invited_by="`if not rewards_list: metrics = []`")
def no_metrics_without_rewards(whole: Whole, key: str) -> list[Rewards]:
    """A group none of whose trials has rewards has an empty list of metrics.
    There is nothing to compute them from."""
    trials = whole.groups[key]
    return whole.over(key, trials) if any(t.rewards is not None for t in trials) else []


@of_group.made(clause="003-3.2-no-key-metric-name", invited_by="`if not any(rewards_list): metrics = []`")
def no_metrics_without_reward_keys(whole: Whole, key: str) -> list[Rewards]:
    """A group without any reward key, be it of empty objects, has an empty list of metrics.
    There is no key to name a value by."""
    return whole.over(key, whole.groups[key]) if keys_of(whole.groups[key]) else []


# Over which trials.


@of_group.made(clause="003-3.2-key-union", invited_by="one set of reward keys for the job")
def shape_by_the_whole_job(whole: Whole, key: str) -> list[Rewards]:
    """A group with one reward key is keyed by it, not by the metric, where other groups have other keys.
    The keys are gathered over all trials of the job."""
    own, everywhere = keys_of(whole.groups[key]), keys_of(whole.every())
    objects = whole.over(key, whole.groups[key])
    if len(own) != 1 or len(everywhere) < 2:
        return objects
    return [dict.fromkeys(own, next(iter(m.values()))) for m in objects]


@of_group.made(clause="003-3.2-key-union", invited_by="one table for the job, with columns for all keys")
def keys_of_the_whole_job(whole: Whole, key: str) -> list[Rewards]:
    """A group's metrics have every reward key of the job, with 0 for those that the group lacks.
    One table holds all trials."""
    keys = keys_of(whole.every())
    trials = whole.groups[key]
    return whole.over(key, filled(trials, keys) if len(keys) > 1 else trials)


@of_group.made(clause="003-3.2-key-union", invited_by="reward keys as a property of the dataset")
def keys_of_the_whole_dataset(whole: Whole, key: str) -> list[Rewards]:
    """A group's metrics have every reward key of its dataset's groups, with 0 for those that it lacks.
    The dataset's verifier gives the keys, whoever the agent is."""
    dataset = key.split("__")[-1]
    same = [t for k, trials in whole.groups.items() if k.split("__")[-1] == dataset for t in trials]
    keys = keys_of(same)
    trials = whole.groups[key]
    return whole.over(key, filled(trials, keys) if len(keys) > 1 else trials)


@of_group.made(clause="003-3.2-key-union", invited_by="a variable outside of the loop over groups")
def keys_pile_up_over_groups(whole: Whole, key: str) -> list[Rewards]:
    """A group's metrics have the reward keys of the groups before it as well, with 0 for those that it lacks.
    The set of keys is not emptied."""
    keys: set[str] = set()
    for name, trials in whole.groups.items():
        keys |= keys_of(trials)
        if name == key:
            break
    trials = whole.groups[key]
    return whole.over(key, filled(trials, keys) if len(keys) > 1 else trials)


@over_trials.made(clause="003-3.2-key-union", invited_by="keys gathered from trials that went well")
def keys_of_errored_trials_left_out(trials: Trials) -> Trials:
    """Reward keys that only errored trials have are left out of a group's metrics.
    Keys are gathered from the trials that went well."""
    keys = keys_of([t for t in trials if t.trial.exception is None])
    return [
        replace(t, rewards=t.rewards and {k: v for k, v in t.rewards.items() if k in keys}) for t in trials
    ]


@with_rewards.made(clause="003-3.3-n-errors", invited_by="an error as a failed trial")
def errored_reward_is_zero_in_metrics(trial: Any) -> Rewards | None:
    """A trial that ended in an error counts as 0 in the metrics, although its reward is listed.
    An error is a failure, whatever was measured."""
    return None if trial.trial.exception is not None else trial.rewards


@with_rewards.made(clause="003-3.3-n-cancelled", invited_by="cancelled as not done")
def cancelled_reward_is_zero_in_metrics(trial: Any) -> Rewards | None:
    """A cancelled trial counts as 0 in the metrics, although its reward is listed. It was not done."""
    return None if trial.trial.exception == CANCELLED else trial.rewards


@over_trials.made(invited_by="filters on status in front of the mean alone")
def errored_trials_not_in_metrics(trials: Trials) -> Trials:
    """Errored trials are left out of the metrics, and count as failures in pass@k.
    The two are computed apart."""
    return [t for t in trials if t.trial.exception is None]


@over_trials.made(invited_by="errors kept in a list of their own")
def errored_trials_without_rewards_not_in_metrics(trials: Trials) -> Trials:
    """Errored trials without rewards are left out of the metrics; unverified ones without error count as 0.
    A trial is in the list of errors or in that of rewards."""
    return [t for t in trials if t.trial.exception is None or t.rewards is not None]


@over_trials.made(clause="003-3.3-verification-off", invited_by="verification that is off measures nothing")
def unverified_clean_trials_not_in_metrics(trials: Trials) -> Trials:
    """Unverified trials that raised nothing are left out of the metrics; errored ones count as 0.
    Nothing was wrong with them, and nothing was measured."""
    return [t for t in trials if t.trial.exception is not None or t.rewards is not None]


@over_trials.made(
    clause="003-2-no-verifier-result", invited_by="`if trial.verifier_result is None: continue`"
)
def trials_without_result_not_in_metrics(trials: Trials) -> Trials:
    """Trials without a verifier result are left out of the metrics; those whose rewards are null count as 0.
    None is what a verifier gives, not what is given where it did not run."""
    return [t for t in trials if t.trial.verifier_result is not None]


@over_trials.made(clause="003-2-none-is-not-zero", invited_by="pandas' dropna in front of the mean alone")
def unrewarded_trials_not_in_metrics(trials: Trials) -> Trials:
    """Trials without rewards are left out of the metrics, and count as failures in pass@k.
    The two are computed apart."""
    return [t for t in trials if t.rewards is not None]


@over_trials.made(clause="003-3.3-n-cancelled", invited_by="skipped tests")
def cancelled_trials_not_in_metrics(trials: Trials) -> Trials:
    """Cancelled trials are left out of the metrics, and count in pass@k. They did not run to their end."""
    return [t for t in trials if t.trial.exception != CANCELLED]


@of_group.made(clause="003-3.2-mean-division", invited_by="sum / n_total_trials")
def mean_over_planned_trials(whole: Whole, key: str) -> list[Rewards]:
    """In a job of one group trials that were planned and did not end count as 0 in its metrics.
    n_total_trials is the number of trials."""
    trials = whole.groups[key]
    missing = max(whole.planned - len(trials), 0) if len(whole.groups) == 1 else 0
    padding = [Known("", None, None) for _ in range(min(missing, 1000))]
    return whole.over(key, [*trials, *padding])


def by_task(trials: Trials) -> dict[str, Trials]:
    """The attempts at each task, tasks in order of appearance."""
    tasks: dict[str, Trials] = {}
    for trial in trials:
        tasks.setdefault(trial.task, []).append(trial)
    return tasks


def mean_of(trials: Trials) -> Any:
    """One trial in place of the attempts at a task, with the mean of each key."""
    if len(trials) == 1:
        return trials[0]
    keys = keys_of(trials)
    return replace(
        trials[0],
        rewards={
            k: naive_sum((t.rewards or {}).get(k, 0) for t in trials) / len(trials) for k in sorted(keys)
        },
    )


def height(trial: Any) -> Number:
    """How good an attempt is: the sum of its rewards."""
    return naive_sum((trial.rewards or {}).values())


@over_trials.made(clause="003-3.2-mean-division", invited_by="pass@k, which is a mean over tasks")
def metrics_over_task_means(trials: Trials) -> Trials:
    """The attempts at a task are averaged first, and metrics are taken over the tasks' means.
    pass@k is a mean over tasks, too."""
    return [mean_of(attempts) for attempts in by_task(trials).values()]


@over_trials.made(clause="003-3.2-trial-order", invited_by="a map from task to reward")
def last_attempt_counts_in_metrics(trials: Trials) -> Trials:
    """Of the attempts at a task only the last counts in a group's metrics.
    Rewards are kept in a map by task."""
    return [attempts[-1] for attempts in by_task(trials).values()]


@over_trials.made(clause="003-3.2-trial-order", invited_by="setdefault in a map from task to reward")
def first_attempt_counts_in_metrics(trials: Trials) -> Trials:
    """Of the attempts at a task only the first counts in a group's metrics.
    Others are for pass@k."""
    return [attempts[0] for attempts in by_task(trials).values()]


@over_trials.made(clause="003-3.2-trial-order", invited_by="best of n, pass@k")
def best_attempt_counts_in_metrics(trials: Trials) -> Trials:
    """Of the attempts at a task only the one with the highest rewards counts in a group's metrics.
    A task is solved if one attempt solves it."""
    return [max(attempts, key=height) for attempts in by_task(trials).values()]


@over_trials.made(clause="003-3.2-trial-order", invited_by="a map from trial name to rewards")
def trials_of_one_name_once_in_metrics(trials: Trials) -> Trials:
    """Of trials of one name only the last counts in a group's metrics. Rewards are kept in a map by name."""
    return list({t.trial.trial_name: t for t in trials}.values())


@over_trials.made(clause="003-3.2-trial-order", invited_by="groupby task, a map from task to attempts")
def metrics_task_by_task(trials: Trials) -> Trials:
    """Rewards are added up task by task, each with all of its attempts. Attempts are kept by task."""
    return [trial for attempts in by_task(trials).values() for trial in attempts]


@over_trials.made(clause="003-3.2-trial-order", invited_by="sorting tasks by name before trials are made")
def metrics_in_order_of_task_names(trials: Trials) -> Trials:
    """Rewards are added up in the order of the tasks' names. Tasks are listed by name."""
    return sorted(trials, key=lambda t: t.task)


@over_trials.made(
    clause="003-3.2-trial-order", invited_by="zeros that are added for what is missing at the end"
)
def zeros_behind_rewards_in_metrics(trials: Trials) -> Trials:
    """In a group's metrics the zeros of trials without rewards stand behind all rewards.
    They are added when the rewards are gathered."""
    return sorted(trials, key=lambda t: t.rewards is None)


@over_trials.made(clause="003-3.2-trial-order", invited_by="errors appended to results")
def errored_trials_last_in_metrics(trials: Trials) -> Trials:
    """In a group's metrics errored trials stand behind all others. They are kept in a list of their own."""
    return sorted(trials, key=lambda t: t.trial.exception is not None)


@over_trials.made(clause="003-3.2-trial-order", invited_by="reward_stats as the list of values")
def metrics_from_reward_stats(trials: Trials) -> Trials:
    """Metrics are computed from reward_stats: equal rewards together, all in the spelling of the first.
    It holds every reward with its trials."""
    keys = dict.fromkeys(k for t in trials for k in t.rewards or {})
    columns: dict[str, list[Number]] = {}
    for key in keys:
        listed: dict[Number, list[Number]] = {}
        for t in trials:
            if key in (t.rewards or {}):
                value = t.rewards[key]
                first = listed.setdefault(value, [])
                first.append(first[0] if first else value)
        column = [v for same in listed.values() for v in same]
        columns[key] = [*column, *[0] * (len(trials) - len(column))]
    return [replace(t, rewards={k: column[i] for k, column in columns.items()}) for i, t in enumerate(trials)]


# Over which groups.


@of_group.made(clause="003-3.3-group-merges", invited_by="metric objects that gather, one for each dataset")
def metrics_gather_over_groups(whole: Whole, key: str) -> list[Rewards]:
    """The second group of a dataset has its metrics over the trials of the first as well.
    The metric of the dataset still holds them."""
    dataset = key.split("__")[-1]
    gathered: Trials = []
    for name, trials in whole.groups.items():
        if name.split("__")[-1] == dataset:
            gathered = [*gathered, *trials]
        if name == key:
            break
    return whole.over(key, gathered)


@of_group.made(clause="003-3.3-group-merges", invited_by="rewards kept by dataset")
def metrics_over_the_whole_dataset(whole: Whole, key: str) -> list[Rewards]:
    """A group's metrics are over all trials of its dataset, whoever the agent is. Metrics are a dataset's."""
    dataset = key.split("__")[-1]
    same = [t for k, trials in whole.groups.items() if k.split("__")[-1] == dataset for t in trials]
    return whole.over(key, same)


@of_group.made(clause="003-3.3-group-merges", invited_by="rewards kept for the job")
def metrics_over_the_whole_job(whole: Whole, key: str) -> list[Rewards]:
    """Every group's metrics are over all trials of the job. A job has one list of rewards."""
    return whole.over(key, whole.every())


@of_group.made(clause="003-3.3-group-merges", invited_by="a leaderboard of agents on datasets")
def metrics_over_all_models(whole: Whole, key: str) -> list[Rewards]:
    """A group's metrics are over all trials of its agent on its dataset, whatever the model.
    The agent is what is measured."""
    mine = whole.groups[key][0].trial
    same = [t for t in whole.every() if (t.trial.agent, t.trial.source) == (mine.agent, mine.source)]
    return whole.over(key, same)


@of_group.made(clause="003-3.3-group-merges", invited_by="a leaderboard of agents")
def metrics_over_all_datasets(whole: Whole, key: str) -> list[Rewards]:
    """A group's metrics are over all trials of its agent and model, whatever the dataset.
    The agent and its model are what is measured."""
    mine = whole.groups[key][0].trial
    same = [t for t in whole.every() if (t.trial.agent, t.trial.model) == (mine.agent, mine.model)]
    return whole.over(key, same)


@over_trials.made(
    clause="003-3.2-mean-division", invited_by="rounds of attempts, each with a mean of its own"
)
def metrics_over_attempt_means(trials: Trials) -> Trials:
    """First attempts at tasks are averaged, then second ones, and metrics are taken over these means.
    A job runs round by round."""
    rounds: dict[int, Trials] = {}
    for attempts in by_task(trials).values():
        for number, trial in enumerate(attempts):
            rounds.setdefault(number, []).append(trial)
    return [mean_of(played) for played in rounds.values()]


@over_trials.made(clause="003-3.2-mean-division", invited_by="the fewest attempts, which limit k of pass@k")
def metrics_over_equal_attempts(trials: Trials) -> Trials:
    """Of each task as many attempts count in the metrics as the task with the fewest has.
    pass@k goes by the fewest, too."""
    fewest = min(map(len, by_task(trials).values()))
    kept = [t for attempts in by_task(trials).values() for t in attempts[:fewest]]
    return [trial for trial in trials if any(trial is one for one in kept)]


@of_group.made(clause="003-3.3-lookup-finds-nothing", invited_by="a default that is meant for ad-hoc runs")
def mean_for_adhoc_without_metrics(whole: Whole, key: str) -> list[Rewards]:
    """The group of ad-hoc tasks has a mean where no metrics are configured for them, other groups have none.
    An ad-hoc run has no dataset that could configure any."""
    name = key.split("__")[-1]
    missing = name == "adhoc" and not whole.names(key)
    return (replace(whole, configured={name: ["mean"]}) if missing else whole).over(key, whole.groups[key])


@of_group.made(clause="003-3.3-metrics-by-last-part", invited_by="names of datasets without regard to case")
def metrics_looked_up_without_case(whole: Whole, key: str) -> list[Rewards]:
    """A group's metrics are looked up without regard to case. Datasets are directories on some systems."""
    name = key.split("__")[-1]
    found = whole.configured.get(name)
    if found is None:
        same = (m for n, m in whole.configured.items() if n.casefold() == name.casefold())
        found = next(same, [])
    return replace(whole, configured={name: found}).over(key, whole.groups[key])


# What becomes of the values.


@of_group.made(clause="003-3.3-metric-failure", invited_by="a job of doubles")
def overflowing_metric_is_infinite(whole: Whole, key: str) -> list[Rewards]:
    """A metric that raises OverflowError in a job is taken over doubles, where it is infinite.
    Doubles do not overflow with an error."""
    try:
        return whole.over(key, whole.groups[key])
    except OverflowError:

        def as_double(value: Number) -> float:
            try:
                return float(value)
            except OverflowError:
                return math.inf if value > 0 else -math.inf

        return whole.over(
            key,
            [
                replace(t, rewards=t.rewards and {k: as_double(v) for k, v in t.rewards.items()})
                for t in whole.groups[key]
            ],
        )


@of_group.made(clause="003-3.3-metric-failure", invited_by="try/except around a group's metrics")
def failing_group_without_metrics(whole: Whole, key: str) -> list[Rewards]:
    """A group one of whose metrics raises OverflowError has no metrics at all, and the job finishes.
    The group is what is guarded."""
    try:
        return whole.over(key, whole.groups[key])
    except OverflowError:
        return []


@rewritten.made(clause="003-3.2-mean-division", invited_by="scores of 0 to 1")
def means_clamped_in_job(metric: Rewards) -> Rewards:
    """A mean in a job is brought into the range from 0 to 1. It becomes the score, which is between these."""
    return {k: min(max(v, 0.0), 1.0) if k == "mean" and v == v else v for k, v in metric.items()}


@rewritten.made(clause="003-3.3-metrics-keep-types", invited_by="tables of percentages")
def metrics_of_six_decimals(metric: Rewards) -> Rewards:
    """Metrics are rounded to six decimals in a job, rewards and pass@k are not. They are for a table."""
    return {k: round(v, 6) if isinstance(v, float) and math.isfinite(v) else v for k, v in metric.items()}


@with_rewards.made(clause="003-6-nan-propagates", invited_by="NaN as the missing value of tables")
def nan_is_zero_in_metrics(trial: Any) -> Rewards | None:
    """A NaN reward counts as 0 in a job's metrics. It is written as null, and null counts as 0."""
    rewards = trial.rewards
    return rewards and {k: 0 if v != v else v for k, v in rewards.items()}


@over_trials.made(clause="003-6-nan-propagates", invited_by="pandas, SQL, numpy.nanmean")
def nan_trials_not_in_metrics(trials: Trials) -> Trials:
    """Trials with a NaN reward are left out of a job's metrics. NaN is what is missing in a table."""
    return [t for t in trials if not any(v != v for v in (t.rewards or {}).values())]


@with_rewards.made(clause="003-3.2-max-min-verbatim", invited_by="a list of floats for each group")
def rewards_are_floats_in_metrics(trial: Any) -> Rewards | None:
    """Rewards are made floats for a job's metrics, and listed as they are. Metrics are floats."""
    try:
        return trial.rewards and {k: float(v) for k, v in trial.rewards.items()}
    except OverflowError:
        return trial.rewards  # type: ignore[no-any-return]


@with_rewards.made(clause="003-2-none-is-not-zero", invited_by="unwrap_or_default, {'reward': 0}")
def unrewarded_is_reward_zero_in_metrics(trial: Any) -> Rewards | None:
    """A trial without rewards brings a key `reward` of 0 to a job's metrics. That is what a failure has."""
    return {"reward": 0} if trial.rewards is None else trial.rewards


@way("job_result", clause="003-6-sum-compensated")
def added_by(reference: Variant, add: Callable[[Sequence[Number]], Number]) -> None:
    """Has sums and means of a job's metrics be added otherwise."""

    def metrics(whole: Whole, key: str) -> list[Rewards]:
        trials = whole.groups[key]
        keys = sorted(keys_of(trials))
        objects = []
        for name, right in zip(whole.names(key), whole.over(key, trials), strict=True):
            if name not in ("mean", "sum"):
                objects.append(right)
                continue
            columns = {
                k: [(t.rewards or {}).get(c, 0) for t in trials]
                for k, c in zip(right, keys or [""], strict=True)
            }
            objects.append({k: add(v) / len(v) if name == "mean" else add(v) for k, v in columns.items()})
        return objects

    of_group(reference, metrics)


@added_by.made(invited_by="section 6, which says left-to-right")
def job_metrics_added_plainly(values: Sequence[Number]) -> Number:
    """A job's sums and means are added plainly from left to right. The document says so."""
    return naive_sum(values)


@added_by.made(clause="003-6-sum-is-rounded", invited_by="math.fsum, statistics.fmean")
def job_metrics_added_exactly(values: Sequence[Number]) -> Number:
    """Sums and means of floats in a job are exact and rounded once. fsum is there for that."""
    if all(isinstance(v, int) for v in values):
        return sum(values)
    try:
        return math.fsum(values)
    except (OverflowError, ValueError):
        return naive_sum(values)


# What counts as rewards, section 2.


@way("job_result", clause="003-2-none-is-not-zero")
def after_adding(reference: Variant, then: Callable[[Any, Any, Rewards | None], None]) -> None:
    """Does something more once a trial is added to its group, given the group, the trial, its rewards."""

    def around(add: Callable[..., None]) -> Callable[..., None]:
        def adding(self: Any, trial: Any) -> None:
            add(self, trial)
            result = trial.verifier_result
            then(self, trial, None if result is None else result.rewards)

        return adding

    reference.wrap(_Group.add, around)


@after_adding.made(invited_by="`if trial.verifier_result` as the test for rewards")
def null_rewards_count_in_n_trials(self: Any, trial: Any, rewards: Rewards | None) -> None:
    """A trial whose verifier result has null rewards counts in n_trials. It was verified."""
    self.n_trials += trial.verifier_result is not None and rewards is None


@after_adding.made(invited_by="`if rewards.get('reward')`, any(rewards.values())")
def zero_rewards_not_in_n_trials(self: Any, trial: Any, rewards: Rewards | None) -> None:
    """A trial all of whose rewards are 0 is left out of n_trials. A test for truth takes 0 for none."""
    self.n_trials -= bool(rewards) and not any((rewards or {}).values())


@after_adding.made(clause="003-3.3-n-errors", invited_by="no result as the sign of an error")
def unrewarded_trials_are_errors_of_the_group(self: Any, trial: Any, rewards: Rewards | None) -> None:
    """A trial without rewards counts in its group's n_errors, whether it raised or not.
    Nothing but an error seems to leave it without."""
    self.n_errors += rewards is None and trial.exception is None


@after_adding.made(clause="003-3.3-reward-stats", invited_by="the zero that stands for None in a metric")
def unrewarded_trials_listed_under_zero(self: Any, trial: Any, rewards: Rewards | None) -> None:
    """A trial without rewards is listed in reward_stats under the key `reward` and the reward 0.
    It counts as 0 in the metrics."""
    if rewards is None:
        self._list("reward", 0, trial.trial_name)
