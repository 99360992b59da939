"""The registry of metrics: names, plugins, and what a benchmark computes."""

from collections.abc import Iterator
from typing import Any

from conformance.registry.op import Changing, define

__all__ = ["OPS"]


def _known_labels(input_: Any, before: Any) -> bool:
    """Labels are only handles: a runner may create anything for them."""
    return set(_labels(input_["actions"])) <= set(input_["classes"]) <= set(before["classes"])


def _labels(actions: list[Any]) -> Iterator[str]:
    for action in actions:
        if action["do"] == "register":
            yield action["class"]
        for point in action.get("entry_points", ()):
            yield from (label for _, label in point["registers"])


OPS = (
    define(
        "evsys.registry",
        "evsys",
        fallback_clause="002-key",
        weight=2,
        shows=("*",),
        changing=Changing(sensible=_known_labels),
        input_numbers="actions/*/task_rewards/*/* classes/*/returns",
        ok_numbers="results/*/values/* results/*/score/*",
        ok_free_order="results/*",
    ),
)
