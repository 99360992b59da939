"""Mutants of lines in the reference's functions, applied to a copy of it."""

import ast
import functools
import importlib
import inspect
import warnings
from types import CodeType, FunctionType
from typing import Any

from conformance.mistakes.mutators.mutants import Mutant, mutants_of, reference_source
from conformance.mistakes.variant import Variant

__all__ = ["apply_mutant", "describe_function", "describe_mutant", "function_mutants", "original_function"]

_OPERATORS = {
    *("comparison", "and-or", "condition", "call-dropped", "function", "method", "operand", "not", "number"),
    *("loop", "arithmetic", "slice", "arguments", "except", "removal"),
}
"""The operators whose mutants implementers write: another comparison, a missing check, another slice."""
_SHOWN = 60
"""The longest expression that is shown, in characters."""


@functools.cache
def function_mutants(path: str) -> tuple[Mutant, ...]:
    """The mutants of a function; none if a mutant might not terminate."""
    module, name = _module_and_name(path)
    own = (mutant for mutant in _mutants_of(module) if mutant.function == name)
    mutants = tuple(mutant for mutant in own if mutant.operator in _OPERATORS)
    return mutants if not mutants or not _may_not_end(_definition(mutants[0])) else ()


@functools.cache
def _mutants_of(module: str) -> list[Mutant]:
    return mutants_of(module, reference_source(module))


def _definition(mutant: Mutant) -> ast.FunctionDef:
    return next(
        node for node in (*mutant.site.parents, mutant.site.node) if isinstance(node, ast.FunctionDef)
    )


def _may_not_end(function: ast.FunctionDef) -> bool:
    return any(isinstance(node, ast.While) for node in ast.walk(function))


@functools.cache
def _code(mutant: Mutant) -> CodeType | None:
    """The compiled code of the changed function; None if it does not compile."""
    mutant.site.put(mutant.node)
    function = _definition(mutant)
    decorators, function.decorator_list = function.decorator_list, []
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(ast.Module([function], []), f"<{mutant.id}>", "exec")
    except (SyntaxError, ValueError):
        return None
    finally:
        function.decorator_list = decorators
        mutant.site.put(mutant.site.node)
    codes = (item for item in code.co_consts if isinstance(item, CodeType) and item.co_name == function.name)
    return next(codes, None)


def apply_mutant(mutant: Mutant, path: str, variant: Variant) -> None:
    """Replaces a function in a copy of the reference with a mutant."""
    original, code = original_function(path), _code(mutant)
    if code is None or code.co_freevars:
        raise ValueError(mutant.id)
    names = vars(variant.module_of(original))
    function = FunctionType(code, names, original.__name__, original.__defaults__)
    function.__kwdefaults__ = original.__kwdefaults__
    variant.replace(original, function)


def original_function(path: str) -> Any:
    """The function of the reference at a path: ``module:function`` or ``module:Class.method``."""
    module, name = _module_and_name(path)
    value: Any = importlib.import_module(f"reference_impl.{module}")
    for part in name.split("."):
        value = inspect.getattr_static(value, part)
    return value


def _module_and_name(path: str) -> tuple[str, str]:
    """The module and the function of a path."""
    module, _, name = path.partition(":")
    return module, name


def describe_function(path: str) -> str:
    """A function's name and file, for people."""
    module, name = _module_and_name(path)
    return f"`{name}` (reference_impl/{module.replace('.', '/')}.py)"


@functools.cache
def describe_mutant(mutant: Mutant) -> str:
    """The expression or line that a mutant changes, before and after: the largest that is short enough."""
    site = mutant.site
    if isinstance(site.node, ast.ExceptHandler) and site.node.type is not None:
        return f"`{ast.unparse(site.node.type)}` is not caught"
    for node in (*site.parents, site.node):
        if isinstance(node, ast.expr | ast.stmt) and not isinstance(node, ast.FunctionDef | ast.ClassDef):
            before = ast.unparse(node).partition("\n")[0]
            site.put(mutant.node)
            after = ast.unparse(mutant.node if node is site.node else node).partition("\n")[0]
            site.put(site.node)
            if max(len(before), len(after)) <= _SHOWN and before != after:
                return f"as if `{before}` were `{after}`"
    return f"as if `{mutant.before}` were `{mutant.after}`"
