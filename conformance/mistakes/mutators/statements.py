"""Mutation operators on statements: what is returned, raised, caught, repeated, or left out."""

import ast
from collections.abc import Iterator
from typing import Any

from conformance.mistakes.mutators.operators import LOAD, constant, named, operator, without_one
from conformance.mistakes.mutators.sites import Site

__all__: list[str] = []

_OF_TYPE: dict[str, tuple[object, ...]] = {
    "bool": (True, False),
    "bytes": (b"",),
    "float": (0.0, 1.0),
    "int": (0, 1),
    "str": ("",),
}
"""Alternative return values, by annotated return type."""
_REMOVED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Continue, ast.Break, ast.Return, ast.Delete)
_SUBCLASSES = {"ValueError": "UnicodeDecodeError", "VerifierError": "VerifierOutputParseError"}


@operator("return", ast.Return)
def _return(site: Site, node: Any) -> Iterator[ast.AST]:
    """Another value of the annotated return type."""
    if node.value is None:
        return
    types = [part.strip() for part in site.returns.split(" | ")]
    exprs: list[ast.expr] = [constant(value) for name in types for value in _OF_TYPE.get(name, ())]
    if any(name.startswith("list[") for name in types):
        exprs.append(ast.List([], LOAD))
    if any(name.startswith(("dict[", "Rewards")) for name in types):
        exprs.append(ast.Dict([], []))
    if "None" in types or not exprs:
        exprs.append(constant(None))
    yield from (ast.Return(expr) for expr in exprs if ast.dump(expr) != ast.dump(node.value))


@operator("removal", ast.stmt)
def _removal(site: Site, node: Any) -> Iterator[ast.AST]:
    """Removes the statement, except assignments of modules and classes, which the program needs."""
    assigns = isinstance(node, _REMOVED) or (isinstance(node, ast.AnnAssign) and node.value is not None)
    if assigns and not isinstance(site.parent, ast.Module | ast.ClassDef):
        yield ast.Pass()


@operator("assignment", ast.AugAssign)
def _assignment(_: Site, node: Any) -> Iterator[ast.AST]:
    """``a = b`` for ``a += b``."""
    yield ast.Assign([node.target], node.value)


@operator("loop-control", ast.Continue, ast.Break)
def _loop_control(_: Site, node: Any) -> Iterator[ast.AST]:
    yield ast.Break() if isinstance(node, ast.Continue) else ast.Continue()


@operator("loop", ast.For, ast.comprehension)
def _loop(_: Site, node: Any) -> Iterator[ast.AST]:
    """No iteration, only the first, all but the first."""
    listed = ast.Call(named("list"), [node.iter], [])
    bounds = ((None, constant(1)), (constant(1), None))
    parts = (ast.Subscript(listed, ast.Slice(*bound), LOAD) for bound in bounds)
    for iterated in (ast.Tuple([], LOAD), *parts):
        if isinstance(node, ast.For):
            yield ast.For(node.target, iterated, node.body, node.orelse)
        else:
            yield ast.comprehension(node.target, iterated, node.ifs, node.is_async)


@operator("yield", ast.Yield)
def _yield(_: Site, __: Any) -> Iterator[ast.AST]:
    """Yields None."""
    yield ast.Yield(constant(None))


@operator("raise", ast.Raise)
def _raise(_: Site, node: Any) -> Iterator[ast.AST]:
    """Raises another error."""
    if node.exc is not None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        yield ast.Raise(named("TypeError" if ast.unparse(raised) == "ValueError" else "ValueError"), None)


@operator("except", ast.ExceptHandler)
def _except(_: Site, node: Any) -> Iterator[ast.AST]:
    """Catches more, less or something else."""
    caught: list[ast.expr] = []
    if isinstance(node.type, ast.Tuple):
        elements = node.type.elts
        caught += [ast.Tuple([elements[i] for i in order], LOAD) for order in without_one(len(elements))]
    subclass = _SUBCLASSES.get(getattr(node.type, "id", ""))
    names = ["Exception", "ArithmeticError", "ValueError", *([subclass] if subclass else [])]
    before = ast.dump(node.type) if node.type is not None else ""
    for kind in (*caught, *map(named, names)):
        if ast.dump(kind) != before:
            yield ast.ExceptHandler(kind, node.name, node.body)
