"""Arrows point one way, and modules stay small enough to be read at once: an item a room."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import conformance
import reference_impl
from conformance.registry.ops import OPS, SPECS, section_packages

KIT = Path(conformance.__file__).parent
REFERENCE = Path(reference_impl.__file__).parent
PROJECTS = KIT / "templates" / "files"  # programs of their own, of which "new" makes copies
LONGEST, LONGEST_OF_REFERENCE = 350, 250  # lines; an adapter is one file by contract, however long
LONGEST_CATALOGUE = 900  # of entries, one like another
MUCH = 100_000  # bytes, which take longer to read than a quick test may
ENGINES = {"assessment", "cli", "deviations", "diagnosis", "fuzz", "judging", "mistakes", "mutants", "oracle"}
ENGINES |= {"properties", "pytest_plugin", "report", "run", "runner", "suite", "wire"}
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
    "suite/entries.py": {"played"},  # a member of vectors, as in the next
    "suite/vectors.py": {"played"},
}
SECTIONS_AND_OPS = {*OPS, *(section for spec in SPECS for section in section_packages(spec))} - OTHER_MEANINGS


def modules(room):
    below = room.rglob("*.py") if room.is_dir() else [room] if room.suffix == ".py" else []
    return sorted(path for path in below if not path.is_relative_to(PROJECTS))


def param(room):
    large = sum(path.stat().st_size for path in modules(room)) > MUCH
    return pytest.param(room, id=f"{room.parent.name}/{room.name}", marks=[pytest.mark.slow] * large)


def imported(nodes):
    """Module and name, of every import, also those inside functions; relative ones begin with a dot."""
    found = [(alias.name, "") for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    return found + [
        ("." * node.level + (node.module or ""), alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    ]


def bound(nodes):
    """Every name that a module gives something."""
    for node in nodes:
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Import | ast.ImportFrom):
            yield from (alias.asname or alias.name for alias in node.names)


def exported(tree):
    for node in tree.body:
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__all__":
            return list(ast.literal_eval(node.value))
    return []


def faults(path):
    text = path.read_text(encoding="utf-8")
    tree, lines = ast.parse(text), text.count("\n")
    nodes = list(ast.walk(tree))
    names, imports = exported(tree), imported(nodes)
    if not ast.get_docstring(tree):
        yield "does not open with prose"
    if len(set(names)) != len(names):
        yield "exports a name twice"
    yield from (f"exports {name}, which is not there" for name in sorted(set(names) - {*bound(nodes)}))
    foreign = {name.partition(".")[0] for name, _ in imports} - {""} - sys.stdlib_module_names
    if path.is_relative_to(REFERENCE):
        yield from (f"imports {name}" for name in foreign)
        if lines > LONGEST_OF_REFERENCE and not path.name.startswith("_unicode15"):
            yield f"has {lines} lines"
        return
    for name, part in imports:
        if name.partition(".")[0] in {"", "tests", "tools"}:
            yield f"imports {name}"
        if name.startswith("conformance") and part.startswith("_") and part != "__version__":
            yield f"reaches for {name}.{part}"
    if path.parent.name == "adapters":  # each is run as a single file by another Python
        if path.name[0] != "_":
            yield from (f"imports {name}" for name in foreign - {"harbor", "pydantic", "harness_evals"})
    elif lines > (LONGEST_CATALOGUE if {"specs", "mistakes"} <= set(path.parts) else LONGEST):
        yield f"has {lines} lines"
    inside = path.relative_to(KIT)
    if inside.parts[0] in ENGINES:  # what is particular to a section reaches the engines through ``Op``
        known = SECTIONS_AND_OPS - ELSEWHERE.get(inside.as_posix(), set())
        for node in nodes:
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known:
                yield f"knows {node.value!r}, in line {node.lineno}"


@pytest.mark.parametrize(
    "room", [param(room) for root in (KIT, REFERENCE) for room in sorted(root.iterdir()) if modules(room)]
)
def test_the_modules_of_a_room_keep_the_rules(room) -> None:
    found = [f"{path.relative_to(KIT.parent)} {fault}" for path in modules(room) for fault in faults(path)]
    assert found == []


def test_all_of_the_reference_is_complete_and_true() -> None:
    assert sorted(reference_impl.__all__) == list(reference_impl.__all__)
    assert all(hasattr(reference_impl, name) for name in reference_impl.__all__)


@pytest.mark.slow
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
