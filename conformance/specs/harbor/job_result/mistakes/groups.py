"""Mistakes in grouping a job's trials: which group, which metrics, which trials count."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_result
from reference_impl import json_text
from reference_impl.evals_key import evals_key
from reference_impl.job_result import JobStatistics, _Group

in_evals_key = family("job_result", of=evals_key)
in_tree = family("job_result", of=_Group.tree, clause="003-3.3-metrics-list")
mistakes = family("job_result", clause="003-3.3-metrics-list")
in_add = family("job_result", of=_Group.add)

EVALS_KEY = evals_key
ADD = _Group.add
TREE = _Group.tree
RESULT = JobStatistics.result


class _Key(str):
    """A group's key that is split in its own way."""

    part: Callable[[str], str]

    def split(self, *_: Any, **__: Any) -> list[str]:
        return [self.part(str(self))]


@way("job_result", clause="003-3.3-metrics-by-last-part")
def looked_up_under(reference: Variant, part: Callable[[str], str]) -> None:
    """Has the metrics of a group looked up under ``part`` of its key."""

    def around(original: Callable[..., str]) -> Callable[..., str]:
        def key(agent: str, model: str | None, source: str | None) -> str:
            whole = _Key(original(agent, model, source))
            whole.part = part
            return whole

        return key

    reference.wrap(EVALS_KEY, around)


@in_evals_key.wrapped(clause="003-3.3-metrics-by-last-part", invited_by="keeping the dataset beside the key")
def metrics_of_own_dataset(
    original: Callable[..., str], agent: str, model: str | None, source: str | None
) -> str:
    """A group's metrics are those of its dataset, whatever its key says.
    It is what the look-up is meant to find."""
    whole = _Key(original(agent, model, source))
    whole.part = lambda _: source or "adhoc"
    return whole


@looked_up_under.made(invited_by="split('__', 2), strings.SplitN, regular expressions with (.*) at the end")
def dataset_split_from_the_left(key: str) -> str:
    """A group's key is split twice from the left, and the rest is the dataset: my__data is found.
    Agent and model stand in front, the rest must be the dataset."""
    return key.split("__", 2)[-1]


@looked_up_under.made(invited_by="rsplit, lastIndexOf, ${key##*__} in shell, patterns such as _{2,}")
def dataset_split_from_the_right(key: str) -> str:
    """A group's key is split at its last two underscores: of a___b the rest is b, not _b.
    Only the last part is wanted."""
    return key.rsplit("__", 1)[-1]


@looked_up_under.made(invited_by="cut -d_, awk -F_, ${key##*_} in shell")
def dataset_split_at_each_underscore(key: str) -> str:
    """A group's key is split at every underscore.
    Tools that split at one character take the separator for two."""
    return key.rsplit("_", 1)[-1]


@looked_up_under.made(invited_by="Java's String.split, Ruby's split, Perl's split, filter(Boolean)")
def empty_last_part_dropped(key: str) -> str:
    """Where a group's key ends in two underscores the part before them names the dataset.
    Empty parts are dropped from the end of a split."""
    return ([""] + [part for part in key.split("__") if part])[-1]


@in_tree.wrapped(clause="003-3.3-lookup-finds-nothing", invited_by="`or [Mean()]`, unwrap_or, getOrDefault")
def mean_where_nothing_is_found(tree: Callable[..., Any], self: Any, metrics: Any) -> Any:
    """A group whose look-up finds no metrics gets a mean.
    The default of the resolution is applied once more."""
    return tree(self, metrics or ["mean"])


@in_tree.wrapped(invited_by="metrics[0], a field for one metric")
def first_metric_only(tree: Callable[..., Any], self: Any, metrics: Any) -> Any:
    """Only the first metric of a dataset is computed. Nearly every job has one."""
    return tree(self, metrics[:1])


@in_tree.wrapped(invited_by="sets, dicts and objects of metrics")
def repeated_metrics_once(tree: Callable[..., Any], self: Any, metrics: Any) -> Any:
    """A metric that is listed twice is computed once. Metrics are kept by name."""
    return tree(self, list(dict.fromkeys(metrics)))


