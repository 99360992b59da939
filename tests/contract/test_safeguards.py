"""The tests' own safeguards: a skip is counted, and a quick test that starts a process fails."""

import json
import subprocess
import sys

import pytest

from tests.conftest import PLAIN, Skips
from tools import sabotages

SKIPS = {
    "unittest": "import unittest\n\n\ndef test_it():\n    raise unittest.SkipTest('found nothing')\n",
    "call": "import pytest\n\n\ndef test_it():\n    pytest.skip('no oracle today')\n",
    "mark": "import pytest\n\n\n@pytest.mark.skip(reason='later')\ndef test_it():\n    pass\n",
    "module": "import pytest\n\npytest.skip('not here', allow_module_level=True)\n",
    "import": "import pytest\n\npytest.importorskip('no_such_module_at_all')\n",
}


@pytest.mark.parametrize("way", [*SKIPS, "allowed"])
def test_a_skip_that_nobody_allowed_fails_the_run(pytester, way) -> None:
    """Only the very reason is allowed."""
    skipping = SKIPS.get(way) or SKIPS["call"].replace("no oracle today", "no oracle")
    pytester.makepyfile(test_other="def test_it():\n    pass\n", test_skipping=skipping)
    run = pytester.inline_run(*PLAIN, "-p", "no:terminal", plugins=[skips := Skips()])
    assert (run.ret, len(skips.others)) == ((0, 0) if way == "allowed" else (1, 1))
    assert way == "allowed" or "test_skipping.py" in skips.others[0]


@pytest.mark.slow
def test_the_safeguards_are_on(pytester, monkeypatch) -> None:
    """In a run of the suite's own conftest, in a worker of xdist; those of this very run are tried below."""
    monkeypatch.setenv("PYTHONPATH", str(sys.modules["tests"].__path__[0].rpartition("/")[0]))
    pytester.makeconftest("from tests.conftest import *\n")
    markers = (f"  {name}: it is\n" for name in ("once", "oracle", "slow", "quick", "release"))
    pytester.makeini("[pytest]\nmarkers =\n" + "".join(markers))
    pytester.makepyfile(
        test_starting="import subprocess\n\n\ndef test_it():\n    subprocess.run(['true'])\n",
        test_connecting="import socket\n\n\ndef test_it():\n    socket.socket().connect(('127.0.0.1', 9))\n",
        test_skipping=SKIPS["unittest"],
    )
    ended = pytester.runpytest_subprocess(*PLAIN, "-m", "quick", "-n", "1", timeout=300)
    ended.assert_outcomes(failed=2, skipped=1)
    ended.stdout.fnmatch_lines(["*is quick, and yet it does subprocess.Popen: mark it slow*"])
    ended.stdout.fnmatch_lines(["*skipped for a reason that tests/allowed_skips.json does not have*"])


def test_a_quick_test_that_starts_a_process_is_heard(request) -> None:
    """The guard of this very run; what it raises is not caught by what the test calls."""
    guard = request.config.pluginmanager.get_plugin("quick-tests")
    assert guard.running == request.node.nodeid
    sys.audit("open", "x", "r", 0)
    for event in ("subprocess.Popen", "socket.connect", "os.fork", "os.posix_spawn", "os.system"):
        guard.running = request.node.nodeid
        with pytest.raises(pytest.fail.Exception, match=f"is quick, and yet it does {event}: mark it slow"):
            sys.audit(event)


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
