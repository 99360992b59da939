"""The specification stands alone: standard library only, nothing of the kit."""

import ast
import sys
from pathlib import Path

import pytest

import reference_impl

PACKAGE = Path(reference_impl.__file__).parent
MODULES = sorted(PACKAGE.rglob("*.py"))


def imported_from_outside(source: str) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            names.add(node.module or "")
    return {name.partition(".")[0] for name in names}


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_imports_the_standard_library_alone(module: Path) -> None:
    assert imported_from_outside(module.read_text("utf-8")) <= sys.stdlib_module_names


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(PACKAGE).as_posix())
def test_opens_with_prose(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text("utf-8")))


def test_small_enough_to_read_in_one_sitting() -> None:
    lines = [
        len(path.read_text("utf-8").splitlines())
        for path in MODULES
        if not path.name.startswith("_unicode15")
    ]
    assert max(lines) <= 250


def test_all_is_complete_and_true() -> None:
    assert sorted(reference_impl.__all__) == list(reference_impl.__all__)
    assert all(hasattr(reference_impl, name) for name in reference_impl.__all__)
