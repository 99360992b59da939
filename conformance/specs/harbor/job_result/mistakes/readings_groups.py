"""What readers of the document alone understood of a job's groups: metrics, and the trials behind them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.wholes import (
    Trials,
    answered_by,
    by_key,
    groups_from,
    json_object,
    key_of,
    members,
    parts_over,
    rewards_of,
    verified_as,
    with_groups,
    with_stats,
)
from reference_impl import aggregation as aggregation_rules

METRICS = ("metrics",)
ALL = ("n_trials", "n_errors", "metrics", "pass_at_k", "reward_stats", "exception_stats")
Groups = dict[str, Trials]


@way("job_result", clause="003-6-results-in-plan-order")
def measured_over(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Has the metrics, and nothing else, be those of other trials; none where a group has none."""
    parts_over(reference, change, METRICS, [])


@way("job_result", clause="003-3.3-metrics-by-last-part")
def looked_up(reference: Variant, lookup: Callable[[Any, str, Trials], Any]) -> None:
    """Changes which metrics a group has: ``lookup`` is given the job, the group's key and its trials."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        whole = original(replace(job, metrics={}), trials)
        groups = by_key(reference, trials)
        return with_groups(
            whole,
            lambda key, group: {
                **group,
                "metrics": _metrics(reference, lookup(job, key, groups[key]), groups[key]),
            },
        )

    answered_by(reference, answer)


@way("job_result", clause="003-3.3-group-merges")
def measured_by(reference: Variant, measure: Callable[[list[str], str, Groups], Any]) -> None:
    """Has ``measure`` make a group's metrics, given their names, the group's key and all groups."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        whole = original(replace(job, metrics={}), trials)
        groups = by_key(reference, trials)

        def changed(key: str, group: dict[str, Any]) -> dict[str, Any]:
            names = list(job.metrics.get(key.split("__")[-1], []))
            return {**group, "metrics": measure(names, key, groups)}

        return with_groups(whole, changed)

    answered_by(reference, answer)


def _metrics(reference: Variant, names: Any, trials: Trials) -> list[Any]:
    """A group's metrics as they are due."""
    aggregate = reference.its(aggregation_rules.aggregate)
    rewards = [rewards_of(trial) for trial in trials]
    return [json_object(reference, aggregate(name, rewards)) for name in names]


def _keys(trials: Trials) -> list[str]:
    return sorted({key for trial in trials for key in rewards_of(trial) or {}})


def _triple(trial: Any) -> tuple[str, str | None, str]:
    return (trial.agent, trial.model or None, trial.source or "adhoc")


