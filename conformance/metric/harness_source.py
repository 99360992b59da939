"""What a metric's source shows: ``passed`` set by hand, and imports of other metrics."""

import ast
from collections.abc import Iterator

__all__ = ["imported_metrics", "sets_passed"]

_METRICS = "harness_evals.metrics"


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


def imported_metrics(tree: ast.AST) -> Iterator[str]:
    """The metrics, or modules of metrics, that are imported from the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if _of_metrics(alias.name))
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level and _of_metrics(node.module):
            yield from (alias.name for alias in node.names if not alias.name.startswith("_"))


def _of_metrics(module: str) -> bool:
    return f"{module}.".startswith(f"{_METRICS}.") and not module.rpartition(".")[2].startswith("_")


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
