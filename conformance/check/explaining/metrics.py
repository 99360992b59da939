"""How a metric comes about: the reward of each trial, the sum, the division."""

import math
from collections import Counter
from collections.abc import Sequence

from conformance.check.explaining.shape import Step, shares
from conformance.check.explaining.trials import View, rewards_of
from conformance.check.job.expected import Row
from conformance.check.reading.json_files import show
from reference_impl.aggregation import METRICS
from reference_impl.cpython312.summation import compensated_sum
from reference_impl.json_text import JsonObject, json_text

__all__ = ["metric_steps"]

_FEW = 8
"""Different rewards whose products are written out."""
_MOST_KEYS = 10
"""Reward keys of one metric that are explained."""


def metric_steps(view: View, group: str, path: Sequence[str]) -> list[Step]:
    """How the metrics at `/stats/evals/<group>/metrics` come about, all, one of them, or one number."""
    names = view.expected.names.get(group, [])
    if not path:
        if not names:
            return [
                Step(f"harbor finds no metric for the dataset of {show(group)}, and writes an empty list")
            ]
        told = ", ".join("a script's" if name is None else name for name in names)
        steps = [Step(f"the metrics of {show(group)}, in order: {told}")]
        for index in range(len(names)):
            steps += metric_steps(view, group, [str(index)])
        return steps
    index = int(path[0]) if path[0].isdigit() else len(names)
    if index >= len(names):
        return [Step(f"{show(group)} has {len(names)} metrics by the rules: {', '.join(map(str, names))}")]
    name = names[index]
    if name is None:
        return [Step("a script computed this metric; it is not checked")]
    due = view.due(["stats", "evals", group, "metrics", path[0]])
    if not isinstance(due, JsonObject):
        return [Step("harbor's own job ends with an exception at this metric")]
    keys = [key for key, _ in due.members]
    rows = view.of_group(group)
    if keys == [name]:  # one key, whose own name is dropped
        return _number(name, rows, None)
    steps = [
        Step(f"the rewards have {len(keys)} keys, so {name} has a number for each of them: {show(keys)}")
    ]
    for key in [path[1]] if len(path) > 1 and path[1] in keys else keys[:_MOST_KEYS]:
        steps += _number(name, rows, key)
    return steps


def _number(name: str, rows: Sequence[Row], key: str | None) -> list[Step]:
    """One number: `key` is the reward's, None where there is but one."""
    values: list[int | float] = []
    told: list[tuple[tuple[bool, str], str, str]] = []
    for row in rows:
        rewards = rewards_of(row.trial)
        value: int | float
        if rewards is None:
            value, says = 0, "not scored, counts as 0"
        elif key is None:
            value, says = next(iter(rewards.values()), 0), ""
            says = f"reward {value!r}" if rewards else "scored without a reward, counts as 0"
        else:
            value = rewards.get(key, 0)
            says = f"reward {value!r}" if key in rewards else f"without {show(key)}, counts as 0"
        values.append(value)
        told.append(((rewards is None, says), says, row.trial.trial_name))
    what = "the reward" if key is None else f"the reward {show(key)}"
    step = shares(told, f"{what} of each of the {len(rows)} trials:")
    step.shares.sort(key=lambda share: share.count, reverse=True)
    scored = [value for value, row in zip(values, rows, strict=True) if rewards_of(row.trial) is not None]
    steps = [step, *_combined(name, values)]
    if name == "mean" and 0 < len(scored) < len(values):
        alone = _text(METRICS[name](scored))
        steps.append(Step(f"over the {len(scored)} scored trials alone it would be {alone}"))
    return steps


def _combined(name: str, values: Sequence[int | float]) -> list[Step]:
    if not values:
        return [Step("there are no trials")]
    result = METRICS[name](values)
    if name in ("max", "min"):
        which = "largest" if name == "max" else "smallest"
        return [Step(f"the {which} of them, the first of equal ones: {_text(result)}")]
    total = compensated_sum(values)
    steps = [Step(f"their sum: {_products(values)} = {_text(total)}")]
    plainly = _plain_sum(values)
    if plainly != total and not (math.isnan(plainly) and math.isnan(total)):
        steps.append(
            Step(
                f"added plainly from left to right it would be {_text(plainly)}; the sum of CPython 3.12 "
                "carries each addition's rounding error along and adds it at the end"
            )
        )
    if name == "mean":
        steps.append(Step(f"the mean, over all trials: {_text(total)} / {len(values)} = {_text(result)}"))
    return steps


def _plain_sum(values: Sequence[int | float]) -> int | float:
    total: int | float = 0
    for value in values:
        total += value
    return total


def _products(values: Sequence[int | float]) -> str:
    counts = Counter(map(repr, values))
    if len(counts) > _FEW:
        return f"{len(values)} numbers, added in the order of the file"
    return " + ".join(f"{count} × {value}" for value, count in counts.most_common())


def _text(number: int | float) -> str:
    """As Python spells it; null is what the file has for NaN and the infinities."""
    text = json_text(number)
    return f"{number!r}, which is written as null" if text == "null" else text
