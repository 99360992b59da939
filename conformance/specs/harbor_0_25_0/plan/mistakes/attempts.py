"""Mistakes in how many attempts a job makes at least."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.family import family
from conformance.mistakes.variant import Variant
from reference_impl import errors
from reference_impl.harbor_0_25_0 import plan

__all__: list[str] = []

Names = list[str]
Plan = Callable[[int, Names, Names], list[tuple[str, str]]]
in_plan = family("plan_trials", of=plan.plan_attempts, clause="003-6-plan-one-attempt")


@in_plan.wrapped(invited_by="harbor before 0.23.0, range()")
def fewer_attempts_plan_nothing(planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """Less than one attempt plans nothing. So harbor did before 0.23.0."""
    return planned(n, tasks, agents) if n >= 1 else planned(1, tasks, agents)[:0]


@in_plan.wrapped(invited_by="ge=0")
def no_attempts_plan_nothing(planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """No attempts plan nothing, and a negative number is refused. Zero is taken for a number of attempts."""
    return planned(1, tasks, agents)[:0] if n == 0 else planned(n, tasks, agents)


@in_plan.wrapped(invited_by="if not n_attempts")
def negative_attempts_plan_nothing(planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """A negative number of attempts plans nothing, and zero is refused. A truth test stands for a limit."""
    return planned(1, tasks, agents)[:0] if n < 0 else planned(n, tasks, agents)


@in_plan.wrapped(invited_by="max(1, n)")
def fewer_attempts_are_one(planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """Less than one attempt is one. The number is mended, not refused."""
    return planned(max(n, 1), tasks, agents)


@in_plan.wrapped(invited_by="n_attempts or 1")
def no_attempts_are_one(planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """No attempts are one attempt. Zero is taken for nothing said."""
    return planned(n or 1, tasks, agents)


@in_plan.wrapped(invited_by="abs()")
def negative_attempts_are_counted(planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """A negative number of attempts is that many. The sign is dropped."""
    return planned(abs(n), tasks, agents)


@in_plan.wrapped(invited_by="raise ValueError")
def too_few_attempts_are_a_value_error(
    reference: Variant, planned: Plan, n: int, tasks: Names, agents: Names
) -> Any:
    """Less than one attempt is a ValueError. It is what Python raises for a value."""
    try:
        return planned(n, tasks, agents)
    except reference.its(errors.ValidationError) as error:
        raise ValueError("too few attempts") from error


@in_plan.wrapped(invited_by="checks in the order of use")
def tasks_are_looked_at_first(planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """A job without tasks is a ValueError whatever its attempts. Tasks are looked at first."""
    if not tasks:
        raise ValueError("no tasks")
    return planned(n, tasks, agents)


@in_plan.wrapped(invited_by="one check for an empty plan", clause="003-6-plan-no-agents")
def no_agents_are_refused(reference: Variant, planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """A job without agents is refused as one without attempts is. Both plan nothing."""
    found = planned(n, tasks, agents)
    if not found:
        raise reference.its(errors.ValidationError)("agents", agents)
    return found


@in_plan.wrapped(invited_by="one check for an empty plan", clause="003-6-plan-no-tasks-at-all")
def no_tasks_are_a_validation_error(
    reference: Variant, planned: Plan, n: int, tasks: Names, agents: Names
) -> Any:
    """A job without tasks is a ValidationError as one without attempts is. Both plan nothing."""
    if not tasks:
        raise reference.its(errors.ValidationError)("tasks", tasks)
    return planned(n, tasks, agents)


@in_plan.wrapped(invited_by="sorted() since 0.24.0", clause="003-6-plan-order")
def every_task_is_sorted(planned: Plan, n: int, tasks: Names, agents: Names) -> Any:
    """All tasks of a job are sorted. Those of a folder are, since 0.24.0."""
    return planned(n, sorted(tasks), agents)
