"""Mutation operators on expressions: each maps a place in the tree to replacement nodes.

``statements`` and ``texts`` have the others.

If two operators give the same program, the first one counts.
"""

import ast
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from conformance.mistakes.mutators.sites import Site

__all__ = ["LOAD", "Operator", "constant", "named", "operator", "operators", "without_one"]

Operator = Callable[[Site, Any], Iterator[ast.AST]]
"""Called with the place and its node."""

_operators: list[tuple[str, tuple[type[ast.AST], ...], Operator]] = []
LOAD = ast.Load()


def _swaps(text: str) -> dict[str, tuple[str, ...]]:
    """Parse ``min:max int:float,round`` into the replacements of each name."""
    pairs = (entry.split(":") for entry in text.split())
    return {name: tuple(replacements.split(",")) for name, replacements in pairs}


def _node_swaps(text: str) -> dict[type[ast.AST], tuple[type[ast.AST], ...]]:
    """Parse the same form, with the names of node types."""
    return {
        getattr(ast, name): tuple(getattr(ast, replacement) for replacement in replacements)
        for name, replacements in _swaps(text).items()
    }


_FUNCTIONS = _swaps(
    """
    min:max max:min any:all all:any sorted:list,set reversed:list int:float,round float:int round:int
    bisect_right:bisect_left
    """
)
_UNWRAPPED = frozenset(
    ("abs", "dict", "float", "int", "iter", "list", "max", "min", "reversed", "round", "set", "sorted", "str")
)
"""Functions whose only argument can replace the call."""
_METHODS = _swaps(
    """
    append:extend add:discard casefold:lower endswith:startswith extend:append find:rfind
    fullmatch:match,search isascii:isalnum isdigit:isalnum items:keys keys:values
    lower:upper,casefold,title lstrip:strip,rstrip partition:rpartition removeprefix:removesuffix
    removesuffix:removeprefix,rstrip rfind:find rpartition:partition rstrip:strip,lstrip splitlines:split
    startswith:endswith,__contains__ strip:lstrip,rstrip upper:lower values:keys
    """
)
_UNDONE = frozenset(
    ("lower", "lstrip", "removeprefix", "removesuffix", "replace", "rstrip", "strip", "upper")
)
"""Methods of str that return a str: the call can be replaced by the string."""
_ARITHMETIC = _node_swaps(
    """
    Add:Sub Sub:Add Mult:Div,Add Div:Mult,FloorDiv FloorDiv:Div Mod:FloorDiv Pow:Mult
    LShift:RShift RShift:LShift BitOr:BitAnd BitAnd:BitOr BitXor:BitOr
    """
)
_COMPARISON = _node_swaps(
    """
    Lt:LtE,GtE,NotEq LtE:Lt,Gt,Eq Gt:GtE,LtE,NotEq GtE:Gt,Lt,Eq Eq:NotEq,LtE,GtE NotEq:Eq,Lt,Gt
    In:NotIn NotIn:In Is:IsNot IsNot:Is
    """
)


def operator(name: str, *kinds: type[ast.AST]) -> Callable[[Operator], Operator]:
    """Registers the decorated function, which is called for every place with a node of these kinds."""

    def enter(function: Operator) -> Operator:
        _operators.append((name, kinds, function))
        return function

    return enter


def operators(site: Site) -> Iterator[tuple[str, ast.AST]]:
    """Every change at a place: the operator's name and the replacement node."""
    for name, kinds, function in _operators:
        if isinstance(site.node, kinds):
            for node in function(site, site.node):
                yield name, node


def constant(value: object) -> ast.Constant:
    """A literal."""
    return ast.Constant(value)  # type: ignore[arg-type]


def named(name: str) -> ast.Name:
    """A node that reads a name."""
    return ast.Name(name, LOAD)


def without_one(count: int) -> Iterator[list[int]]:
    """The numbers below ``count``, omitting each of them in turn."""
    return ([*range(left_out), *range(left_out + 1, count)] for left_out in range(count))


