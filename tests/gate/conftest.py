"""What the tests of the gate share: a Python that installs in no time, a repository, a machine."""

import shlex
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tools import github

ROOT = Path(__file__).parents[2]
PYTHON = """\
#!{shell}
# Stands in for a Python that has to install the kit: its environments are this one's.
isolated=
if [ "$1" = -I ]; then isolated=-I; shift; fi
case "$1 $2" in
"-m venv")
    mkdir -p "$3/bin"
    cp "$0" "$3/bin/python"
    printf '#!/bin/sh\\nexec "%s" -m pip "$@"\\n' "$0" >"$3/bin/pip"
    chmod +x "$3/bin/pip"
    cp {command} "$3/bin/harbor-conformance" ;;
"-m pip") echo "$@" >>{log} ;;
*) exec {python} $isolated "$@" ;;
esac
"""


@pytest.fixture
def installing(tmp_path: Path) -> Path:
    return tmp_path / "installed.txt"


@pytest.fixture
def command(tmp_path: Path) -> Path:
    """``harbor-conformance``, alone in a folder."""
    path = tmp_path / "bin" / "harbor-conformance"
    path.parent.mkdir()
    path.symlink_to(Path(sys.executable).with_name("harbor-conformance"))
    return path


@pytest.fixture
def quick_python(tmp_path: Path, installing: Path, command: Path) -> str:
    """A Python for the action's input, with which installing the kit takes no time and no network."""
    path = tmp_path / "quick-python"
    words = {"python": sys.executable, "command": str(command), "log": str(installing)}
    quoted = {name: shlex.quote(word) for name, word in words.items()}
    path.write_text(PYTHON.format(shell=shutil.which("bash"), **quoted))
    path.chmod(0o755)
    return str(path)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A folder as a checkout leaves it."""
    path = tmp_path / "repository"
    path.mkdir()
    return path


@pytest.fixture
def machine(tmp_path: Path, repository: Path) -> github.Machine:
    kit, temp = "OWNER/harbor-conformance", tmp_path / "temp"
    return github.Machine(repository, temp, tmp_path / "artifacts", kit=kit)


@pytest.fixture
def act(machine: Any, quick_python: str) -> Callable[..., Any]:
    """Runs the action with these inputs, their names with _ for -; all classes are demanded by default."""

    def run(**inputs: str) -> Any:
        own = {name.replace("_", "-"): each for name, each in inputs.items()}
        given = {"python": quick_python, "classes": "all", **own}
        return machine.action(ROOT, given)

    return run
