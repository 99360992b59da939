"""Job directories that mean harm: each kind gives a finding or a clear refusal, and nothing else."""

import errno
import json
import os
import stat

import pytest

from conformance.extensions.audit.judging import Judge
from conformance.wire import untrusted_files as files
from conformance.wire.untrusted_files import Folder, Refused, TooManyEntriesError
from tests.extensions.audit.auditing import (
    JOB,
    T0,
    audited,
    edit,
    found,
    judged,
    lines,
    report,
    run,
    squeezed,
)
from tools.jobs import hostile
from tools.jobs.hostile import KINDS

SECRET = "the secret outside"
RECORD, REWARD = f"{T0}/{JOB}", f"{T0}/verifier/reward.txt"
SMALL = [name for name in KINDS if name not in hostile.COSTLY]
FAMILIES = sorted({name.partition("-")[0] for name in SMALL})
CLEAN = {
    *(f"nested-240-arrays-{place}" for place in ("config", "config-metrics", "config-datasets", "lock")),
    *("nested-240-arrays-record-config", "nested-240-arrays-record-agent"),
    *("nested-700-objects-lock", "nested-5000-arrays-lock"),
    *("nested-240-script-metric", "sparse-lock", "sparse-log", "null-config", "empty-log"),
}
"""Kinds without a finding: harbor could have left them, or a note says what is not looked at."""
GIVES = {
    "symbolic-link": "link-verifier link-reward link-result link-config link-record link-lock link-log "
    "link-circle link-up link-nowhere",
    "schema": "step-outside step-name-nul",
    "listing": "trial-outside",
    "special-file": "fifo-reward fifo-record fifo-config fifo-log fifo-trial socket-reward socket-trial",
    "wrong-type": "directory-reward directory-record file-verifier",
    "too-large": "sparse-config sparse-record sparse-result sparse-reward nested-700-reward",
    "reward-file": "nested-200000-reward",
    "not-json": "nested-200000-config nested-200000-record empty-record empty-result "
    "byte-order-mark not-utf-8 two-documents",
}
DUE = {name: {kind: 1} for kind, names in GIVES.items() for name in names.split()}
DUE["link-trial"] = {"missing-trial": 1, "symbolic-link": 1}
"""What some of them give."""


@pytest.fixture
def folder(written):
    return written("pass-and-fail")


# Every kind


@pytest.mark.parametrize(
    "family", [pytest.param(one, marks=pytest.mark.slow) if one == "nested" else one for one in FAMILIES]
)
def test_every_hostile_kind_is_judged(family, tmp_path, monkeypatch) -> None:
    real = os.open

    def watched(path, *rest, **more):
        handle = real(path, *rest, **more)
        assert not stat.S_ISFIFO(os.fstat(handle).st_mode)
        return handle

    names = [name for name in SMALL if name.partition("-")[0] == family]
    for name in names:
        KINDS[name](tmp_path / name)
    monkeypatch.setattr(files.os, "open", watched)
    folders = [tmp_path / name for name in names]
    jobs = report(*folders)["jobs"]
    for name, job in zip(names, jobs, strict=True):
        assert job["problem"] is None, name
        assert (job["total"] == 0) is (name in CLEAN), (name, job["counts"])
        assert job["counts"] == DUE.get(name, job["counts"]), name
        assert len(json.dumps(job)) < 100_000, name
    for told in (lines(*folders), lines("--findings", 1000, "--all", *folders)):
        assert all(line.isprintable() for line in told)


def test_as_deep_as_harbor_writes(tmp_path) -> None:
    """261 levels in all; what is in config.json stands two levels deep."""
    for levels, due in ((259, {}), (260, {"not-json": 1})):
        hostile.nests(tmp_path / str(levels), *hostile.NESTS["config"], levels, "[")
        job = audited(tmp_path / str(levels))
        assert job["counts"] == due, levels
    assert "261 levels are the most" in job["findings"][0]["found"] + job["findings"][0]["expected"]


@pytest.mark.parametrize("levels", [499, 501, 994, 1498, 9999, 99_999])
def test_a_reward_file_that_not_every_python_reads_is_not_judged(levels, folder) -> None:
    (folder / T0 / "verifier" / "reward.json").write_text(hostile.nested(levels))
    kinds = {"reward-file"} if levels < 500 else {"too-large"}
    assert audited(folder)["counts"].keys() == kinds


# One job's trouble


