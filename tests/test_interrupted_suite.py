"""Ctrl-C during the kit's own suite: what had failed by then is reported."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = """\
import threading

def test_fails():
    raise AssertionError("this failed before Ctrl-C")

def test_waits():
    threading.Event().wait()

def test_waits_too():
    threading.Event().wait()
"""


@pytest.mark.slow
def test_ctrl_c_under_xdist_keeps_the_summary_of_failures(tmp_path) -> None:
    shutil.copy(Path(__file__).parents[1] / "pyproject.toml", tmp_path)
    made = tmp_path / "tests" / "test_made.py"
    made.parent.mkdir()
    made.write_text(TESTS, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    with subprocess.Popen(
        [sys.executable, "-m", "pytest", "-n", "2", "-v", "-p", "no:cacheprovider"],
        cwd=tmp_path,
        env={**environment, "COLUMNS": "160"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        start_new_session=True,
    ) as suite:
        try:
            assert suite.stdout is not None
            while "FAILED tests/test_made.py::test_fails" not in (line := suite.stdout.readline()):
                assert line, "pytest ended without running the test that fails"
            os.killpg(suite.pid, signal.SIGINT)  # as a terminal does
            after, _ = suite.communicate(timeout=240)
        finally:
            if suite.poll() is None:
                os.killpg(suite.pid, signal.SIGKILL)
    assert "Traceback" not in after
    assert "FAILED tests/test_made.py::test_fails - AssertionError: this failed before Ctrl-C" in after
    assert suite.returncode == 2
