"""What readers of the document alone understood of the order and number of a job's trials."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from conformance.specs.harbor.plan.mistakes.order import Names, Pairs, planned
from reference_impl import plan as plan_rules

in_plan = family("plan_trials", of=plan_rules.plan_trials, clause="003-6-plan-duplicates")


@planned.made(clause="003-6-plan-duplicates", invited_by="a set of pairs per attempt")
def pairs_once_per_attempt(n: int, tasks: Names, agents: Names) -> Pairs:
    """A pair of task and agent that is listed twice is planned once per attempt.
    A pair is what identifies a trial."""
    return (p for _ in range(n) for p in dict.fromkeys((t, a) for t in tasks for a in agents))


@planned.made(clause="003-6-plan-duplicates", invited_by="a set of what was seen, filled in the first round")
def duplicates_in_first_attempt_only(n: int, tasks: Names, agents: Names) -> Pairs:
    """Duplicates are planned in the first attempt, and no more in the others.
    Later attempts go through the pairs that are known by then."""
    pairs = [(t, a) for t in tasks for a in agents]
    return (p for i in range(n) for p in (pairs if i == 0 else dict.fromkeys(pairs)))


@in_plan.wrapped(clause="003-6-plan-no-tasks", invited_by="the order of the checks")
def no_tasks_seen_behind_no_trials(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """A job without tasks is an empty plan where it has no agents or no attempts either.
    What needs nothing is not looked at."""
    return [] if not agents or n < 1 else plan(n, tasks, agents)


@in_plan.wrapped(clause="003-6-plan-empty", invited_by="`n_attempts or 1`")
def zero_attempts_are_one(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """An attempt count of 0 is taken for 1, and one below 0 is an empty plan.
    0 is false, and the default is 1."""
    return plan(n or 1, tasks, agents)


@in_plan.wrapped(clause="003-6-plan-names-verbatim", invited_by="filter(None, names)")
def empty_names_left_out(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """Tasks and agents whose names are empty are left out, and no error comes of it.
    An empty name is no name."""
    planned_pairs = plan(n, tasks, agents)
    return [(task, agent) for task, agent in planned_pairs if task and agent]


@in_plan.wrapped(clause="003-6-plan-no-tasks", invited_by="any(tasks)")
def only_empty_names_are_no_tasks(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """A job whose only tasks have empty names fails as one without tasks.
    any() looks at the names, not at the list."""
    return plan(n, tasks if any(tasks) else [], agents)
