"""The expected `result.json` for trials in a given order, by a release's form and rules.

The job's directory does not always show which metrics the job had to compute. `config.json` names the job's
metrics and its datasets. The directory has neither the metrics that a registry lists for a dataset nor a
package's `metric.py`: a dataset's own metrics come first, and are inferred from the entries of `result.json`.
Metrics that a script computed are not checked. A dataset that no entry names has no metrics up to 0.21.0, and
the job's own from 0.22.0 on.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePosixPath
from typing import Any

from conformance.extensions.audit.formats import TOTALS, JobForm
from conformance.extensions.audit.reading import Members, Number
from conformance.extensions.audit.rows import Row, errors_of, group_of, rewards_of
from conformance.extensions.audit.rules import OWN, Rules, one_key
from reference_impl import Dataset, DatasetKind, resolve_metrics
from reference_impl.agent_result import trial_total
from reference_impl.aggregation import DEFAULT_METRIC, METRICS
from reference_impl.evals_key import ADHOC, SEPARATOR
from reference_impl.job_result import CANCELLED_ERROR, _Group
from reference_impl.json_text import JsonObject, JsonTree, json_text, printable
from reference_impl.verifier_result import Rewards

Compute = Callable[[str], Rewards | None]
"""Computes a built-in metric of a group's rewards; None if it raises an error."""


class MetricNames:
    """The metrics of each dataset according to the job's configuration."""

    def __init__(self, config: Any, late: Collection[str]) -> None:
        """Read the parsed config.json; `config` is None if it is unusable.

        `late` has the names of record forms since 0.21.0. From 0.22.0 on, a dataset that no entry names has
        the job's metrics, or the default one; 0.21.0 writes the same records but no such metrics.
        """
        self._known: dict[str, list[str]] | None = None
        self._open: dict[str, bool] = {}
        """Datasets that may have more metrics; the value says whether the dataset is a package's."""
        self._job: tuple[str, ...] = ()
        self._late, self._certain = bool(late), any(form.startswith(("0.23", "0.26")) for form in late)
        if not isinstance(config, dict) or config.get("source_jobs"):
            return  # regraded trials keep the datasets of the jobs that they come from
        job = _names(config.get("metrics"))
        entries = config.get("datasets", [])
        datasets = [_dataset(entry) for entry in entries] if isinstance(entries, list) else [None]
        if job is None or None in datasets:
            return
        known = [dataset for dataset in datasets if dataset is not None]
        for dataset in known:
            if dataset.kind is not DatasetKind.LOCAL:
                self._open[dataset.name] = dataset.kind is DatasetKind.PACKAGE
        self._job = tuple(job)
        self._known = resolve_metrics(known, job)

    def choose(self, key: str, source: str, entries: Sequence[Any], compute: Compute) -> list[str | None]:
        """Return the name of each metric that a group must have; None for one that is not checked.

        `source` is the dataset of the group's trials, and `entries` are the metrics in the file.
        """
        name = key.split(SEPARATOR)[-1]
        names, or_none, opening = self._job, False, True
        if self._known is None:
            or_none = name != source  # harbor looks it up under another name, and may not find it
        elif name not in self._open:
            names, opening = tuple(self._known.get(name, ())), False
            if self._late and name == source and name not in self._known:
                names, or_none = self._job or (DEFAULT_METRIC,), not self._certain
        tail = [metric if metric in METRICS else None for metric in names]
        if or_none and not entries and not (opening and tail):
            return []
        if not opening:
            late = len(entries)
            return [*tail[:late], *(metric or DEFAULT_METRIC for metric in tail[late:])]
        front = len(entries) - len(tail)
        if front < 0 and None in tail:
            return [None] * len(entries)
        if front <= 0:
            return tail or [DEFAULT_METRIC]
        package = self._open.get(name, False)  # a package may have a script, whose metric comes first
        first = enumerate(entries[:front])
        return [_recognise(entry, compute, script=package and index == 0) for index, entry in first] + tail


def metrics_giving(entry: Any, compute: Compute) -> list[str]:
    """Return the names of the built-in metrics that give exactly this entry."""
    if not isinstance(entry, Members):
        return []
    spelled = [(key, value.text if isinstance(value, Number) else "null") for key, value in entry]
    results = {name: value.items() for name in METRICS if (value := compute(name)) is not None}
    return [name for name, items in results.items() if [(k, json_text(v)) for k, v in items] == spelled]


