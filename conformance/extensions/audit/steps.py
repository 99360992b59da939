"""The steps to a number of `result.json`: which trials count, and what is made of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conformance.extensions.audit.formats import TOTALS, JobForm
from conformance.extensions.audit.judging import View
from conformance.extensions.audit.reading import Members, Number, show
from conformance.extensions.audit.rows import Row, errors_of, group_of, rewards_of
from conformance.extensions.audit.rules import OWN
from reference_impl.agent_result import trial_total
from reference_impl.aggregation import METRICS, mean
from reference_impl.cpython312.summation import compensated_sum
from reference_impl.job_result import CANCELLED_ERROR
from reference_impl.json_text import json_text
from reference_impl.pass_at_k import eligible_k_values, pass_at_k_for_task

if TYPE_CHECKING:
    from conformance.extensions.audit.job_audit import Working

MOST_NAMED, _MOST_SHARES, _FEW, _MOST_KEYS = 20, 200, 8, 10


@dataclass(slots=True)
class Share:
    """Trials that have something in common: a reward, an exception, a task."""

    what: str
    count: int = 0
    trials: list[str] = field(default_factory=list)
    """The names of the first of them."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step towards the number."""

    says: str
    shares: list[Share] = field(default_factory=list)
    left_out: int = 0
    """Shares beyond those."""


def _shares(says: str, items: Iterable[tuple[str, str]]) -> Step:
    """A step that groups names by what they have in common: pairs of that and the name."""
    made: dict[str, Share] = {}
    for what, name in items:
        share = made.setdefault(what, Share(what))
        share.count += 1
        if len(share.trials) < MOST_NAMED:
            share.trials.append(name.replace("\0", "unknown trial "))
    found = sorted(made.values(), key=lambda share: -share.count)
    return Step(says, found[:_MOST_SHARES], max(len(found) - _MOST_SHARES, 0))


def _by(rows: Sequence[Row], what: Callable[[Row], str], says: str) -> Step:
    return _shares(says, ((what(row), row.trial.trial_name) for row in rows))


def _scored(row: Row) -> str:
    rewards = rewards_of(row.trial)
    return "not scored" if rewards is None else f"rewards {show(rewards)}"


def number_steps(working: "Working", path: list[str], expected: str | None) -> tuple[list[Step], str | None]:
    """The steps to the expected value at a place of a job, and that value; `expected` is what a finding says.

    Of the two views of the trials it is the one by which that number is expected, else that of the records.
    """
    views = [view for view in working.views if view.expected is not None]
    if not views:
        return [Step("harbor could not have written a file with these trials")], None
    fits = (one for one in views if expected is not None and _text(one.due, path) == expected)
    view = next(fits, views[-1])
    steps = _Explained(view, working.file.form, working.file.evals, path).steps()
    recorded = {row.trial.trial_name: row.trial for row in working.views[-1].rows}
    other = [row for row in view.rows if recorded.get(row.trial.trial_name) != row.trial]
    if steps and other:
        says = "the report takes some trials as result.json lists or counts them, not as records have them:"
        steps.insert(0, _by(other, lambda _: "taken so", says))
    return steps, _text(view.due, path)


def _value(due: Any, path: Sequence[str]) -> Any:
    for key in path:
        if isinstance(due, Members):
            due = due.get(key)
        elif isinstance(due, list) and key.isdigit() and int(key) < len(due):
            due = due[int(key)]
        else:
            return None
    return due


def _text(due: Any, path: Sequence[str]) -> str | None:
    value = _value(due, path)
    return value.text if isinstance(value, Number) else None


_COUNTERS = {
    **dict.fromkeys(("n_completed_trials", "n_trials"), "every trial that ended counts, scored or not"),
    "n_total_trials": "planned, by lock.json where that is needed, else as many as are there",
    "n_pending_trials": "planned less completed, 0 at least",
    "n_running_trials": "a job that has finished runs no trial",
    "n_retries": "nothing in the trials shows it; it is taken as it is",
}


