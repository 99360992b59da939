"""The steps to a metric or a pass@k: which trials count, and how they are combined."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.extensions.audit.formats import JobForm
from conformance.extensions.audit.judging import View
from conformance.extensions.audit.reading import Members, Number, show
from conformance.extensions.audit.rows import Row, errors_of, rewards_of
from conformance.extensions.audit.rules import OWN
from reference_impl.aggregation import METRICS, mean
from reference_impl.cpython312.summation import compensated_sum
from reference_impl.json_text import json_text
from reference_impl.pass_at_k import eligible_k_values, pass_at_k_for_task

if TYPE_CHECKING:
    from conformance.extensions.audit.report import Working

MOST_NAMED, _MOST_SHARES, _FEW, _MOST_KEYS = 20, 200, 8, 10


@dataclass(slots=True)
class Share:
    """Trials with a common property: a reward, an exception, a task."""

    what: str
    count: int = 0
    trials: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Step:
    """One step of the computation."""

    says: str
    shares: list[Share] = field(default_factory=list)
    left_out: int = 0


def _shares(says: str, items: Iterable[tuple[str, str]]) -> Step:
    """A step that groups names by a common property, given pairs of property and name."""
    made: dict[str, Share] = {}
    for what, name in items:
        share = made.setdefault(what, Share(what))
        share.count += 1
        if len(share.trials) < MOST_NAMED:
            share.trials.append(name.replace("\0", "unknown trial "))
    found = sorted(made.values(), key=lambda share: -share.count)
    return Step(says, found[:_MOST_SHARES], max(len(found) - _MOST_SHARES, 0))


def number_steps(working: "Working", path: list[str], expected: str | None) -> tuple[list[Step], str | None]:
    """The steps to the value at a place of a job, and that value; `expected` is the finding's.

    Uses the view of the trials that gives this value, or else the view of the records.
    """
    views = [view for view in working.views if view.expected is not None]
    if not views:
        return [Step("harbor could not have written a file with these trials")], None
    fits = (one for one in views if expected is not None and _text(one.wanted, path) == expected)
    view = next(fits, views[-1])
    steps = _steps(view, working.file.form, path)
    recorded = {row.trial.trial_name: row.trial for row in working.views[-1].rows}
    other = [row for row in view.rows if recorded.get(row.trial.trial_name) != row.trial]
    if steps and other:
        says = "the report uses some trials as result.json lists or counts them, not as their records state:"
        steps.insert(0, _shares(says, (("taken so", row.trial.trial_name) for row in other)))
    return steps, _text(view.wanted, path)


def _value(wanted: Any, path: Sequence[str]) -> Any:
    for key in path:
        if isinstance(wanted, Members):
            wanted = wanted.get(key)
        elif isinstance(wanted, list) and key.isdigit() and int(key) < len(wanted):
            wanted = wanted[int(key)]
        else:
            return None
    return wanted


def _text(wanted: Any, path: Sequence[str]) -> str | None:
    value = _value(wanted, path)
    return value.text if isinstance(value, Number) else None


def _steps(view: View, form: JobForm, path: list[str]) -> list[Step]:
    """The steps to the value at a place among a group's metrics and pass@k."""
    made = view.expected
    assert made is not None
    if len(path) < 4 or path[:2] != ["stats", "evals"] or path[2] not in made.groups:
        return []
    group, member = path[2:4]
    rows, steps = made.groups[group], list[Step]()
    if left_out := [row for row in made.rows[group] if not OWN.takes(row, form)]:
        says = f"{len(left_out)} trials of {show(group)} are left out, because their rewards are not valid:"
        items: list[tuple[str, str]] = []
        for row in left_out:
            rewards, errors = rewards_of(row.trial), ", ".join(map(show, errors_of(row, form)))
            scored = "not scored" if rewards is None else f"rewards {show(rewards)}"
            items.append((f"{scored}, {errors}", row.trial.trial_name))
        steps = [_shares(says, items)]
    if member == "metrics":
        return steps + _metrics(view, rows, made.names[group], path)
    if member == "pass_at_k":
        return steps + _pass_at_k(rows, path[4:])
    return []


def _metrics(view: View, rows: list[Row], names: list[str | None], path: list[str]) -> list[Step]:
    """How a group's metrics are computed: all, one metric, or one number."""
    group, rest, wanted = show(path[2]), path[4:], _value(view.wanted, path[:4])
    if not names:
        return [Step(f"harbor finds no metric for the dataset of {group}, and writes an empty list")]
    every = f"the metrics of {group}, in order: {', '.join(name or 'of a script' for name in names)}"
    steps = [Step(every)] if not rest or not rest[0].isdigit() or int(rest[0]) >= len(names) else []
    for index in range(len(names)) if steps else [int(rest[0])]:
        name = names[index]
        entry = wanted[index] if isinstance(wanted, list) and index < len(wanted) else None
        if name is None or not isinstance(entry, Members):
            steps.append(Step("a script computed this metric; it is not checked"))
            continue
        keys = [key for key, _ in entry]
        if keys == [name]:
            steps += _metric(name, rows, None)
            continue
        each = f"the rewards have {len(keys)} keys, so {name} has a number for each of them: {show(keys)}"
        steps.append(Step(each))
        for key in rest[1:2] if rest[1:2] and rest[1] in keys else keys[:_MOST_KEYS]:
            steps += _metric(name, rows, key)
    return steps