@way("job_result", clause="003-3.3-group-merges")
def all_of_group_over(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Has the whole of each group be that of other trials, and the job's own counters stay."""
    parts_over(reference, change, ALL)


@all_of_group_over.made(invited_by="a dict from triples, written under their keys")
def colliding_groups_overwrite(reference: Variant, trials: Trials) -> Trials:
    """Where triples of agent, model and dataset give one key, the group shows the last of them alone.
    The triple is the group, and its key is only how it is written."""
    last: dict[str, Any] = {}
    for trial in trials:
        seen = last.setdefault(key_of(reference, trial), [])
        if _triple(trial) not in seen:
            seen.append(_triple(trial))
    return [trial for trial in trials if last[key_of(reference, trial)][-1] == _triple(trial)]


@measured_by.made(invited_by="metrics.append in a loop over triples")
def colliding_groups_append_metrics(reference: Variant, names: list[str], key: str, groups: Groups) -> Any:
    """Where triples of agent, model and dataset give one key, each brings metrics of its own to the list.
    The list is appended to for each triple."""
    triples: dict[Any, Trials] = {}
    for trial in groups[key]:
        triples.setdefault(_triple(trial), []).append(trial)
    return [one for trials in triples.values() for one in _metrics(reference, names, trials)]


@way("job_result", clause="003-3.3-first-seen-order")
def groups_ordered(reference: Variant, order: Callable[[list[Any]], list[Any]]) -> None:
    """Changes the order of the groups."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        return with_stats(
            original(job, trials),
            lambda stats: {**stats, "evals": type(stats["evals"])(order(stats["evals"].members))},
        )

    answered_by(reference, answer)


@groups_ordered.made(invited_by="move_to_end, re-inserting an entry whenever it changes")
def groups_by_size(groups: list[Any]) -> list[Any]:
    """Groups stand with the one with most verified trials first. The largest group is the one looked for."""
    return sorted(groups, key=lambda group: -members(group[1])["n_trials"])


@looked_up.made(invited_by="a variable that outlives the loop over trials")
def metrics_of_last_source(job: Any, key: str, trials: Trials) -> Any:
    """A group's metrics are those of its last trial's dataset. The variable keeps its last value."""
    return job.metrics.get(trials[-1].source or "adhoc", [])


@looked_up.made(invited_by="agent, model, dataset = key.split('__')")
def metrics_of_third_part(job: Any, key: str, trials: Trials) -> Any:
    """A group's metrics are those of the third part of its key, or of the second where there are two.
    The key has two or three parts."""
    parts = key.split("__")
    return job.metrics.get(parts[2] if len(parts) > 2 else parts[-1], [])


@looked_up.made(clause="003-3.3-lookup-finds-nothing", invited_by="metrics.get(name, [Mean()])")
def mean_where_lookup_fails(job: Any, key: str, trials: Trials) -> Any:
    """A group whose dataset is not found gets the default mean, and a dataset with no metrics none.
    Mean is the default."""
    return job.metrics.get(key.split("__")[-1], ["mean"])


@looked_up.made(clause="003-3.3-lookup-finds-nothing", invited_by="metrics.get(dataset) or metrics.get(key)")
def own_source_where_lookup_fails(job: Any, key: str, trials: Trials) -> Any:
    """A group whose dataset is not found in the key gets the metrics of its first trial's dataset.
    The key is tried first, and the dataset is known besides."""
    return job.metrics.get(key.split("__")[-1], job.metrics.get(trials[0].source or "adhoc", []))


@measured_by.made(clause="003-3.3-metrics-list", invited_by="one shape decided once")
def shape_of_first_group(reference: Variant, names: list[str], key: str, groups: Groups) -> Any:
    """The first group decides whether a job's metrics are keyed by metric or by reward key.
    The shape is worked out once."""
    by_reward = len(_keys(next(iter(groups.values())))) > 1
    keys = _keys(groups[key])
    rewards = [rewards_of(trial) or {} for trial in groups[key]]
    combine = reference.its(aggregation_rules).METRICS
    if by_reward and keys:
        return [
            json_object(reference, {k: combine[name]([r.get(k, 0) for r in rewards]) for k in keys})
            for name in names
        ]
    return [
        json_object(reference, {name: combine[name]([next(iter(r.values()), 0) for r in rewards])})
        for name in names
    ]


@measured_by.made(clause="003-3.3-metrics-list", invited_by="the first row's columns")
def keys_of_first_verified_trial(reference: Variant, names: list[str], key: str, groups: Groups) -> Any:
    """A group's metrics have the keys of its first trial with rewards, whatever the others have.
    Trials of a group are thought to have the same keys."""
    rewards = [rewards_of(trial) or {} for trial in groups[key]]
    first: dict[str, Any] = next((r for t in groups[key] if (r := rewards_of(t)) is not None), {})
    combine = reference.its(aggregation_rules).METRICS
    if len(first) > 1:
        return [
            json_object(reference, {k: combine[name]([r.get(k, 0) for r in rewards]) for k in sorted(first)})
            for name in names
        ]
    return [
        json_object(reference, {name: combine[name]([next(iter(r.values()), 0) for r in rewards])})
        for name in names
    ]


@measured_by.made(clause="003-3.3-metrics-list", invited_by="len(rewards) <= 1, trial by trial")
def shape_by_widest_trial(reference: Variant, names: list[str], key: str, groups: Groups) -> Any:
    """A group's metrics are keyed by metric where no trial has two keys, though trials differ in theirs.
    The rule for one key is applied trial by trial."""
    rewards = [rewards_of(trial) or {} for trial in groups[key]]
    if any(len(r) > 1 for r in rewards):
        return _metrics(reference, names, groups[key])
    combine = reference.its(aggregation_rules).METRICS
    return [
        json_object(reference, {name: combine[name]([next(iter(r.values()), 0) for r in rewards])})
        for name in names
    ]


@measured_over.made(clause="003-6-resumed-first", invited_by="newest first, prepending what is done")
def measured_from_the_last(trials: Trials) -> Trials:
    """Rewards are aggregated from the last trial to the first. Results are put in front as they come."""
    return trials[::-1]


@way("job_result", clause="003-3.3-pending")
def with_pending(reference: Variant, change: Callable[[Any, Trials, int], Trials]) -> None:
    """Changes the trials that are measured, given the job and the number of pending ones."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        pending = min(max(job.n_total_trials - len(trials), 0), 1000)
        return groups_from(original(job, trials), original(job, change(job, trials, pending)), METRICS, [])

    answered_by(reference, answer)


@with_pending.made(invited_by="n_total_trials as the denominator")
def pending_measured_as_zero(_: Any, trials: Trials, pending: int) -> Trials:
    """Trials that were planned and have not ended count 0 in the metrics of the last trial's group.
    Every planned trial counts."""
    return [*trials, *[replace(trials[-1], verifier_result=None)] * pending] if trials else trials


@measured_by.made(clause="003-3.3-metrics-list", invited_by="mean over tasks, as for pass@k")
def mean_of_task_means(reference: Variant, names: list[str], key: str, groups: Groups) -> Any:
    """The metric mean of a job is the mean of its tasks' means. pass@k is a mean over tasks as well."""
    tasks: dict[str, Trials] = {}
    for trial in groups[key]:
        tasks.setdefault(trial.task_name, []).append(trial)
    keys = _keys(groups[key])
    mean = reference.its(aggregation_rules.mean)
    averaged = [
        replace(
            trials[0],
            verifier_result=verified_as(
                reference, {k: mean([(rewards_of(t) or {}).get(k, 0) for t in trials]) for k in keys}
            ),
        )
        for trials in tasks.values()
    ]
    return [
        one
        for name in names
        for one in _metrics(reference, [name], averaged if name == "mean" else groups[key])
    ]


@measured_by.made(clause="003-3.3-metric-failure", invited_by="try around the loop over metrics")
def metrics_end_at_failing(reference: Variant, names: list[str], key: str, groups: Groups) -> Any:
    """A metric that raises ends its group's list, and the job goes on.
    What was computed before it is kept."""
    made: list[Any] = []
    try:
        for name in names:
            made += _metrics(reference, [name], groups[key])
    except OverflowError:
        pass
    return made


@measured_by.made(clause="003-3.3-metrics-by-last-part", invited_by="a variable that outlives the loop")
def first_groups_metrics_for_all(reference: Variant, names: list[str], key: str, groups: Groups) -> Any:
    """Every group shows the values of the first group of its dataset. Metrics are kept by dataset."""
    dataset = key.split("__")[-1]
    first = next(k for k in groups if k.split("__")[-1] == dataset)
    return _metrics(reference, names, groups[first])
