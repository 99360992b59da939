"""Mistakes in the minimum number of attempts."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from reference_impl.harbor_0_25_0 import plan

Names = list[str]
Plan = Callable[[int, Names, Names], list[tuple[str, str]]]
in_plan = family("plan_trials", of=plan.plan_attempts, clause="003-6-plan-one-attempt")


@in_plan.wrapped(invited_by="harbor before 0.23.0, range()")
def fewer_attempts_plan_nothing(planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """With less than one attempt the plan is empty. harbor did this before 0.23.0."""
    return planned(n, tasks, agents) if n >= 1 else planned(1, tasks, agents)[:0]


@in_plan.wrapped(invited_by="checks in the order of use")
def tasks_are_looked_at_first(planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """A job without tasks is a ValueError whatever its attempts. The tasks are checked first."""
    if not tasks:
        raise ValueError("no tasks")
    return planned(n, tasks, agents)
