"""Arrows point one way, and modules stay small enough to be read at once."""

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import conformance
import reference_impl
from conformance.registry.ops import OPS, SPECS, section_packages

KIT = Path(conformance.__file__).parent
REFERENCE = Path(reference_impl.__file__).parent
PROJECTS = KIT / "templates" / "files"  # programs of their own, of which "new" makes copies
MODULES = sorted(path for path in KIT.rglob("*.py") if not path.is_relative_to(PROJECTS))
LONGEST = 330  # lines; an adapter is one file by contract, however long
LONGEST_CATALOGUE = 900  # of entries, one like another
SHIPPED = {"click", "hypothesis", "jsonschema", "pytest", "rich"}
per_module = pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(KIT).as_posix())


def imports(path: Path) -> Iterator[tuple[str, str]]:
    """Module and name, of every import, also those inside functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 or path.is_relative_to(REFERENCE), f"{path}: relative import"
            yield from ((node.module or "", alias.name) for alias in node.names)


@per_module
def test_the_kit_imports_no_test(module: Path) -> None:
    assert [name for name, _ in imports(module) if name.split(".")[0] == "tests"] == []


@pytest.mark.parametrize("module", sorted((KIT / "adapters").glob("[!_]*.py")), ids=lambda path: path.stem)
def test_an_adapter_needs_nothing_of_the_kit(module: Path) -> None:
    """It is run as a single file by another Python, beside whatever package is installed there."""
    roots = {name.split(".")[0] for name, _ in imports(module)}
    assert roots <= set(sys.stdlib_module_names) | {"harbor", "pydantic", "harness_evals"}


@per_module
def test_a_module_reaches_into_no_other(module: Path) -> None:
    private = [
        f"{name}.{part}"
        for name, part in imports(module)
        if name.startswith("conformance") and part.startswith("_") and part != "__version__"
    ]
    assert private == []


@per_module
def test_a_module_can_be_read_at_once(module: Path) -> None:
    if module.parent.name != "adapters":
        longest = (
            LONGEST_CATALOGUE
            if module.is_relative_to(KIT / "specs") and "mistakes" in module.parts
            else LONGEST
        )
        assert len(module.read_text(encoding="utf-8").splitlines()) <= longest


@per_module
def test_a_module_opens_with_prose(module: Path) -> None:
    assert ast.get_docstring(ast.parse(module.read_text(encoding="utf-8")))


@per_module
def test_every_public_name_is_there(module: Path) -> None:
    if module.parent.name == "adapters":
        return  # scripts
    dotted = ".".join(module.relative_to(KIT.parent).with_suffix("").parts).removesuffix(".__init__")
    names = getattr(importlib.import_module(dotted), "__all__", [])
    assert [name for name in names if not hasattr(sys.modules[dotted], name)] == []
    assert len(set(names)) == len(names)


ENGINES = ("assessment", "cli", "diagnosis", "fuzz", "judging", "mistakes", "mutants", "oracle", "properties")
ENGINES += ("pytest_plugin", "report", "run", "runner", "suite", "wire")
OTHER_MEANINGS = {
    "reason_code",  # a member of every error of the protocol
    "json",  # how a runner spells numbers, in hello
    "outcome",  # a member of a report's records, and the word for what became of a vector
    "reward",  # the key that rewards have where nobody says otherwise
    "metric",  # the command and the pytest plugin's part that check a single metric
}
ELSEWHERE = {
    "mistakes/variant.py": {"metric_script"},  # the module of the reference that starts processes
    "runner/settings.py": {"pipeline"},  # the option
    "cli/check.py": {"score"},  # how a leaderboard is sorted
    "cli/check_options.py": {"score"},
}


@pytest.mark.parametrize("room", ENGINES)
def test_an_engine_knows_no_section_and_no_op(room: str) -> None:
    """What is particular to one stands in its folder, and reaches the engines through ``Op``."""
    names = {*OPS, *(section for spec in SPECS for section in section_packages(spec))} - OTHER_MEANINGS
    found = []
    for path in sorted((KIT / room).rglob("*.py")):
        allowed = ELSEWHERE.get(path.relative_to(KIT).as_posix(), set())
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and node.value in names - allowed:
                found.append(f"{path.relative_to(KIT)}:{node.lineno} {node.value!r}")
    assert found == []


@pytest.mark.once
def test_arrows_between_rooms_point_down() -> None:
    """The contracts of ``pyproject.toml``, which say which room may know which."""
    done = subprocess.run(
        [sys.executable, "-c", "from importlinter.cli import lint_imports_command as c; c()", "--no-cache"],
        cwd=KIT.parent,
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_plugin_loads_next_to_nothing_without_a_runner() -> None:
    """Every pytest run of a user who has the kit installed imports it."""
    source = "import sys, conformance.pytest_plugin.plugin; print(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, encoding="utf-8", timeout=300, check=True
    )
    loaded = {name.split(".")[0] for name in done.stdout.split()}
    assert not (SHIPPED - {"pytest", "rich"}) & loaded
    assert "conformance.pytest_plugin.session" not in done.stdout.split()