def _recognise(entry: Any, compute: Compute, *, script: bool) -> str | None:
    """Return the built-in metric that probably produced an entry; None if a script probably did."""
    if not isinstance(entry, Members):
        return None
    keys, by_value = [key for key, _ in entry], metrics_giving(entry, compute)
    by_name = keys[0] if len(keys) == 1 and keys[0] in METRICS else None
    if by_value:
        return by_name if by_name in by_value else by_value[0]
    if script or by_name:
        return None if script else by_name
    mean = compute(DEFAULT_METRIC)
    return DEFAULT_METRIC if mean is not None and {*mean} == {*keys} else None


def _names(metrics: Any) -> list[str] | None:
    """The names of configured metrics; None if harbor does not write such a list, or it is too long."""
    if metrics is None:
        return []
    if not isinstance(metrics, list) or len(metrics) > MOST_ENTRIES:
        return None
    names = [str(entry.get("type", DEFAULT_METRIC)) if isinstance(entry, dict) else "" for entry in metrics]
    return names if all(name in (*METRICS, "uv-script") for name in names) else None


def _dataset(entry: Any) -> Dataset | None:
    """Return a configured dataset; None if its name is unknown."""
    if not isinstance(entry, dict) or entry.get("repo") is not None:
        return None  # only the repository knows what it calls its dataset
    path, name = entry.get("path"), entry.get("name")
    if isinstance(path, str):
        last = PurePosixPath(path).name
        return Dataset(last, DatasetKind.LOCAL) if last not in ("", ".", "..") else None
    if isinstance(name, str) and name != ADHOC:  # up to 0.2.0 entries have a registry
        package = "/" in name and "registry" not in entry
        return Dataset(name, DatasetKind.PACKAGE if package else DatasetKind.REGISTRY)
    return None


Header = dict[str, Any]
"""The parts of `result.json` that the trials do not determine, `n_total_trials` and `n_retries` included."""
MOST_ENTRIES = 1000
"""The most metrics of a group that are compared; a longer list has a wrong length anyway."""
_RAISED = (OverflowError, ValueError, ZeroDivisionError)


@dataclass(slots=True)
class Group:
    """The trials of an evals key, in order, and the numbers computed from them."""

    source: str
    """The dataset of its trials."""
    rows: list[Row] = field(default_factory=list)
    counted: list[Row] = field(default_factory=list)
    """The trials that count in metrics and pass@k."""
    names: list[str | None] = field(default_factory=list)
    """The names of its metrics; None for one that is not checked."""
    values: list[Rewards | None] = field(default_factory=list)
    """The values of these metrics."""
    pass_at_k: dict[int, float] = field(default_factory=dict)
    is_surplus: bool = False
    """Whether it should have no metrics, although each metric in the file follows from the rewards."""
    sums: _Group = field(default_factory=_Group)

    def add(self, row: Row, form: JobForm, rules: Rules) -> None:
        """Adds a trial."""
        trial, errors = row.trial, errors_of(row, form)
        self.rows.append(row)
        self.sums.n_errors += bool(errors)
        for error in errors:
            self.sums.exception_stats.setdefault(error, []).append(printable(trial.trial_name))
        if rules.includes(row, form):
            task = rules.task(row)
            if task is not trial.task_name or trial.exception is not None:
                trial = replace(trial, task_name=task, exception=None)
            self.sums.add(trial)
            self.counted.append(row)

    def compute(self, key: str, form: JobForm, names: MetricNames, entries: Any, rules: Rules) -> JsonObject:
        """Compute the numbers of the group with this key; return its entry in `evals`."""
        rewards = [trial.rewards for trial in self.sums.graded]
        known: dict[str, Rewards | None] = {}

        def value_of(name: str) -> Rewards | None:
            if name not in known:
                try:
                    known[name] = rules.aggregate(name, rewards)
                except _RAISED:
                    known[name] = None
            return known[name]

        if self.counted or not rules.by_validity(form):
            self.names = names.choose(key, self.source, entries, value_of)
        self.values = [None if name is None else value_of(name) for name in self.names]
        self.is_surplus = (
            not self.names and bool(entries) and all(metrics_giving(entry, value_of) for entry in entries)
        )
        self.pass_at_k = rules.pass_at_k(self.sums.graded)
        members: dict[str, JsonTree] = {
            "n_trials": self.sums.n_trials,
            "n_errors": self.sums.n_errors,
            "metrics": [None if value is None else JsonObject(list(value.items())) for value in self.values],
            "pass_at_k": JsonObject([(str(k), value) for k, value in self.pass_at_k.items()]),
            "reward_stats": self.sums._reward_stats(),
            "exception_stats": JsonObject(list(self.sums.exception_stats.items())),
        }
        return JsonObject([(name, members[name]) for name in form.group])


