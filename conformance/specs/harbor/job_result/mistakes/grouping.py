"""Mistakes in the trials that a group is computed from, and in the list of its rewards."""

import dataclasses
import math
from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl.job_result import JobStatistics, _Group, job_result


@family("job_result", of=job_result, clause="003-6-results-in-plan-order").wrapped(
    invited_by="sorted(path.iterdir()), glob in shell, os.listdir on some systems"
)
def trials_in_name_order(result: Callable[..., Any], job: Any, trials: Any) -> Any:
    """Trials are taken in the order of their names. They are read from a directory listing."""
    return result(job, sorted(trials, key=lambda trial: trial.trial_name))


@way("job_result", clause="003-3.2-none-is-zero")
def part_over(reference: Variant, counts: Callable[[Any], bool], part: str) -> None:
    """Computes the groups' member ``part``, and no other, from the trials that count."""

    def around(original: Callable[..., Any]) -> Callable[..., Any]:
        def answer(job: Any, trials: Any) -> Any:
            trials = list(trials)
            whole, other = original(job, trials), original(job, list(filter(counts, trials)))
            parts = {key: dict(group.members)[part] for key, group in _groups(other)}
            missing = [] if part == "metrics" else type(whole.tree)([])
            for key, group in _groups(whole):
                members = [(n, parts.get(key, missing) if n == part else it) for n, it in group.members]
                group.members[:] = members
            return whole

        return answer

    reference.wrap(job_result, around)


def _groups(whole: Any) -> Any:
    return dict(dict(whole.tree.members)["stats"].members)["evals"].members


@part_over.made("metrics", invited_by="filters on status in front of the mean alone")
def errored_trials_not_in_metrics(trial: Any) -> bool:
    """Errored trials are left out of the metrics, and count as failures in pass@k.
    The two are computed in different places."""
    return trial.exception is None


@part_over.made(
    "metrics", clause="003-2-no-verifier-result", invited_by="`if trial.verifier_result is None: continue`"
)
def trials_without_result_not_in_metrics(trial: Any) -> bool:
    """Trials without a verifier result are left out of the metrics; those whose rewards are null count as
    0.
    A verifier may give None, but without a verifier run there is no value."""
    return trial.verifier_result is not None


@part_over.made("pass_at_k", clause="003-4.1-none-is-failure", invited_by="filters on the trial's state")
def errored_is_no_attempt(trial: Any) -> bool:
    """A trial with an exception is no attempt in pass@k. The trial did not go as planned."""
    return trial.exception is None


in_list = family("job_result", of=_Group._list)
mistakes = family("job_result")


@way("job_result", clause="003-3.3-reward-stats")
def filed_under(reference: Variant, place: Callable[[Any], Any]) -> None:
    """Makes rewards share an entry if ``place`` returns the same for them."""

    def listed(self: Any, key: str, reward: Any, trial_name: str) -> None:
        rules = reference.module_of(job_result)
        by_reward = self.reward_stats.setdefault(key, {})
        here = place(reward)
        if here not in by_reward:
            by_reward[here] = rules._Listed(rules.number_key(reward))
        by_reward[here].trial_names.append(rules.printable(trial_name))

    reference.replace(_Group._list, listed)


@filed_under.made(
    clause="003-3.3-reward-stats-nan",
    invited_by="Java's Double, JavaScript's Map, Rust's OrderedFloat, str(reward) as a key",
)
def nan_rewards_merged(reward: Any) -> Any:
    """All NaN rewards of a key share an entry. A map that accepts NaN as a key has it once."""
    return "nan" if reward != reward else reward


@filed_under.made(invited_by="str(reward) as a key, JSON objects and Go maps from text")
def rewards_filed_by_spelling(reference: Variant, reward: Any) -> Any:
    """Rewards share an entry if they are spelled alike: 1 and 1.0 have two, NaN has one.
    An object's keys are texts."""
    return reference.module_of(job_result).number_key(reward)


