"""`check` on folders of jobs, and `compare`, as people and programs see them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

Cli = Callable[..., "CompletedProcess[str]"]
Written = Callable[..., Path]
Faults = Callable[[str, Any], list[str]]


@pytest.fixture
def board(written: Written, tmp_path: Path) -> Path:
    """Two submissions, one of two jobs; harbor's own jobs."""
    written("pass-and-fail", "board/b__m/1")
    written("pass-at-k", "board/b__m/2")
    written("pass-and-fail", "board/a__m/1")
    (tmp_path / "board/a__m/metadata.yaml").write_text("accuracy: 0.5\nagent: nop\n")
    (tmp_path / "board/notes").mkdir()
    return tmp_path / "board"


def test_a_leaderboard(cli: Cli, board: Path) -> None:
    done = cli("check", "board")
    assert done.returncode == 0, done.stdout + done.stderr
    for line in (
        "submission a__m: 1 job (1 clean)",
        "submission b__m: 2 jobs (2 clean)",
        "  stated by metadata.yaml at /accuracy 0.5: all records",
        "note: 1 folder holds no job: notes",
        "3 jobs, ",
    ):
        assert f"\n{line}" in f"\n{done.stdout}"


def test_its_report(cli: Cli, board: Path, faults: Faults) -> None:
    report = json.loads(cli("check", "--json", "board").stdout)
    assert faults("check-report", report) == []
    assert [job["path"] for job in report["jobs"]] == ["a__m/1", "b__m/1", "b__m/2"]
    assert [job["submission"] for job in report["jobs"]] == ["a__m", "b__m", "b__m"]
    assert [one["name"] for one in report["submissions"]] == ["a__m", "b__m"]
    assert report["submissions"][0]["claims"][0]["by"][0] == "records"
    assert report["leaderboards"]
    assert report["aside"] == ["1 folder holds no job: notes"]


def test_a_submission_has_the_same_report_wherever_it_is(cli: Cli, board: Path) -> None:
    def report(*folder: str) -> Any:
        return json.loads(cli("check", "--json", *folder).stdout)

    here = report("board/a__m")
    (board / "a__m").rename(board / "moved")
    assert report("board/moved") == here
    assert here["jobs"][0]["path"] == "1"
    assert here["submissions"][0]["name"] == "."
    two = report("board/moved", "board/b__m")
    assert [one["name"] for one in two["submissions"]] == ["board/b__m", "board/moved"]


def test_a_job_of_its_own_has_no_roll_up(cli: Cli, board: Path) -> None:
    report = json.loads(cli("check", "--json", "board/a__m/1").stdout)
    assert (report["submissions"], report["leaderboards"], report["jobs"][0]["path"]) == (
        [],
        [],
        "board/a__m/1",
    )


def test_a_comparison(cli: Cli, board: Path, faults: Faults) -> None:
    done = cli("compare", "board/a__m", "board/b__m/1")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 tasks in both: A 50.0 %, B 50.0 %; B - A +0.0" in done.stdout
    document = json.loads(cli("compare", "--json", "board/a__m", "board/b__m/1").stdout)
    assert faults("comparison", document) == []
    assert [one["name"] for one in document["submissions"]] == ["board/a__m", "board/b__m/1"]


@pytest.mark.parametrize(
    ("b", "problem"),
    [
        ("board", "board holds 2 submissions, name one of them: board/a__m, board/b__m"),
        ("board/notes", "board/notes: there is no result.json of a job, here or in a folder below"),
        ("nowhere", "nowhere: No such file or directory"),
    ],
)
def test_what_cannot_be_compared(cli: Cli, board: Path, b: str, problem: str) -> None:
    done = cli("compare", "board/a__m", b)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"harbor-conformance: {problem}")


def test_an_archive_has_the_report_of_the_folder(
    cli: Cli, board: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Metadata travels with the jobs, in a comparison too."""
    monkeypatch.setenv("HARBOR_CONFORMANCE_CACHE", str(tmp_path / "cache"))
    shutil.make_archive(str(board), "zip", board)
    folder, archive = (json.loads(cli("check", "--json", name).stdout) for name in ("board", "board.zip"))
    assert archive == folder
    assert archive["submissions"][0]["metadata"][0]["values"]["/accuracy"] == "0.5"
    shutil.make_archive(str(board / "a"), "zip", board / "a__m")
    document = json.loads(cli("compare", "--json", "board/a.zip", "board/b__m").stdout)
    assert [one["name"] for one in document["submissions"]] == ["board/a.zip", "board/b__m"]
    assert document["submissions"][0]["metadata"] == archive["submissions"][0]["metadata"]
