"""Mistakes in the counters of a job and of its groups of trials."""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timezone
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.job_result.mistakes.trees import change_result
from reference_impl import json_text
from reference_impl.evals_key import evals_key
from reference_impl.job_result import JobStatistics, _Group

in_result = family("job_result", of=JobStatistics.result, clause="003-3.3-pending")
in_evals_key = family("job_result", of=evals_key)
in_tree = family("job_result", of=_Group.tree, clause="003-3.3-metrics-list")
in_add = family("job_result", of=_Group.add)
changed_result = way("job_result")(change_result)
TIMES = ("started_at", "updated_at", "finished_at")


@way("job_result", clause="003-3.3-n-cancelled")
def after_add(reference: Variant, then: Callable[[Any, Any], None]) -> None:
    """Has ``then`` correct the statistics whenever a trial was counted."""

    def around(original: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            then(self, trial)

        return add

    reference.wrap(JobStatistics.add, around)


@after_add.made(clause="003-3.3-n-completed", invited_by="the name of the counter")
def completed_without_errored(self: Any, trial: Any) -> None:
    """n_completed_trials leaves out the trials that ended in an error. Completed sounds like succeeded."""
    self._n_completed -= trial.exception is not None


@after_add.made(clause="003-3.3-n-completed", invited_by="counting rows of a table of rewards")
def completed_only_verified(self: Any, trial: Any) -> None:
    """n_completed_trials leaves out the trials without rewards.
    A trial is taken for complete when it was graded."""
    self._n_completed -= trial.verifier_result is None or trial.verifier_result.rewards is None


@changed_result.made(
    ("stats", "n_pending_trials"), clause="003-3.3-pending", invited_by="a constant beside n_running_trials"
)
def pending_always_zero(_: Any) -> Any:
    """n_pending_trials is 0 because the job has finished. Nothing is pending in a finished job."""
    return 0


@in_result.wrapped(invited_by="any language with signed ints")
def pending_negative(original: Callable[..., Any], self: Any, job: Any) -> Any:
    """n_pending_trials goes below 0 where more trials finished than were planned.
    The difference of two counters, without max."""
    whole = original(self, job)
    for index, (name, value) in enumerate(whole.tree.members):
        if name == "stats":
            members = [
                (key, job.n_total_trials - self._n_completed if key == "n_pending_trials" else item)
                for key, item in value.members
            ]
            whole.tree.members[index] = (name, type(value)(members))
    return whole


@after_add.made(invited_by="match and switch statements, enums of final states")
def cancelled_not_errored(self: Any, trial: Any) -> None:
    """A cancelled trial is not counted as errored. A counter for each way to end, each trial in one."""
    self._n_errored -= trial.exception == "CancelledError"


@after_add.made(clause="003-3.3-cancelled-names", invited_by="n_cancelled += 1")
def cancelled_per_record(self: Any, trial: Any) -> None:
    """n_cancelled_trials counts cancelled trials, not their names.
    Every other counter goes up by one for each trial."""
    if trial.exception == "CancelledError":
        self._cancelled.discard(trial.trial_name)
        self._cancelled.add((trial.trial_name, self._n_completed))


@after_add.made(invited_by="endswith, qualified names of exceptions")
def cancelled_by_ending(self: Any, trial: Any) -> None:
    """An exception whose type ends in CancelledError counts as cancelled.
    Types may come with their modules in front."""
    if (trial.exception or "").endswith("CancelledError"):
        self._cancelled.add(trial.trial_name)


@after_add.made(invited_by='"cancel" in name.lower(), startswith, regular expressions')
def cancelled_by_word(self: Any, trial: Any) -> None:
    """Every exception with cancel in its name counts as cancelled.
    Other libraries have other classes for it."""
    if "cancel" in (trial.exception or "").lower():
        self._cancelled.add(trial.trial_name)


@changed_result.made(
    ("stats", "n_cancelled_trials"),
    clause="003-3.3-n-cancelled",
    invited_by="a constant beside n_running_trials",
)
def cancelled_never_counted(_: Any) -> Any:
    """n_cancelled_trials is always 0 in a finished job. A job that finished was not cancelled."""
    return 0


@in_result.wrapped(
    clause="003-3.3-retries", invited_by="runners that rebuild result.json from trial directories"
)
def retries_are_errors(original: Callable[..., Any], self: Any, job: Any) -> Any:
    """n_retries is the number of errored trials.
    Restarts leave no record, so they are guessed from the errors that are left."""
    return original(self, replace(job, n_retries=self._n_errored))


@in_result.wrapped(invited_by="len(trials)")
def total_is_what_ran(original: Callable[..., Any], self: Any, job: Any) -> Any:
    """n_total_trials is the number of finished trials, not of planned ones.
    The list of trials is at hand, the plan is not."""
    return original(self, replace(job, n_total_trials=self._n_completed))


@changed_result.made(
    ("id",),
    clause="003-3.3-identity-and-times",
    invited_by="Swift and Objective-C, Windows GUIDs, Oracle's and SQL Server's uniqueidentifier",
)
def identity_in_capitals(_: Any) -> Any:
    """The job's id is written in capitals. The type for UUIDs prints them so."""
    return _.upper()


@way("job_result", clause="003-3.3-identity-and-times")
def times(reference: Variant, text: Callable[[str], str]) -> None:
    """Spells the times in another way."""
    for name in TIMES:
        change_result(reference, lambda given: None if given is None else text(given), (name,))


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text.replace("Z", "+00:00"))


