"""Metrics from other packages (002, Ship it in a package).

A package lists a class in the entry-point group `evsys_sdk.metrics`. EvSys imports the group's
entries when it is imported, and importing the class's module runs the class's decorator.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["EntryPoint", "load_plugins"]


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """One line of a package's entry-point group."""

    name: str
    """The part before the `=`. The registry ignores it: the decorator names the metric."""
    run_import: Callable[[], None]
    """Import the module, and so run the decorators in it."""


def load_plugins(entry_points: Sequence[EntryPoint]) -> tuple[list[str], list[str]]:
    """Import every entry point, in order; return the names of those that worked and of those that failed.

    An import that raises any exception is skipped, and the next one follows (002, Ship it in a package).
    Whatever its decorators registered before the exception stays registered.
    """
    loaded: list[str] = []
    skipped: list[str] = []
    for entry_point in entry_points:
        try:
            entry_point.run_import()
        except Exception:
            skipped.append(entry_point.name)
        else:
            loaded.append(entry_point.name)
    return loaded, skipped