def _metric(name: str, rows: Sequence[Row], key: str | None) -> list[Step]:
    """The steps to one number; `key` is the reward's, None if there is only one."""
    every = [rewards_of(row.trial) for row in rows]
    first = [next(iter((one or {}).values()), None) if key is None else (one or {}).get(key) for one in every]
    values: list[int | float] = [0 if value is None else value for value in first]
    what = "the reward" if key is None else f"the reward {show(key)}"
    lacks = "scored without a reward" if key is None else f"without {show(key)}"
    stated = [
        f"reward {value!r}"
        if value is not None
        else f"{'not scored' if rewards is None else lacks}, counts as 0"
        for value, rewards in zip(first, every, strict=True)
    ]
    names = (row.trial.trial_name for row in rows)
    steps = [_shares(f"{what} of each of the {len(rows)} trials:", zip(stated, names, strict=True))]
    result = _printed(METRICS[name](values))
    if name in ("max", "min"):
        which = "largest" if name == "max" else "smallest"
        return [*steps, Step(f"the {which} of them, the first of equal ones: {result}")]
    total, plainly = compensated_sum(values), 0
    for value in values:
        plainly += value  # type: ignore[assignment]
    counts = Counter(map(repr, values))
    products = " + ".join(f"{count} × {value}" for value, count in counts.most_common())
    products = products if len(counts) <= _FEW else f"{len(values)} numbers, added in the order of the file"
    steps.append(Step(f"their sum: {products} = {_printed(total)}"))
    if repr(plainly) != repr(total):
        plain = f"added from left to right it would be {_printed(plainly)}; the sum of CPython 3.12 "
        steps.append(Step(f"{plain}carries each addition's rounding error along and adds it at the end"))
    if name == "mean":
        steps.append(Step(f"the mean, over all trials: {_printed(total)} / {len(values)} = {result}"))
        scored = [value for value, rewards in zip(values, every, strict=True) if rewards is not None]
        if 0 < len(scored) < len(values):
            alone = _printed(mean(scored))
            steps.append(Step(f"over the {len(scored)} scored trials alone it would be {alone}"))
    return steps


def _printed(number: int | float) -> str:
    """The number as in the file, where null replaces NaN and the infinities."""
    text = json_text(number)
    return f"{number!r}, which is written as null" if text == "null" else text


def _pass_at_k(rows: Sequence[Row], path: list[str]) -> list[Step]:
    """How a group's values of pass@k are computed, or one of them."""
    tasks: dict[str, list[bool]] = {}
    for row in rows:
        rewards = rewards_of(row.trial)
        values = list((rewards or {}).values())
        if rewards is not None and (len(values) != 1 or values[0] not in (0, 1)):
            shown = f"{show(row.trial.trial_name)} has {show(rewards)}"
            return [Step(f"no pass@k: every trial needs one reward, 0 or 1, or none at all, and {shown}")]
        tasks.setdefault(row.trial.task_name, []).append(1 in values)
    fewest = min(map(len, tasks.values()), default=0)
    wanted = eligible_k_values(fewest)
    which = "k are the powers of two from 2 and the multiples of 5 up to that"
    every = ", ".join(map(str, wanted)) or "none"
    steps = [Step(f"{len(tasks)} tasks have {fewest} trials at least: {which}: {every}")]
    for k in [k for k in wanted if not path or path[0] == str(k)]:
        counts = [(len(passes), sum(passes)) for passes in tasks.values()]
        values = [pass_at_k_for_task(n, c, k) for n, c in counts]
        what = [
            f"{n} trials, {c} passed: {_product(n, c, k)} = {json_text(value)}"
            for (n, c), value in zip(counts, values, strict=True)
        ]
        product = f"1 - product of (n - c - i) / (n - i) for i from 0 to {k - 1}"
        steps.append(_shares(f"pass@{k} of each task, {product}:", zip(what, tasks, strict=True)))
        total = f"{json_text(compensated_sum(values))} / {len(values)} = {json_text(mean(values))}"
        steps.append(Step(f"pass@{k}, the mean over tasks: {total}"))
    return steps


def _product(n: int, c: int, k: int) -> str:
    if n - c < k:
        return "1 - 0, as any k trials include a success"
    factors = [f"{n - c - i}/{n - i}" for i in range(min(k, _FEW))]
    return f"1 - {' × '.join(factors)}{' × …' if k > _FEW else ''}"
