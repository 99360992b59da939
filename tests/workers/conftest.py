"""A Dask scheduler of this machine, and its workers."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from conformance.workers import scheduler
from tests.processes import waited_for

ROOT = Path(__file__).parents[2]

Start = Callable[..., "subprocess.Popen[bytes]"]


def _dask(log: Path, *arguments: str) -> subprocess.Popen[bytes]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(ROOT),
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "1",  # workers that may die over a piece
        "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "5s",  # and are not waited for half a minute then
    }
    command = [sys.executable, "-m", f"distributed.cli.{arguments[0]}", *arguments[1:], "--no-dashboard"]
    with log.open("ab") as out:
        return subprocess.Popen(command, env=environment, stdout=out, stderr=out)


def _ended(process: subprocess.Popen[bytes], log: Path) -> None:
    """Ends it, and prints what it has said: pytest shows that beside a failure."""
    print(f"{log.name}: {process.poll()}")
    process.kill()
    process.wait()
    print(log.read_text(errors="replace")[-4000:])


@contextmanager
def scheduling(folder: Path) -> Iterator[tuple[subprocess.Popen[bytes], str]]:
    file = folder / "scheduler.json"
    log = folder / "scheduler.log"
    process = _dask(
        log, "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(file)
    )
    try:
        waited_for(lambda: file.exists() and file.read_text().endswith("}"), "scheduler")
        yield process, json.loads(file.read_text())["address"]
    finally:
        _ended(process, log)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with scheduling(tmp_path_factory.mktemp("scheduler")) as (_, address):
        yield address


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers that were just started may take long to come, on a busy machine."""
    monkeypatch.setattr(scheduler, "CONNECT_TIMEOUT_S", 60.0)
    monkeypatch.setattr(scheduler, "FIRST_WORKER", 120.0)


@pytest.fixture
def registered(tmp_path: Path) -> Callable[[], None]:
    """Waits until the scheduler has all workers that were started."""
    return lambda: waited_for(
        lambda: all("Registered to" in log.read_text() for log in tmp_path.glob("worker-*.log")), "workers"
    )


@pytest.fixture
def started(address: str, tmp_path: Path) -> Iterator[Start]:
    """Starts a worker of one thread, without anybody who would start it again."""
    processes: list[subprocess.Popen[bytes]] = []

    def start(of: str = address) -> subprocess.Popen[bytes]:
        options = ("--no-nanny", "--nthreads", "1", "--local-directory", str(tmp_path))
        log = tmp_path / f"worker-{len(processes)}.log"
        processes.append(_dask(log, "dask_worker", of, *options))
        return processes[-1]

    yield start
    for number, process in enumerate(processes):
        _ended(process, tmp_path / f"worker-{number}.log")
