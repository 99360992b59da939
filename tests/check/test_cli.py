"""`harbor-conformance check` as people and programs see it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from syrupy.assertion import SnapshotAssertion

from conformance.check.findings import KINDS

Cli = Callable[..., "CompletedProcess[str]"]
Faults = Callable[[str, Any], list[str]]

SCHEMA = "check-report"


def change(folder: Path, file: str, old: str, new: str) -> None:
    text = (folder / file).read_text(encoding="utf-8")
    assert old in text
    (folder / file).write_text(text.replace(old, new), encoding="utf-8")


def shown(done: CompletedProcess[str]) -> str:
    assert "Traceback" not in done.stderr
    return f"exit code {done.returncode}\n{done.stdout}{done.stderr}"


def test_jobs_without_a_finding(cli: Cli, written: Callable[..., Path], snapshot: SnapshotAssertion) -> None:
    folders = [written(name, name).name for name in ("pass-at-k", "killed-half-way", "script")]
    assert shown(cli("check", *folders)) == snapshot


def test_a_job_with_findings(cli: Cli, written: Callable[..., Path], snapshot: SnapshotAssertion) -> None:
    good, bad = written("pass-and-fail", "good"), written("agents-and-models", "bad")
    change(bad, "result.json", '"n_errored_trials": 0', '"n_errored_trials": 1')
    change(bad, "result.json", '"mean": 0.0', '"mean": 0')
    (bad / "t0__0000001" / "verifier" / "reward.txt").write_text("0.5")
    (bad / "t0__0000002" / "verifier" / "reward.json").symlink_to("/etc/passwd")
    assert shown(cli("check", good.name, bad.name)) == snapshot


def test_findings_beyond_the_limit_are_counted(
    cli: Cli, written: Callable[..., Path], snapshot: SnapshotAssertion
) -> None:
    folder = written("twelve-trials")
    for file in folder.glob("*/verifier/reward.txt"):
        file.write_text("x")
    assert shown(cli("check", "--findings", "1", folder.name)) == snapshot


def test_what_cannot_be_tried(cli: Cli, written: Callable[..., Path], snapshot: SnapshotAssertion) -> None:
    folder = written("pass-and-fail")
    (folder.parent / "empty").mkdir()
    assert shown(cli("check", folder.name, "empty", "nowhere")) == snapshot


def test_no_directory_at_all(cli: Cli) -> None:
    assert cli("check").returncode == 2


def test_levels(cli: Cli, written: Callable[..., Path]) -> None:
    folder = written("pass-and-fail")
    change(folder, "result.json", '"mean": 0.5', '"mean": 5e-1')
    codes = {
        level: cli("check", "--level", level, folder).returncode for level in ("value", "exact", "bytes")
    }
    assert codes == {"value": 0, "exact": 0, "bytes": 1}


LINE = (
    "BASE_BENCHMARK_RESULT="
    '{"reason_code": null, "resolved": 1, "score": 0.5, "status": "completed", "total": 2}'
)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (LINE, 0),
        (LINE.replace("0.5", "0.6"), 1),
        (LINE.replace("1,", "1.0,"), 1),
        (LINE.replace(": ", ":"), 1),
        ("BASE_BENCHMARK_RESULT=", 1),
        ("no line", 0),
    ],
)
def test_the_line_in_a_log_of_the_job(line: str, code: int, cli: Cli, written: Callable[..., Path]) -> None:
    folder = written("pass-and-fail")
    before = "" if line == "no line" else "BASE_BENCHMARK_RESULT=an earlier one\n"
    (folder / "job.log").write_text(f"{before}{line}\nafterwards\n")
    assert cli("check", folder).returncode == code


def test_the_line_of_a_wrong_result_is_not_held_against_it(cli: Cli, written: Callable[..., Path]) -> None:
    folder = written("pass-and-fail")
    (folder / "job.log").write_text(LINE)
    change(folder, "result.json", '"mean": 0.5', '"mean": 0.6')
    report = json.loads(cli("check", "--json", folder).stdout)
    assert report["jobs"][0]["counts"] == {"metric": 1}


def test_a_log_that_is_named(cli: Cli, written: Callable[..., Path], tmp_path: Path) -> None:
    folder = written("pass-and-fail")
    log = tmp_path / "elsewhere"
    log.write_text(LINE + "\n")
    assert cli("check", "--log", log, folder).returncode == 0
    log.write_text("nothing\n")
    assert cli("check", "--log", log, folder).returncode == 1
    assert cli("check", "--log", tmp_path / "nowhere", folder).returncode == 2
    assert cli("check", "--log", log, folder, folder).returncode == 2


def test_the_json_report(cli: Cli, written: Callable[..., Path], faults: Faults) -> None:
    good, bad = written("pass-and-fail", "good"), written("pass-at-k", "bad")
    change(bad, "result.json", '"pass_at_k": {', '"pass_at_k": {"1": 0.3,')
    (bad / "link").symlink_to("/")
    done = cli("check", "--json", good, bad, good.parent / "nowhere")
    report = json.loads(done.stdout)
    assert faults(SCHEMA, report) == []
    assert done.returncode == report["exit_code"] == 2
    states = [(job["state"], job["total"], job["problem"] is None) for job in report["jobs"]]
    assert states == [("finished", 0, True), ("finished", 2, True), (None, 0, False)]
    (finding,) = (one for one in report["jobs"][1]["findings"] if one["kind"] == "pass-at-k")
    assert len(finding.pop("id")) == 10
    assert finding == {
        "severity": "wrong",
        "kind": "pass-at-k",
        "file": "result.json",
        "path": "/stats/evals/nop__d/pass_at_k/1",
        "found": "0.3",
        "expected": "no such member",
        "clause": "003-4.2-never-pass-at-1",
        "rule": "pass@1 is never computed: with one attempt the answer is empty.",
        "likely": "pass@1 is given, which harbor never computes",
        "level": "value",
        "task": None,
        "vector": None,
    }


def test_every_kind_is_in_the_schema(faults: Faults, cli: Cli, written: Callable[..., Path]) -> None:
    report = json.loads(cli("check", "--json", written("pass-and-fail")).stdout)
    for kind in [*KINDS, "no such kind"]:
        report["jobs"][0]["counts"] = {kind: 1}
        assert (faults(SCHEMA, report) == []) is (kind in KINDS)


def test_a_report_on_hostile_names_is_valid(faults: Faults, cli: Cli, written: Callable[..., Path]) -> None:
    folder = written("pass-and-fail")
    (folder / "a\udcff\x1b").symlink_to("/")
    (folder / "result.json").write_bytes(b"\xff")
    done = cli("check", "--json", folder)
    assert faults(SCHEMA, json.loads(done.stdout)) == []


def test_nothing_outside_is_needed(cli: Cli, written: Callable[..., Path]) -> None:
    """Without a home, a network or a writable place the answer is the same."""
    folder = written("pass-and-fail")
    done = cli("check", folder, HOME="/nonexistent", HTTP_PROXY="http://127.0.0.1:9", TMPDIR="/nonexistent")
    assert done.returncode == 0
