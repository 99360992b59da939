"""Mistakes in grouping a job's trials: which group, which metrics, which trials count."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_result

EVALS_KEY = "evals_key.evals_key"
ADD = "job_result._Group.add"
TREE = "job_result._Group.tree"
RESULT = "job_result.JobStatistics.result"


class _Key(str):
    """A group's key that is split in its own way."""

    part: Callable[[str], str]

    def split(self, *_: Any, **__: Any) -> list[str]:
        return [self.part(str(self))]


def _looked_up_under(reference: Variant, part: Callable[[str], str]) -> None:
    """Has the metrics of a group looked up under ``part`` of its key."""

    def around(original: Callable[..., str]) -> Callable[..., str]:
        def key(agent: str, model: str | None, source: str | None) -> str:
            whole = _Key(original(agent, model, source))
            whole.part = part
            return whole

        return key

    reference.wrap(EVALS_KEY, around)


@mistake(
    "metrics-of-own-dataset",
    says="a group's metrics are those of its dataset, whatever its key says",
    op="job_result",
    clause="003-3.3-metrics-by-last-part",
    why="It is what the look-up is meant to find.",
    invited_by="keeping the dataset beside the key",
)
def _(reference: Variant) -> None:
    def around(original: Callable[..., str]) -> Callable[..., str]:
        def key(agent: str, model: str | None, source: str | None) -> str:
            whole = _Key(original(agent, model, source))
            whole.part = lambda _: source or "adhoc"
            return whole

        return key

    reference.wrap(EVALS_KEY, around)


@mistake(
    "dataset-split-from-the-left",
    says="a group's key is split twice from the left, and the rest is the dataset: my__data is found",
    op="job_result",
    clause="003-3.3-metrics-by-last-part",
    why="Agent and model stand in front, the rest must be the dataset.",
    invited_by="split('__', 2), strings.SplitN, regular expressions with (.*) at the end",
)
def _(reference: Variant) -> None:
    _looked_up_under(reference, lambda key: key.split("__", 2)[-1])


@mistake(
    "dataset-split-from-the-right",
    says="a group's key is split at its last two underscores: of a___b the rest is b, not _b",
    op="job_result",
    clause="003-3.3-metrics-by-last-part",
    why="Only the last part is wanted.",
    invited_by="rsplit, lastIndexOf, ${key##*__} in shell, patterns such as _{2,}",
)
def _(reference: Variant) -> None:
    _looked_up_under(reference, lambda key: key.rsplit("__", 1)[-1])


@mistake(
    "dataset-split-at-each-underscore",
    says="a group's key is split at every underscore",
    op="job_result",
    clause="003-3.3-metrics-by-last-part",
    why="Tools that split at one character take the separator for two.",
    invited_by="cut -d_, awk -F_, ${key##*_} in shell",
)
def _(reference: Variant) -> None:
    _looked_up_under(reference, lambda key: key.rsplit("_", 1)[-1])


@mistake(
    "empty-last-part-dropped",
    says="where a group's key ends in two underscores the part before them names the dataset",
    op="job_result",
    clause="003-3.3-metrics-by-last-part",
    why="Empty parts are dropped from the end of a split.",
    invited_by="Java's String.split, Ruby's split, Perl's split, filter(Boolean)",
)
def _(reference: Variant) -> None:
    _looked_up_under(reference, lambda key: ([""] + [part for part in key.split("__") if part])[-1])


@mistake(
    "mean-where-nothing-is-found",
    says="a group whose look-up finds no metrics gets a mean",
    op="job_result",
    clause="003-3.3-lookup-finds-nothing",
    why="The default of the resolution is applied once more.",
    invited_by="`or [Mean()]`, unwrap_or, getOrDefault",
)
def _(reference: Variant) -> None:
    reference.wrap(TREE, lambda tree: lambda self, metrics: tree(self, metrics or ["mean"]))


@mistake(
    "first-metric-only",
    says="only the first metric of a dataset is computed",
    op="job_result",
    clause="003-3.3-metrics-list",
    why="Nearly every job has one.",
    invited_by="metrics[0], a field for one metric",
)
def _(reference: Variant) -> None:
    reference.wrap(TREE, lambda tree: lambda self, metrics: tree(self, metrics[:1]))


@mistake(
    "repeated-metrics-once",
    says="a metric that is listed twice is computed once",
    op="job_result",
    clause="003-3.3-metrics-list",
    why="Metrics are kept by name.",
    invited_by="sets, dicts and objects of metrics",
)
def _(reference: Variant) -> None:
    reference.wrap(TREE, lambda tree: lambda self, metrics: tree(self, list(dict.fromkeys(metrics))))


@mistake(
    "metrics-sorted",
    says="a group's metrics are sorted by name",
    op="job_result",
    clause="003-3.3-metrics-list",
    why="Metrics are kept in a sorted map.",
    invited_by="Go's maps when written, BTreeMap, TreeMap, jq's group_by",
)
def _(reference: Variant) -> None:
    reference.wrap(TREE, lambda tree: lambda self, metrics: tree(self, sorted(metrics)))


