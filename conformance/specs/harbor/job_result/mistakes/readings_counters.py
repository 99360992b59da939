"""What readers of the document alone understood of a job's counters and of its lists of trial names."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.wholes import (
    Trials,
    answered_by,
    by_key,
    parts_over,
    rewards_of,
    verified_as,
    with_groups,
    with_stats,
)
from reference_impl import json_text

Stats = dict[str, Any]
CANCELLED = "CancelledError"


@way("job_result", clause="003-3.3-n-errors")
def counters(reference: Variant, change: Callable[[Any, Trials, Stats], Stats]) -> None:
    """Changes counters: ``change`` is given the job, its trials and the statistics."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        return with_stats(original(job, trials), lambda stats: {**stats, **change(job, trials, stats)})

    answered_by(reference, answer)


@way("job_result", clause="003-3.3-n-errors")
def group_counters(reference: Variant, change: Callable[[Trials, Stats], Stats]) -> None:
    """Changes members of groups: ``change`` is given a group's trials and its members."""

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        groups = by_key(reference, trials)
        return with_groups(original(job, trials), lambda key, group: {**group, **change(groups[key], group)})

    answered_by(reference, answer)


def _cancelled(trials: Trials) -> Trials:
    return [trial for trial in trials if trial.exception == CANCELLED]


@counters.made(clause="003-3.3-cancelled-names", invited_by="a set in each group")
def cancelled_names_by_group(reference: Variant, _: Any, trials: Trials, stats: Stats) -> Stats:
    """The names of cancelled trials are told apart in each group: one name in two groups counts twice.
    Each group has a set of its own."""
    groups = by_key(reference, _cancelled(trials)).values()
    return {"n_cancelled_trials": sum(len({t.trial_name for t in each}) for each in groups)}


@counters.made(clause="003-3.3-cancelled-names", invited_by="a set of tasks")
def cancelled_tasks_counted(_: Any, trials: Trials, stats: Stats) -> Stats:
    """n_cancelled_trials counts the tasks of cancelled trials. The set is one of tasks."""
    return {"n_cancelled_trials": len({trial.task_name for trial in _cancelled(trials)})}


@counters.made(clause="003-3.3-cancelled-names", invited_by="a dict of the last trial of a name")
def cancelled_unless_ended_later(_: Any, trials: Trials, stats: Stats) -> Stats:
    """A cancelled trial does not count as cancelled where a later one of its name ended otherwise.
    The later trial is taken for the same one, tried again."""
    last = {trial.trial_name: trial for trial in trials}
    return {"n_cancelled_trials": len(_cancelled(list(last.values())))}


@counters.made(invited_by="a set of names, as for cancelled trials")
def errored_names_counted(_: Any, trials: Trials, stats: Stats) -> Stats:
    """n_errored_trials counts the different names of errored trials. Cancelled ones are counted so."""
    return {"n_errored_trials": len({t.trial_name for t in trials if t.exception is not None})}


@counters.made(clause="003-3.3-n-cancelled", invited_by="endswith, qualified names of exceptions")
def cancelled_by_ending(_: Any, trials: Trials, stats: Stats) -> Stats:
    """An exception whose type ends in CancelledError counts as cancelled.
    Types may come with their modules in front."""
    return {
        "n_cancelled_trials": len({t.trial_name for t in trials if (t.exception or "").endswith(CANCELLED)})
    }


@group_counters.made(clause="003-3.3-n-cancelled", invited_by="cancelled apart from errors")
def cancelled_no_error_of_group(trials: Trials, group: Stats) -> Stats:
    """A cancelled trial counts in n_errored_trials and not in its group's n_errors.
    The job's counter is bumped besides."""
    return {"n_errors": group["n_errors"] - len(_cancelled(trials))}


@group_counters.made(clause="003-3.3-exception-stats", invited_by="cancelled apart from errors")
def cancelled_not_in_exception_stats(trials: Trials, group: Stats) -> Stats:
    """Cancelled trials are not listed in exception_stats. There is a counter for them."""
    stats = group["exception_stats"]
    return {"exception_stats": type(stats)([one for one in stats.members if one[0] != CANCELLED])}


@counters.made(clause="003-3.3-n-completed", invited_by="results kept by trial name")
def completed_names_counted(_: Any, trials: Trials, stats: Stats) -> Stats:
    """n_completed_trials counts different names of trials. Results are kept by name."""
    return {"n_completed_trials": len({trial.trial_name for trial in trials})}


