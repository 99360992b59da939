"""What only harbor can be asked, which spec fits a harbor, and what it lacks."""

import importlib.metadata

import pytest

from conformance.oracle.commands import fitting
from conformance.registry.spec import ADAPTERS
from conformance.run.options import RunOptions, class_names
from conformance.suite.vectors import load_set_of, load_spec
from tests.processes import module_at

SPEC = "harbor-0.13.1"
NEWER = "harbor-0.25.0"


@pytest.mark.parametrize(
    ("runner", "classes", "asked"),
    [
        *(("oracle", "", True), ("harbor:/a/fork", "", True), ("reference", "", False)),
        ("python my_runner.py", "all", False),  # lacks nothing
        ("python adapters/harbor.py", "played", True),
    ],
)
def test_whole_jobs_are_asked_of_a_harbor(runner, classes, asked) -> None:
    """A report is of whole jobs where its classes are."""
    options = RunOptions(command=runner, spec=SPEC, classes=class_names(classes, SPEC))
    assert options.package is asked
    ids = {vector.id for vector in load_spec(SPEC, package=options.package)}
    assert any("/played/" in one for one in ids) is asked
    of_report = load_set_of(SPEC, ["reward", "played"] if asked else ["reward"])
    assert {vector.id for vector in of_report} == ids


@pytest.mark.parametrize(
    ("runner", "listed", "spec"),
    [
        *(("harbor:0.9.0", None, SPEC), ("harbor:0.22.4", None, SPEC), ("reference", None, SPEC)),
        *(("harbor:0.23.0", None, NEWER), ("harbor:1.0", None, NEWER)),
        ("harbor:0.25.0", f"# accepted\n{SPEC}/reward/slug mismatch\n", SPEC),
        ("harbor:0.13.1", f"{NEWER}/reward/slug mismatch\n", NEWER),
        ("harbor:0.25.0", "# nothing fails, not-harbor-0.13.1\n", NEWER),
        ("oracle", f"{NEWER}/reward/slug mismatch\n", SPEC),
    ],
)
def test_the_spec_that_fits(runner, listed, spec, tmp_path) -> None:
    path = tmp_path / "known-failures.txt"
    path.write_text(listed or "", "utf-8")
    assert fitting(runner, path if listed is not None else None, lambda _: None) == spec


@pytest.mark.parametrize(
    ("module", "package"),
    [
        *(("yaml.nodes", "PyYAML"), ("dotenv", "python-dotenv"), ("litellm", "litellm")),
        *(("unheard_of", "unheard_of"), ("harbor.metrics", None)),  # the last is the fork's own fault
    ],
)
def test_what_is_not_installed(monkeypatch, module, package) -> None:
    adapter = module_at(ADAPTERS / "harbor.py")
    needs = ["PyYAML>=6", "python-dotenv ; extra == 'x'", "litellm==1.0"]
    monkeypatch.setattr(importlib.metadata, "requires", lambda _: needs)
    said = adapter.not_installed(ModuleNotFoundError(f"No module named {module!r}", name=module))
    advice = f"which is not installed: install it in the fork's environment: pip install {package}"
    assert said is None if package is None else said.endswith(advice)
    assert adapter.not_installed(ImportError("cannot import name 'Job'", name="harbor.job")) is None
