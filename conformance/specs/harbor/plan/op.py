"""A job's trials and their order."""

from typing import Any

from conformance.registry.op import Changing, define

__all__ = ["OPS"]


_MANY = 12
"""The most attempts in a plan with several pairs of task and agent, to keep it short."""


def _valid_input(input_: Any) -> Any:
    """The input in valid form: a task's name is a path, and a plan of several pairs has few attempts."""
    tasks = [name.replace("\0", "") for name in input_["tasks"]]
    several = len(tasks) * len(input_["agents"]) > 1
    attempts = input_["n_attempts"]  # a number, or a text that spells it
    few = min(int(attempts), _MANY) if several else attempts
    return input_ | {"tasks": tasks, "n_attempts": few}


OPS = (
    define(
        "plan_trials",
        "job",
        fallback_clause="003-6-exact-answers",
        weight=1,
        changing=Changing(limits={"n_attempts": (-3, 1001)}, repair=_valid_input),
        input_numbers="n_attempts",
    ),
)
