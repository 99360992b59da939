"""Mistakes in planning a job's trials."""

from collections.abc import Callable, Iterable
from typing import Any

from conformance.mistakes.family import family, way
from conformance.mistakes.variant import Variant
from reference_impl import plan as plan_rules

in_plan_trials = family("plan_trials", of=plan_rules.plan_trials, clause="003-6-plan-empty")
Names = list[str]
Pairs = Iterable[tuple[str, str]]


@way("plan_trials", clause="003-6-plan-order")
def planned(reference: Variant, pairs: Callable[[int, Names, Names], Pairs]) -> None:
    """Replaces the loops; a plan still needs a task."""

    def plan(n_attempts: int, tasks: Names, agents: Names) -> list[tuple[str, str]]:
        if not tasks:
            raise ValueError("a job needs at least one task")
        return list(pairs(n_attempts, tasks, agents))

    reference.replace(plan_rules.plan_trials, plan)


@planned.made(invited_by="for task, for agent, for attempt; itertools.repeat")
def attempts_innermost(n: int, tasks: Names, agents: Names) -> Pairs:
    """All attempts at a task by an agent come one after the other.
    Each task is attempted n times before the next."""
    return ((t, a) for t in tasks for a in agents for _ in range(n))


@planned.made(invited_by="for task, for attempt, for agent")
def attempts_within_tasks(n: int, tasks: Names, agents: Names) -> Pairs:
    """All attempts at a task come before the next task, agent by agent in each.
    The task is the outermost loop."""
    return ((t, a) for t in tasks for _ in range(n) for a in agents)


@planned.made(invited_by="for agent, for attempt, for task")
def agents_outermost(n: int, tasks: Names, agents: Names) -> Pairs:
    """All trials of an agent come before the next agent. One agent is set up and run to the end."""
    return ((t, a) for a in agents for _ in range(n) for t in tasks)


@planned.made(invited_by="for attempt, for agent, for task")
def agents_before_tasks(n: int, tasks: Names, agents: Names) -> Pairs:
    """In each attempt an agent has all its tasks before the next agent. Agents are the outer list."""
    return ((t, a) for _ in range(n) for a in agents for t in tasks)


@planned.made(invited_by="zip")
def tasks_zipped_with_agents(n: int, tasks: Names, agents: Names) -> Pairs:
    """The first task goes with the first agent, the second with the second.
    The two lists are iterated in parallel."""
    return (pair for _ in range(n) for pair in zip(tasks, agents, strict=False))


@in_plan_trials.wrapped(clause="003-6-plan-no-tasks", invited_by="every language's loops")
def no_tasks_no_trials(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """A job without tasks has an empty plan, not an error. A loop over an empty list does nothing."""
    return plan(n, tasks, agents) if tasks else []


@planned.made(invited_by="for agent, for task, for attempt; itertools.product of agents and tasks")
def plan_inside_out(n: int, tasks: Names, agents: Names) -> Pairs:
    """All attempts of an agent at a task come one after the other, then its next task, then the next agent.
    The loops are nested from the agent inwards."""
    return ((t, a) for a in agents for t in tasks for _ in range(n))
