"""What the tests of the gate share: a Python that installs in no time, a repository, a machine."""

import shlex
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE))
try:
    import github as github_module
finally:
    sys.path.remove(str(HERE))

PYTHON = """\
#!{shell}
# Stands in for a Python that has to install the kit: its environments are this one's.
case "$1 $2" in
"-m venv")
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    printf '#!{shell}\\nexec {python} -c "from conformance.cli import main; main()" "$@"\\n' >"$3/bin/harbor-conformance"
    chmod +x "$3/bin/harbor-conformance" ;;
"-m pip") echo "$@" >>{log} ;;
*) exec {python} "$@" ;;
esac
"""


@pytest.fixture
def github() -> ModuleType:
    """``github.py`` beside this file."""
    return github_module


@pytest.fixture
def installing(tmp_path: Path) -> Path:
    """What was installed, a line each."""
    return tmp_path / "installed.txt"


@pytest.fixture
def quick_python(tmp_path: Path, installing: Path) -> str:
    """A Python for the action's input, with which installing the kit takes no time and no network."""
    path = tmp_path / "quick-python"
    shell = subprocess.run(["sh", "-c", "command -v bash"], capture_output=True, text=True, check=True)
    path.write_text(
        PYTHON.format(
            shell=shell.stdout.strip(), python=shlex.quote(sys.executable), log=shlex.quote(str(installing))
        )
    )
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder as a checkout leaves it."""
    path = tmp_path / "repository"
    path.mkdir()
    return path


@pytest.fixture
def machine(tmp_path: Path, repository: Path) -> Any:
    """A machine with that repository."""
    return github_module.Machine(
        repository, tmp_path / "temp", tmp_path / "artifacts", kit="OWNER/harbor-conformance"
    )


@pytest.fixture
def act(machine: Any, quick_python: str) -> Callable[..., Any]:
    """Runs the action with these inputs, their names with _ for -."""

    def run(**inputs: str) -> Any:
        given = {"python": quick_python, **{name.replace("_", "-"): each for name, each in inputs.items()}}
        return machine.action(ROOT, given)

    return run
