"""What readers of the document alone understood of pass@k: eligible rewards, the limit of k, the mean."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import way
from conformance.mistakes.variant import Variant
from reference_impl.pass_at_k import _success, eligible_k_values, pass_at_k

Tasks = list[list[bool]]


@way("pass_at_k", clause="003-4.1-zero-or-one")
def judged_after(reference: Variant, change: Callable[[Any], Any]) -> None:
    """Changes a trial's rewards before they are judged."""
    reference.wrap(_success, lambda success: lambda rewards: success(change(rewards)))


@way("pass_at_k", clause="003-4.1-empty-object")
def group_first(reference: Variant, change: Callable[[list[Any]], list[Any]]) -> None:
    """Changes a group's trials first."""
    reference.wrap(pass_at_k, lambda compute: lambda trials: compute(change(list(trials))))


@way("pass_at_k", clause="003-4.2-min-over-tasks")
def from_tasks(reference: Variant, answer: Callable[[Any, Tasks], dict[int, float]]) -> None:
    """Has ``answer`` make pass@k of the tasks' successes, where the group is eligible."""
    module = reference.module_of(pass_at_k)

    def compute(trials: Any) -> dict[int, float]:
        tasks: dict[str, list[bool]] = {}
        for trial in trials:
            success = module._success(trial.rewards)
            if success is None:
                return {}
            tasks.setdefault(trial.task, []).append(success)
        return answer(module, list(tasks.values()))

    reference.replace(pass_at_k, compute)


@way("pass_at_k", clause="003-4.2-multiples-of-five")
def values_of_k(reference: Variant, change: Callable[[int, list[int]], list[int]]) -> None:
    """Changes the values of k within a limit."""
    reference.wrap(eligible_k_values, lambda values: lambda limit: change(limit, values(limit)))


def _estimate(module: Any, successes: list[bool], k: int) -> float:
    """A task's estimate, also where it has fewer than k attempts."""
    n, c = len(successes), sum(successes)
    return 1.0 if n - c < k else float(module.pass_at_k_for_task(n, c, k))


@from_tasks.made(invited_by="n_attempts of the first task as that of all")
def limit_of_first_task(module: Any, tasks: Tasks) -> dict[int, float]:
    """The number of attempts at the first task limits k. All tasks are tried equally often."""
    ks = module.eligible_k_values(len(tasks[0]) if tasks else 0)
    return {k: module.mean([_estimate(module, one, k) for one in tasks]) for k in ks}


@way("pass_at_k", clause="003-4.1-none-is-failure")
def whole_group(reference: Variant, answer: Callable[[Any, Callable[..., Any], list[Any]], Any]) -> None:
    """Answers for the group's trials, given the copy's module and its pass@k."""
    module = reference.module_of(pass_at_k)
    reference.wrap(pass_at_k, lambda compute: lambda trials: answer(module, compute, list(trials)))


@whole_group.made(clause="003-4.2-min-over-tasks", invited_by="counting rewards for the limit")
def limit_without_unverified(module: Any, compute: Callable[..., Any], trials: list[Any]) -> Any:
    """Attempts without rewards count as failures, but not towards the limit of k.
    The limit is over successes, and they have brought none."""
    counts = {t.task: 0 for t in trials}
    for trial in trials:
        counts[trial.task] += trial.rewards is not None
    limit = min(counts.values(), default=0)
    return {k: value for k, value in compute(trials).items() if k <= limit}


@values_of_k.made(invited_by="the table of §4.2 as a look-up")
def values_of_k_from_table(limit: int, values: list[int]) -> list[int]:
    """The values of k are those of the last row of the document's table that is within the limit.
    The table looks complete."""
    row = max((row for row in (1, 2, 3, 4, 5, 8, 10, 16, 20) if row <= limit), default=0)
    return [k for k in values if k <= row]


@values_of_k.made(invited_by="range(5, 21, 5), reading past the dots")
def fives_end_at_twenty(limit: int, values: list[int]) -> list[int]:
    """Multiples of five end at 20, and powers of two go on. Twenty is the last one in the list."""
    return [k for k in values if k <= 20 or k & (k - 1) == 0]


@values_of_k.made(clause="003-4.2-powers-of-two", invited_by="[2, 4, 8, 16], reading past the dots")
def powers_end_at_sixteen(limit: int, values: list[int]) -> list[int]:
    """Powers of two end at 16, and multiples of five go on. Sixteen is the last one in the list."""
    return [k for k in values if k <= 16 or k % 5 == 0]


@from_tasks.made(clause="003-4.3-own-n", invited_by="a rectangular array of tasks and attempts")
def attempts_behind_minimum_ignored(module: Any, tasks: Tasks) -> dict[int, float]:
    """Each task is estimated with its first attempts only, as many as the smallest task has.
    n is the same for all tasks."""
    limit = min(map(len, tasks), default=0)
    ks = module.eligible_k_values(limit)
    return {k: module.mean([_estimate(module, one[:limit], k) for one in tasks]) for k in ks}


@from_tasks.made(clause="003-4.3-mean-over-tasks", invited_by="solved tasks as the population")
def unsolved_tasks_left_out_of_mean(module: Any, tasks: Tasks) -> dict[int, float]:
    """Tasks without a success are left out of the mean where another task has one.
    They say nothing about the number of tries."""
    ks = module.eligible_k_values(min(map(len, tasks), default=0))
    kept = [one for one in tasks if any(one)] or tasks
    return {k: module.mean([_estimate(module, one, k) for one in kept]) for k in ks}


@whole_group.made(clause="003-4.2-never-pass-at-1", invited_by="nothing to estimate in them")
def tasks_tried_once_left_out(module: Any, compute: Callable[..., Any], trials: list[Any]) -> Any:
    """A task that was tried once takes no part, and the others have their pass@k.
    Its own pass@k would be empty."""
    names = [t.task for t in trials]
    if compute(trials) == {} and any(module._success(t.rewards) is None for t in trials):
        return {}
    return compute([t for t in trials if names.count(t.task) > 1])


@group_first.made(invited_by="nothing to judge")
def empty_rewards_are_no_attempt(trials: list[Any]) -> list[Any]:
    """A trial whose rewards are an empty object is no attempt. A loop over its rewards finds nothing."""
    return [t for t in trials if t.rewards != {}]


@whole_group.made(invited_by="`if not rewards_list`, as for the live metrics")
def nothing_verified_no_estimates(module: Any, compute: Callable[..., Any], trials: list[Any]) -> Any:
    """A group in which no trial has rewards has no pass@k. Nothing was measured."""
    return compute(trials) if any(t.rewards is not None for t in trials) else {}


@judged_after.made(invited_by="rewards between 0 and 1")
def clamped_before_judged(rewards: Any) -> Any:
    """Rewards are brought between 0 and 1 before they are judged: 2 is a success, -1 a failure.
    A reward is thought to be between 0 and 1."""
    if not rewards:
        return rewards
    return {key: 1 if value > 1 else 0 if value < 0 else value for key, value in rewards.items()}


@whole_group.made(clause="003-4.2-min-over-tasks", invited_by="n_attempts is one number")
def unequal_attempts_no_estimates(module: Any, compute: Callable[..., Any], trials: list[Any]) -> Any:
    """A group whose tasks were tried unequally often has no pass@k.
    There is one number of attempts, and some are missing."""
    names = [t.task for t in trials]
    return compute(trials) if len({names.count(name) for name in set(names)}) <= 1 else {}
