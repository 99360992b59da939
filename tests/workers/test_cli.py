"""`check --jobs` and `check --scheduler` as a user runs them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.workers import scheduler

Cli = Callable[..., "subprocess.CompletedProcess[str]"]
Start = Callable[[], "subprocess.Popen[bytes]"]


@pytest.fixture(scope="module")
def submission(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of four jobs, each with a trial whose record holds another number."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "check"))
    import make_jobs

    root = tmp_path_factory.mktemp("submission")
    jobs = make_jobs.unpacked(json.loads(make_jobs.JOBS.read_text(encoding="utf-8")))
    for name in ("pass-and-fail", "twelve-trials", "pass-at-k", "fractions"):
        for path, content in jobs[name].items():
            file = root / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode())
        next(iter(sorted((root / name).glob("*/verifier/reward.txt")))).write_text("0.125")
    return root


@pytest.mark.parametrize("options", [["--jobs", "2"], ["--jobs", "4", "--helpers", "0"], ["--helpers", "1"]])
def test_the_report_is_the_same(cli: Cli, submission: Path, options: list[str]) -> None:
    alone = cli("check", "--json", "--jobs", 1, submission)
    assert alone.returncode == 1
    assert "0.125" in alone.stdout
    spread = cli("check", "--json", *options, submission)
    assert (spread.returncode, spread.stdout, spread.stderr) == (1, alone.stdout, "")


def test_the_report_of_a_scheduler_is_the_same(
    cli: Cli, submission: Path, address: str, started: Start
) -> None:
    started()
    alone = cli("check", "--json", "--jobs", 1, submission)
    spread = cli("check", "--json", "--scheduler", address, submission)
    assert (spread.returncode, spread.stdout, spread.stderr) == (1, alone.stdout, "")


def test_a_scheduler_that_is_not_there_is_a_sentence(
    cli: Cli, submission: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scheduler, "REACHED", 1.0)
    done = cli("check", "--scheduler", "tcp://127.0.0.1:9", submission)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the scheduler at tcp://127.0.0.1:9 can't be reached within 1 seconds" in done.stderr
    assert "Traceback" not in done.stderr


def workers(pid: int) -> list[int]:
    """The processes that audit: those that Python spawned."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [int(child) for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


def in_group(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_ends_all_processes(
    submission: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    """The report says which jobs were not audited; tables that were begun leave nothing behind."""
    many = tmp_path / "many"
    for index in range(100):
        shutil.copytree(submission / "pass-at-k", many / f"job-{index:03d}")
    command = [sys.executable, "-c", "from conformance.cli import main; main()", "check", "--json"]
    command += ["--jobs", "2", "--parquet", str(tmp_path / "tables"), str(many)]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    until = time.monotonic() + 300
    while len(workers(process.pid)) < 2 and time.monotonic() < until:
        time.sleep(0.01)
    os.killpg(process.pid, number)  # as a terminal, or `timeout`, does
    said, complaints = process.communicate(timeout=300)
    assert (process.returncode, complaints) == (code, "")
    report = json.loads(said)
    assert report["exit_code"] == code
    problems = [job["problem"] for job in report["jobs"]]
    assert len(problems) == 100
    assert str(problems[-1]).startswith("interrupted")
    assert list((tmp_path / "tables").iterdir()) == []
    until = time.monotonic() + 300
    while in_group(process.pid) and time.monotonic() < until:  # Python's own watcher ends a little later
        time.sleep(0.05)
    assert not in_group(process.pid)


def test_fuzz_jobs_of_a_scheduler_find_what_local_ones_do(
    cli: Cli, tmp_path: Path, address: str, started: Start
) -> None:
    for _ in range(2):
        started()
    runner = f"{sys.executable} -m conformance.mistakes naive-sum"
    common = ["--runner", runner, "--ops", "aggregate", "--seed", "2", "--inputs", "80", "--jobs", "2"]
    common += ["--from-scratch", "--json", "report.json", "--failures", "0"]
    found = []
    for where in ([], ["--scheduler", address]):
        done = cli("fuzz", *common, *where)
        assert done.returncode == 1, done.stderr
        report = json.loads((tmp_path / "report.json").read_text())
        causes = report["causes"]  # which are one hangs on the time that there is to ask mistakes
        kinds, count = {cause["kind"] for cause in causes}, sum(cause["count"] for cause in causes)
        found.append((report["compared"], report["ops"], report["jobs"], kinds, count))
    assert found[0] == found[1]
    assert [job["compared"] for job in found[0][2]] == [40, 40]
