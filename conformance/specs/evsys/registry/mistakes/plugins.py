"""Mistakes in loading the plugins of EvSys."""

from collections.abc import Callable, Sequence
from typing import Any

from conformance.mistakes.family import family
from reference_impl.evsys import operations, plugins

in_load_plugins = family("evsys.registry", of=plugins.load_plugins, clause="002-plugin-failure")
in_load = family("evsys.registry", of=operations._load, clause="002-plugin-failure")


@in_load_plugins.wrapped(invited_by="one try for all plugins")
def evsys_plugin_failure_ends_the_walk(
    load: Callable[..., Any], entry_points: Sequence[Any]
) -> tuple[list[str], list[str]]:
    """A plugin that fails to import ends the walk over the plugins. The try stands around the loop."""
    loaded: list[str] = []
    for entry_point in entry_points:
        [*done], [*skipped] = load([entry_point])
        loaded += done
        if skipped:
            return loaded, skipped
    return loaded, []


@in_load_plugins.replaced(invited_by="entry_point.load() without a try")
def evsys_plugin_failure_raised(entry_points: Sequence[Any]) -> tuple[list[str], list[str]]:
    """A plugin that fails to import is an error of its own kind.
    Nobody thinks of other people's packages being broken."""
    for entry_point in entry_points:
        entry_point.run_import()
    return [entry_point.name for entry_point in entry_points], []


@in_load_plugins.replaced(invited_by="except ImportError")
def evsys_import_errors_skipped_only(entry_points: Sequence[Any]) -> tuple[list[str], list[str]]:
    """A plugin is skipped for an ImportError only; a duplicate name in it goes up.
    Imports are thought to raise ImportErrors."""
    loaded: list[str] = []
    skipped: list[str] = []
    for entry_point in entry_points:
        try:
            entry_point.run_import()
            loaded.append(entry_point.name)
        except ImportError:
            skipped.append(entry_point.name)
    return loaded, skipped


@in_load_plugins.replaced(invited_by="except (ImportError, ValueError)")
def evsys_unknown_in_plugin_raised(entry_points: Sequence[Any]) -> tuple[list[str], list[str]]:
    """A plugin that looks an unknown name up ends the walk with its KeyError.
    Only imports and decorators are thought to fail."""
    loaded: list[str] = []
    skipped: list[str] = []
    for entry_point in entry_points:
        try:
            entry_point.run_import()
            loaded.append(entry_point.name)
        except (ImportError, ValueError):
            skipped.append(entry_point.name)
    return loaded, skipped


@in_load.wrapped(invited_by="registry.get(name) of a map")
def evsys_unknown_in_plugin_loads(load: Callable[..., Any], registry: Any, classes: Any, action: Any) -> Any:
    """A plugin that looks an unknown name up is loaded.
    A look-up that finds nothing is taken to give nothing."""
    points = [{**point, "gets": []} for point in action["entry_points"]]
    return load(registry, classes, {**action, "entry_points": points})


@in_load_plugins.wrapped(clause="002-entry-points", invited_by="sorted(entry_points)")
def evsys_plugins_sorted(load: Callable[..., Any], entry_points: Any) -> Any:
    """Plugins are loaded in the order of their names. Sorting makes the order the same on every machine."""
    return load(sorted(entry_points, key=lambda it: str(it.name)))
