"""Processes that are remembered: the same end and the same files as if they had run again."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from conformance.mistakes.processes import Processes

pytestmark = pytest.mark.slow

COPIES = """
import sys, pathlib
given, written = sys.argv[1:3]
pathlib.Path(written).write_text(pathlib.Path(given).read_text().upper() + written)
print("to", written)
pathlib.Path(given).unlink()
sys.exit(3)
"""


def ran(processes, program=COPIES, given="a", **options):
    """What became of a program in a new folder, without the folder's name."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "p.py").write_text(program)
        Path(folder, "given").write_text(given)
        command = [sys.executable, *(str(Path(folder, name)) for name in ("p.py", "given", "written"))]
        done = processes.run(command, **{"capture_output": True, "stdin": subprocess.DEVNULL, **options})
        mark = folder.encode()
        left = {path.name: path.read_bytes().replace(mark, b"*") for path in Path(folder).iterdir()}
        return (done.returncode, done.stdout.replace(mark, b"*")), left


def test_what_is_remembered_is_what_happens() -> None:
    processes = Processes()
    really = ran(subprocess)
    assert really == ((3, b"to */written\n"), {"p.py": COPIES.encode(), "written": b"A*/written"})
    assert [ran(processes), ran(processes)] == [really, really]
    assert processes.run_for_real == 1


def test_another_process_is_none_that_is_known(tmp_path, monkeypatch) -> None:
    others = [{"given": "b"}, {"program": COPIES + "#"}, {"timeout": 60}]
    for other in others:
        processes = Processes()
        ran(processes)
        assert ran(processes, **other) == ran(subprocess, **other)
        assert processes.run_for_real == 2
    processes, program = Processes(), "import os; print(os.getcwd())"
    ran(processes, program)
    monkeypatch.chdir(tmp_path)
    assert ran(processes, program)[0] == (0, f"{tmp_path}\n".encode())


def test_what_leaves_a_folder_behind_is_run_again() -> None:
    processes, program = Processes(), "import sys, os; os.mkdir(sys.argv[2])"
    for _ in range(2):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "p.py").write_text(program)
            processes.run([sys.executable, f"{folder}/p.py", f"{folder}/given", f"{folder}/new"])
            assert Path(folder, "new").is_dir()
    assert processes.run_for_real == 2


def test_all_else_is_subprocess() -> None:
    processes = Processes()
    assert processes.DEVNULL is subprocess.DEVNULL
    with pytest.raises(FileNotFoundError):
        processes.run(["/nowhere/at/all"])
    assert processes.run(f"{sys.executable} --version", shell=True, capture_output=True).returncode == 0
