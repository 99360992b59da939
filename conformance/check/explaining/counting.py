"""How counters, totals, lists and groups come about: which trials count, and which do not."""

from collections.abc import Callable, Hashable, Sequence

from conformance.check.explaining.shape import Share, Step, shares
from conformance.check.explaining.trials import View, rewards_of
from conformance.check.job.expected import Row
from conformance.check.reading.json_files import Members, show
from reference_impl.agent_result import trial_total
from reference_impl.job_result import CANCELLED_ERROR
from reference_impl.json_text import JsonObject, json_text

__all__ = ["counter_steps", "group_steps", "list_steps", "total_steps"]

_ADDENDS = 6
"""Addends of a total that are written out."""
_COMPLETED, _ERRORED = ("n_completed_trials", "n_trials"), ("n_errored_trials", "n_errors")

Told = tuple[Hashable, str]


def counter_steps(view: View, name: str, group: str | None) -> list[Step]:
    """How a counter comes about: of a group, or of the job."""
    rows = view.rows if group is None else view.of_group(group)
    of = "the job" if group is None else show(group)
    if name in _ERRORED:
        step = _by(rows, _exception, f"{len(rows)} trials of {of}, by the exception that they ended in:")
        count = sum(row.trial.exception is not None for row in rows)
        return [step, Step(f"with an exception: {count}")]
    if group is not None:
        step = _by(rows, _scored, f"{len(rows)} trials of {of}, by what their records have for rewards:")
        count = sum(rewards_of(row.trial) is not None for row in rows)
        return [step, Step(f"{name} of a group counts those with rewards, whatever they are: {count}")]
    if name in _COMPLETED:
        step = _by(rows, _scored, f"{len(rows)} trials of the job, by what their records have for rewards:")
        return [step, Step(f"every trial that ended counts, scored or not: {len(rows)}")]
    if name == "n_cancelled_trials":
        step = _by(rows, _exception, f"{len(rows)} trials of the job, by the exception that they ended in:")
        names = {row.trial.trial_name for row in rows if row.trial.exception == CANCELLED_ERROR}
        return [step, Step(f"with {CANCELLED_ERROR}, each name once: {len(names)}")]
    total, due = view.due(["n_total_trials"]), view.due(["stats", name])
    if name == "n_total_trials":
        return [
            Step(f"{len(view.rows)} trials are there"),
            Step(f"planned, by lock.json where that is needed, else as many as are there: {show(total)}"),
        ]
    if name == "n_pending_trials":
        return [Step(f"planned less completed, 0 at least: {show(total)} - {len(rows)} gives {show(due)}")]
    if name == "n_running_trials":
        return [Step("a job that has finished runs no trial: 0")]
    return [Step(f"nothing in the trials tells {name}; it is taken as it stands")]


def total_steps(view: View, name: str) -> list[Step]:
    """How a total of tokens or of the cost comes about."""
    numbers: list[tuple[str, int | float]] = []
    silent = Share("which report none")
    stepped = 0
    for row in view.rows:
        trial = row.trial
        stepped += trial.agent_result is None and bool(trial.step_results)
        number = getattr(trial_total(trial.agent_result, trial.step_results), name)
        if number is None:
            silent.count += 1
            silent.named = [*silent.named, trial.trial_name][:_ADDENDS]
        else:
            numbers.append((trial.trial_name, number))
    given = [Share(f"reports {json_text(number)}", 1, [trial]) for trial, number in numbers[:_ADDENDS]]
    steps = [
        Step(
            f"{name} of each of the {len(view.rows)} trials, as its agent reported it:",
            [*given, *([silent] if silent.count else [])],
            max(len(numbers) - _ADDENDS, 0),
        )
    ]
    if stepped:
        steps.append(Step(f"of {stepped} trials with several steps it is the sum of the steps"))
    due = view.text(["stats", name]) or "null"
    if not numbers:
        return [*steps, Step("no trial reports any, so the total is null, not 0")]
    addends = " + ".join(json_text(number) for _, number in numbers[:_ADDENDS])
    more = f" + … ({len(numbers) - _ADDENDS} more)" if len(numbers) > _ADDENDS else ""
    how = ", one after the other, without compensation" if name == "cost_usd" else ""
    return [*steps, Step(f"added in the order of the file{how}: {addends}{more} = {due}")]


