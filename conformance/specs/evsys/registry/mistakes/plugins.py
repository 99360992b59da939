"""Mistakes in loading the plugins of EvSys."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.catalogue import mistake
from conformance.mistakes.variant import Variant

_LOAD = "evsys.plugins.load_plugins"


@mistake(
    "evsys-plugin-failure-ends-the-walk",
    says="a plugin that fails to import ends the walk over the plugins",
    op="evsys.registry",
    clause="002-plugin-failure",
    why="The try stands around the loop.",
    invited_by="one try for all plugins",
)
def _(reference: Variant) -> None:
    def until_failure(load: Callable[..., Any]) -> Callable[..., Any]:
        def walk(entry_points: Sequence[Any]) -> tuple[list[str], list[str]]:
            loaded: list[str] = []
            for entry_point in entry_points:
                [*done], [*skipped] = load([entry_point])
                loaded += done
                if skipped:
                    return loaded, skipped
            return loaded, []

        return walk

    reference.wrap(_LOAD, until_failure)


@mistake(
    "evsys-plugin-failure-raised",
    says="a plugin that fails to import is an error of its own kind",
    op="evsys.registry",
    clause="002-plugin-failure",
    why="Nobody thinks of other people's packages being broken.",
    invited_by="entry_point.load() without a try",
)
def _(reference: Variant) -> None:
    def walk(entry_points: Sequence[Any]) -> tuple[list[str], list[str]]:
        for entry_point in entry_points:
            entry_point.run_import()
        return [entry_point.name for entry_point in entry_points], []

    reference.replace(_LOAD, walk)


@mistake(
    "evsys-import-errors-skipped-only",
    says="a plugin is skipped for an ImportError only; a duplicate name in it goes up",
    op="evsys.registry",
    clause="002-plugin-failure",
    why="Imports are thought to raise ImportErrors.",
    invited_by="except ImportError",
)
def _(reference: Variant) -> None:
    def walk(entry_points: Sequence[Any]) -> tuple[list[str], list[str]]:
        loaded: list[str] = []
        skipped: list[str] = []
        for entry_point in entry_points:
            try:
                entry_point.run_import()
                loaded.append(entry_point.name)
            except ImportError:
                skipped.append(entry_point.name)
        return loaded, skipped

    reference.replace(_LOAD, walk)


@mistake(
    "evsys-plugins-sorted",
    says="plugins are loaded in the order of their names",
    op="evsys.registry",
    clause="002-entry-points",
    why="Sorting makes the order the same on every machine.",
    invited_by="sorted(entry_points)",
)
def _(reference: Variant) -> None:
    reference.wrap(
        _LOAD, lambda load: lambda entry_points: load(sorted(entry_points, key=lambda it: str(it.name)))
    )
