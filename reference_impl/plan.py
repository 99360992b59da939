"""The order of a job's trials, which is also the order of its sums (003 §6)."""

from collections.abc import Sequence

__all__ = ["plan_trials"]


def plan_trials(n_attempts: int, tasks: Sequence[str], agents: Sequence[str]) -> list[tuple[str, str]]:
    """Every task with every agent, once per attempt (003 §6, §4.4).

    Attempts are the outermost loop, then tasks, then agents, so the first attempts at all tasks
    come before any second one. Duplicate tasks and agents are kept. Pairs are (task, agent).

    Raises:
        ValueError: there is no task, whatever the other arguments are.
    """
    if not tasks:
        raise ValueError("a job needs at least one task")
    return [(task, agent) for _ in range(n_attempts) for task in tasks for agent in agents]
