"""The expected `result.json` for trials in a given order, by a release's form and rules."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from conformance.extensions.audit.formats import TOTALS, JobForm
from conformance.extensions.audit.metrics import MetricNames, follows
from conformance.extensions.audit.rows import Row, errors_of, group_of, rewards_of
from conformance.extensions.audit.rules import OWN, Rules, one_key
from reference_impl.agent_result import trial_total
from reference_impl.evals_key import ADHOC
from reference_impl.job_result import CANCELLED_ERROR, _Group
from reference_impl.json_text import JsonObject, JsonTree, printable
from reference_impl.verifier_result import Rewards

_MOST_ENTRIES = 1000
"""The most metrics of a group that are compared; if there are more, their number is wrong."""
_RAISED = (OverflowError, ValueError, ZeroDivisionError)


@dataclass(frozen=True, slots=True)
class Header:
    """The parts of `result.json` that the trials do not determine."""

    id: str | None
    started_at: str | None
    updated_at: str | None
    finished_at: str | None
    n_total_trials: int
    n_retries: int


@dataclass(slots=True)
class Expected:
    """The expected `result.json`."""

    tree: JsonObject
    groups: dict[str, list[Row]] = field(default_factory=dict)
    """The trials of each group that count, in order."""
    rows: dict[str, list[Row]] = field(default_factory=dict)
    """All trials of each group."""
    names: dict[str, list[str | None]] = field(default_factory=dict)
    """The names of each group's metrics; None for one that is not checked."""
    values: dict[str, list[Rewards | None]] = field(default_factory=dict)
    """The values of these metrics."""
    pass_at_k: dict[str, dict[int, float]] = field(default_factory=dict)
    failure: tuple[str, str] | None = None
    """The group and the metric that raises an error: harbor's job would not have finished."""
    surplus: set[str] = field(default_factory=set)
    """Groups without a metric by the rules, although each metric in the file follows from the rewards."""

    @property
    def unchecked(self) -> bool:
        """Whether a script computed some of the metrics."""
        return any(None in names for names in self.names.values())


def expected(
    rows: Iterable[Row],
    header: Header,
    form: JobForm,
    metrics: MetricNames,
    stated: dict[str, Any],
    rules: Rules = OWN,
) -> Expected:
    """The expected file for trials in this order.

    `stated` are each group's metrics in the actual file.

    Raises:
        PydanticSerializationError: harbor could not have written such a file.
    """
    if form.one_reward_key and rules is OWN:
        rules = replace(rules, aggregate=one_key)
    made = Expected(JsonObject([]))
    groups: dict[str, _Group] = {}
    sources: dict[str, str] = {}
    listed: dict[str, None] = {}
    rows = list(rows)
    known: dict[tuple[str, str | None, str | None], str] = {}
    for row in rows:
        trial = row.trial
        triple = (trial.agent, trial.model, trial.source)
        key = known.get(triple)
        if key is None:
            key = known[triple] = group_of(trial, form)
            made.groups.setdefault(key, [])
            made.rows.setdefault(key, [])
            groups.setdefault(key, _Group())
            sources.setdefault(key, trial.source or ADHOC)
        errors = errors_of(row, form)
        groups[key].n_errors += bool(errors)
        for one in errors:
            groups[key].exception_stats.setdefault(one, []).append(printable(trial.trial_name))
        made.rows[key].append(row)
        if rules.takes(row, form):
            task = rules.task(row)
            if task is not trial.task_name or trial.exception is not None:
                trial = replace(trial, task_name=task, exception=None)
            groups[key].add(trial)
            made.groups[key].append(row)
        if row.trial.exception is not None or rewards_of(trial) is not None:
            listed[key] = None
    evals: dict[str, JsonObject] = {}
    for key, group in groups.items():
        entries = stated.get(key)
        entries = entries[:_MOST_ENTRIES] if isinstance(entries, list) else []
        evals[key] = _group(made, key, group, sources[key], form, metrics, entries, rules)
    if not form.every_group:
        evals = _in_old_order(evals, list(listed))
        made.groups = {key: made.groups[key] for key in evals}
    made.tree = _tree(rows, header, form, evals)
    return made


def _group(
    made: Expected,
    key: str,
    group: _Group,
    source: str,
    form: JobForm,
    metrics: MetricNames,
    entries: list[Any],
    rules: Rules,
) -> JsonObject:
    """A group's entry of `evals`."""
    rewards = [trial.rewards for trial in group.graded]
    known: dict[str, Rewards | None] = {}

    def compute(name: str) -> Rewards | None:
        if name not in known:
            try:
                known[name] = rules.aggregate(name, rewards)
            except _RAISED:
                known[name] = None
        return known[name]

    unscored = rules.by_validity(form) and not made.groups[key]
    names = [] if unscored else metrics.choose(key, source, entries, compute)
    values = [None if name is None else compute(name) for name in names]
    failed = [name for name, value in zip(names, values, strict=True) if name is not None and value is None]
    if failed:
        made.failure = (key, str(failed[0]))
    if not names and entries and all(follows(entry, compute) for entry in entries):
        made.surplus.add(key)
    made.names[key], made.values[key] = names, values
    passes = made.pass_at_k[key] = rules.pass_at_k(group.graded)
    members: dict[str, JsonTree] = {
        "n_trials": group.n_trials,
        "n_errors": group.n_errors,
        "metrics": [None if value is None else JsonObject(list(value.items())) for value in values],
        "pass_at_k": JsonObject([(str(k), value) for k, value in passes.items()]),
        "reward_stats": group._reward_stats(),
        "exception_stats": JsonObject(list(group.exception_stats.items())),
    }
    return JsonObject([(name, members[name]) for name in form.group])


def _in_old_order(evals: dict[str, JsonObject], listed: list[str]) -> dict[str, JsonObject]:
    """Groups in the old order: with a reward or an exception, then with a metric, then with a pass@k."""

    def has(key: str, name: str) -> bool:
        value = dict(evals[key].members).get(name)
        return bool(value.members if isinstance(value, JsonObject) else value)

    rest = [key for key in evals if key not in listed]
    with_metrics = [key for key in rest if has(key, "metrics")]
    with_pass_at_k = [key for key in rest if key not in with_metrics and has(key, "pass_at_k")]
    return {key: evals[key] for key in (*listed, *with_metrics, *with_pass_at_k)}


def _tree(rows: list[Row], header: Header, form: JobForm, evals: dict[str, JsonObject]) -> JsonObject:
    """The whole file."""
    reports = [trial_total(row.trial.agent_result, row.trial.step_results) for row in rows]
    totals: dict[str, JsonTree] = {}
    for name in TOTALS:
        numbers = [number for one in reports if (number := getattr(one, name)) is not None]
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
        "n_pending_trials": max(header.n_total_trials - len(rows), 0),
        "n_cancelled_trials": len({name for name, errors in errored if CANCELLED_ERROR in errors}),
        "n_retries": header.n_retries,
        "evals": JsonObject(list(evals.items())),
        **totals,
    }
    names = ("id", "started_at", "updated_at", "finished_at", "n_total_trials")
    top: dict[str, JsonTree] = {
        "schema_version": 1,
        **{name: getattr(header, name) for name in names},
        "stats": JsonObject([(name, stats[name]) for name in form.stats]),
    }
    return JsonObject([(name, top[name]) for name in form.job])