@dataclass(slots=True)
class _Explained:
    """A place of the file, by one view of the trials."""

    view: View
    form: JobForm
    evals: Any
    """As the file has them."""
    path: list[str]

    def steps(self) -> list[Step]:
        """The steps to the number there; none where it is no number of the trials'."""
        path, made, rows = self.path, self.view.expected, self.view.rows
        assert made is not None
        if path == ["n_total_trials"] or (len(path) == 2 and path[0] == "stats" and path[1] != "evals"):
            return self._total() if path[-1] in TOTALS else self._counter(rows, "the job")
        if len(path) < 2 or path[0] != "stats":
            return []
        if len(path) < 4 or path[2] not in made.groups:
            rule = "agent, model and dataset make the key, joined by __; without a model it is left out"
            return [_by(rows, self._group, f"the groups of the {len(rows)} trials:"), Step(rule)]
        group, member = path[2:4]
        left_out = [row for row in made.rows[group] if not OWN.takes(row, self.form)]
        without: list[Step] = []
        rows = made.groups[group]
        if member in ("n_errors", "exception_stats"):
            rows = made.rows[group]
        elif left_out:
            says = f"{len(left_out)} trials of {show(group)} are left out, as their rewards are not valid:"
            without = [_by(left_out, lambda row: f"{_scored(row)}, {self._exceptions(row)}", says)]
        if member == "metrics":
            return without + self._metrics(rows, made.names[group])
        if member == "pass_at_k":
            return without + _pass_at_k(rows, path[4:])
        if member in ("reward_stats", "exception_stats"):
            return without + self._lists(rows)
        return without + self._counter(rows, show(group))

    def _exceptions(self, row: Row) -> str:
        return ", ".join(map(show, errors_of(row, self.form))) or "no exception"

    def _group(self, row: Row) -> str:
        trial = row.trial
        parts = f"agent {show(trial.agent)}, model {show(trial.model)}, dataset {show(trial.source)}"
        return f"{show(group_of(trial, self.form))}: {parts}"

    def _counter(self, rows: Sequence[Row], of: str) -> list[Step]:
        name, count = self.path[-1], f"{len(rows)} trials of {of}"
        result = _text(self.view.due, self.path[:4]) or "nothing"
        if name in ("n_errored_trials", "n_errors", "n_cancelled_trials"):
            what = f"with {CANCELLED_ERROR}, each name once" if "cancelled" in name else "with an exception"
            says = f"{count}, by the exception that they ended in:"
            return [_by(rows, self._exceptions, says), Step(f"{what}: {result}")]
        which = "a valid reward" if self.form.by_validity else "rewards, whatever they are"
        rule = f"{name} of a group counts those with {which}"
        rule = _COUNTERS.get(name, "") if len(self.path) <= 2 else rule
        says = f"{count}, by what their records have for rewards:"
        return [_by(rows, _scored, says), Step(f"{rule}: {result}")]

    def _total(self) -> list[Step]:
        """How a total of tokens or of the cost comes about."""
        name, rows = self.path[-1], self.view.rows
        numbers = [getattr(trial_total(row.trial.agent_result, row.trial.step_results), name) for row in rows]
        texts = [None if one is None else json_text(one) for one in numbers]
        said = ("reports none" if one is None else f"reports {one}" for one in texts)
        says = f"{name} of each of the {len(rows)} trials, as its agent reported it:"
        step = _shares(says, zip(said, (row.trial.trial_name for row in rows), strict=True))
        given = [one for one in texts if one is not None]
        if not given:
            return [step, Step("no trial reports any, so the total is null, not 0")]
        more = f" + … ({len(given) - _FEW} more)" if len(given) > _FEW else ""
        how = ", one after the other, without compensation" if name == "cost_usd" else ""
        total = f"{' + '.join(given[:_FEW])}{more} = {_text(self.view.due, self.path) or 'nothing'}"
        return [step, Step(f"added in the order of the file{how}: {total}")]

    def _metrics(self, rows: list[Row], names: list[str | None]) -> list[Step]:
        """How the metrics of a group come about, all, one of them, or one number."""
        group, path, due = show(self.path[2]), self.path[4:], _value(self.view.due, self.path[:4])
        if not names:
            return [Step(f"harbor finds no metric for the dataset of {group}, and writes an empty list")]
        every = f"the metrics of {group}, in order: {', '.join(name or 'of a script' for name in names)}"
        steps = [Step(every)] if not path or not path[0].isdigit() or int(path[0]) >= len(names) else []
        for index in range(len(names)) if steps else [int(path[0])]:
            name, entry = names[index], due[index] if isinstance(due, list) and index < len(due) else None
            if name is None or not isinstance(entry, Members):
                steps.append(Step("a script computed this metric; it is not checked"))
                continue
            keys = [key for key, _ in entry]
            if keys == [name]:
                steps += _metric(name, rows, None)
                continue
            told = f"the rewards have {len(keys)} keys, so {name} has a number for each of them: {show(keys)}"
            steps.append(Step(told))
            for key in path[1:2] if path[1:2] and path[1] in keys else keys[:_MOST_KEYS]:
                steps += _metric(name, rows, key)
        return steps

    def _lists(self, rows: Sequence[Row]) -> list[Step]:
        """How reward_stats or exception_stats comes about, and which trials the file lists otherwise."""
        if self.path[3] == "exception_stats":
            place, by, what = self.path[:4], self._exceptions, "exception"
            rule = "those with one are listed, by its type"
        else:
            place, by, what = self.path[:5], _scored, "rewards"
            rule = "each scored trial is listed under its reward, in the order of the trials"
        step = _by(rows, by, f"{len(rows)} trials of {show(self.path[2])}, by their {what}:")
        left, right = _under(_value(self.evals, place[2:])), _under(_value(self.view.due, place))
        other = [name for name in {**right, **left} if right.get(name) != left.get(name)]
        items = ((f"listed {_where(left, name)}, due {_where(right, name)}", name) for name in other)
        return [step, Step(rule), _shares(f"{len(other)} trials that the file lists otherwise:", items)]


