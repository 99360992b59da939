"""The table of sabotages can be applied; its command says what goes unnoticed."""

import json
import subprocess
import sys

import pytest

from tests.conftest import PLAIN
from tools import sabotages


def test_every_sabotage_can_be_applied() -> None:
    """Ten days apply all of them."""
    every = sabotages.table()
    assert [fault for one in every if (fault := one.fault())] == []
    assert len({one.id for one in every}) == len(every) >= 80
    assert sum(one.quick for one in every) >= 70
    for one in every:
        assert (one.old != one.new, bool(one.noticed_by), one.breaks[-1]) == (True, True, "."), one.id
    days = [sabotages.chosen(every, [], day) for day in range(331, 341)]
    assert sorted(one.id for day in days for one in day) == sorted(one.id for one in every)


WITHOUT = (*PLAIN, "-p", "no:harbor-conformance", "-p", "no:xdist")
"""Plugins that would only take time to start."""


def entry(name):
    text = {"id": name, "breaks": "It.", "file": "conformance/__init__.py", "quick": False}
    return {**text, "old": f"{name} =", "new": f"{name} = 7 +", "noticed_by": ["tests/test_it.py"]}


@pytest.mark.slow
def test_the_command_finds_what_goes_unnoticed(tmp_path) -> None:
    """In a tree of its own: one is noticed, one isn't, and one would be by a test that fails anyway."""
    for name, text in {
        "conformance/__init__.py": "ONE = 1\nTWO = 2\nTHREE = 3\n",
        "reference_impl/__init__.py": "",
        "tools/__init__.py": "",
        "tests/test_it.py": "import conformance\n\n"
        "def test_one():\n    assert conformance.ONE == 1\n\n"
        "def test_three():\n    assert conformance.THREE == 4\n",
        "pyproject.toml": f'[tool.pytest.ini_options]\naddopts = "{" ".join(WITHOUT)}"\n',
        "tools/sabotages.py": (sabotages.ROOT / "tools" / "sabotages.py").read_text("utf-8"),
        "tools/sabotages.json": json.dumps([entry(name) for name in ("ONE", "TWO", "THREE")]),
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, "utf-8")

    def run(*words):
        return subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=300)

    run("git", "init", "-q")
    ended = run(sys.executable, "-m", "tools.sabotages")
    lines = ended.stdout.splitlines()
    assert (ended.returncode, lines[-1]) == (1, "1 of 3 noticed; not: TWO, THREE"), ended.stderr
    assert lines[0] == "fails without any sabotage, and so does not count: tests/test_it.py::test_three"
    noticed = ["tests/test_it.py::test_one", "NOT NOTICED", "NOT NOTICED"]
    assert [line.partition(" s  ")[2] for line in lines[1:-1]] == noticed
    assert run(sys.executable, "-m", "tools.sabotages", "O*").returncode == 0
    (tmp_path / "conformance/__init__.py").write_text("ONE = 1\n", "utf-8")
    ended = run(sys.executable, "-m", "tools.sabotages")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.splitlines()[0].startswith("TWO: its text occurs 0 times in conformance/__init__.py")
