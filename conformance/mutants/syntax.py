"""The syntax of a Python source as text, without comments, docstrings and layout.

Two sources have the same text if they differ only in docstrings, comments, layout and line numbers; a changed
operator, name or constant changes it. The text is the same on every Python from 3.10 on, which ``ast.dump``
is not: nodes gain fields (``type_params`` in 3.12), and empty ones are left out since 3.13. This module needs
only the standard library, so that a test can run it on every Python.
"""

import ast
from collections.abc import Iterator

__all__ = ["syntax"]

_SILENT_FIELDS = ("ctx", "kind", "type_comment", "type_ignores")
"""Fields that follow from the rest of the tree, or that do not matter at run time."""


def syntax(source: str | bytes) -> str:
    """The syntax tree of a module's source as text on one line.

    Raises:
        SyntaxError: it is not Python.
    """
    return _text(ast.parse(source))


def _text(value: object) -> str:
    if isinstance(value, ast.Constant):
        return f"Constant({value.value!a})"  # repr would depend on the Unicode version of this Python
    if isinstance(value, ast.AST):
        return f"{type(value).__name__}({' '.join(_fields(value))})"
    if isinstance(value, list):
        return f"[{' '.join(_text(item) for item in value if not _is_docstring(item))}]"
    return ascii(value)


def _fields(node: ast.AST) -> Iterator[str]:
    """The non-empty fields with their names, so that omitted ones can't be confused."""
    for name, value in ast.iter_fields(node):
        if name in _SILENT_FIELDS or value is None or value == []:
            continue
        if isinstance(node, ast.JoinedStr):
            value = _joined(node.values)
        yield f"{name}={_text(value)}"


def _is_docstring(node: object) -> bool:
    """Whether a statement is only a string, like the docstrings of modules, functions and attributes."""
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def _joined(parts: list[ast.expr]) -> list[ast.expr]:
    """The parts of an f-string with adjacent texts merged, since Python versions split them differently."""
    joined: list[ast.expr] = []
    for part in parts:
        last = joined[-1] if joined else None
        if isinstance(part, ast.Constant) and isinstance(last, ast.Constant):
            joined[-1] = ast.Constant(str(last.value) + str(part.value))
        elif not (isinstance(part, ast.Constant) and part.value == ""):
            joined.append(part)
    return joined
