"""Mutation operators on expressions: arithmetic, comparisons, conditions, constants, literals of several."""

import ast
from collections.abc import Iterator

from conformance.mutants.operators import constant, operator
from conformance.mutants.sites import Site

__all__: list[str] = []

_ARITHMETIC: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Div, ast.Add),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div,),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
    ast.LShift: (ast.RShift,),
    ast.RShift: (ast.LShift,),
    ast.BitOr: (ast.BitAnd,),
    ast.BitAnd: (ast.BitOr,),
    ast.BitXor: (ast.BitOr,),
}
_COMPARISON: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE, ast.NotEq),
    ast.LtE: (ast.Lt, ast.Gt, ast.Eq),
    ast.Gt: (ast.GtE, ast.LtE, ast.NotEq),
    ast.GtE: (ast.Gt, ast.Lt, ast.Eq),
    ast.Eq: (ast.NotEq, ast.LtE, ast.GtE),
    ast.NotEq: (ast.Eq, ast.Lt, ast.Gt),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
}


def _tests_a_type(site: Site) -> bool:
    """Whether it is part of the second argument of ``isinstance``."""
    return any(
        isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "isinstance"
        for node in site.parents
    )


@operator("arithmetic", *_ARITHMETIC)
def _arithmetic(site: Site) -> Iterator[ast.AST]:
    if not _tests_a_type(site) and not isinstance(site.parent, ast.Constant):
        assert isinstance(site.node, ast.operator)
        yield from (other() for other in _ARITHMETIC[type(site.node)])


@operator("operand", ast.BinOp)
def _operand(site: Site) -> Iterator[ast.AST]:
    assert isinstance(site.node, ast.BinOp)
    yield site.node.left
    yield site.node.right


@operator("comparison", *_COMPARISON)
def _comparison(site: Site) -> Iterator[ast.AST]:
    assert isinstance(site.node, ast.cmpop)
    yield from (other() for other in _COMPARISON[type(site.node)])


@operator("and-or", ast.BoolOp)
def _and_or(site: Site) -> Iterator[ast.AST]:
    node = site.node
    assert isinstance(node, ast.BoolOp)
    yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
    for left_out in range(len(node.values)):
        rest = [value for index, value in enumerate(node.values) if index != left_out]
        yield rest[0] if len(rest) == 1 else ast.BoolOp(node.op, rest)


@operator("not", ast.UnaryOp)
def _sign_or_not(site: Site) -> Iterator[ast.AST]:
    assert isinstance(site.node, ast.UnaryOp)
    yield site.node.operand


@operator("condition", ast.expr)
def _condition(site: Site) -> Iterator[ast.AST]:
    """True, False, and the opposite where no other operator gives that."""
    decides = site.field == "test" or (site.field == "ifs" and isinstance(site.parent, ast.comprehension))
    if not decides:
        return
    yield constant(True)
    yield constant(False)
    if not isinstance(site.node, ast.Compare | ast.UnaryOp):
        assert isinstance(site.node, ast.expr)
        yield ast.UnaryOp(ast.Not(), site.node)


@operator("number", ast.Constant)
def _number(site: Site) -> Iterator[ast.AST]:
    assert isinstance(site.node, ast.Constant)
    value = site.node.value
    if type(value) is int:
        yield from (constant(other) for other in dict.fromkeys((value + 1, value - 1, 0)) if other != value)
    elif type(value) is float:
        yield from (constant(other) for other in (value + 1.0, -value, 0.0) if repr(other) != repr(value))


@operator("flag", ast.Constant)
def _flag(site: Site) -> Iterator[ast.AST]:
    assert isinstance(site.node, ast.Constant)
    if isinstance(site.node.value, bool):
        yield constant(not site.node.value)


@operator("none", ast.Constant)
def _none(site: Site) -> Iterator[ast.AST]:
    """Another value for None, but where it is what something is compared with."""
    assert isinstance(site.node, ast.Constant)
    if site.node.value is None and not isinstance(site.parent, ast.Compare | ast.Return):
        yield constant(0)


def _shortened(node: ast.AST, without: int) -> ast.AST:
    match node:
        case ast.Dict(keys, values):
            pairs = [pair for i, pair in enumerate(zip(keys, values, strict=True)) if i != without]
            return ast.Dict([key for key, _ in pairs], [value for _, value in pairs])
        case ast.Set(elements) if len(elements) == 1:
            return ast.Call(ast.Name("set", ast.Load()), [], [])
        case ast.Set(elements):
            return ast.Set([one for i, one in enumerate(elements) if i != without])
        case ast.List(elements):
            return ast.List([one for i, one in enumerate(elements) if i != without], ast.Load())
        case ast.Tuple(elements):
            return ast.Tuple([one for i, one in enumerate(elements) if i != without], ast.Load())
    raise TypeError(f"no literal of several: {node!r}")


def _is_row(site: Site) -> bool:
    """A tuple whose length its reader counts on: a row of a table, a returned or an unpacked one."""
    if not isinstance(site.node, ast.Tuple):
        return False
    if isinstance(site.parent, ast.List | ast.ListComp | ast.Return | ast.Call | ast.GeneratorExp):
        return True
    return isinstance(site.parent, ast.Assign) and isinstance(site.parent.targets[0], ast.Tuple)


@operator("element", ast.List, ast.Tuple, ast.Set, ast.Dict)
def _element(site: Site) -> Iterator[ast.AST]:
    """One element less; the operations of other specs, unpacked into a table, are not this spec's affair."""
    node = site.node
    if isinstance(getattr(node, "ctx", ast.Load()), ast.Load) and not _is_row(site):
        assert isinstance(node, ast.List | ast.Tuple | ast.Set | ast.Dict)
        elements = node.keys if isinstance(node, ast.Dict) else node.elts
        yield from (_shortened(node, index) for index, element in enumerate(elements) if element is not None)


@operator("order", ast.List, ast.Dict)
def _order(site: Site) -> Iterator[ast.AST]:
    """Two neighbours change places: in a list, and in an object that a function makes."""
    node = site.node
    if isinstance(node, ast.List) and isinstance(node.ctx, ast.Load):
        for i in range(len(node.elts) - 1):
            yield ast.List([*node.elts[:i], node.elts[i + 1], node.elts[i], *node.elts[i + 2 :]], ast.Load())
    elif isinstance(node, ast.Dict) and any(isinstance(parent, ast.FunctionDef) for parent in site.parents):
        for i in range(len(node.keys) - 1):
            order = [*range(i), i + 1, i, *range(i + 2, len(node.keys))]
            yield ast.Dict([node.keys[j] for j in order], [node.values[j] for j in order])