@times.made(invited_by="JavaScript, TypeScript")
def javascript_times(given: str) -> str:
    """Times are written by JavaScript: in UTC, with three digits of a second and a Z.
    A Date has milliseconds and no zone, and JSON.stringify calls toISOString."""
    moment = _moment(given)
    utc = moment.replace(tzinfo=moment.tzinfo or timezone.utc).astimezone(timezone.utc)
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"


@times.made(invited_by="databases with time zones, Go's UTC(), Java's Instant, chrono's DateTime<Utc>")
def times_in_utc(given: str) -> str:
    """Times with an offset are converted to UTC. Stored times should share a zone."""
    if not re.search(r"[+-]\d\d:\d\d$", given):
        return given
    moment = _moment(given).astimezone(timezone.utc)
    return moment.isoformat().replace("+00:00", "Z")


@times.made(invited_by="Python's datetime.isoformat, json.dumps(default=str)")
def python_isoformat_times(given: str) -> str:
    """Times are written by Python's isoformat: +00:00 for Z.
    isoformat is the other half of fromisoformat; pydantic has a writer of its own."""
    return _moment(given).isoformat()


@times.made(invited_by="Go's RFC3339Nano, Rust's time crate, Java's ISO_LOCAL_DATE_TIME")
def fraction_zeros_dropped(given: str) -> str:
    """Trailing zeros of a second's fraction are dropped: .12 for .120000.
    The format has as many digits as the time needs."""
    return re.sub(r"(\.\d*?)0+(?=\D|$)", r"\1", given).replace(".Z", "Z")


@times.made(invited_by="Go's RFC3339, date -Is, strftime, timespec='seconds'")
def times_without_fraction(given: str) -> str:
    """Times are cut to whole seconds. Nobody needs the rest."""
    return re.sub(r"\.\d+", "", given)


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

    reference.wrap(evals_key, around)


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


@changed_result.made(
    ("stats", "evals", "*", "metrics"),
    clause="003-3.3-metrics-list",
    invited_by="dict.update, Object.assign, a map from name to value",
)
def metrics_in_one_object(reference: Variant, metrics: Any) -> Any:
    """A group's metrics are written as one object with a member each.
    Each object has a name of its own, so one seems to do."""
    json_object = reference.its(json_text.JsonObject)
    return [json_object(list({k: v for m in metrics for k, v in m.members}.items()))] if metrics else []


@way("job_result")
def graded_where(reference: Variant, counts: Callable[[Any], bool]) -> None:
    """Leaves trials out of what a group's metrics and pass@k are computed from."""

    def around(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            if not counts(trial):
                self.graded.pop()

        return add

    reference.wrap(_Group.add, around)
    reference.wrap(_Group.tree, lambda tree: lambda self, metrics: tree(self, metrics if self.graded else []))


@graded_where.made(clause="003-3.3-n-errors", invited_by="filters on status, dropna, Result types")
def errored_trials_left_out(trial: Any) -> bool:
    """Trials that ended in an error are left out of metrics and pass@k.
    They failed for reasons that say nothing of the agent."""
    return trial.exception is None


@graded_where.made(
    clause="003-3.3-unverified-counts-zero",
    invited_by="pandas' and SQL's means, which skip NULL; compactMap, filter_map, flatMap",
)
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
def after_group_add(reference: Variant, then: Callable[[Any, Any], None]) -> None:
    """Does something more once a trial is added."""

    def around(original: Callable[..., None]) -> Callable[..., None]:
        def add(self: Any, trial: Any) -> None:
            original(self, trial)
            then(self, trial)

        return add

    reference.wrap(_Group.add, around)


@after_group_add.made(invited_by="len(trials)")
def n_trials_counts_all(self: Any, trial: Any) -> None:
    """A group's n_trials counts trials without rewards too. The name says so."""
    self.n_trials = len(self.graded)


@after_group_add.made(invited_by="tests for truth in Python, PHP and Ruby on Rails; len(m) > 0 in Go")
def n_trials_skips_empty_rewards(self: Any, trial: Any) -> None:
    """A group's n_trials leaves out trials whose rewards are an empty object.
    `if rewards:` is false for an empty object."""
    self.n_trials -= trial.verifier_result is not None and trial.verifier_result.rewards == {}


@after_group_add.made(invited_by="if/else around the exception")
def n_trials_without_errored(self: Any, trial: Any) -> None:
    """A group's n_trials leaves out verified trials that ended in an error.
    A trial goes to one counter or the other."""
    rewards = None if trial.verifier_result is None else trial.verifier_result.rewards
    self.n_trials -= trial.exception is not None and rewards is not None


@after_group_add.made(clause="003-3.3-n-errors", invited_by="if/else around the verifier's result")
def n_errors_only_unverified(self: Any, trial: Any) -> None:
    """A group's n_errors leaves out trials that have rewards. A trial with a reward worked."""
    rewards = None if trial.verifier_result is None else trial.verifier_result.rewards
    self.n_errors -= trial.exception is not None and rewards is not None
