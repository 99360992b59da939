"""How a pass@k comes about: the attempts at each task, the product, the mean over tasks."""

from collections.abc import Sequence

from conformance.check.explaining.shape import Step, shares
from conformance.check.explaining.trials import View, rewards_of
from conformance.check.reading.json_files import show
from reference_impl.aggregation import mean
from reference_impl.cpython312.summation import compensated_sum
from reference_impl.json_text import json_text
from reference_impl.pass_at_k import eligible_k_values, pass_at_k_for_task

__all__ = ["pass_at_k_steps"]

_FACTORS = 6
"""Factors of a product that are written out."""


def pass_at_k_steps(view: View, group: str, path: Sequence[str]) -> list[Step]:
    """How `/stats/evals/<group>/pass_at_k` comes about, or one of its numbers."""
    rows = view.of_group(group)
    for row in rows:
        rewards = rewards_of(row.trial)
        if rewards is not None and (len(rewards) != 1 or next(iter(rewards.values())) not in (0, 1)):
            shown = f"{show(row.trial.trial_name)} has {show(rewards)}"
            return [Step(f"no pass@k: every trial needs one reward, 0 or 1, or none at all, and {shown}")]
    tasks: dict[str, list[bool]] = {}
    for row in rows:
        passed = 1 in (rewards_of(row.trial) or {}).values()
        tasks.setdefault(row.trial.task_name, []).append(passed)
    fewest = min(map(len, tasks.values()), default=0)
    due = eligible_k_values(fewest)
    first = Step(
        f"{len(tasks)} tasks have {fewest} trials at least: k are the powers of two from 2 and the multiples "
        f"of 5 up to that: {', '.join(map(str, due)) or 'none'}"
    )
    if fewest < 2:
        task = next((name for name, trials in tasks.items() if len(trials) == fewest), "none")
        return [first, Step(f"the task {show(task)} has {fewest} trials, so there is no pass@k at all")]
    if path and path[0] not in map(str, due):
        return [first, Step(f"so pass@{path[0]} is not computed")]
    ks = [int(path[0])] if path else due
    return [first, *(step for k in ks for step in _value(k, tasks))]


def _value(k: int, tasks: dict[str, list[bool]]) -> list[Step]:
    told, values = [], []
    for task, passes in tasks.items():
        n, c = len(passes), sum(passes)
        values.append(pass_at_k_for_task(n, c, k))
        told.append(((n, c), f"{n} trials, {c} passed: {_product(n, c, k)} = {json_text(values[-1])}", task))
    step = shares(
        told, f"pass@{k} of each task, 1 - product of (n - c - i) / (n - i) for i from 0 to {k - 1}:"
    )
    total = compensated_sum(values)
    told_mean = f"{json_text(total)} / {len(values)} = {json_text(mean(values))}"
    return [step, Step(f"pass@{k}, the mean over tasks: {told_mean}")]


def _product(n: int, c: int, k: int) -> str:
    if n - c < k:
        return "1 - 0, as any k trials hold a success"
    factors = [f"{n - c - i}/{n - i}" for i in range(min(k, _FACTORS))]
    return f"1 - {' × '.join(factors)}{' × …' if k > _FACTORS else ''}"
