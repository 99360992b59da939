"""`harbor-conformance check` as people and programs see it: reports, verdicts, exit codes."""

import os
import re

import pytest

from conformance.extensions.audit import work
from tests.extensions.audit.auditing import JOB, edit, report, run, without_version
from tools.jobs.kept import JOBS, write


def shown(done):
    assert "Traceback" not in done.stderr
    return f"exit code {done.returncode}\n{without_version(done.stdout)}{done.stderr}"


def test_jobs_without_a_finding(cli, written, snapshot) -> None:
    folders = [written(name, name).name for name in ("pass-at-k", "killed-half-way", "script")]
    assert shown(cli("check", *folders)) == snapshot


def test_a_job_with_findings(cli, written, snapshot) -> None:
    good, bad = written("pass-and-fail", "good"), written("agents-and-models", "bad")
    edit(bad / JOB, ('"n_errored_trials": 0', '"n_errored_trials": 1'), ('"mean": 0.0', '"mean": 0'))
    (bad / "t0__0000001" / "verifier" / "reward.txt").write_text("0.5")
    (bad / "t0__0000002" / "verifier" / "reward.json").symlink_to("/etc/passwd")
    assert shown(cli("check", good.name, bad.name)) == snapshot


MEMBERS = '"reason_code": null, "resolved": 1, "score": 0.5, "status": "completed", "total": 2'
LINE = f"BASE_BENCHMARK_RESULT={{{MEMBERS}}}"


def test_the_line_in_a_log(written, tmp_path) -> None:
    """The last one, as harbor spells it."""
    folder, log, other = written("pass-and-fail"), tmp_path / "log", LINE.replace("0.5", "0.6")
    for line, code in (
        *((LINE, 0), (f"{LINE}\r", 0), (f"{LINE}\n {other}", 0)),
        *(
            (one, 1)
            for one in (other, LINE.replace("1,", "1.0,"), LINE.replace(": ", ":"), LINE.partition("{")[0])
        ),
    ):
        log.write_text(f"BASE_BENCHMARK_RESULT=an earlier one\n{line}\nafterwards\n")
        assert run("--log", log, folder).exit_code == code, line
    log.write_text("no line\n")
    assert run("--log", log, folder).exit_code == 1


def test_a_log_that_is_named(written, tmp_path) -> None:
    folder, log = written("pass-and-fail"), tmp_path / "elsewhere"
    log.write_text(LINE + "\n")
    (folder / "job.log").write_text("BASE_BENCHMARK_RESULT=not asked for\n")
    assert run("--log", log, folder).exit_code == 0
    assert run("--log", log, folder, folder).exit_code == 2
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path / "nowhere", tmp_path / "fifo", "/dev/zero", tmp_path):
        done = run("--log", path, folder)
        assert (done.exit_code, str(path) in done.stdout) == (2, True)


def test_the_json_report(written) -> None:
    good, bad = written("pass-and-fail", "good"), written("pass-at-k", "bad")
    edit(bad / JOB, ('"pass_at_k": {', '"pass_at_k": {"1": 0.3,'))
    (bad / "link").symlink_to("/")
    document = report(good, bad, good.parent / "nowhere", exits=2)
    states = [(job["state"], job["total"], job["problem"] is None) for job in document["jobs"]]
    assert states == [("finished", 0, True), ("finished", 2, True), (None, 0, False)]
    (finding,) = (one for one in document["jobs"][1]["findings"] if one["kind"] == "pass-at-k")
    assert len(finding.pop("id")) == 10
    texts = {
        "found": "0.3",
        "expected": "no such member",
        "rule": "pass@1 is never computed: with one attempt the answer is empty.",
        "likely": "harbor never computes pass@1",
    }
    where = {
        "file": "result.json",
        "path": "/stats/evals/nop__d/pass_at_k/1",
        "clause": "003-4.2-never-pass-at-1",
    }
    kind = {"severity": "wrong", "kind": "pass-at-k", "level": "value", "task": None, "vector": None}
    assert finding == {**kind, **where, **texts}


WRONG = (('"n_retries": 0,', '"n_retries": 0,\n        "score": 0.5,'), ('"mean": 0.5', '"mean": 0.6'))


@pytest.mark.parametrize(
    ("change", "verdict", "codes"),
    [
        (lambda job: None, "clean", (0, 0, 0, 0)),
        (lambda job: (job / "config.json").unlink(), "clean", (0, 0, 1, 0)),
        (lambda job: edit(job / JOB, ('"mean": 0.5', '"mean": 5e-1')), "differs", (0, 1, 1, 0)),
        (lambda job: edit(job / JOB, *WRONG), "wrong", (1, 1, 1, 0)),
        (lambda job: None, "unfinished", (0, 0, 1, 0)),
        (lambda job: job.rename(job.with_name("away")), "not judged", (2, 2, 2, 2)),
    ],
)
def test_verdicts_and_exit_codes(change, verdict, codes, tmp_path) -> None:
    folder = write(JOBS["killed-half-way" if verdict == "unfinished" else "pass-and-fail"], tmp_path / "job")
    change(folder)
    fail_on = ("wrong", "differs", "note", "never")
    assert tuple(run("--fail-on", name, folder).exit_code for name in fail_on) == codes
    (job,) = report(folder)["jobs"]
    assert job["verdict"] == verdict
    told = run(folder).stdout
    if verdict == "not judged":  # one sentence says all
        assert told == f"{folder}: No such file or directory\n"
    else:
        assert re.search(rf"^{verdict} +1 ", told, re.MULTILINE)


def test_an_interruption_is_told_whatever_fails(written, monkeypatch) -> None:
    """What was audited stays; the exit code is the signal's."""
    folders = [written("pass-and-fail", name) for name in ("one", "two", "three")]
    monkeypatch.setattr("conformance.interrupts.exit_code", lambda: 130)
    audit, asked = work.audit, []

    def interrupted(*given, **more):
        asked.append(given)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return audit(*given, **more)

    monkeypatch.setattr(work, "audit", interrupted)
    document = report("--fail-on", "never", *folders, exits=130)
    assert [job["verdict"] for job in document["jobs"]] == ["clean", "not judged", "not judged"]
    assert document["jobs"][2]["problem"].startswith("interrupted")