@dataclass(slots=True)
class Expected:
    """The expected `result.json`."""

    tree: JsonObject
    groups: dict[str, Group]
    """By evals key, in the file's order."""

    @property
    def failure(self) -> tuple[str, str] | None:
        """The group and metric that raise an error, so that harbor would not have finished the job."""
        for key, group in reversed(self.groups.items()):
            for name, value in zip(group.names, group.values, strict=True):
                if name is not None and value is None:
                    return key, name
        return None

    @property
    def unchecked(self) -> bool:
        """Whether a script computed some of the metrics."""
        return any(None in group.names for group in self.groups.values())


def expected(
    rows: Sequence[Row],
    header: Header,
    form: JobForm,
    metrics: MetricNames,
    stated: dict[str, Any],
    rules: Rules = OWN,
) -> Expected:
    """Compute the expected file for trials in this order.

    `stated` has each group's metrics in the actual file.

    Raises:
        PydanticSerializationError: harbor could not have written such a file.
    """
    if form.one_reward_key and rules is OWN:
        rules = replace(rules, aggregate=one_key)
    groups: dict[str, Group] = {}
    listed: dict[str, None] = {}
    known: dict[tuple[str, str | None, str | None], str] = {}
    for row in rows:
        trial = row.trial
        triple = (trial.agent, trial.model, trial.source)
        key = known.get(triple)
        if key is None:
            key = known[triple] = group_of(trial, form)
            groups.setdefault(key, Group(trial.source or ADHOC))
        groups[key].add(row, form, rules)
        if row.trial.exception is not None or rewards_of(trial) is not None:
            listed[key] = None
    evals: dict[str, JsonObject] = {}
    for key, group in groups.items():
        entries = stated.get(key)
        entries = entries[:MOST_ENTRIES] if isinstance(entries, list) else []
        evals[key] = group.compute(key, form, metrics, entries, rules)
    order = list(groups)
    if not form.every_group:  # with a reward or an exception, then with a metric, then with a pass@k
        of_metrics = [key for key, group in groups.items() if group.names]
        of_passes = [key for key, group in groups.items() if group.pass_at_k and "pass_at_k" in form.group]
        order = list(dict.fromkeys((*listed, *of_metrics, *of_passes)))
    tree = _tree(rows, header, form, {key: evals[key] for key in order})
    return Expected(tree, {key: groups[key] for key in order})


def _tree(rows: Sequence[Row], header: Header, form: JobForm, evals: dict[str, JsonObject]) -> JsonObject:
    reports = [trial_total(row.trial.agent_result, row.trial.step_results) for row in rows]
    totals: dict[str, JsonTree] = {}
    for name in TOTALS:
        numbers = [number for report in reports if (number := getattr(report, name)) is not None]
        total: int | float = 0.0 if name == "cost_usd" else 0
        for number in numbers:  # added left to right, without compensation
            total += number
        totals[name] = total if numbers else None
    errored = [(row.trial.trial_name, errors) for row in rows if (errors := errors_of(row, form))]
    stats: dict[str, JsonTree] = {
        "n_completed_trials": len(rows),
        "n_trials": len(rows),
        "n_errored_trials": len(errored),
        "n_errors": len(errored),
        "n_running_trials": 0,
        "n_pending_trials": max(header["n_total_trials"] - len(rows), 0),
        "n_cancelled_trials": len({name for name, errors in errored if CANCELLED_ERROR in errors}),
        "n_retries": header["n_retries"],
        "evals": JsonObject(list(evals.items())),
        **totals,
    }
    names = ("id", "started_at", "updated_at", "finished_at", "n_total_trials")
    top: dict[str, JsonTree] = {
        "schema_version": 1,
        **{name: header[name] for name in names},
        "stats": JsonObject([(name, stats[name]) for name in form.stats]),
    }
    return JsonObject([(name, top[name]) for name in form.job])