@in_tree.wrapped(invited_by="Go's maps when written, BTreeMap, TreeMap, jq's group_by")
def metrics_sorted(tree: Callable[..., Any], self: Any, metrics: Any) -> Any:
    """A group's metrics are sorted by name. Metrics are kept in a sorted map."""
    return tree(self, sorted(metrics))


@mistakes.changed(invited_by="dict.update, Object.assign, a map from name to value")
def metrics_in_one_object(reference: Variant) -> None:
    """A group's metrics are written as one object with a member each.
    Each object has a name of its own, so one seems to do."""
    json_object = reference.get(json_text.JsonObject)

    def merged(metrics: Any) -> Any:
        return [json_object(list({k: v for m in metrics for k, v in m.members}.items()))] if metrics else []

    change_result(reference, merged, ("stats", "evals", "*", "metrics"))


@way("job_result", clause="003-3.3-unverified-counts-zero")
def graded_where(reference: Variant, counts: Callable[[Any], bool]) -> None:
    """Leaves trials out of what a group's metrics and pass@k are computed from."""

    def around(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            if not counts(trial):
                self.graded.pop()

        return add

    reference.wrap(ADD, around)
    reference.wrap(TREE, lambda tree: lambda self, metrics: tree(self, metrics if self.graded else []))


@graded_where.made(clause="003-3.3-n-errors", invited_by="filters on status, dropna, Result types")
def errored_trials_left_out(trial: Any) -> bool:
    """Trials that ended in an error are left out of metrics and pass@k.
    They failed for reasons that say nothing of the agent."""
    return trial.exception is None


@graded_where.made(invited_by="pandas' and SQL's means, which skip NULL; compactMap, filter_map, flatMap")
def unverified_trials_left_out(trial: Any) -> bool:
    """Metrics and pass@k are over the trials that were verified, not over all.
    What was not measured is not in the list of measurements."""
    return trial.verifier_result is not None and trial.verifier_result.rewards is not None


@graded_where.made(
    clause="003-3.3-n-cancelled", invited_by="test runners that keep skipped apart from failed"
)
def cancelled_trials_left_out(trial: Any) -> Any:
    """Cancelled trials are left out of metrics and pass@k. They were not finished, so they say nothing."""
    return trial.exception != "CancelledError"


@in_add.wrapped(clause="003-3.3-n-errors", invited_by="Rust's Result, Go's if err != nil, try/else")
def errored_trials_without_reward(original: Callable[..., None], self: Any, trial: Any) -> Any:
    """The reward of a trial that ended in an error is dropped. A trial has a result or an error, not both."""
    return original(self, trial if trial.exception is None else replace(trial, verifier_result=None))


@way("job_result", clause="003-3.3-n-trials")
def after_add(reference: Variant, then: Callable[[Any, Any], None]) -> None:
    """Does something more once a trial is added."""

    def around(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            then(self, trial)

        return add

    reference.wrap(ADD, around)


@after_add.made(invited_by="len(trials)")
def n_trials_counts_all(self: Any, trial: Any) -> None:
    """A group's n_trials counts trials without rewards too. The name says so."""
    self.n_trials = len(self.graded)


@after_add.made(invited_by="tests for truth in Python, PHP and Ruby on Rails; len(m) > 0 in Go")
def n_trials_skips_empty_rewards(self: Any, trial: Any) -> None:
    """A group's n_trials leaves out trials whose rewards are an empty object.
    `if rewards:` is false for an empty object."""
    self.n_trials -= trial.verifier_result is not None and trial.verifier_result.rewards == {}


@after_add.made(invited_by="if/else around the exception")
def n_trials_without_errored(self: Any, trial: Any) -> None:
    """A group's n_trials leaves out verified trials that ended in an error.
    A trial goes to one counter or the other."""
    rewards = None if trial.verifier_result is None else trial.verifier_result.rewards
    self.n_trials -= trial.exception is not None and rewards is not None


@after_add.made(clause="003-3.3-n-errors", invited_by="if/else around the verifier's result")
def n_errors_only_unverified(self: Any, trial: Any) -> None:
    """A group's n_errors leaves out trials that have rewards. A trial with a reward worked."""
    rewards = None if trial.verifier_result is None else trial.verifier_result.rewards
    self.n_errors -= trial.exception is not None and rewards is not None