@counters.made(clause="003-3.3-n-completed", invited_by="the words")
def cancelled_not_completed(_: Any, trials: Trials, stats: Stats) -> Stats:
    """Cancelled trials are not counted as completed. What was cancelled was not completed."""
    return {"n_completed_trials": len(trials) - len(_cancelled(trials))}


@counters.made(clause="003-3.3-pending", invited_by="a resumed job that tries them again")
def cancelled_are_pending(_: Any, trials: Trials, stats: Stats) -> Stats:
    """Cancelled trials count as pending besides. They are still to be run."""
    return {"n_pending_trials": stats["n_pending_trials"] + len(_cancelled(trials))}


@counters.made(clause="003-3.3-pending", invited_by="attempts and retries taken for one")
def retries_lower_pending(job: Any, trials: Trials, stats: Stats) -> Stats:
    """Retries are subtracted from the pending trials. Each of them was a trial that ended."""
    return {"n_pending_trials": max(stats["n_pending_trials"] - job.n_retries, 0)}


@counters.made(clause="003-3.3-retries", invited_by="max_retries is 0 by default")
def retries_of_errored_at_most(job: Any, trials: Trials, stats: Stats) -> Stats:
    """n_retries is never printed above the number of errored trials. Only they are tried again."""
    return {"n_retries": min(job.n_retries, stats["n_errored_trials"])}


@way("job_result", clause="003-3.3-pending")
def of_job(reference: Variant, change: Callable[[Any, Trials], Any]) -> None:
    """Changes what is said of the job."""
    answered_by(reference, lambda original, job, trials: original(change(job, trials), trials))


@of_job.made(invited_by="counters that must agree")
def total_covers_ended_trials(job: Any, trials: Trials) -> Any:
    """n_total_trials is never printed below the number of trials that ended. The counters must agree."""
    return replace(job, n_total_trials=max(job.n_total_trials, len(trials)))


@group_counters.made(clause="003-3.3-n-trials", invited_by="counting names in reward_stats")
def n_trials_by_name(trials: Trials, group: Stats) -> Stats:
    """n_trials counts the different names of verified trials. Names are taken for unique."""
    return {"n_trials": len({t.trial_name for t in trials if rewards_of(t) is not None})}


@group_counters.made(invited_by="counting names in exception_stats")
def n_errors_by_name(trials: Trials, group: Stats) -> Stats:
    """n_errors counts the different names of errored trials of the group. Names are taken for unique."""
    return {"n_errors": len({t.trial_name for t in trials if t.exception is not None})}