@pytest.mark.parametrize(
    "error",
    [
        RecursionError("maximum recursion depth exceeded"),
        OSError(errno.EIO, "Input/output error"),
        UnicodeEncodeError("utf-8", "\ud800", 0, 1, "surrogates not allowed"),
        OverflowError("int too large"),
        AssertionError(),
        KeyError("x"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_any_error_costs_one_job_alone(error, written, monkeypatch) -> None:
    good, bad = written("pass-and-fail", "good"), written("pass-and-fail", "bad")
    (bad / "link").symlink_to("/")
    real, asked = Judge.finished, []

    def finished(judge, rows):
        asked.append(judge)
        if len(asked) % 2:
            raise error
        return real(judge, rows)

    monkeypatch.setattr(Judge, "finished", finished)
    first, second = report(bad, good, exits=2)["jobs"]
    of = "while comparing result.json with the trials: this job could not be audited"
    sentence = f"{type(error).__name__} {of}"
    assert (first["problem"], first["counts"], first["trials"]) == (sentence, {"symbolic-link": 1}, 2)
    assert (second["problem"], second["total"], second["state"]) == (None, 0, "finished")
    shown = squeezed(run("--jobs", 1, bad, good).stdout)
    for part in (f"finding: {sentence}", "differs: symbolic-link,", "1 clean, 1 not judged"):
        assert squeezed(part) in shown


# What files hold


TOKENS = ("1e999", "-0", "9" * 5000, "1" + "0" * 400, "NaN", "true", '"x"', "[]", "{}", "null", "[[]]")
FEW = ("NaN", "null", "[]", "9" * 5000)
OF_STATS = ("n_completed_trials", "n_retries", "cost_usd", "evals", "n_input_tokens")
OF_TRIAL = ("exception_info", "agent_info", "step_results", "config", "trial_name", "source", "started_at")
MEMBERS = {
    JOB: [("stats", name) for name in OF_STATS],
    RECORD: [
        *(("verifier_result", "rewards", "reward"), ("agent_result", "n_input_tokens")),
        *((name,) for name in OF_TRIAL),
    ],
}


@pytest.mark.parametrize("file", MEMBERS)
@pytest.mark.parametrize(
    "token", [pytest.param(one, marks=() if one in FEW else pytest.mark.slow, id=one[:6]) for one in TOKENS]
)
def test_any_value_anywhere_gives_no_error(file, token, written) -> None:
    folders = [written("pass-and-fail", "-".join(place)) for place in MEMBERS[file]]
    for folder, place in zip(folders, MEMBERS[file], strict=True):
        hostile.write_value(folder / file, place, token)
    assert [job["problem"] for job in report(*folders)["jobs"]] == [None] * len(folders)


@pytest.mark.parametrize("number", ["1" + "0" * 400, "-1" + "0" * 4000, "9" * 4300], ids=len)
def test_ints_beyond_every_double_give_findings(number, written) -> None:
    folder, steps = written("ints"), written("steps-mean", "steps")
    (folder / T0 / "verifier" / "reward.json").write_text(f'{{"reward":{number}}}')
    assert found(audited(folder), "kind", "file") == [("reward-file", f"{T0}/verifier/reward.json")]
    edit(folder / RECORD, ('"reward": 1\n', f'"reward": {number}\n'))
    for index in (0, 1):
        (steps / f"m__0000000/steps/s{index}/verifier/reward.json").write_text(f'{{"reward":{number}}}')
    assert [job["problem"] for job in report(folder, steps)["jobs"]] == [None, None]
    edit(steps / "m__0000000" / JOB, ('"reward": 0.5', f'"reward": {number}'))
    assert audited(steps)["problem"] is None


# What happens meanwhile


def opening(monkeypatch, name, meanwhile) -> None:
    """Whenever that name is opened, an error is raised, or something happens before."""
    real = os.open

    def opened(path, *rest, **more):
        if path == name and isinstance(meanwhile, OSError):
            raise meanwhile
        if path == name:
            meanwhile()
        return real(path, *rest, **more)

    monkeypatch.setattr(files.os, "open", opened)


def test_what_may_not_be_read_is_a_finding_and_what_vanishes_is_gone(folder, monkeypatch) -> None:
    with monkeypatch.context() as patch:
        opening(patch, "reward.txt", PermissionError(13, "Permission denied"))
        assert {*found(audited(folder), "kind")} == {("unreadable",)}
    opening(monkeypatch, "t1__0000001", FileNotFoundError(2, "No such file or directory"))
    assert found(audited(folder), "kind", "file") == [("missing-trial", f"t1__0000001/{JOB}")]


def test_what_is_put_there_between_two_looks_is_not_read(folder, monkeypatch) -> None:
    (folder / "second").write_text(SECRET)
    done = []

    def exchange() -> None:
        if not done:
            done.append((folder / "second").replace(folder / "config.json"))

    opening(monkeypatch, "config.json", exchange)
    ((kind, file, said),) = found(audited(folder), "kind", "file", "found")
    assert (kind, file) == ("unreadable", "config.json")
    assert "changes while it is read" in said


def test_a_file_that_grows_is_read_up_to_the_limit(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").write_bytes(b"x" * 100)
    real = os.read
    monkeypatch.setattr(files.os, "read", lambda descriptor, count: real(descriptor, count) or b"y" * count)
    folder = Folder.top(str(tmp_path))
    assert folder.read("file", 100) == b"x" * 100
    monkeypatch.setattr(files.os, "read", lambda descriptor, count: b"y" * min(count, 50))
    with pytest.raises(Refused, match="more than 120 bytes"):
        folder.read("file", 120)
    folder.leave()


def test_many_entries_are_refused(folder) -> None:
    for number in range(50):
        (folder / f"junk{number}").touch()
    assert judged(folder, entries=20).problem == "more than 20 entries; --limits 2 doubles the limits"
    assert not judged(folder, entries=60).findings.counts
    opened = Folder.top(str(folder))
    with pytest.raises(TooManyEntriesError):
        list(opened.entries(4))  # counted while they come
    opened.leave()


@pytest.mark.slow
def test_many_findings_are_counted_and_not_kept(folder) -> None:
    for number in range(1500):
        (folder / f"link{number}").symlink_to("/")
    job = audited(folder)
    assert (job["total"], len(job["findings"])) == (1500, 1000)


def test_what_is_no_directory_could_not_be_tried(folder) -> None:
    for job in report(f"{folder}/nosuch", f"{folder}/a\0b", f"{folder}/{JOB}", exits=2)["jobs"]:
        assert (bool(job["problem"]), job["state"]) == (True, None)


def test_no_descriptor_is_left_open(folder) -> None:
    (folder / REWARD).unlink()
    os.mkfifo(folder / REWARD)
    (folder / "link").symlink_to("/")
    audited(folder)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        audited(folder)
    assert len(os.listdir("/proc/self/fd")) == before
