"""The tables of specs and operations, gathered from the packages below ``conformance.specs``.

A package there is a spec, with a ``SPEC``; a package in it is a section, whose module ``op`` holds its
``OPS``. There is no other list of specs, sections or ops.

A spec with a ``base`` is an overlay: it has the sections and ops of its base, and its own packages only for
changes; such a package does not need a module ``op``.
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
    "lineage",
    "load_parts",
    "op_of",
    "ops_of",
    "section_packages",
    "spec_of_module",
]

_BELOW = "conformance.specs"
"""The package of all specs. It is imported by name, since no other package may depend on it."""


def _packages(package: str, path: list[str]) -> Iterator[str]:
    for module in pkgutil.iter_modules(path):
        if module.ispkg:
            yield f"{package}.{module.name}"


def _specs() -> dict[str, tuple[Spec, str]]:
    """Every spec by name, and its package: the default spec first, then by document."""
    specs = {}
    for package in _packages(_BELOW, list(importlib.import_module(_BELOW).__path__)):
        spec: Spec = importlib.import_module(package).SPEC
        specs[spec.name] = (spec, package)
    return dict(sorted(specs.items(), key=lambda item: (item[0] != DEFAULT_SPEC, item[1][0].document)))


_SPECS = _specs()

SPEC_TABLE: dict[str, Spec] = {name: spec for name, (spec, _) in _SPECS.items()}
"""All specs by name."""

SPECS: tuple[str, ...] = tuple(SPEC_TABLE)
"""The specs that the kit knows: the values of ``--spec``, and the folders of ``vectors``."""


def lineage(spec: str) -> tuple[str, ...]:
    """A spec, its base, its base's base, and so on."""
    base = SPEC_TABLE[spec].base
    return (spec,) if base is None else (spec, *lineage(base))


def section_packages(spec: str) -> dict[str, str]:
    """The packages of a spec's own sections by name, in the order of the document."""
    _, package = _SPECS[spec]
    path = list(importlib.import_module(package).__path__)
    packages = {name.rpartition(".")[2]: name for name in _packages(package, path)}
    order = {name: index for index, name in enumerate(SPEC_TABLE[lineage(spec)[-1]].sections)}
    return dict(sorted(packages.items(), key=lambda item: (order.get(item[0], len(order)), item[0])))


def spec_of_module(module: str) -> str | None:
    """The spec whose package contains the module; None if there is none."""
    return next(
        (name for name, (_, package) in _SPECS.items() if f"{module}.".startswith(f"{package}.")), None
    )


def _own_ops(spec: str) -> Iterator[Op]:
    """The ops that the spec's own packages define."""
    for section, package in section_packages(spec).items():
        part = section_part(package, "op")
        if part is None and SPEC_TABLE[spec].base is None:
            raise ModuleNotFoundError(f"{package} has no module op", name=f"{package}.op")
        for op in part.OPS if part is not None else ():
            yield replace(op, spec=spec, section=section, package=package)


def unique(ops: Iterable[Op]) -> dict[str, Op]:
    """Ops by name.

    Raises:
        ValueError: two have the same name.
    """
    known: dict[str, Op] = {}
    for op in ops:
        if op.name in known:
            raise ValueError(f"two ops are called {op.name!r}: in {known[op.name].package} and {op.package}")
        known[op.name] = op
    return known


def _ops(spec: str) -> dict[str, Op]:
    """The ops of a spec: those of its base, adapted if the spec has a package for the section."""
    own = unique(_own_ops(spec))
    base = SPEC_TABLE[spec].base
    if base is None:
        return own
    packages = section_packages(spec)
    ops = {}
    for name, op in _ops(base).items():
        package = packages.get(op.section)
        inherited = (op.package, *op.inherited) if package is not None else op.inherited
        ops[name] = replace(op, spec=spec, package=package or op.package, inherited=inherited)
        if name in own:
            ops[name] = replace(own[name], inherited=inherited)
    return {**ops, **{name: op for name, op in own.items() if name not in ops}}


_OPS_OF = {spec: _ops(spec) for spec in SPECS}

OPS: dict[str, Op] = unique(
    op
    for spec, ops in _OPS_OF.items()
    for op in ops.values()
    if all(op.name not in _OPS_OF[base] for base in lineage(spec)[1:])
)
"""Every operation by name, from the spec that introduced it; ``ops_of`` has the ops of a spec."""


def ops_of(spec: str, *, package: bool = False) -> tuple[Op, ...]:
    """The ops of a spec that any runner may offer; with ``package``, also those only for the package."""
    return tuple(op for op in _OPS_OF[spec].values() if package or not op.package_only)


def op_of(spec: str, name: str) -> Op:
    """A spec's op of this name.

    Raises:
        KeyError: the spec has no such op.
    """
    return _OPS_OF[spec][name]


def classes_of(spec: str, *, package: bool = False) -> tuple[str, ...]:
    """The classes of a spec, in the protocol's order; ``package`` as in ``ops_of``."""
    return tuple(dict.fromkeys(op.conformance_class for op in ops_of(spec, package=package)))


def classes_text() -> str:
    """Every spec with its classes, as text."""
    specs: dict[tuple[str, ...], list[str]] = {}
    for spec in SPECS:
        specs.setdefault(classes_of(spec, package=True), []).append(spec)
    return "; ".join(f"{' and '.join(names)}: {', '.join(classes)}" for classes, names in specs.items())


def load_parts(name: str) -> None:
    """Imports the module ``name`` of every section that has one; the modules register their content."""
    for spec in SPECS:
        for package in section_packages(spec).values():
            section_part(package, name)
