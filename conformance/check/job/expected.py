"""Works out what `result.json` has to hold, from the trials in a given order.

The reference counts and adds up. Metrics are filled in here, because which ones there are is not
always known (`metric_names`), and because a metric that can't be checked is taken as it stands.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.check.generations import LATEST_JOB, JobGeneration
from conformance.check.job.form import computed, in_form, keyed
from conformance.check.job.metric_names import GroupMetrics, MetricNames
from conformance.check.job.statistics import QuickStatistics
from conformance.check.job.tree_text import tree_text
from conformance.check.reading.json_files import Members, Number
from conformance.check.reading.limits import MIB, TooLargeError
from reference_impl import Job, PydanticSerializationError, Trial, evals_key
from reference_impl.aggregation import DEFAULT_METRIC, METRICS
from reference_impl.evals_key import ADHOC
from reference_impl.json_text import INDENT, JsonObject, JsonTree, json_text
from reference_impl.verifier_result import Rewards

__all__ = ["AsRecorded", "Expected", "Header", "Row", "work_out"]

_TAKEN = "taken as recorded"
_MARKED = re.compile(rf'"\\u0000{_TAKEN} ([0-9]+)"')
_MOST_LAID_OUT = 32 * MIB
"""Characters of what is not computed but taken as it stands."""
_MOST_ENTRIES = 1000
"""The most metrics of a group that are looked at; if there are more, their number is wrong."""


@dataclass(slots=True)
class Row:
    """A trial, as far as the job depends on it."""

    trial: Trial
    folder: str
    """The name of its directory."""
    started: float | None = None
    """When it began, in seconds of a clock that all trials of the job share."""
    config: int = 0
    """Which of the job's distinct task and agent it ran."""
    whole: bool = True
    """False for a trial that is known only from what the job lists: no tokens and no task."""


@dataclass(frozen=True, slots=True)
class Header:
    """What `result.json` says of the job and the trials do not tell."""

    id: str
    started_at: str
    updated_at: str | None
    finished_at: str | None
    n_total_trials: int
    n_retries: int


@dataclass(frozen=True, slots=True)
class AsRecorded:
    """A value that is taken as it stands in the file."""

    value: Any
    marker: str
    """What stands for it in a tree: a string that no file holds."""


@dataclass(slots=True)
class Expected:
    """What `result.json` has to hold."""

    tree: JsonObject
    rewards: dict[str, list[Rewards | None]]
    """Each group's rewards, in order."""
    tasks: dict[str, list[str]]
    """The tasks of these trials."""
    names: dict[str, list[str | None]]
    """Each group's metrics; None for one that is not checked."""
    taken: dict[str, AsRecorded] = field(default_factory=dict)
    """By marker."""
    failure: tuple[str, str] | None = None
    """The group and the exception of a metric that raises: harbor's job would not have finished."""
    generation: JobGeneration = LATEST_JOB
    surplus: set[str] = field(default_factory=set)
    """Groups that have no metric by the rules, while each that the file has follows from the rewards."""

    def text(self) -> str:
        """The text of the file.

        Raises:
            TooLargeError: what is taken as recorded is too large to be laid out.
        """
        text, room = tree_text(self.tree), _MOST_LAID_OUT

        def laid_out(found: re.Match[str]) -> str:
            nonlocal room
            line = text.rindex("\n", 0, found.start()) + 1
            margin = text[line : found.start()]
            if margin.strip():  # a member, not an entry
                margin = margin[: len(margin) - len(margin.lstrip())]
            made: list[str] = []
            room = _lay_out(self.taken[f"\0{_TAKEN} {found[1]}"].value, margin, made, room)
            return "".join(made)

        return _MARKED.sub(laid_out, text) if self.taken else text

    def groups(self) -> dict[str, dict[str, JsonTree]]:
        """Each group's statistics, member by member."""
        return {key: dict(group.members) for key, group in _groups(self.tree)}


