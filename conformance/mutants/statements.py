"""Mutation operators on statements: what is returned, raised, caught, repeated, or left out."""

import ast
from collections.abc import Iterator

from conformance.mutants.operators import constant, operator
from conformance.mutants.sites import Site

__all__: list[str] = []

_OF_TYPE: dict[str, tuple[object, ...]] = {
    "bool": (True, False),
    "bytes": (b"",),
    "float": (0.0, 1.0),
    "int": (0, 1),
    "str": ("",),
}
_REMOVED = (ast.Assign, ast.AugAssign, ast.Expr, ast.Raise, ast.Continue, ast.Break, ast.Return, ast.Delete)
_SUBCLASSES = {"ValueError": "UnicodeDecodeError", "VerifierError": "VerifierOutputParseError"}


@operator("return", ast.Return)
def _return(site: Site) -> Iterator[ast.AST]:
    """Another value, of a type that the function is annotated to return."""
    node = site.node
    assert isinstance(node, ast.Return)
    if node.value is None:
        return
    types = [part.strip() for part in site.returns.split(" | ")]
    values = [value for name in types for value in _OF_TYPE.get(name, ())]
    others: list[ast.expr] = [constant(value) for value in values]
    if any(name.startswith("list[") for name in types):
        others.append(ast.List([], ast.Load()))
    if any(name.startswith(("dict[", "Rewards")) for name in types):
        others.append(ast.Dict([], []))
    if "None" in types or not others:
        others.append(constant(None))
    yield from (ast.Return(other) for other in others if ast.dump(other) != ast.dump(node.value))


@operator("removal", ast.stmt)
def _removal(site: Site) -> Iterator[ast.AST]:
    """Nothing happens. What a module or a class assigns stays: without it there would be no program."""
    if isinstance(site.parent, ast.Module | ast.ClassDef):
        return
    assigns = isinstance(site.node, ast.AnnAssign) and site.node.value is not None
    if assigns or isinstance(site.node, _REMOVED):
        yield ast.Pass()


@operator("assignment", ast.AugAssign)
def _assignment(site: Site) -> Iterator[ast.AST]:
    """``a = b`` for ``a += b``."""
    assert isinstance(site.node, ast.AugAssign)
    yield ast.Assign([site.node.target], site.node.value)


@operator("loop-control", ast.Continue, ast.Break)
def _loop_control(site: Site) -> Iterator[ast.AST]:
    yield ast.Break() if isinstance(site.node, ast.Continue) else ast.Continue()


@operator("loop", ast.For, ast.comprehension)
def _loop(site: Site) -> Iterator[ast.AST]:
    """No round, only the first, all but the first."""
    node = site.node
    assert isinstance(node, ast.For | ast.comprehension)
    listed = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
    first = ast.Subscript(listed, ast.Slice(None, constant(1)), ast.Load())
    rest = ast.Subscript(listed, ast.Slice(constant(1), None), ast.Load())
    for iterated in (ast.Tuple([], ast.Load()), first, rest):
        if isinstance(node, ast.For):
            yield ast.For(node.target, iterated, node.body, node.orelse)
        else:
            yield ast.comprehension(node.target, iterated, node.ifs, node.is_async)


@operator("yield", ast.Yield)
def _yield(site: Site) -> Iterator[ast.AST]:
    """None is yielded."""
    yield ast.Yield(constant(None))


@operator("raise", ast.Raise)
def _raise(site: Site) -> Iterator[ast.AST]:
    """Another error."""
    node = site.node
    assert isinstance(node, ast.Raise)
    if node.exc is not None:
        raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        other = "TypeError" if ast.unparse(raised) == "ValueError" else "ValueError"
        yield ast.Raise(ast.Name(other, ast.Load()), None)


@operator("except", ast.ExceptHandler)
def _except(site: Site) -> Iterator[ast.AST]:
    """More, less or something else is caught."""
    node = site.node
    assert isinstance(node, ast.ExceptHandler)
    caught: list[ast.expr] = []
    if isinstance(node.type, ast.Tuple):
        for left_out in range(len(node.type.elts)):
            rest = [one for index, one in enumerate(node.type.elts) if index != left_out]
            caught.append(ast.Tuple(rest, ast.Load()))
    names = ["Exception", "ArithmeticError", "ValueError"]
    if isinstance(node.type, ast.Name) and node.type.id in _SUBCLASSES:
        names.append(_SUBCLASSES[node.type.id])
    caught += [ast.Name(name, ast.Load()) for name in names]
    before = ast.dump(node.type) if node.type is not None else ""
    yield from (ast.ExceptHandler(one, node.name, node.body) for one in caught if ast.dump(one) != before)
