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
    """Replaces the loops, not the demand for a task."""

    def plan(n_attempts: int, tasks: Names, agents: Names) -> list[tuple[str, str]]:
        if not tasks:
            raise ValueError("a job needs at least one task")
        return list(pairs(n_attempts, tasks, agents))

    reference.replace(plan_rules.plan_trials, plan)


@planned.made(invited_by="for task, for agent, for attempt; itertools.repeat")
def attempts_innermost(n: int, tasks: Names, agents: Names) -> Pairs:
    """All attempts at a task by an agent come one after the other.
    A task is taken up, tried n times and left."""
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
    """In each attempt all tasks of an agent come before the next agent.
    The order of the command line's words is taken for that of the loops."""
    return ((t, a) for _ in range(n) for a in agents for t in tasks)


@planned.made(invited_by="zip")
def tasks_zipped_with_agents(n: int, tasks: Names, agents: Names) -> Pairs:
    """The first task goes with the first agent, the second with the second. Two lists are walked together."""
    return (pair for _ in range(n) for pair in zip(tasks, agents, strict=False))


@in_plan_trials.wrapped(
    clause="003-6-plan-duplicates", invited_by="dicts, sets, Set in JavaScript, LinkedHashMap"
)
def duplicate_tasks_dropped(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """A task that is listed twice is planned once. Tasks are kept by name."""
    return plan(n, list(dict.fromkeys(tasks)), agents)


@in_plan_trials.wrapped(
    clause="003-6-plan-duplicates", invited_by="dicts, sets, Set in JavaScript, LinkedHashMap"
)
def duplicate_agents_dropped(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """An agent that is listed twice is planned once. Agents are kept by name."""
    return plan(n, tasks, list(dict.fromkeys(agents)))


@in_plan_trials.wrapped(
    clause="003-6-plan-order", invited_by="sorted(), Go's ReadDir, shell globs, sorted maps"
)
def tasks_sorted(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """Tasks are planned in the order of their names.
    Listing a directory sorts, and sorted plans are stable."""
    return plan(n, sorted(tasks), agents)


@in_plan_trials.wrapped(clause="003-6-plan-order", invited_by="BTreeMap, TreeMap, Go's maps with sorted keys")
def agents_sorted(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """Agents are planned in the order of their names. They are kept in a sorted map."""
    return plan(n, tasks, sorted(agents))


@in_plan_trials.wrapped(clause="003-6-plan-no-tasks", invited_by="every language's loops")
def no_tasks_no_trials(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """A job without tasks has an empty plan, not an error. A loop over nothing does nothing."""
    return plan(n, tasks, agents) if tasks else []


@in_plan_trials.wrapped(invited_by="`n or 1`, max(1, n), Go's zero values, do-while loops")
def at_least_one_attempt(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """An attempt count below 1 is taken for 1. 0 looks like a field that was not set."""
    return plan(max(n, 1), tasks, agents)


@in_plan_trials.wrapped(invited_by="validated options: click.IntRange, pydantic's PositiveInt, NonZeroU32")
def attempts_below_one_refused(
    plan: Callable[..., list[tuple[str, str]]], n: int, tasks: Names, agents: Names
) -> list[tuple[str, str]]:
    """An attempt count below 1 is refused with ValueError. It makes no sense."""
    if n < 1:
        raise ValueError("at least one attempt is due")
    return plan(n, tasks, agents)


@in_plan_trials.wrapped(invited_by="`agents or ['oracle']`")
def default_agent_for_none(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """Without agents the default agent is planned. harbor's own configuration has oracle as its default."""
    return plan(n, tasks, agents or ["oracle"])


@in_plan_trials.wrapped(
    clause="003-6-plan-names-verbatim", invited_by="filter(None, …), filter(Boolean), compact_blank"
)
def empty_agents_dropped(plan: Callable[..., Any], n: Any, tasks: Any, agents: Any) -> Any:
    """Agents whose name is empty are left out of the plan. A test for truth on the name."""
    return plan(n, tasks, [a for a in agents if a])


@way("plan_trials", clause="003-6-plan-names-verbatim")
def changed_tasks(reference: Variant, change: Callable[[str], str]) -> None:
    """Changes the names of tasks before trials are planned."""
    reference.wrap(
        plan_rules.plan_trials,
        lambda plan: lambda n, tasks, agents: plan(n, list(map(change, tasks)), agents),
    )


@changed_tasks.made(invited_by="Path(task).name, basename, filepath.Base")
def task_base_names(task: str) -> str:
    """Of a task's path only the last part is planned. Trials are named by the task's directory."""
    return task.rstrip("/").rpartition("/")[2]


@changed_tasks.made(invited_by="strip(), shell's word splitting")
def task_names_trimmed(task: str) -> str:
    """White space around task names is trimmed. Lists of tasks are read from text."""
    return task.strip()


@changed_tasks.made(invited_by="Docker's image names, slug functions")
def task_names_lower_cased(task: str) -> str:
    """Task names are put in lower case. Container images are named after tasks, in lower case."""
    return task.lower()


@changed_tasks.made(invited_by="deriving tasks from the names of trials")
def task_names_shortened(task: str) -> str:
    """Task names are cut after 32 characters. harbor's trial names begin with the task's name, cut there."""
    return task[:32]
