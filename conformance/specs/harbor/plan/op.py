"""Which trials a job has, and in which order."""

from typing import Any

from conformance.registry.op import Changing, define

__all__ = ["OPS"]


def _paths(given: Any) -> Any:
    """A task's name is a path."""
    return given | {"tasks": [name.replace("\0", "") for name in given["tasks"]]}


OPS = (
    define(
        "plan_trials",
        "job",
        fallback_clause="003-6-exact-answers",
        weight=1,
        changing=Changing(limits={"n_attempts": (-3, 12)}, mended=_paths),  # a plan must stay short
        input_numbers="n_attempts",
    ),
)
