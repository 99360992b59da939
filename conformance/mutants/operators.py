"""What a mutation operator is: from a place in the tree to the nodes that stand there in mutants."""

import ast
from collections.abc import Callable, Iterator

from conformance.mutants.sites import Site

__all__ = ["Operator", "constant", "operator", "operators"]

Operator = Callable[[Site], Iterator[ast.AST]]

_operators: list[tuple[str, type[ast.AST] | tuple[type[ast.AST], ...], Operator]] = []


def operator(name: str, *kinds: type[ast.AST]) -> Callable[[Operator], Operator]:
    """Enters the decorated function: it is asked for every place where a node of these kinds stands."""

    def enter(function: Operator) -> Operator:
        _operators.append((name, kinds, function))
        return function

    return enter


def operators(site: Site) -> Iterator[tuple[str, ast.AST]]:
    """Every change at a place: the operator's name and the node that takes the place."""
    for name, kinds, function in _operators:
        if isinstance(site.node, kinds):
            for node in function(site):
                yield name, node


def constant(value: object) -> ast.Constant:
    """A literal."""
    return ast.Constant(value)  # type: ignore[arg-type]