def list_steps(view: View, group: str, path: Sequence[str], evals: Members) -> list[Step]:
    """How reward_stats or exception_stats comes about, and which trials the file lists otherwise."""
    kind = path[0]
    rows = view.of_group(group)
    if kind == "exception_stats":
        due = view.due(["stats", "evals", group, kind])
        step = _by(rows, _exception, f"{len(rows)} trials of {show(group)}, by their exception:")
        return [step, *_listed(due, _at(evals, group, path[:1]), "those with one are listed, by its type")]
    keys = due_keys(view, group)
    key = path[1] if len(path) > 1 and path[1] in keys else (keys[0] if keys else None)
    if key is None:
        return [
            _by(rows, _scored, f"{len(rows)} trials of {show(group)}: none has a reward, so none is listed")
        ]

    def rewarded(row: Row) -> Told:
        rewards = rewards_of(row.trial)
        if rewards is None:
            return "none", "not scored, so not listed"
        if key not in rewards:
            return "without", f"without {show(key)}, so not listed under it"
        return repr(rewards[key]), f"{show(key)} {rewards[key]!r}"

    step = _by(rows, rewarded, f"{len(rows)} trials of {show(group)}, by the reward {show(key)}:")
    due = view.due(["stats", "evals", group, kind, key])
    rule = "each scored trial is listed under its reward, in the order of the trials"
    steps = [step, *_listed(due, _at(evals, group, [kind, key]), rule)]
    if len(keys) > 1:
        steps.append(Step(f"the rewards have the keys {show(keys)}, each with lists of its own"))
    return steps


def due_keys(view: View, group: str) -> list[str]:
    """The reward keys that a group has lists of."""
    due = view.due(["stats", "evals", group, "reward_stats"])
    return [key for key, _ in due.members] if isinstance(due, JsonObject) else []


def group_steps(view: View) -> list[Step]:
    """How the groups come about: by agent, model and dataset."""

    def told(row: Row) -> Told:
        trial = row.trial
        key = view.group(trial)
        parts = f"agent {show(trial.agent)}, model {show(trial.model)}, dataset {show(trial.source)}"
        return (key, trial.agent, trial.model, trial.source), f"{show(key)}: {parts}"

    rule = "agent, model and dataset make the key, joined by __; without a model it is left out"
    return [_by(view.rows, told, f"the groups of the {len(view.rows)} trials:"), Step(rule)]


def _by(rows: Sequence[Row], told: Callable[[Row], Told], says: str) -> Step:
    step = shares(((*told(row), row.trial.trial_name) for row in rows), says)
    step.shares.sort(key=lambda share: share.count, reverse=True)
    return step


def _exception(row: Row) -> Told:
    exception = row.trial.exception
    return exception, "no exception" if exception is None else show(exception)


def _scored(row: Row) -> Told:
    rewards = rewards_of(row.trial)
    return repr(rewards), "not scored" if rewards is None else f"rewards {show(rewards)}"


def _at(evals: Members, group: str, path: Sequence[str]) -> object:
    value: object = evals.get(group)
    for key in path:
        value = value.get(key) if isinstance(value, Members) else None
    return value


def _listed(due: object, found: object, rule: str) -> list[Step]:
    """The rule, and the trials that the file lists otherwise."""
    wanted: dict[str, str] = {}
    for key, names in due.members if isinstance(due, JsonObject) else ():
        wanted |= {str(name): key for name in names} if isinstance(names, list) else {}
    stated: dict[str, str] = {}
    for key, names in found if isinstance(found, Members) else ():
        stated |= {str(name): key for name in names} if isinstance(names, list) else {}
    other = [name for name in {**wanted, **stated} if wanted.get(name) != stated.get(name)]
    if not other:
        return [
            Step(rule),
            Step("the file lists the same trials under the same keys; their order or spelling differs"),
        ]

    def told(name: str) -> tuple[Hashable, str, str]:
        left, right = stated.get(name), wanted.get(name)
        says = f"listed {_under(left)}, due {_under(right)}"
        return (left, right), says, name

    return [Step(rule), shares(map(told, other), f"{len(other)} trials that the file lists otherwise:")]


def _under(key: str | None) -> str:
    return "nowhere" if key is None else f"under {show(key)}"
