"""What a metric's source shows: ``passed`` set by hand, and imports of other metrics.

The worker loads this file too, for the second.
"""

import ast
import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["imported_metrics", "sets_passed"]


def sets_passed(tree: ast.AST) -> Iterator[int]:
    """The lines that set a score's ``passed``."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                parts = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
                if any(map(_is_passed, parts)):
                    yield node.lineno
        elif isinstance(node, ast.Call) and _call_sets(node):
            yield node.lineno


def imported_metrics(module: Any, is_metric: Callable[[Any], bool]) -> list[str]:
    """The metrics that a module's source imports, wherever in it, but for typing alone."""
    try:
        tree = ast.parse(Path(str(module.__file__)).read_bytes())
    except (AttributeError, OSError, SyntaxError, ValueError):
        return sorted(name for name, value in vars(module).items() if is_metric(value))
    found: set[str] = set()
    parts = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    for where, name in _imports_of(tree):
        try:
            held: Any = importlib.import_module(where, module.__package__ or None)
        except BaseException:  # noqa: S112 - an import that is not at hand, or somebody's exit
            continue
        if name == "*":
            found.update(one for one in vars(held) if hasattr(module, one) and is_metric(getattr(held, one)))
        elif name and not isinstance(getattr(held, name, None), ModuleType):
            found.update([name] if is_metric(getattr(held, name, None)) else [])
        else:
            held = getattr(held, name) if name else held
            found.update(part for part in parts if is_metric(getattr(held, part, None)))
    return sorted(found)


def _imports_of(tree: ast.AST) -> Iterator[tuple[str, str]]:
    """Modules and names that a source imports; an import for typing alone is none."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            waiting += node.orelse
            continue
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (("." * node.level + (node.module or ""), alias.name) for alias in node.names)
        waiting += ast.iter_child_nodes(node)


def _is_passed(target: ast.expr) -> bool:
    if isinstance(target, ast.Attribute):
        return target.attr == "passed" and not (
            isinstance(target.value, ast.Name) and target.value.id == "self"
        )
    if isinstance(target, ast.Subscript) and _is_word(target.slice):
        inside = target.value
        return (isinstance(inside, ast.Attribute) and inside.attr == "__dict__") or (
            isinstance(inside, ast.Call) and _called(inside) == "vars"
        )
    return False


def _call_sets(call: ast.Call) -> bool:
    name = _called(call)
    if name in ("setattr", "__setattr__"):
        return any(map(_is_word, call.args))
    if name in ("Score", "clamped", "replace"):
        return any(keyword.arg == "passed" for keyword in call.keywords)
    return False


def _called(call: ast.Call) -> str:
    function = call.func
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_word(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == "passed"
