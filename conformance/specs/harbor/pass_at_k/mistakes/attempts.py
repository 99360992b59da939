"""Mistakes in pass@k's tasks: which attempts belong to one, and what each task counts for."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.pass_at_k.mistakes.eligibility import trials_first

Compute = Callable[[Sequence[Any]], dict[int, float]]


def _renamed(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the tasks' names."""
    trial = reference.get("pass_at_k.GradedTrial")
    trials_first(reference, lambda trials: [trial(change(one.task), one.rewards) for one in trials])


def _attempts(reference: Variant, change: Callable[[dict[str, list[Any]]], dict[str, list[Any]]]) -> None:
    """Changes the attempts by task before pass@k is worked out."""

    def around(compute: Compute) -> Compute:
        trial = reference.module("pass_at_k").GradedTrial

        def computing(trials: Sequence[Any]) -> dict[int, float]:
            tasks: dict[str, list[Any]] = {}
            for one in trials:
                tasks.setdefault(one.task, []).append(one)
            changed = change(tasks)
            return compute([trial(task, one.rewards) for task, ones in changed.items() for one in ones])

        return computing

    reference.wrap("pass_at_k.pass_at_k", around)


@mistake(
    "tasks-pooled",
    says="all attempts are pooled as if they were at one task",
    op="pass_at_k",
    clause="003-4.3-mean-over-tasks",
    why="The group has n attempts and c successes.",
    invited_by="group-level counts, a missing GROUP BY",
)
def _(reference: Variant) -> None:
    _attempts(reference, lambda tasks: {"": [one for ones in tasks.values() for one in ones]})


@mistake(
    "attempts-cut-to-smallest",
    says="every task is estimated with as many attempts as the task with the fewest has",
    op="pass_at_k",
    clause="003-4.3-own-n",
    why="Attempts make a matrix of tasks by attempts.",
    invited_by="zip, numpy arrays, one n for all",
)
def _(reference: Variant) -> None:
    def change(tasks: dict[str, list[Any]]) -> dict[str, list[Any]]:
        fewest = min(map(len, tasks.values()), default=0)
        return {task: ones[:fewest] for task, ones in tasks.items()}

    _attempts(reference, change)


@mistake(
    "attempts-filled-to-largest",
    says="tasks with fewer attempts than others are filled up with failures",
    op="pass_at_k",
    clause="003-4.3-own-n",
    why="Attempts make a matrix, and empty cells are 0.",
    invited_by="zip_longest, pivot tables with fillna(0)",
)
def _(reference: Variant) -> None:
    def change(tasks: dict[str, list[Any]]) -> dict[str, list[Any]]:
        trial = reference.get("pass_at_k.GradedTrial")
        most = max(map(len, tasks.values()), default=0)
        return {task: ones + [trial(task, None)] * (most - len(ones)) for task, ones in tasks.items()}

    _attempts(reference, change)


@mistake(
    "unsolved-tasks-left-out",
    says="tasks without a success are left out of pass@k",
    op="pass_at_k",
    clause="003-4.3-no-success",
    why="They have no entry in a table of successes.",
    invited_by="counters of successes, SQL joins, defaultdict",
)
def _(reference: Variant) -> None:
    def change(tasks: dict[str, list[Any]]) -> dict[str, list[Any]]:
        success = reference.module("pass_at_k")._success
        return {
            task: ones
            for task, ones in tasks.items()
            if any(success(one.rewards) is not False for one in ones)
        }

    _attempts(reference, change)


@mistake(
    "tasks-weighted-by-attempts",
    says="the mean over tasks weighs each task by its attempts",
    op="pass_at_k",
    clause="003-4.3-mean-over-tasks",
    why="A mean over rows of a table of attempts does so by itself.",
    invited_by="DataFrame.transform, SQL's AVG after a join",
)
def _(reference: Variant) -> None:
    def around(compute: Compute) -> Compute:
        module = reference.module("pass_at_k")

        def computing(trials: Sequence[Any]) -> dict[int, float]:
            k_values = compute(trials)
            tasks: dict[str, list[Any]] = {}
            for one in trials:
                tasks.setdefault(one.task, []).append(one)
            weighted: dict[int, list[float]] = {k: [] for k in k_values}
            for ones in tasks.values():
                for k in k_values:
                    passed = sum(module._success(one.rewards) is True for one in ones)
                    weighted[k] += [module.pass_at_k_for_task(len(ones), passed, k)] * len(ones)
            return {k: module.mean(values) for k, values in weighted.items()}

        return computing

    reference.wrap("pass_at_k.pass_at_k", around)


@mistake(
    "only-neighbours-grouped",
    says="trials of one task are grouped only where they stand together, the last run counting",
    op="pass_at_k",
    clause="003-4.3-trial-order-free",
    why="groupby wants its input sorted.",
    invited_by="itertools.groupby, uniq, window functions",
)
def _(reference: Variant) -> None:
    def change(trials: Sequence[Any]) -> Iterable[Any]:
        runs = {task: list(run) for task, run in groupby(trials, key=lambda one: one.task)}
        return [one for run in runs.values() for one in run]

    trials_first(reference, change)


@mistake(
    "attempts-by-caseless-name",
    says="tasks whose names differ in case alone are one",
    op="pass_at_k",
    clause="003-4.3-task-by-name",
    why="File systems and databases compare so.",
    invited_by="SQL collations, macOS and Windows paths, PowerShell",
)
def _(reference: Variant) -> None:
    _renamed(reference, str.lower)


@mistake(
    "attempts-by-trimmed-name",
    says="tasks whose names differ in white space around them are one",
    op="pass_at_k",
    clause="003-4.3-task-by-name",
    why="Cleaning input does no harm, it seems.",
    invited_by="CSV readers, SQL's CHAR columns, str.strip",
)
def _(reference: Variant) -> None:
    _renamed(reference, str.strip)


@mistake(
    "attempts-by-last-name",
    says="tasks are told apart by what follows the last slash of their names",
    op="pass_at_k",
    clause="003-4.3-task-by-name",
    why="Task names look like paths.",
    invited_by="basename, Path.name, split('/').pop()",
)
def _(reference: Variant) -> None:
    _renamed(reference, lambda name: name.rsplit("/", 1)[-1])
