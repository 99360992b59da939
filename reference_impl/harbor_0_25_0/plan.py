"""A job makes at least one attempt (since 0.23.0).

harbor 0.13.1 plans no trials for zero attempts, or fewer. Now the job's configuration refuses that, before
checking whether there is a task. Tasks keep their order. Only if a folder lists them is it the order of
their paths, independent of the file system (since 0.24.0); that happens before a plan is made.
"""

from collections.abc import Sequence

from .. import plan as before
from ..errors import ValidationError

__all__ = ["plan_attempts"]

MIN_ATTEMPTS = 1


def plan_attempts(n_attempts: int, tasks: Sequence[str], agents: Sequence[str]) -> list[tuple[str, str]]:
    """Every task with every agent, once per attempt.

    Raises:
        ValidationError: there is less than one attempt, whatever the other arguments are.
        ValueError: there is no task.
    """
    if n_attempts < MIN_ATTEMPTS:
        raise ValidationError("n_attempts", n_attempts)
    return before.plan_trials(n_attempts, tasks, agents)