def work_out(
    rows: Iterable[Row],
    header: Header,
    names: MetricNames,
    recorded: dict[str, Any],
    generation: JobGeneration = LATEST_JOB,
) -> Expected:
    """What a file of that generation has to hold if the trials came in this order.

    `recorded` is each group's metrics as the file has them.

    Raises:
        PydanticSerializationError: harbor could not have written such a file.
    """
    statistics = QuickStatistics()
    rewards: dict[str, list[Rewards | None]] = {}
    add = statistics.add
    tasks: dict[str, list[str]] = {}
    keys: dict[tuple[str, str | None, str | None], tuple[str, list[Rewards | None], list[str]]] = {}
    datasets: dict[str, str] = {}
    listed: dict[str, None] = {}
    for row in rows:
        trial = keyed(row.trial, generation)
        add(trial)
        triple = (trial.agent, trial.model, trial.source)
        group = keys.get(triple)
        if group is None:
            key = evals_key(*triple)
            group = keys[triple] = key, rewards.setdefault(key, []), tasks.setdefault(key, [])
            datasets[key] = row.trial.source or ADHOC
        reward = None if trial.verifier_result is None else trial.verifier_result.rewards
        if not generation.every_group and (reward is not None or trial.exception is not None):
            listed[group[0]] = None
        group[1].append(reward)
        group[2].append(trial.task_name)
    job = Job(
        header.id,
        header.started_at,
        header.updated_at,
        header.finished_at,
        header.n_total_trials,
        header.n_retries,
        {},
    )
    expected = Expected(statistics.result(job).tree, rewards, tasks, {}, generation=generation)
    for key, group_tree in _groups(expected.tree):
        plan = names.of(key, datasets[key])
        _fill_metrics(expected, key, group_tree, plan, recorded.get(key))
    expected.tree = in_form(expected.tree, generation, listed)
    made = {key for key, _ in _groups(expected.tree)}
    rewards = {key: value for key, value in rewards.items() if key in made}
    _print_keys(expected.tree)
    expected.rewards = {_printed(key): value for key, value in rewards.items()}
    expected.tasks = {_printed(key): value for key, value in tasks.items() if key in made}
    expected.surplus = {_printed(key) for key in expected.surplus}
    expected.names = {_printed(key): value for key, value in expected.names.items()}
    return expected


def _print_keys(tree: JsonTree) -> None:
    """Gives every key the form in which it is printed: a lone surrogate becomes three U+FFFD."""
    if isinstance(tree, JsonObject):
        tree.members[:] = [(_printed(key), value) for key, value in tree.members]
        for _, value in tree.members:
            if isinstance(value, JsonObject):
                _print_keys(value)
            elif isinstance(value, list) and value and isinstance(value[0], JsonObject):
                for entry in value:
                    _print_keys(entry)


def _printed(key: str) -> str:
    return key if key.isascii() else key.encode("utf-8", "surrogatepass").decode("utf-8", "replace")


def _member(tree: JsonObject, name: str) -> JsonTree:
    return next(value for key, value in tree.members if key == name)


def _groups(tree: JsonObject) -> list[tuple[str, JsonObject]]:
    stats = _member(tree, "stats")
    assert isinstance(stats, JsonObject)
    evals = _member(stats, "evals")
    assert isinstance(evals, JsonObject)
    return [(key, group) for key, group in evals.members if isinstance(group, JsonObject)]


def _fill_metrics(expected: Expected, key: str, group: JsonObject, plan: GroupMetrics, recorded: Any) -> None:
    entries = recorded[:_MOST_ENTRIES] if isinstance(recorded, list) else []
    rewards = expected.rewards[key]
    known: dict[str, JsonTree] = {}

    def compute(name: str) -> JsonTree:
        if name not in known:
            known[name] = JsonObject(list(computed(name, rewards, expected.generation).items()))
        return known[name]

    try:
        chosen = _choose(plan, entries, compute)
        values = [
            _taken(expected, entries[index]) if name is None else compute(name)
            for index, name in enumerate(chosen)
        ]
        if not chosen and all(_follows(entry, compute) for entry in entries):
            expected.surplus.add(key)
    except (OverflowError, PydanticSerializationError, ValueError) as error:
        expected.failure = (key, type(error).__name__)
        chosen, values = [], []
    expected.names[key] = chosen
    position = next(index for index, (name, _) in enumerate(group.members) if name == "metrics")
    group.members[position] = ("metrics", values)


