"""Mistakes in planning a job's trials."""

from collections.abc import Callable, Iterable

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

PLAN = "plan.plan_trials"
Names = list[str]
Pairs = Iterable[tuple[str, str]]


def _planned(reference: Variant, pairs: Callable[[int, Names, Names], Pairs]) -> None:
    """Replaces the loops, not the demand for a task."""

    def plan(n_attempts: int, tasks: Names, agents: Names) -> list[tuple[str, str]]:
        if not tasks:
            raise ValueError("a job needs at least one task")
        return list(pairs(n_attempts, tasks, agents))

    reference.replace(PLAN, plan)


@mistake(
    "attempts-innermost",
    says="all attempts at a task by an agent come one after the other",
    op="plan_trials",
    clause="003-6-plan-order",
    why="A task is taken up, tried n times and left.",
    invited_by="for task, for agent, for attempt; itertools.repeat",
)
def _(reference: Variant) -> None:
    _planned(reference, lambda n, tasks, agents: ((t, a) for t in tasks for a in agents for _ in range(n)))


@mistake(
    "attempts-within-tasks",
    says="all attempts at a task come before the next task, agent by agent in each",
    op="plan_trials",
    clause="003-6-plan-order",
    why="The task is the outermost loop.",
    invited_by="for task, for attempt, for agent",
)
def _(reference: Variant) -> None:
    _planned(reference, lambda n, tasks, agents: ((t, a) for t in tasks for _ in range(n) for a in agents))


@mistake(
    "agents-outermost",
    says="all trials of an agent come before the next agent",
    op="plan_trials",
    clause="003-6-plan-order",
    why="One agent is set up and run to the end.",
    invited_by="for agent, for attempt, for task",
)
def _(reference: Variant) -> None:
    _planned(reference, lambda n, tasks, agents: ((t, a) for a in agents for _ in range(n) for t in tasks))


@mistake(
    "agents-before-tasks",
    says="in each attempt all tasks of an agent come before the next agent",
    op="plan_trials",
    clause="003-6-plan-order",
    why="The order of the command line's words is taken for that of the loops.",
    invited_by="for attempt, for agent, for task",
)
def _(reference: Variant) -> None:
    _planned(reference, lambda n, tasks, agents: ((t, a) for _ in range(n) for a in agents for t in tasks))


@mistake(
    "tasks-zipped-with-agents",
    says="the first task goes with the first agent, the second with the second",
    op="plan_trials",
    clause="003-6-plan-order",
    why="Two lists are walked together.",
    invited_by="zip",
)
def _(reference: Variant) -> None:
    _planned(
        reference,
        lambda n, tasks, agents: (pair for _ in range(n) for pair in zip(tasks, agents, strict=False)),
    )


@mistake(
    "duplicate-tasks-dropped",
    says="a task that is listed twice is planned once",
    op="plan_trials",
    clause="003-6-plan-duplicates",
    why="Tasks are kept by name.",
    invited_by="dicts, sets, Set in JavaScript, LinkedHashMap",
)
def _(reference: Variant) -> None:
    reference.wrap(PLAN, lambda plan: lambda n, tasks, agents: plan(n, list(dict.fromkeys(tasks)), agents))


@mistake(
    "duplicate-agents-dropped",
    says="an agent that is listed twice is planned once",
    op="plan_trials",
    clause="003-6-plan-duplicates",
    why="Agents are kept by name.",
    invited_by="dicts, sets, Set in JavaScript, LinkedHashMap",
)
def _(reference: Variant) -> None:
    reference.wrap(PLAN, lambda plan: lambda n, tasks, agents: plan(n, tasks, list(dict.fromkeys(agents))))


@mistake(
    "tasks-sorted",
    says="tasks are planned in the order of their names",
    op="plan_trials",
    clause="003-6-plan-order",
    why="Listing a directory sorts, and sorted plans are stable.",
    invited_by="sorted(), Go's ReadDir, shell globs, sorted maps",
)
def _(reference: Variant) -> None:
    reference.wrap(PLAN, lambda plan: lambda n, tasks, agents: plan(n, sorted(tasks), agents))


