"""Which functions of the reference an operation can use at all, read from the source.

What an operation's own vectors leave untried is a hole only where the operation can get there. This is the
wide answer: a name that is mentioned counts as used, a method counts where its class is mentioned too. So
what is left out here is certainly of no concern to the operation; nothing is asserted of the rest.
"""

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from conformance.mistakes.modules import REFERENCE, module_names
from conformance.mutants.mutator import reference_source
from conformance.mutants.sites import assigned
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS
from reference_impl.runner.serving import table_of

__all__ = ["Place", "concerns", "used_by"]

Place = tuple[str, str]
"""A module and a function, ``Class.method`` or module-level name in it, as mutants name their places."""


@dataclass(slots=True)
class _Mentions:
    """What one place mentions."""

    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Module:
    imported: dict[str, Place] = field(default_factory=dict)
    """Names and the place that each was imported from."""
    mentions: dict[str, _Mentions] = field(default_factory=dict)
    """By place."""


_NOTHING = _Mentions()


@functools.cache
def used_by(op: str, spec: str = DEFAULT_SPEC) -> frozenset[Place]:
    """Every place of the reference that an operation can use, where a spec's own table has it.

    Code of a module's own that has no name counts where the module is used.
    """
    modules = _modules()
    waiting = [_root(op, spec)]
    reached: set[Place] = set()
    attributes: set[str] = set()
    while waiting:
        place = waiting.pop()
        if place in reached:
            continue
        reached.add(place)
        module, name = place
        mentioned = modules[module].mentions[name]
        attributes |= mentioned.attributes
        waiting += _resolved(module, name, mentioned)
        waiting += _methods(reached, attributes)
    return frozenset(reached | {(module, "module") for module, _ in reached})


def concerns(op: str, changes: Iterable[Place], spec: str = DEFAULT_SPEC) -> bool:
    """Whether an operation can use any of the names that have got another meaning.

    Args:
        op: the operation.
        changes: a module and ``name`` or ``Class.member`` each; ``("", op)`` for a whole operation.
        spec: whose table has the operation.
    """
    used = used_by(op, spec)
    modules = _modules()
    for module, name in changes:
        if not module:
            if name == op:
                return True
            continue
        owner, _, member = name.rpartition(".")
        for where, place in used:
            mentioned = modules[where].mentions.get(place, _NOTHING)
            if owner:
                if member in mentioned.attributes or owner in mentioned.names:
                    return True
            elif where == module and name in mentioned.names:  # noqa: SIM114 - two ways to get there
                return True
            elif name in mentioned.attributes and module in _whole_modules(where, mentioned):
                return True
    return False


def _whole_modules(module: str, mentioned: _Mentions) -> set[str]:
    """The modules that a place mentions as a whole, to look names up in them."""
    imported = _modules()[module].imported
    return {".".join(imported[name]) for name in mentioned.names & imported.keys()}


def _root(op: str, spec: str) -> Place:
    """The function that answers an operation's requests."""
    function = table_of(spec)[op]
    return function.__module__.removeprefix(f"{REFERENCE.name}."), function.__qualname__


def _resolved(module: str, inside: str, mentioned: _Mentions) -> Iterator[Place]:
    """The places that names stand for in a module; what a function holds belongs to it."""
    modules = _modules()
    here = modules[module]
    for name in mentioned.names:
        owner, found = here.imported.get(name, (module, name))
        if (whole := modules.get(f"{owner}.{found}")) is not None:  # a module, whose names are its attributes
            yield from ((f"{owner}.{found}", each) for each in mentioned.attributes & whole.mentions.keys())
        if owner not in modules:
            continue
        known = modules[owner].mentions
        if found in known:
            yield owner, found
        # A class that is mentioned can be made, and then Python itself calls what has two underscores.
        for other in known:
            if other.startswith(f"{found}.__"):
                yield owner, other
    for other in here.mentions:
        if other.startswith(f"{inside}.") and inside not in _classes(module):
            yield module, other


def _methods(reached: set[Place], attributes: set[str]) -> Iterator[Place]:
    """The methods of classes that are reached, where an attribute of that name is."""
    modules = _modules()
    for module, name in list(reached):
        if name in _classes(module):
            for other in modules[module].mentions:
                if other.startswith(f"{name}.") and other.rpartition(".")[2] in attributes:
                    yield module, other


@functools.cache
def _classes(module: str) -> frozenset[str]:
    tree = ast.parse(reference_source(module))
    return frozenset(node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


@functools.cache
def _modules() -> dict[str, _Module]:
    names = {name for spec in SPECS for name in module_names(spec)}
    return {name: _read(name) for name in sorted(names)}


def _read(name: str) -> _Module:
    module = _Module()
    tree = ast.parse(reference_source(name))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            origin = _origin(name, node)
            for alias in node.names:
                module.imported[alias.asname or alias.name] = (origin, alias.name)
    for statement in tree.body:
        _enter(module, statement, ())
    return module


def _origin(module: str, node: ast.ImportFrom) -> str:
    """The module that a statement imports from, below the reference."""
    parts = module.split(".")[: -node.level] if node.level else [REFERENCE.name]
    return ".".join([*parts, *([node.module] if node.module else [])])


def _enter(module: _Module, node: ast.AST, inside: tuple[str, ...]) -> None:
    """Notes what a statement mentions, under the name of what it is in."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        inside = (*inside, node.name)
        mentions = module.mentions.setdefault(".".join(inside), _Mentions())
        if isinstance(node, ast.FunctionDef):
            below: list[ast.AST] = [*node.body, *node.args.defaults, *node.args.kw_defaults]  # type: ignore[list-item]
        else:
            below = [*node.body, *node.bases]
        for each in below:
            if each is not None:
                _mention(module, mentions, each, inside)
    else:
        name = assigned(node) if not inside else None
        mentions = module.mentions.setdefault(name or "module", _Mentions())
        _mention(module, mentions, node, inside)


def _mention(module: _Module, mentions: _Mentions, node: ast.AST, inside: tuple[str, ...]) -> None:
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        _enter(module, node, inside)
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        mentions.names.add(node.id)
    elif isinstance(node, ast.Attribute):
        mentions.attributes.add(node.attr)
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                _mention(module, mentions, child, inside)