def _taken(expected: Expected, value: Any) -> str:
    marker = f"\0{_TAKEN} {len(expected.taken)}"
    expected.taken[marker] = AsRecorded(value, marker)
    return marker


def _choose(
    plan: GroupMetrics, entries: Sequence[Any], compute: Callable[[str], JsonTree]
) -> list[str | None]:
    """The metric of each entry that is due; None for one that is not checked."""
    if not plan.opening:
        if plan.or_none and not entries:
            return []
        return [
            None if name not in METRICS and index < len(entries) else _built_in(name)
            for index, name in enumerate(plan.names)
        ]
    tail = [_built_in(name) if name in METRICS else None for name in plan.names]
    front = len(entries) - len(tail)
    if front <= 0:
        if front < 0 and None in tail:
            return [None] * len(entries)
        return list(tail) or ([] if plan.or_none and not entries else [DEFAULT_METRIC])
    chosen: list[str | None] = []
    for index, entry in enumerate(entries[:front]):
        chosen.append(_recognise(entry, compute, script=plan.script_first and index == 0))
    return chosen + tail


def _built_in(name: str) -> str:
    """The metric itself; a script's that left no entry at all counts as the default."""
    return name if name in METRICS else DEFAULT_METRIC


def _recognise(entry: Any, compute: Callable[[str], JsonTree], script: bool) -> str | None:
    """The built-in metric that an entry is of, None if it looks like a script's."""
    if not isinstance(entry, Members):
        return None
    by_value = [name for name in METRICS if _gives(compute, name, entry)]
    by_name = [name for name in METRICS if [name] == [key for key, _ in entry]]
    if by_name and by_name[0] in by_value:
        return by_name[0]
    if by_value:
        return by_value[0]
    if script:
        return None
    if by_name:
        return by_name[0]
    mean = compute(DEFAULT_METRIC)
    assert isinstance(mean, JsonObject)
    due = {key for key, _ in mean.members}
    return DEFAULT_METRIC if due == {key for key, _ in entry} else None


def _gives(compute: Callable[[str], JsonTree], name: str, entry: Members) -> bool:
    """Whether a metric gives that very entry; one that raises gives nothing."""
    try:
        due = compute(name)
    except (OverflowError, ValueError):
        return False
    assert isinstance(due, JsonObject)
    texts = [(key, json_text(value)) for key, value in due.members]
    return texts == [(key, value.text if isinstance(value, Number) else "null") for key, value in entry]


def _follows(entry: Any, compute: Callable[[str], JsonTree]) -> bool:
    """Whether an entry is what some built-in metric gives."""
    return isinstance(entry, Members) and any(_gives(compute, name, entry) for name in METRICS)


def _lay_out(value: Any, margin: str, made: list[str], room: int) -> int:
    """Adds the value in the layout of the file, its numbers as they are spelled; the characters still left.

    Raises:
        TooLargeError: it takes more than `room` characters.
    """
    if isinstance(value, list):  # Members too
        inner = margin + INDENT
        opening, closing = "{}" if isinstance(value, Members) else "[]"
        made.append(opening)
        for number, item in enumerate(value):
            made.append(f"{',' if number else ''}\n{inner}")
            room -= len(made[-1])
            if isinstance(value, Members):
                made.append(f"{json_text(item[0])}: ")
                room -= len(made[-1])
                item = item[1]
            room = _lay_out(item, inner, made, room)
        made.append(f"\n{margin}{closing}" if value else closing)
    elif isinstance(value, bool):
        made.append("true" if value else "false")
    else:
        made.append(value.text if isinstance(value, Number) else json_text(value))
    room -= len(made[-1])
    if room < 0:
        raise TooLargeError("metrics of a script", f"at most {_MOST_LAID_OUT} characters are laid out")
    return room
