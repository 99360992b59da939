"""The tables of specs and operations, gathered from the packages below ``conformance.specs``.

A package there is a spec, with a ``SPEC``; a package in it is a section, whose module ``op`` holds its
``OPS``. Nothing else lists specs, sections or ops.
"""

import importlib
import pkgutil
from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.paths import DEFAULT_SPEC
from conformance.registry.op import Op, section_part
from conformance.registry.spec import Spec

__all__ = [
    "OPS",
    "SPECS",
    "SPEC_TABLE",
    "classes_of",
    "classes_text",
    "load_parts",
    "ops_of",
    "section_packages",
]

_BELOW = "conformance.specs"
"""The package of all specs. It is imported by name: no room may know what it holds."""


def _packages(package: str, path: list[str]) -> Iterator[str]:
    for found in pkgutil.iter_modules(path):
        if found.ispkg:
            yield f"{package}.{found.name}"


def _specs() -> dict[str, tuple[Spec, str]]:
    """Every spec by name, and its package: the default one, then by document."""
    found = {}
    for package in _packages(_BELOW, list(importlib.import_module(_BELOW).__path__)):
        spec: Spec = importlib.import_module(package).SPEC
        found[spec.name] = (spec, package)
    return dict(sorted(found.items(), key=lambda item: (item[0] != DEFAULT_SPEC, item[1][0].document)))


_SPECS = _specs()

SPEC_TABLE: dict[str, Spec] = {name: spec for name, (spec, _) in _SPECS.items()}
"""Every spec by name."""

SPECS: tuple[str, ...] = tuple(SPEC_TABLE)
"""The specs that the kit knows: the values of ``--spec``, and the folders of ``vectors``."""


def section_packages(spec: str) -> dict[str, str]:
    """The package of every section of a spec, by the section's name, in the order of the document."""
    known, package = _SPECS[spec]
    path = list(importlib.import_module(package).__path__)
    found = {name.rpartition(".")[2]: name for name in _packages(package, path)}
    order = {name: place for place, name in enumerate(known.sections)}
    return dict(sorted(found.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))


def _ops() -> Iterator[Op]:
    for spec in SPECS:
        for section, package in section_packages(spec).items():
            for op in importlib.import_module(f"{package}.op").OPS:
                yield replace(op, spec=spec, section=section, package=package)


def unique(ops: Iterable[Op]) -> dict[str, Op]:
    """Ops by name.

    Raises:
        ValueError: two have the same.
    """
    found: dict[str, Op] = {}
    for op in ops:
        if op.name in found:
            raise ValueError(f"two ops are called {op.name!r}: in {found[op.name].package} and {op.package}")
        found[op.name] = op
    return found


OPS: dict[str, Op] = unique(_ops())
"""Every operation of every spec; a runner is asked those of the spec that it is checked against."""


def ops_of(spec: str) -> tuple[Op, ...]:
    """The ops of a spec."""
    return tuple(op for op in OPS.values() if op.spec == spec)


def classes_of(spec: str) -> tuple[str, ...]:
    """The classes of a spec, in the protocol's order."""
    return tuple(dict.fromkeys(op.conformance_class for op in ops_of(spec)))


def classes_text() -> str:
    """Every spec with its classes, for people."""
    return "; ".join(f"{spec}: {', '.join(classes_of(spec))}" for spec in SPECS)


def load_parts(name: str) -> None:
    """Imports the module ``name`` of every section that has one; what it holds enters itself."""
    for spec in SPECS:
        for package in section_packages(spec).values():
            section_part(package, name)