@in_list.wrapped(
    clause="003-3.3-reward-stats-nan", invited_by="pandas' groupby and value_counts, which drop NaN"
)
def nan_rewards_not_listed(
    original: Callable[..., None], self: Any, key: str, reward: Any, trial_name: str
) -> None:
    """NaN rewards are not listed in reward_stats. A missing value does not seem to form a group."""
    if reward == reward:
        original(self, key, reward, trial_name)
    else:
        self.reward_stats.setdefault(key, {})


@filed_under.made(invited_by="Go's map[float64], C++, numpy and pandas, JavaScript's Map")
def rewards_filed_as_doubles(reward: Any) -> Any:
    """Rewards share an entry if they are equal as doubles, like 2**53 + 1 and 2.0**53.
    The map's keys are doubles."""
    try:
        return float(reward) if reward == reward else reward
    except OverflowError:
        return math.copysign(math.inf, reward)


@mistakes.changed(clause="003-3.3-reward-stats", invited_by="previews, [:10], limits against long files")
def names_end_at_ten(reference: Variant) -> None:
    """A reward lists at most ten trials. A file of thousands of names is too long to read."""

    def first_ten(original: Callable[..., None], self: Any, key: str, reward: Any, trial_name: str) -> None:
        original(self, key, reward, trial_name)
        for listed in self.reward_stats[key].values():
            del listed.trial_names[10:]

    reference.wrap(_Group._list, lambda original: lambda *given: first_ten(original, *given))


@way("job_result", clause="003-3.3-metrics-list")
def graded_as(reference: Variant, chosen: Callable[[list[Any]], list[Any]]) -> None:
    """Computes a group's metrics over the trials that ``chosen`` selects for each task."""

    def around(tree: Callable[..., Any]) -> Callable[..., Any]:
        def changed(self: Any, metrics: Any) -> Any:
            whole, given = tree(self, metrics), self.graded
            by_task: dict[str, list[Any]] = {}
            for trial in given:
                by_task.setdefault(trial.task, []).append(trial)
            self.graded = [trial for trials in by_task.values() for trial in chosen(trials)]
            try:
                other = dict(tree(self, metrics).members)["metrics"]
            finally:
                self.graded = given
            return type(whole)([(name, other if name == "metrics" else it) for name, it in whole.members])

        return changed

    reference.wrap(_Group.tree, around)


def _first_value(trial: Any) -> Any:
    return next(iter((trial.rewards or {}).values()), 0)


@graded_as.made(invited_by="max over attempts, pass@n taken as the score, leaderboards of best runs")
def best_attempt_of_each_task(trials: list[Any]) -> list[Any]:
    """Metrics only use the best attempt at each task. A task is solved if any attempt solves it."""
    return [max(trials, key=_first_value)]


@graded_as.made(invited_by="a map from task to result, dict comprehensions, drop_duplicates")
def last_attempt_of_each_task(trials: list[Any]) -> list[Any]:
    """Metrics only use the last attempt at each task. Results are kept by task name."""
    return trials[-1:]


@family("job_result", of=JobStatistics.result, clause="003-3.3-lookup-finds-nothing").wrapped(
    invited_by="`metrics.get(dataset, [Mean()])`"
)
def unknown_datasets_get_a_mean(result: Callable[..., Any], self: Any, job: Any) -> Any:
    """A dataset that is not in the metrics gets a mean. Mean is the default."""
    return result(self, dataclasses.replace(job, metrics=_Default(job.metrics)))


class _Default(dict[str, Any]):
    def get(self, name: str, default: Any = None) -> Any:
        return super().get(name, ["mean"])


@family("job_result", of=JobStatistics.result, clause="003-3.3-first-seen-order").wrapped(
    invited_by="BTreeMap, sorted(groups), ORDER BY"
)
def groups_sorted(result: Callable[..., Any], self: Any, job: Any) -> Any:
    """Groups are in the order of their names. A file should not depend on the order of trials."""
    self._groups = dict(sorted(self._groups.items()))
    return result(self, job)