@mistake(
    "metrics-in-one-object",
    says="a group's metrics are written as one object with a member each",
    op="job_result",
    clause="003-3.3-metrics-list",
    why="Each object has a name of its own, so one seems to do.",
    invited_by="dict.update, Object.assign, a map from name to value",
)
def _(reference: Variant) -> None:
    json_object = reference.get("json_text.JsonObject")

    def merged(metrics: Any) -> Any:
        return [json_object(list({k: v for m in metrics for k, v in m.members}.items()))] if metrics else []

    change_result(reference, ("stats", "evals", "*", "metrics"), merged)


def _graded_where(reference: Variant, counts: Callable[[Any], bool]) -> None:
    """Leaves trials out of what a group's metrics and pass@k are computed from."""

    def around(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            if not counts(trial):
                self.graded.pop()

        return add

    reference.wrap(ADD, around)
    reference.wrap(TREE, lambda tree: lambda self, metrics: tree(self, metrics if self.graded else []))


@mistake(
    "errored-trials-left-out",
    says="trials that ended in an error are left out of metrics and pass@k",
    op="job_result",
    clause="003-3.3-n-errors",
    why="They failed for reasons that say nothing of the agent.",
    invited_by="filters on status, dropna, Result types",
)
def _(reference: Variant) -> None:
    _graded_where(reference, lambda trial: trial.exception is None)


@mistake(
    "unverified-trials-left-out",
    says="metrics and pass@k are over the trials that were verified, not over all",
    op="job_result",
    clause="003-3.3-unverified-counts-zero",
    why="What was not measured is not in the list of measurements.",
    invited_by="pandas' and SQL's means, which skip NULL; compactMap, filter_map, flatMap",
)
def _(reference: Variant) -> None:
    _graded_where(
        reference,
        lambda trial: trial.verifier_result is not None and trial.verifier_result.rewards is not None,
    )


@mistake(
    "cancelled-trials-left-out",
    says="cancelled trials are left out of metrics and pass@k",
    op="job_result",
    clause="003-3.3-n-cancelled",
    why="They were not finished, so they say nothing.",
    invited_by="test runners that keep skipped apart from failed",
)
def _(reference: Variant) -> None:
    _graded_where(reference, lambda trial: trial.exception != "CancelledError")


@mistake(
    "errored-trials-without-reward",
    says="the reward of a trial that ended in an error is dropped",
    op="job_result",
    clause="003-3.3-n-errors",
    why="A trial has a result or an error, not both.",
    invited_by="Rust's Result, Go's if err != nil, try/else",
)
def _(reference: Variant) -> None:
    def around(original: Callable[..., None]) -> Callable[..., None]:
        return lambda self, trial: original(
            self, trial if trial.exception is None else replace(trial, verifier_result=None)
        )

    reference.wrap(ADD, around)


def _after_add(reference: Variant, then: Callable[[Any, Any], None]) -> None:
    def around(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            then(self, trial)

        return add

    reference.wrap(ADD, around)


@mistake(
    "n-trials-counts-all",
    says="a group's n_trials counts trials without rewards too",
    op="job_result",
    clause="003-3.3-n-trials",
    why="The name says so.",
    invited_by="len(trials)",
)
def _(reference: Variant) -> None:
    def then(self: Any, trial: Any) -> None:
        self.n_trials = len(self.graded)

    _after_add(reference, then)


@mistake(
    "n-trials-skips-empty-rewards",
    says="a group's n_trials leaves out trials whose rewards are an empty object",
    op="job_result",
    clause="003-3.3-n-trials",
    why="`if rewards:` is false for an empty object.",
    invited_by="tests for truth in Python, PHP and Ruby on Rails; len(m) > 0 in Go",
)
def _(reference: Variant) -> None:
    def then(self: Any, trial: Any) -> None:
        self.n_trials -= trial.verifier_result is not None and trial.verifier_result.rewards == {}

    _after_add(reference, then)


@mistake(
    "n-trials-without-errored",
    says="a group's n_trials leaves out verified trials that ended in an error",
    op="job_result",
    clause="003-3.3-n-trials",
    why="A trial goes to one counter or the other.",
    invited_by="if/else around the exception",
)
def _(reference: Variant) -> None:
    def then(self: Any, trial: Any) -> None:
        rewards = None if trial.verifier_result is None else trial.verifier_result.rewards
        self.n_trials -= trial.exception is not None and rewards is not None

    _after_add(reference, then)


@mistake(
    "n-errors-only-unverified",
    says="a group's n_errors leaves out trials that have rewards",
    op="job_result",
    clause="003-3.3-n-errors",
    why="A trial with a reward worked.",
    invited_by="if/else around the verifier's result",
)
def _(reference: Variant) -> None:
    def then(self: Any, trial: Any) -> None:
        rewards = None if trial.verifier_result is None else trial.verifier_result.rewards
        self.n_errors -= trial.exception is not None and rewards is not None

    _after_add(reference, then)