@way("job_result", clause="003-3.3-reward-stats")
def listed_over(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Has reward_stats, and nothing else, be that of other trials."""
    parts_over(reference, change, ("reward_stats",))


@way("job_result", clause="003-3.3-exception-stats")
def exceptions_over(reference: Variant, change: Callable[[Trials], Trials]) -> None:
    """Has exception_stats, and nothing else, be that of other trials."""
    parts_over(reference, change, ("exception_stats",))


def _respelled(reference: Variant, scope: Callable[[str, str], Any]) -> None:
    """Spells rewards as they came first in their ``scope``, given the group's key and the reward's."""
    spelled: dict[Any, str] = {}

    def answer(original: Callable[..., Any], job: Any, trials: Trials) -> Any:
        spelled.clear()
        spell = reference.its(json_text.number_key)
        for group, each in by_key(reference, trials).items():
            for trial in each:
                for key, value in (rewards_of(trial) or {}).items():
                    if value == value:
                        spelled.setdefault((scope(group, key), value), spell(value))

        def changed(group: str, content: Stats) -> Stats:
            stats = content["reward_stats"]
            return {
                **content,
                "reward_stats": type(stats)([(k, renamed(group, k, v)) for k, v in stats.members]),
            }

        def renamed(group: str, key: str, by_reward: Any) -> Any:
            return type(by_reward)(
                [
                    (spelled.get((scope(group, key), _number(text)), text), names)
                    for text, names in by_reward.members
                ]
            )

        return with_groups(original(job, trials), changed)

    answered_by(reference, answer)


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


respelled = way("job_result", clause="003-3.3-reward-stats")(
    lambda reference, scope: _respelled(reference, scope)
)


@respelled.made(invited_by="one map of values for the job")
def spelled_as_first_in_job(group: str, key: str) -> Any:
    """Equal rewards of a key are spelled as they came first in the job's groups, not in their own group.
    The map of values is one for the job."""
    return key


@respelled.made(invited_by="one map of values for the group")
def spelled_as_first_in_group(group: str, key: str) -> Any:
    """Equal rewards of different keys are spelled as they came first in the group, whatever the key.
    The map of values is one for the group."""
    return group


@listed_over.made(invited_by="`elif rewards is not None`")
def errored_not_listed(trials: Trials) -> Trials:
    """A verified trial with an exception is not listed in reward_stats. It is listed in exception_stats."""
    return [t if t.exception is None else replace(t, verifier_result=None) for t in trials]


@listed_over.made(invited_by="names of tasks")
def tasks_listed(trials: Trials) -> Trials:
    """reward_stats lists the names of tasks. The task is what has been solved or not."""
    return [replace(trial, trial_name=trial.task_name) for trial in trials]


@exceptions_over.made(invited_by="names of tasks")
def tasks_listed_under_exceptions(trials: Trials) -> Trials:
    """exception_stats lists the names of tasks. The task is what went wrong."""
    return [replace(trial, trial_name=trial.task_name) for trial in trials]


def _names_once(name: str) -> Callable[[Trials, Stats], Stats]:
    def change(_: Trials, group: Stats) -> Stats:
        def once(tree: Any) -> Any:
            if isinstance(tree, list):
                return list(dict.fromkeys(tree))
            return type(tree)([(key, once(value)) for key, value in tree.members])

        return {name: once(group[name])}

    return change


@group_counters.made(clause="003-3.3-reward-stats", invited_by="a set of names")
def names_once_under_reward(trials: Trials, group: Stats) -> Stats:
    """A name stands once under a reward, and as often as it comes under an exception.
    A trial has one reward for a key."""
    return _names_once("reward_stats")(trials, group)


@group_counters.made(clause="003-3.3-exception-stats", invited_by="a set of names")
def names_once_under_exception(trials: Trials, group: Stats) -> Stats:
    """A name stands once under an exception type, and as often as it comes under a reward.
    A trial has one exception."""
    return _names_once("exception_stats")(trials, group)


@exceptions_over.made(invited_by="type names without their modules")
def exception_types_without_module(trials: Trials) -> Trials:
    """Of a dotted exception type only the last part is written. The module is no part of the name."""
    return [
        t if t.exception is None else replace(t, exception=t.exception.rpartition(".")[2]) for t in trials
    ]


@exceptions_over.made(invited_by="each trial in one list")
def verified_not_under_exceptions(trials: Trials) -> Trials:
    """exception_stats lists only trials without rewards. A trial with rewards is listed under them."""
    return [t if rewards_of(t) is None else replace(t, exception=None) for t in trials]


@listed_over.made(invited_by="the 0 that stands for None in the metrics")
def unverified_listed_under_zero(reference: Variant, trials: Trials) -> Trials:
    """A trial without rewards is listed under 0 of each key that its group has.
    It counts 0 in the metrics, too."""
    return _filled(reference, trials, lambda rewards: rewards is None)


@listed_over.made(invited_by="the 0 that stands for a missing key in the metrics")
def missing_keys_listed_under_zero(reference: Variant, trials: Trials) -> Trials:
    """A verified trial that lacks a key of its group is listed under 0 there.
    It counts 0 in the metrics, too."""
    return _filled(reference, trials, lambda rewards: rewards is not None)


def _filled(reference: Variant, trials: Trials, chosen: Callable[[Any], bool]) -> Trials:
    """The trials, those that are chosen with a 0 for each key of their group that they lack."""
    keys = {
        id(trial): dict.fromkeys(key for one in group for key in rewards_of(one) or {})
        for group in by_key(reference, trials).values()
        for trial in group
    }
    return [
        replace(
            t,
            verifier_result=verified_as(
                reference,
                {**(rewards_of(t) or {}), **{k: 0 for k in keys[id(t)] if k not in (rewards_of(t) or {})}},
            ),
        )
        if chosen(rewards_of(t)) and keys[id(t)]
        else t
        for t in trials
    ]


@listed_over.made(clause="003-3.3-reward-stats", invited_by="the one key of pass@k")
def several_keys_not_listed(trials: Trials) -> Trials:
    """Trials with more than one reward key are not listed in reward_stats. Statistics are of the reward."""
    return [t if len(rewards_of(t) or {}) <= 1 else replace(t, verifier_result=None) for t in trials]


@group_counters.made(clause="003-3.3-reward-stats", invited_by="an entry for a key that brings no value")
def reward_stats_without_sole_zero(trials: Trials, group: Stats) -> Stats:
    """A reward key whose rewards are all 0 is left out of reward_stats. Zeros are taken for nothing."""
    stats = group["reward_stats"]
    kept = [one for one in stats.members if any(float(text) != 0 for text, _ in one[1].members)]
    return {"reward_stats": type(stats)(kept)}