def _metric(name: str, rows: Sequence[Row], key: str | None) -> list[Step]:
    """One number: `key` is the reward's, None where there is but one."""
    every = [rewards_of(row.trial) for row in rows]
    first = [next(iter((one or {}).values()), None) if key is None else (one or {}).get(key) for one in every]
    values: list[int | float] = [0 if value is None else value for value in first]
    what = "the reward" if key is None else f"the reward {show(key)}"
    lacks = "scored without a reward" if key is None else f"without {show(key)}"
    said = [
        f"reward {value!r}"
        if value is not None
        else f"{'not scored' if rewards is None else lacks}, counts as 0"
        for value, rewards in zip(first, every, strict=True)
    ]
    names = (row.trial.trial_name for row in rows)
    steps = [_shares(f"{what} of each of the {len(rows)} trials:", zip(said, names, strict=True))]
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
        told = f"added plainly from left to right it would be {_printed(plainly)}; the sum of CPython 3.12 "
        steps.append(Step(f"{told}carries each addition's rounding error along and adds it at the end"))
    if name == "mean":
        steps.append(Step(f"the mean, over all trials: {_printed(total)} / {len(values)} = {result}"))
        scored = [value for value, rewards in zip(values, every, strict=True) if rewards is not None]
        if 0 < len(scored) < len(values):
            alone = _printed(mean(scored))
            steps.append(Step(f"over the {len(scored)} scored trials alone it would be {alone}"))
    return steps


def _printed(number: int | float) -> str:
    """As the file spells it; null is what it has for NaN and the infinities."""
    text = json_text(number)
    return f"{number!r}, which is written as null" if text == "null" else text


def _pass_at_k(rows: Sequence[Row], path: list[str]) -> list[Step]:
    """How a group's pass@k come about, or one of them."""
    tasks: dict[str, list[bool]] = {}
    for row in rows:
        rewards = rewards_of(row.trial)
        values = list((rewards or {}).values())
        if rewards is not None and (len(values) != 1 or values[0] not in (0, 1)):
            shown = f"{show(row.trial.trial_name)} has {show(rewards)}"
            return [Step(f"no pass@k: every trial needs one reward, 0 or 1, or none at all, and {shown}")]
        tasks.setdefault(row.trial.task_name, []).append(1 in values)
    fewest = min(map(len, tasks.values()), default=0)
    due = eligible_k_values(fewest)
    which = "k are the powers of two from 2 and the multiples of 5 up to that"
    every = ", ".join(map(str, due)) or "none"
    steps = [Step(f"{len(tasks)} tasks have {fewest} trials at least: {which}: {every}")]
    for k in [k for k in due if not path or path[0] == str(k)]:
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
        return "1 - 0, as any k trials hold a success"
    factors = [f"{n - c - i}/{n - i}" for i in range(min(k, _FEW))]
    return f"1 - {' × '.join(factors)}{' × …' if k > _FEW else ''}"


def _where(under: dict[str, str], name: str) -> str:
    return f"under {show(under[name])}" if name in under else "nowhere"


def _under(lists: Any) -> dict[str, str]:
    """Each name's key, whatever there is above it."""
    found: dict[str, str] = {}
    for key, value in lists if isinstance(lists, Members) else ():
        if isinstance(value, Members):
            found |= {name: f"{show(key)} {under}" for name, under in _under(value).items()}
        elif isinstance(value, list):
            found |= {str(name): key for name in value}
    return found
