"""Helpers for the entries: change parts of a ``result.json`` before it is written."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.variant import Variant
from reference_impl import json_text
from reference_impl.job_result import JobStatistics

__all__ = ["change_objects", "change_result", "rewritten"]
Change = Callable[[Any], Any]


def rewritten(tree: Any, path: tuple[str, ...], change: Change) -> Any:
    """The tree with ``change`` applied at ``path``, in which ``"*"`` stands for every member or item."""
    if not path:
        return change(tree)
    first, rest = path[0], path[1:]
    if isinstance(tree, list):
        return [rewritten(item, rest, change) for item in tree]
    return type(tree)(
        [
            (name, rewritten(value, rest, change) if first in ("*", name) else value)
            for name, value in tree.members
        ]
    )


def change_result(reference: Variant, change: Change, path: tuple[str, ...]) -> None:
    """Applies ``change`` at ``path`` of every job's result."""

    def around(result: Callable[..., Any]) -> Callable[..., Any]:
        def changed(self: Any, job: Any) -> Any:
            whole = result(self, job)
            return type(whole)(rewritten(whole.tree, path, change))

        return changed

    reference.wrap(JobStatistics.result, around)


def change_objects(
    reference: Variant, members: Callable[[list[tuple[str, Any]]], list[tuple[str, Any]]]
) -> None:
    """Applies ``members`` to the members of every object in a ``result.json``."""
    json_object = reference.get(json_text.JsonObject)

    def changed(tree: Any) -> Any:
        if isinstance(tree, list):
            return [changed(item) for item in tree]
        if isinstance(tree, json_object):
            return json_object(members([(name, changed(value)) for name, value in tree.members]))
        return tree

    def around(result: Callable[..., Any]) -> Callable[..., Any]:
        def with_changed(self: Any, job: Any) -> Any:
            whole = result(self, job)
            return type(whole)(changed(whole.tree))

        return with_changed

    reference.wrap(JobStatistics.result, around)