@mistake(
    "agents-sorted",
    says="agents are planned in the order of their names",
    op="plan_trials",
    clause="003-6-plan-order",
    why="They are kept in a sorted map.",
    invited_by="BTreeMap, TreeMap, Go's maps with sorted keys",
)
def _(reference: Variant) -> None:
    reference.wrap(PLAN, lambda plan: lambda n, tasks, agents: plan(n, tasks, sorted(agents)))


@mistake(
    "no-tasks-no-trials",
    says="a job without tasks has an empty plan, not an error",
    op="plan_trials",
    clause="003-6-plan-no-tasks",
    why="A loop over nothing does nothing.",
    invited_by="every language's loops",
)
def _(reference: Variant) -> None:
    reference.wrap(PLAN, lambda plan: lambda n, tasks, agents: plan(n, tasks, agents) if tasks else [])


@mistake(
    "at-least-one-attempt",
    says="an attempt count below 1 is taken for 1",
    op="plan_trials",
    clause="003-6-plan-empty",
    why="0 looks like a field that was not set.",
    invited_by="`n or 1`, max(1, n), Go's zero values, do-while loops",
)
def _(reference: Variant) -> None:
    reference.wrap(PLAN, lambda plan: lambda n, tasks, agents: plan(max(n, 1), tasks, agents))


@mistake(
    "attempts-below-one-refused",
    says="an attempt count below 1 is refused with ValueError",
    op="plan_trials",
    clause="003-6-plan-empty",
    why="It makes no sense.",
    invited_by="validated options: click.IntRange, pydantic's PositiveInt, NonZeroU32",
)
def _(reference: Variant) -> None:
    def around(plan: Callable[..., list[tuple[str, str]]]) -> Callable[..., list[tuple[str, str]]]:
        def refusing(n: int, tasks: Names, agents: Names) -> list[tuple[str, str]]:
            if n < 1:
                raise ValueError("at least one attempt is due")
            return plan(n, tasks, agents)

        return refusing

    reference.wrap(PLAN, around)


@mistake(
    "default-agent-for-none",
    says="without agents the default agent is planned",
    op="plan_trials",
    clause="003-6-plan-empty",
    why="harbor's own configuration has oracle as its default.",
    invited_by="`agents or ['oracle']`",
)
def _(reference: Variant) -> None:
    reference.wrap(PLAN, lambda plan: lambda n, tasks, agents: plan(n, tasks, agents or ["oracle"]))


@mistake(
    "empty-agents-dropped",
    says="agents whose name is empty are left out of the plan",
    op="plan_trials",
    clause="003-6-plan-names-verbatim",
    why="A test for truth on the name.",
    invited_by="filter(None, …), filter(Boolean), compact_blank",
)
def _(reference: Variant) -> None:
    reference.wrap(PLAN, lambda plan: lambda n, tasks, agents: plan(n, tasks, [a for a in agents if a]))


@mistake(
    "task-base-names",
    says="of a task's path only the last part is planned",
    op="plan_trials",
    clause="003-6-plan-names-verbatim",
    why="Trials are named by the task's directory.",
    invited_by="Path(task).name, basename, filepath.Base",
)
def _(reference: Variant) -> None:
    _tasks(reference, lambda task: task.rstrip("/").rpartition("/")[2])


@mistake(
    "task-names-trimmed",
    says="white space around task names is trimmed",
    op="plan_trials",
    clause="003-6-plan-names-verbatim",
    why="Lists of tasks are read from text.",
    invited_by="strip(), shell's word splitting",
)
def _(reference: Variant) -> None:
    _tasks(reference, str.strip)


@mistake(
    "task-names-lower-cased",
    says="task names are put in lower case",
    op="plan_trials",
    clause="003-6-plan-names-verbatim",
    why="Container images are named after tasks, in lower case.",
    invited_by="Docker's image names, slug functions",
)
def _(reference: Variant) -> None:
    _tasks(reference, str.lower)


@mistake(
    "task-names-shortened",
    says="task names are cut after 32 characters",
    op="plan_trials",
    clause="003-6-plan-names-verbatim",
    why="harbor's trial names begin with the task's name, cut there.",
    invited_by="deriving tasks from the names of trials",
)
def _(reference: Variant) -> None:
    _tasks(reference, lambda task: task[:32])


def _tasks(reference: Variant, change: Callable[[str], str]) -> None:
    reference.wrap(PLAN, lambda plan: lambda n, tasks, agents: plan(n, list(map(change, tasks)), agents))