def _swapped(count: int) -> Iterator[list[int]]:
    """The numbers below ``count`` with two neighbours swapped."""
    return ([*range(i), i + 1, i, *range(i + 2, count)] for i in range(count - 1))


def _function_name(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


@operator("arguments", ast.Call)
def _arguments(site: Site, node: Any) -> Iterator[ast.AST]:
    """Swaps two neighbouring arguments; removes the last, unless it is UTF-8, the default."""
    if _function_name(node) in ("isinstance", "getattr") or isinstance(site.parent, ast.Raise):
        return
    for order in _swapped(len(node.args)):
        yield ast.Call(node.func, [node.args[i] for i in order], node.keywords)
    default = node.args and ast.unparse(node.args[-1]) == "'utf-8'"
    if len(node.args) > 1 or (node.args and isinstance(node.func, ast.Attribute) and not default):
        yield ast.Call(node.func, node.args[:-1], node.keywords)


@operator("keyword", ast.Call)
def _keyword(_: Site, node: Any) -> Iterator[ast.AST]:
    """Removes a keyword argument; swaps the values of two neighbouring ones."""
    named = node.keywords
    for order in without_one(len(named)):
        yield ast.Call(node.func, node.args, [named[i] for i in order])
    for i, (left, right) in enumerate(itertools.pairwise(named)):
        if left.arg and right.arg:
            swapped = [ast.keyword(left.arg, right.value), ast.keyword(right.arg, left.value)]
            yield ast.Call(node.func, node.args, [*named[:i], *swapped, *named[i + 2 :]])


@operator("function", ast.Name)
def _function(site: Site, node: Any) -> Iterator[ast.AST]:
    """Another function, where one is called or passed."""
    handed_on = site.field == "args" and _function_name(site.parent) != "isinstance"
    if isinstance(site.parent, ast.Call) and (site.field == "func" or handed_on):
        yield from map(named, _FUNCTIONS.get(node.id, ()))


@operator("call-dropped", ast.Call)
def _call_dropped(_: Site, node: Any) -> Iterator[ast.AST]:
    """Replaces a call by its argument."""
    if _function_name(node) in _UNWRAPPED and len(node.args) == 1 and not node.keywords:
        yield node.args[0]
    if _function_name(node) in ("map", "filter"):
        yield node.args[1]
    if isinstance(node.func, ast.Attribute) and node.func.attr in _UNDONE:
        yield node.func.value


@operator("method", ast.Attribute)
def _method(site: Site, node: Any) -> Iterator[ast.AST]:
    """Another method, where one is called or passed."""
    if isinstance(site.parent, ast.Call) and site.field in ("func", "args"):
        yield from (ast.Attribute(node.value, method, LOAD) for method in _METHODS.get(node.attr, ()))


@operator("slice", ast.Slice)
def _slice(_: Site, node: Any) -> Iterator[ast.AST]:
    """Removes a bound, or shifts it by one if it is not a literal (``number`` handles those)."""
    unit = constant(1)
    if node.lower is not None:
        yield ast.Slice(None, node.upper, node.step)
        if not isinstance(node.lower, ast.Constant):
            yield ast.Slice(ast.BinOp(node.lower, ast.Add(), unit), node.upper, node.step)
    if node.upper is not None:
        yield ast.Slice(node.lower, None, node.step)
        if not isinstance(node.upper, ast.Constant):
            for sign in (ast.Add(), ast.Sub()):
                yield ast.Slice(node.lower, ast.BinOp(node.upper, sign, unit), node.step)


@operator("arithmetic", *_ARITHMETIC)
def _arithmetic(site: Site, node: Any) -> Iterator[ast.AST]:
    """Another operator, except between the types passed to ``isinstance``."""
    if not any(_function_name(parent) == "isinstance" for parent in site.parents):
        yield from (swapped() for swapped in _ARITHMETIC[type(node)])


@operator("operand", ast.BinOp)
def _operand(_: Site, node: Any) -> Iterator[ast.AST]:
    yield from (node.left, node.right)


@operator("comparison", *_COMPARISON)
def _comparison(_: Site, node: Any) -> Iterator[ast.AST]:
    yield from (swapped() for swapped in _COMPARISON[type(node)])


@operator("and-or", ast.BoolOp)
def _and_or(_: Site, node: Any) -> Iterator[ast.AST]:
    yield ast.BoolOp(ast.And() if isinstance(node.op, ast.Or) else ast.Or(), node.values)
    for order in without_one(len(node.values)):
        values = [node.values[i] for i in order]
        yield values[0] if len(values) == 1 else ast.BoolOp(node.op, values)


@operator("not", ast.UnaryOp)
def _sign_or_not(_: Site, node: Any) -> Iterator[ast.AST]:
    yield node.operand


@operator("condition", ast.expr)
def _condition(site: Site, node: Any) -> Iterator[ast.AST]:
    """True, False, and the negation if no other operator gives that."""
    if site.field == "test" or (site.field == "ifs" and isinstance(site.parent, ast.comprehension)):
        yield from (constant(True), constant(False))
        if not isinstance(node, ast.Compare | ast.UnaryOp):
            yield ast.UnaryOp(ast.Not(), node)


@operator("number", ast.Constant)
def _number(_: Site, node: Any) -> Iterator[ast.AST]:
    value = node.value
    if type(value) in (int, float):
        values = (value + 1, value - 1, 0) if type(value) is int else (value + 1.0, -value, 0.0)
        yield from (constant(changed) for changed in dict.fromkeys(values) if repr(changed) != repr(value))


@operator("flag", ast.Constant)
def _flag(_: Site, node: Any) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield constant(not node.value)


@operator("none", ast.Constant)
def _none(site: Site, node: Any) -> Iterator[ast.AST]:
    """Another value for None, except in comparisons."""
    if node.value is None and not isinstance(site.parent, ast.Compare | ast.Return):
        yield constant(0)


def _arranged(node: Any, order: Sequence[int]) -> ast.AST:
    """A literal with only these elements, in this order."""
    if isinstance(node, ast.Dict):
        return ast.Dict([node.keys[i] for i in order], [node.values[i] for i in order])
    elements = [node.elts[i] for i in order]
    if isinstance(node, ast.Set):
        return ast.Set(elements) if elements else ast.Call(named("set"), [], [])
    return ast.List(elements, LOAD) if isinstance(node, ast.List) else ast.Tuple(elements, LOAD)


def _is_row(site: Site) -> bool:
    """Whether a tuple's length matters to its reader: a table row, a returned or an unpacked tuple."""
    if not isinstance(site.node, ast.Tuple):
        return False
    if isinstance(site.parent, ast.List | ast.ListComp | ast.Return | ast.Call | ast.GeneratorExp):
        return True
    return isinstance(site.parent, ast.Assign) and isinstance(site.parent.targets[0], ast.Tuple)


@operator("element", ast.List, ast.Tuple, ast.Set, ast.Dict)
def _element(site: Site, node: Any) -> Iterator[ast.AST]:
    """Removes one element, but not other specs' operations unpacked into a table."""
    if isinstance(getattr(node, "ctx", LOAD), ast.Load) and not _is_row(site):
        elements = node.keys if isinstance(node, ast.Dict) else node.elts
        for element, order in zip(elements, without_one(len(elements)), strict=True):
            if element is not None:
                yield _arranged(node, order)


@operator("order", ast.List, ast.Dict)
def _order(site: Site, node: Any) -> Iterator[ast.AST]:
    """Swaps two neighbours in a list, or in an object that a function builds."""
    if isinstance(node, ast.List):
        count = len(node.elts) if isinstance(node.ctx, ast.Load) else 0
    else:
        count = len(node.keys) if any(isinstance(parent, ast.FunctionDef) for parent in site.parents) else 0
    yield from (_arranged(node, order) for order in _swapped(count))
