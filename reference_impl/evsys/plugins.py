"""Metrics that come in packages of their own (002, Ship it in a package).

A package names a class under the entry-point group `evsys_sdk.metrics`. EvSys walks the group when
it is imported, and importing the class's module runs the decorator above it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

__all__ = ["EntryPoint", "load_plugins"]


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """One line of a package's entry-point group."""

    name: str
    """The part before the `=`. It names nothing in the registry: that is the decorator's to do."""
    run_import: Callable[[], None]
    """Import the module, and so run the decorators in it."""


def load_plugins(entry_points: Sequence[EntryPoint]) -> tuple[list[str], list[str]]:
    """Import every entry point, in order; the names of those that worked and of those that did not.

    An import that raises, whatever it raises, is skipped and the walk goes on (002, Ship it in a
    package). What its decorators registered before that stays registered.
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
