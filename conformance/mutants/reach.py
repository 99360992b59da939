"""Finds which functions of the reference an operation can use, from the source.

Code that an operation's own vectors leave untried is a hole only if the operation can reach it. The result is
an upper bound: every mentioned name counts as used, and a method counts if its class is mentioned too. So
code outside of it certainly does not concern the operation; code inside may.
"""

import ast
import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from conformance.mistakes.modules import REFERENCE, module_names
from conformance.mistakes.mutators.mutants import reference_source
from conformance.mistakes.mutators.sites import assigned
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS
from reference_impl.runner.serving import table_of

__all__ = ["Place", "concerns", "used_by"]

Place = tuple[str, str]
"""A module and a function, ``Class.method`` or module-level name in it, as in mutants' ids."""


@dataclass(slots=True)
class _Mentions:
    """The names that one place mentions."""

    names: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)


class _Module(ast.NodeVisitor):
    """The names that each place of a module mentions."""

    def __init__(self, name: str) -> None:
        self.imported: dict[str, Place] = {}
        """Imported names, and the place that each was imported from."""
        self.mentions: dict[str, _Mentions] = {}
        """The mentions by place."""
        self.classes: set[str] = set()
        self._parts = name.split(".")
        self._inside = ""
        self._here = _Mentions()
        for statement in ast.parse(reference_source(name)).body:
            if not isinstance(statement, ast.FunctionDef | ast.ClassDef):
                self._here = self.mentions.setdefault(assigned(statement) or "module", _Mentions())
            self.visit(statement)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        package = self._parts[: -node.level] if node.level else [REFERENCE.name]
        origin = ".".join([*package, *([node.module] if node.module else [])])
        for alias in node.names:
            self.imported[alias.asname or alias.name] = (origin, alias.name)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self._enter(node.name, [*node.body, *node.args.defaults, *filter(None, node.args.kw_defaults)])

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.classes.add(node.name)
        self._enter(node.name, [*node.body, *node.bases])

    def _enter(self, name: str, below: Iterable[ast.AST]) -> None:
        """Records mentions inside a function or class under its name."""
        before = self._inside, self._here
        self._inside = f"{self._inside}.{name}".lstrip(".")
        self._here = self.mentions.setdefault(self._inside, _Mentions())
        for node in below:
            self.visit(node)
        self._inside, self._here = before

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """Skips annotations, on which no answer depends."""
        for part in filter(None, (node.target, node.value)):
            self.visit(part)

    def visit_arg(self, node: ast.arg) -> None:
        """Skips an argument's annotation."""

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Load):
            self._here.names.add(node.id)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        self._here.attributes.add(node.attr)
        self.visit(node.value)


@functools.cache
def _modules() -> dict[str, _Module]:
    return {name: _Module(name) for name in sorted({name for spec in SPECS for name in module_names(spec)})}


@functools.cache
def used_by(op: str, spec: str = DEFAULT_SPEC) -> frozenset[Place]:
    """Every place of the reference that an operation in a spec's own table can use.

    Unnamed module-level code counts if the module is used.
    """
    modules = _modules()
    root = table_of(spec)[op]
    waiting = [(root.__module__.removeprefix(f"{REFERENCE.name}."), root.__qualname__)]
    reached: set[Place] = set()
    attributes: set[str] = set()
    while waiting:
        place = waiting.pop()
        if place in reached:
            continue
        reached.add(place)
        mentioned = modules[place[0]].mentions[place[1]]
        attributes |= mentioned.attributes
        waiting += _resolved(*place, mentioned)
        for module, name in reached:  # methods of the classes reached
            if name in modules[module].classes:
                below = (method for method in modules[module].mentions if method.startswith(f"{name}."))
                waiting += ((module, method) for method in below if method.rpartition(".")[2] in attributes)
    return frozenset(reached | {(module, "module") for module, _ in reached})


def _resolved(module: str, inside: str, mentioned: _Mentions) -> Iterator[Place]:
    """The places that names refer to in a module; nested functions belong to their function."""
    modules = _modules()
    scope = modules[module]
    for name in mentioned.names:
        owner, named = scope.imported.get(name, (module, name))
        if (whole := modules.get(f"{owner}.{named}")) is not None:  # a module, whose attributes are the names
            yield from ((f"{owner}.{named}", attr) for attr in mentioned.attributes & whole.mentions.keys())
        for defined in modules[owner].mentions if owner in modules else ():
            # A class that is mentioned can be made, and then Python itself calls what has two underscores.
            if defined == named or defined.startswith(f"{named}.__"):
                yield owner, defined
    if inside not in scope.classes:
        yield from ((module, defined) for defined in scope.mentions if defined.startswith(f"{inside}."))


def concerns(op: str, changes: Iterable[Place], spec: str = DEFAULT_SPEC) -> bool:
    """Whether an operation can use any of the changed names.

    Args:
        op: the operation.
        changes: a module and ``name`` or ``Class.member`` each; ``("", op)`` for a whole operation.
        spec: whose table has the operation.
    """
    modules = _modules()
    nothing = _Mentions()
    used = [(where, modules[where].mentions.get(function, nothing)) for where, function in used_by(op, spec)]
    for module, name in changes:
        owner, _, member = name.rpartition(".")
        for where, mentioned in used:
            if not module:
                uses = name == op
            elif owner:
                uses = member in mentioned.attributes or owner in mentioned.names
            else:
                imported = modules[where].imported
                whole = {".".join(imported[alias]) for alias in mentioned.names & imported.keys()}
                uses = (where == module and name in mentioned.names) or (
                    name in mentioned.attributes and module in whole
                )
            if uses:
                return True
    return False
