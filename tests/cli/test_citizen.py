"""The kit in an author's repository: what pytest collects, and what it costs where the kit isn't used."""

import os
import re
import subprocess
import sys

import pytest

from conformance.paths import DEFAULT_SPEC, vectors_dir
from conformance.registry.ops import SPECS
from tests.conftest import PLAIN

pytestmark = pytest.mark.slow

VECTORS = str(vectors_dir(DEFAULT_SPEC))
BOTH = f"name the paths to run both: tests {VECTORS}"


@pytest.fixture
def project(pytester):
    folder = pytester.mkdir("tests")
    (folder / "test_own.py").write_text("def test_in_this_project(): pass\n")
    return pytester.path


def python(folder, *words):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    how = {"cwd": folder, "env": environment, "capture_output": True, "text": True, "timeout": 300}
    return subprocess.run([sys.executable, *words], **how)


@pytest.mark.parametrize(
    ("words", "header", "passed"),
    [
        ((), f"this project's own tests are not collected; {BOTH}", 1),
        (("tests",), f"the kit's vectors are not collected; {BOTH}", 1),
        (("tests", VECTORS), None, 2),
        ((f"{VECTORS}/aggregation.json",), None, 1),
    ],
)
def test_the_header_says_what_is_not_collected(project, run_pytest, words, header, passed) -> None:
    result = run_pytest("--runner=reference", "-k", "sum-ten-tenths or in_this_project", *words)
    result.assert_outcomes(passed=passed, deselected=None)
    said = [line for line in result.outlines if "not collected" in line]
    assert said == ([] if header is None else [header])


def test_without_tests_of_its_own_none_is_named_and_the_help_names_every_spec(run_pytest) -> None:
    """The help is written without an import of the kit."""
    result = run_pytest("--runner=reference", "--co", "-k", "sum-ten-tenths")
    assert "not collected" not in result.stdout.str()
    said = " ".join(run_pytest("--help").stdout.str().split())
    ((names, default),) = re.findall(r"the spec to check against: (.*?) \(default: (\S+)\)", said)
    assert (sorted(names.split(", ")), default) == (sorted(SPECS), DEFAULT_SPEC)


@pytest.mark.parametrize("words", [(), ("--runner=reference", "tests"), ("--runner=reference", ".")])
def test_a_package_with_the_name_of_the_kit_costs_a_sentence_at_most(project, words) -> None:
    package = project / "conformance"
    package.mkdir()
    (package / "notes.txt").touch()  # a folder alone hides nothing
    words = (*PLAIN, *words)
    assert python(project, "-m", "pytest", "-k", "project or sum-ten-tenths", *words).returncode in (0, 2)
    (package / "__init__.py").write_text("OURS = True\n")
    (package / "test_ours.py").write_text("def test_ours():\n    from conformance import OURS\n")
    done = python(project, "-m", "pytest", "-q", *words)
    if words == PLAIN:
        assert (done.returncode, "2 passed" in done.stdout) == (0, True), done.stdout + done.stderr
        return
    sentence = "ERROR: {} hides the kit's package, which is called conformance too: rename it, or "
    assert (done.returncode, "Traceback" in done.stderr) == (4, False)
    assert done.stderr.startswith(sentence.format(package))
    assert done.stderr.strip().count("\n") == 0


def test_without_a_runner_nothing_of_the_kit_is_imported_nor_hypothesis(project) -> None:
    """Where it is used, hypothesis keeps its summary."""
    hook = "import sys\ndef pytest_unconfigure(): print('modules:', *sys.modules)\n"
    (project / "conftest.py").write_text(hook)
    done = python(project, "-m", "pytest", "--co", "-p", "no:syrupy", "-p", "no:randomly")
    names = {name.partition(".")[0] for name in done.stdout.partition("modules: ")[2].split()}
    assert done.returncode == 0
    assert {"pytest", "harbor_conformance_pytest"} <= names
    assert not {"conformance", "hypothesis", "jsonschema", "rich"} & names
    (project / "tests" / "test_drawn.py").write_text(
        "from hypothesis import given, strategies\n@given(strategies.integers())\ndef test_drawn(n): pass\n"
    )
    done = python(project, "-m", "pytest", "--hypothesis-show-statistics")
    assert "= Hypothesis Statistics =" in done.stdout


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("import conformance.nothing", "a file or folder next to it has the name of the kit"),
        ("import sys; sys.path.clear(); sys.meta_path[2:] = []; import conformance", "does not have the kit"),
    ],
)
def test_a_runner_that_can_not_import_the_kit_is_told_why(cli, tmp_path, line, why) -> None:
    (tmp_path / "first.py").write_text(f"{line}\n")
    done = cli("run", "--runner", f"{sys.executable} first.py", "sum-ten-tenths")
    assert done.returncode == 2
    assert re.search(rf"exited with code 1 before it answered hello; .*{why}", done.stdout + done.stderr)
