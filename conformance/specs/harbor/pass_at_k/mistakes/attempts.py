"""Mistakes in pass@k's tasks: which attempts belong to one, and what each task counts for."""

from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from conformance.specs.harbor.pass_at_k.mistakes.eligibility import trials_first
from reference_impl.pass_at_k import GradedTrial, _success, pass_at_k

mistakes = family("pass_at_k", clause="003-4.3-task-by-name")

Compute = Callable[[Sequence[Any]], dict[int, float]]


@way("pass_at_k")
def renamed(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the tasks' names."""
    trial = reference.get(GradedTrial)
    trials_first(reference, lambda trials: [trial(change(one.task), one.rewards) for one in trials])


@way("pass_at_k", clause="003-4.3-own-n")
def attempts(reference: Variant, change: Callable[[dict[str, list[Any]]], dict[str, list[Any]]]) -> None:
    """Changes the attempts by task before pass@k is worked out."""

    def around(compute: Compute) -> Compute:
        trial = reference.its(GradedTrial)

        def computing(trials: Sequence[Any]) -> dict[int, float]:
            tasks: dict[str, list[Any]] = {}
            for one in trials:
                tasks.setdefault(one.task, []).append(one)
            changed = change(tasks)
            return compute([trial(task, one.rewards) for task, ones in changed.items() for one in ones])

        return computing

    reference.wrap(pass_at_k, around)


@attempts.made(clause="003-4.3-mean-over-tasks", invited_by="group-level counts, a missing GROUP BY")
def tasks_pooled(tasks: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """All attempts are pooled as if they were at one task. The group has n attempts and c successes."""
    return {"": [one for ones in tasks.values() for one in ones]}


@attempts.made(invited_by="zip, numpy arrays, one n for all")
def attempts_cut_to_smallest(tasks: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Every task is estimated with as many attempts as the task with the fewest has.
    Attempts make a matrix of tasks by attempts."""
    fewest = min(map(len, tasks.values()), default=0)
    return {task: ones[:fewest] for task, ones in tasks.items()}


@attempts.made(invited_by="zip_longest, pivot tables with fillna(0)")
def attempts_filled_to_largest(reference: Variant, tasks: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Tasks with fewer attempts than others are filled up with failures.
    Attempts make a matrix, and empty cells are 0."""
    trial = reference.get(GradedTrial)
    most = max(map(len, tasks.values()), default=0)
    return {task: ones + [trial(task, None)] * (most - len(ones)) for task, ones in tasks.items()}


@attempts.made(clause="003-4.3-no-success", invited_by="counters of successes, SQL joins, defaultdict")
def unsolved_tasks_left_out(reference: Variant, tasks: dict[str, list[Any]]) -> dict[str, list[Any]]:
    """Tasks without a success are left out of pass@k. They have no entry in a table of successes."""
    success = reference.its(_success)
    return {
        task: ones for task, ones in tasks.items() if any(success(one.rewards) is not False for one in ones)
    }


@mistakes.changed(clause="003-4.3-mean-over-tasks", invited_by="DataFrame.transform, SQL's AVG after a join")
def tasks_weighted_by_attempts(reference: Variant) -> None:
    """The mean over tasks weighs each task by its attempts.
    A mean over rows of a table of attempts does so by itself."""

    def around(compute: Compute) -> Compute:
        module = reference.module_of(pass_at_k)

        def computing(trials: Sequence[Any]) -> dict[int, float]:
            k_values = compute(trials)
            tasks: dict[str, list[Any]] = {}
            for one in trials:
                tasks.setdefault(one.task, []).append(one)
            weighted: dict[int, list[float]] = {k: [] for k in k_values}
            for ones in tasks.values():
                for k in k_values:
                    passed = sum(module._success(one.rewards) is True for one in ones)
                    weighted[k] += [module.pass_at_k_for_task(len(ones), passed, [k])[0]] * len(ones)
            return {k: module.mean(values) for k, values in weighted.items()}

        return computing

    reference.wrap(pass_at_k, around)


trials_first_family = way("pass_at_k", clause="003-4.3-trial-order-free")(trials_first)


@trials_first_family.made(invited_by="itertools.groupby, uniq, window functions")
def only_neighbours_grouped(trials: Sequence[Any]) -> Iterable[Any]:
    """Trials of one task are grouped only where they stand together, the last run counting.
    groupby wants its input sorted."""
    runs = {task: list(run) for task, run in groupby(trials, key=lambda one: one.task)}
    return [one for run in runs.values() for one in run]


@mistakes.changed(invited_by="SQL collations, macOS and Windows paths, PowerShell")
def attempts_by_caseless_name(reference: Variant) -> None:
    """Tasks whose names differ in case alone are one. File systems and databases compare so."""
    renamed(reference, str.lower)


@mistakes.changed(invited_by="CSV readers, SQL's CHAR columns, str.strip")
def attempts_by_trimmed_name(reference: Variant) -> None:
    """Tasks whose names differ in white space around them are one. Cleaning input does no harm, it seems."""
    renamed(reference, str.strip)


@renamed.made(clause="003-4.3-task-by-name", invited_by="basename, Path.name, split('/').pop()")
def attempts_by_last_name(name: str) -> str:
    """Tasks are told apart by what follows the last slash of their names. Task names look like paths."""
    return name.rsplit("/", 1)[-1]
