"""The names of the reference's modules: those that each spec uses, and those that every copy loads."""

import functools
import itertools
from pathlib import Path

import reference_impl
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE, lineage

__all__ = [
    "OPERATIONS",
    "REFERENCE",
    "SHARED",
    "core",
    "module_names",
    "module_path",
    "modules_below",
    "overlay_of",
    "overlays",
    "packages",
]

REFERENCE = Path(reference_impl.__file__).parent
"""The folder of the reference's modules."""

SHARED = ("cpython312._unicode15_data", "cpython312.unicode15")
"""Large tables and the code that reads them: shared by all copies, unless a copy replaces them."""
OPERATIONS = "operations"
"""The module of a spec's package that has its table of operations."""


@functools.cache
def module_names(spec: str = DEFAULT_SPEC) -> tuple[str, ...]:
    """The names of the reference's modules for a spec; all other specs build on harbor-0.13.1's."""
    names = modules_below(REFERENCE)
    if own := SPEC_TABLE[spec].reference:
        return tuple(name for name in names if _belongs(name, own))
    if SPEC_TABLE[spec].base is not None:
        return ()
    foreign = tuple(itertools.chain.from_iterable(entry.reference for entry in SPEC_TABLE.values()))
    return tuple(name for name in names if not _belongs(name, foreign))


def _belongs(name: str, owners: tuple[str, ...]) -> bool:
    return name in owners or name.startswith(tuple(f"{owner}." for owner in owners))


def modules_below(folder: Path) -> list[str]:
    """The names of the modules in a folder of the reference."""
    paths = (path.relative_to(REFERENCE).with_suffix("") for path in folder.rglob("*.py"))
    return sorted(".".join(path.parts) for path in paths if path.name not in ("__init__", "__main__"))


def module_path(name: str) -> Path:
    """The file of a module of the reference, such as ``aggregation`` or ``evsys.metrics``."""
    return REFERENCE.joinpath(*name.split(".")).with_suffix(".py")


@functools.cache
def overlays() -> dict[str, str]:
    """The package of each overlay spec, by spec; its table lists every operation."""
    return {name: spec.reference[0] for name, spec in SPEC_TABLE.items() if spec.base and spec.reference}


def overlay_of(spec: str) -> str | None:
    """The package with a spec's table, if the spec is an overlay."""
    return next((overlays()[name] for name in lineage(spec) if name in overlays()), None)


@functools.cache
def packages() -> tuple[str, ...]:
    """The packages of other specs: each has a module ``operations`` and is loaded when needed."""
    owned = itertools.chain.from_iterable(spec.reference for spec in SPEC_TABLE.values())
    differing = set(overlays().values())
    return tuple(name for name in owned if (REFERENCE / name).is_dir() and name not in differing)


@functools.cache
def core() -> tuple[str, ...]:
    """The modules that every copy loads at once: the default spec's, and other specs' single modules."""
    no_modules = {*packages(), *overlays().values()}
    single = (name for spec in SPEC_TABLE.values() for name in spec.reference if name not in no_modules)
    return (*module_names(), *single)
