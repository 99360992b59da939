"""Audits spread over processes and over a scheduler's workers: the report is the same to the byte."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from conformance.check import work
from conformance.check.report import Checked
from conformance.check.reporting import Shown, as_json, report_lines
from conformance.check.submissions.discovery import JobPlace
from conformance.check.work import Terms, audited
from conformance.judging.comparison import Level
from conformance.suite import clauses
from conformance.wire.writing import dumps

Start = Callable[[], "subprocess.Popen[bytes]"]

TERMS = Terms(Level.BYTES)
STATEMENTS = clauses.statements("harbor-0.13.1")


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> list[JobPlace]:
    """All of harbor's jobs, some of them changed, one of them no job."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "check"))
    import make_jobs

    root = tmp_path_factory.mktemp("jobs")
    jobs = make_jobs.unpacked(json.loads(make_jobs.JOBS.read_text(encoding="utf-8")))
    for name, files in jobs.items():
        for path, content in files.items():
            file = root / name / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode())
    for name in ("pass-and-fail", "twelve-trials", "fractions", "retried"):
        for file in sorted((root / name).glob("*/verifier/reward.txt"))[:1]:
            file.write_text("0.125")
    (root / "no-job").mkdir()
    return [JobPlace(name, str(root / name), "all") for name in (*jobs, "no-job", "nowhere")]


def report(jobs: Sequence[Checked]) -> str:
    lines = report_lines(jobs, Shown(Level.BYTES, 20, True, 100), STATEMENTS)
    return dumps(as_json(jobs, Level.BYTES, "harbor-0.13.1", STATEMENTS)) + "\n".join(lines)


@pytest.fixture(scope="module")
def alone(places: list[JobPlace]) -> str:
    text = report(list(audited(places, TERMS, 1)))
    assert "0.125" in text
    assert "there is no result.json" in text
    return text


@pytest.mark.parametrize("processes", [2, 3])
def test_by_processes(places: list[JobPlace], alone: str, processes: int) -> None:
    ticks: list[None] = []
    jobs = list(audited(places, TERMS, processes, tick=lambda: ticks.append(None)))
    assert report(jobs) == alone
    assert len(ticks) == sum(job.audit.trials for job in jobs if job.audit is not None)


def test_by_a_scheduler_one_of_whose_workers_is_killed(
    places: list[JobPlace], alone: str, address: str, started: Start, registered: Callable[[], None]
) -> None:
    """Nothing is lost, nothing is there twice."""
    both = [started(), started()]
    registered()
    ticks: list[None] = []

    def tick() -> None:
        ticks.append(None)
        if len(ticks) == 20:
            both[0].send_signal(signal.SIGKILL)

    jobs = list(audited(places, TERMS, scheduler=address, tick=tick))
    assert both[0].wait(timeout=300) == -signal.SIGKILL
    assert report(jobs) == alone
    assert len(ticks) == sum(job.audit.trials for job in jobs if job.audit is not None)


def test_jobs_that_the_workers_do_not_have(
    places: list[JobPlace], address: str, started: Start, tmp_path: Path
) -> None:
    """They are fetched from where they are, where that is known; else it is told, job by job."""
    started()
    job = Path(places[1].path)
    given = [
        JobPlace("elsewhere", str(tmp_path / "not-here"), location=str(job.parent), below=job.name),
        JobPlace("here", str(job)),
    ]
    elsewhere, here = audited(given, TERMS, scheduler=address)
    assert (elsewhere.problem, elsewhere.verdict, here.verdict) == (None, "clean", "clean")
    missing = work._checked_elsewhere(JobPlace("missing", str(tmp_path / "not-here")), TERMS, frozenset(), "")
    assert missing.problem is not None
    assert "no such folder where a scheduler's worker runs" in missing.problem


def test_only_what_is_elsewhere_has_a_location(tmp_path: Path) -> None:
    job = JobPlace("a/b", str(tmp_path / "a" / "b"))
    assert work.fetchable(job, f"{tmp_path}/", tmp_path) == job
    elsewhere = work.fetchable(job, "s3://bucket/x", tmp_path)
    assert (elsewhere.location, elsewhere.below) == ("s3://bucket/x", "a/b")


def test_a_scheduler_that_goes_half_way_leaves_what_is_done(
    places: list[JobPlace], alone: str, address: str, started: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("conformance.workers.scheduler.NO_WORKER", 1.0)
    only = started()
    jobs = []
    for job in audited(places, TERMS, scheduler=address):
        jobs.append(job)
        only.kill()
    assert [job.path for job in jobs] == [place.name for place in places]
    assert jobs[0].problem is None
    assert "start workers and try again: this job could not be judged" in str(jobs[-1].problem)


@pytest.mark.parametrize(("worth_it", "expected"), [(1, 2), (10**9, 1)])
def test_processes_are_started_where_they_pay(
    places: list[JobPlace], monkeypatch: pytest.MonkeyPatch, worth_it: int, expected: int
) -> None:
    monkeypatch.setattr(work, "WORTH_IT", worth_it)
    monkeypatch.setattr(work, "processors", lambda: 2)
    seen = []

    def spread(
        _: object, inputs: Sequence[JobPlace], processes: int = 1, *__: object, **___: object
    ) -> list[Checked]:
        seen.append(processes)
        return []

    monkeypatch.setattr(work, "spread", spread)
    assert list(audited(places, TERMS)) == []
    assert list(audited(places[:1], TERMS)) == []
    assert seen == [expected, 1]
