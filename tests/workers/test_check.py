"""`check` spread over processes and over a scheduler's workers: the report is the same to the byte."""

import json
import os
import shutil
import signal
import subprocess
import sys

import pytest

from conformance.extensions.audit import work
from conformance.extensions.audit.discovery import JobPlace
from conformance.extensions.audit.report import Options
from conformance.extensions.audit.sources import Place
from conformance.extensions.audit.work import audited
from conformance.judging.comparison import Level
from conformance.workers import scheduler
from tests.extensions.audit.auditing import run
from tests.processes import KIT, waited_for, workers
from tests.workers.conftest import scheduling
from tools.jobs.kept import JOBS, write

OPTIONS = Options(Level.BYTES)


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """All of harbor's jobs, some of them changed, one of them no job."""
    root = tmp_path_factory.mktemp("jobs")
    for name, files in JOBS.items():
        write(files, root / name)
    for name in ("pass-and-fail", "twelve-trials", "fractions", "retried"):
        for file in sorted((root / name).glob("*/verifier/reward.txt"))[:1]:
            file.write_text("0.125")
    (root / "no-job").mkdir()
    return root


def report(jobs, *options):
    done = run("--json", *options, *sorted(jobs.iterdir()), jobs / "nowhere")
    assert (done.exit_code, done.stderr) == (2, "")
    return done.stdout


@pytest.fixture(scope="module")
def alone(jobs):
    text = report(jobs, "--jobs", 1)
    assert "0.125" in text
    assert "has a job's result.json" in text
    return text


@pytest.mark.slow
def test_by_processes(jobs, alone) -> None:
    assert report(jobs, "--jobs", 2) == alone


def places(jobs):
    return [JobPlace(str(path), Place(str(path))) for path in (*sorted(jobs.iterdir()), jobs / "nowhere")]


@pytest.mark.slow
def test_by_a_scheduler(jobs, alone, address, started) -> None:
    started()
    assert report(jobs, "--scheduler", address) == alone


@pytest.mark.slow
def test_a_scheduler_that_dies_leaves_a_sentence_and_no_traceback(jobs, started, tmp_path) -> None:
    """In a process of its own: what Dask's threads print at the end counts too."""
    program = (
        "import os, signal, sys\n"
        "from conformance.extensions.audit import command, work\n"
        "audited = work.audited\n"
        "def dying(*given):\n"
        "    for job in audited(*given):\n"
        "        yield job\n"
        "        os.kill(int(sys.argv.pop()), signal.SIGKILL) if len(sys.argv) > 6 else None\n"
        "work.audited = dying\n"
        "command.check(sys.argv[1:6])\n"
    )
    with scheduling(tmp_path) as (process, address):
        started(address)
        options = ["--jobs", "1", "--scheduler", address, str(jobs), str(process.pid)]
        command = [sys.executable, "-c", program, *options]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
        assert process.wait(timeout=60) == -signal.SIGKILL
    assert (done.returncode, done.stderr) == (2, "")
    assert "this job could not be audited" in done.stdout


@pytest.mark.parametrize(("worth_it", "expected"), [(1, 2), (10**9, 1)])
def test_processes_are_started_where_they_pay(jobs, monkeypatch, worth_it, expected) -> None:
    monkeypatch.setattr(work, "MIN_BYTES_FOR_PROCESSES", worth_it)
    monkeypatch.setattr("conformance.workers.processors", lambda: 2)
    seen = []

    def spread(_, places, processes=1, *__, **___):
        seen.append(processes)
        return []

    monkeypatch.setattr("conformance.workers.spread", spread)
    assert [*audited(places(jobs), OPTIONS), *audited(places(jobs)[:1], OPTIONS)]
    assert seen == [2] * (expected - 1)


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_a_sentence(cli, jobs, monkeypatch) -> None:
    monkeypatch.setattr(scheduler, "CONNECT_TIMEOUT_S", 1.0)
    done = cli("check", "--scheduler", "tcp://127.0.0.1:9", jobs)
    assert (done.returncode, done.stdout) == (2, "")
    assert "the scheduler at tcp://127.0.0.1:9 can't be reached within 1 seconds" in done.stderr


def in_group(group):
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interruption_ends_all_processes(jobs, tmp_path, number, code) -> None:
    """The report says which jobs were not audited; tables that were begun leave nothing behind."""
    many = tmp_path / "many"
    for index in range(100):
        shutil.copytree(jobs / "pass-at-k", many / f"job-{index:03d}")
    command = [*KIT, "check", "--json"]
    command += ["--jobs", "2", "--parquet", str(tmp_path / "tables"), str(many)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "start_new_session": True}
    process = subprocess.Popen(command, **pipes)
    waited_for(lambda: len(workers(process.pid)) >= 2, "two workers")
    os.killpg(process.pid, number)  # as a terminal, or `timeout`, does
    said, complaints = process.communicate(timeout=300)
    assert (process.returncode, complaints) == (code, "")
    document = json.loads(said)
    assert document["exit_code"] == code
    problems = [job["problem"] for job in document["jobs"]]
    assert len(problems) == 100
    assert str(problems[-1]).startswith("interrupted")
    assert list((tmp_path / "tables").iterdir()) == []
    waited_for(lambda: not in_group(process.pid), "end")  # Python's own watcher ends a little later


@pytest.mark.slow
def test_fuzz_jobs_of_a_scheduler_find_what_local_ones_do(cli, tmp_path, address, started) -> None:
    for _ in range(2):
        started()
    runner = f"{sys.executable} -m conformance.mistakes naive-sum"
    common = ["--runner", runner, "--ops", "aggregate", "--seed", "2", "--inputs", "80", "--jobs", "2"]
    common += ["--from-scratch", "--json", "report.json", "--failures", "0"]
    found = []
    for where in ([], ["--scheduler", address]):
        done = cli("fuzz", *common, *where)
        assert done.returncode == 1, done.stderr
        document = json.loads((tmp_path / "report.json").read_text())
        causes = document["causes"]  # which are one hangs on the time that there is to ask mistakes
        kinds, count = {cause["kind"] for cause in causes}, sum(cause["count"] for cause in causes)
        found.append((document["compared"], document["ops"], document["jobs"], kinds, count))
    assert found[0] == found[1]
    assert [job["compared"] for job in found[0][2]] == [40, 40]
