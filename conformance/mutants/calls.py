"""Mutation operators on calls: arguments, functions and methods that are taken for one another, slices."""

import ast
import itertools
from collections.abc import Iterator

from conformance.mutants.operators import constant, operator
from conformance.mutants.sites import Site

__all__: list[str] = []

_FUNCTIONS = {
    "min": ("max",),
    "max": ("min",),
    "any": ("all",),
    "all": ("any",),
    "sorted": ("list", "set"),
    "reversed": ("list",),
    "int": ("float", "round"),
    "float": ("int",),
    "round": ("int",),
    "bisect_right": ("bisect_left",),
}
_UNWRAPPED = frozenset(
    ("abs", "dict", "float", "int", "iter", "list", "max", "min", "reversed", "round", "set", "sorted", "str")
)
"""Functions whose only argument can stand in their place."""
_METHODS = {
    "append": ("extend",),
    "add": ("discard",),
    "casefold": ("lower",),
    "endswith": ("startswith",),
    "extend": ("append",),
    "find": ("rfind",),
    "fullmatch": ("match", "search"),
    "isascii": ("isalnum",),
    "isdigit": ("isalnum",),
    "items": ("keys",),
    "keys": ("values",),
    "lower": ("upper", "casefold", "title"),
    "lstrip": ("strip", "rstrip"),
    "partition": ("rpartition",),
    "removeprefix": ("removesuffix",),
    "removesuffix": ("removeprefix", "rstrip"),
    "rfind": ("find",),
    "rpartition": ("partition",),
    "rstrip": ("strip", "lstrip"),
    "splitlines": ("split",),
    "startswith": ("endswith", "__contains__"),
    "strip": ("lstrip", "rstrip"),
    "upper": ("lower",),
    "values": ("keys",),
}
_UNDONE = frozenset(
    ("lower", "lstrip", "removeprefix", "removesuffix", "replace", "rstrip", "strip", "upper")
)
"""Methods of a text that give a text: the text can stay as it is."""


def _function_name(node: ast.AST) -> str:
    return node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""


def _changed(call: ast.Call, args: list[ast.expr], keywords: list[ast.keyword] | None = None) -> ast.Call:
    return ast.Call(call.func, args, call.keywords if keywords is None else keywords)


@operator("arguments", ast.Call)
def _arguments(site: Site) -> Iterator[ast.AST]:
    """Two neighbours change places; the last one is left out."""
    node = site.node
    assert isinstance(node, ast.Call)
    if _function_name(node) in ("isinstance", "getattr") or isinstance(site.parent, ast.Raise):
        return
    for i in range(len(node.args) - 1):
        yield _changed(node, [*node.args[:i], node.args[i + 1], node.args[i], *node.args[i + 2 :]])
    if len(node.args) > 1 or (node.args and isinstance(node.func, ast.Attribute) and not _is_default(node)):
        yield _changed(node, node.args[:-1])


def _is_default(call: ast.Call) -> bool:
    """Whether its argument is UTF-8, which `encode` and `decode` take without it too."""
    return ast.unparse(call.args[-1]) == "'utf-8'"


@operator("keyword", ast.Call)
def _keyword(site: Site) -> Iterator[ast.AST]:
    """One is left out; two neighbours exchange their values."""
    node = site.node
    assert isinstance(node, ast.Call)
    named = node.keywords
    for i in range(len(named)):
        yield _changed(node, node.args, [*named[:i], *named[i + 1 :]])
    for i, (one, other) in enumerate(itertools.pairwise(named)):
        if one.arg and other.arg:
            swapped = [ast.keyword(one.arg, other.value), ast.keyword(other.arg, one.value)]
            yield _changed(node, node.args, [*named[:i], *swapped, *named[i + 2 :]])


@operator("function", ast.Name)
def _function(site: Site) -> Iterator[ast.AST]:
    """Another function, where it is called or handed on."""
    assert isinstance(site.node, ast.Name)
    if isinstance(site.parent, ast.Call) and isinstance(site.node.ctx, ast.Load) and _calls_or_hands_on(site):
        yield from (ast.Name(other, ast.Load()) for other in _FUNCTIONS.get(site.node.id, ()))


def _calls_or_hands_on(site: Site) -> bool:
    return site.field == "func" or (site.field == "args" and _function_name(site.parent) != "isinstance")


@operator("call-dropped", ast.Call)
def _call_dropped(site: Site) -> Iterator[ast.AST]:
    """What a function or method would change stays as it is."""
    node = site.node
    assert isinstance(node, ast.Call)
    if _function_name(node) in _UNWRAPPED and len(node.args) == 1 and not node.keywords:
        yield node.args[0]
    if _function_name(node) in ("map", "filter"):
        yield node.args[1]
    if isinstance(node.func, ast.Attribute) and node.func.attr in _UNDONE:
        yield node.func.value


@operator("method", ast.Attribute)
def _method(site: Site) -> Iterator[ast.AST]:
    """Another method, where it is called or handed on."""
    node = site.node
    assert isinstance(node, ast.Attribute)
    if isinstance(site.parent, ast.Call) and site.field in ("func", "args"):
        yield from (ast.Attribute(node.value, other, ast.Load()) for other in _METHODS.get(node.attr, ()))


@operator("slice", ast.Slice)
def _slice(site: Site) -> Iterator[ast.AST]:
    """A bound is left out, or off by one where it is no literal (``number`` has those)."""
    node = site.node
    assert isinstance(node, ast.Slice)
    if node.lower is not None:
        yield ast.Slice(None, node.upper, node.step)
        if not isinstance(node.lower, ast.Constant):
            yield ast.Slice(ast.BinOp(node.lower, ast.Add(), constant(1)), node.upper, node.step)
    if node.upper is not None:
        yield ast.Slice(node.lower, None, node.step)
        if not isinstance(node.upper, ast.Constant):
            yield ast.Slice(node.lower, ast.BinOp(node.upper, ast.Add(), constant(1)), node.step)
            yield ast.Slice(node.lower, ast.BinOp(node.upper, ast.Sub(), constant(1)), node.step)
