"""``check`` reads what a stranger wrote: nothing outside the job, within its limits, and loses no finding."""

import io
import json
import os
import tarfile
import zipfile
from pathlib import Path

import pytest

JOB = json.loads(Path(__file__).with_name("job.json").read_text("utf-8"))
FIRST = "t0__0000000"


@pytest.fixture
def job(tmp_path):
    """A job of harbor's: one trial that passed, one that failed."""
    for name, content in JOB.items():
        path = tmp_path / "job" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, "utf-8")
    return tmp_path / "job"


@pytest.fixture
def checked(cli):
    """``check``: the exit code, the findings by kind and file, the report."""

    def do(*args):
        ended = cli("check", "--json", *args)
        report = json.loads(ended.stdout)
        found = (
            [(one["kind"], one["file"]) for one in report["jobs"][0]["findings"]] if report["jobs"] else []
        )
        return ended.returncode, found, report

    return do


def change(job, name, old, new):
    text = (job / name).read_text("utf-8")
    assert text.count(old) == 1
    (job / name).write_text(text.replace(old, new), "utf-8")


def test_a_job_of_harbors_is_clean(checked, job) -> None:
    code, found, report = checked(job)
    assert (code, found, report["jobs"][0]["verdict"]) == (0, [], "clean")


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("result.json", '"mean": 0.5', '"mean": 0.25'),
        ("result.json", '"n_errored_trials": 0', '"n_errored_trials": 1'),
        ("result.json", '"n_completed_trials": 2', '"n_completed_trials": 1'),
        ("result.json", '"1.0": [', '"0.5": ['),
        (f"{FIRST}/verifier/reward.txt", "1\n", "0.5\n"),
    ],
    ids=["mean", "errors", "completed", "rewards", "reward-file"],
)
def test_each_wrong_number_is_found(checked, cli, job, name, old, new) -> None:
    change(job, name, old, new)
    code, found, report = checked(job)
    assert code == report["exit_code"] == 1
    assert found
    assert cli("check", "--fail-on", "never", job).returncode == 0
    assert all(kind in cli("check", job).stdout for kind, _ in found)


def linked(kind, job):
    """The record of the first trial as a link of that kind."""
    path, outside = job / FIRST / "result.json", job.parent / "outside.json"
    path.rename(outside)
    target = {"outside": outside, "absent": "nowhere", "loop": "result.json", "device": "/dev/zero"}[kind]
    path.symlink_to(target)


@pytest.mark.parametrize("kind", ["outside", "absent", "loop", "device"])
def test_no_link_is_followed(checked, job, kind) -> None:
    """Not even to ask what is there: a link to nothing is a link, and no file that is missing."""
    linked(kind, job)
    code, found, _ = checked(job)
    assert code == 1
    assert ("symbolic-link", f"{FIRST}/result.json") in found


def test_no_special_file_is_opened(checked, job) -> None:
    (job / FIRST / "result.json").unlink()
    os.mkfifo(job / FIRST / "result.json")
    code, found, _ = checked(job)
    assert (code, ("special-file", f"{FIRST}/result.json") in found) == (1, True)


@pytest.mark.parametrize(
    ("limit", "said"), [("all_bytes", "bytes"), ("all_rewards", "rewards"), ("trials", "directories")]
)
def test_a_job_beyond_a_limit_is_not_judged(checked, job, monkeypatch, limit, said) -> None:
    monkeypatch.setattr(
        "conformance.check.reading.limits.Limits.times", lambda self, _: replaced(self, limit)
    )
    code, _, report = checked(job)
    assert code == 2
    assert f"more than 1 {said}" in report["jobs"][0]["problem"]


def replaced(limits, limit):
    return type(limits)(**{limit: 1})


def packed(kind, name, folder, link=""):
    """A job in an archive, with one more member of that name."""
    path = folder / f"job.{kind}"
    if kind == "zip":
        with zipfile.ZipFile(path, "w") as file:
            for inside, content in {**{f"job/{key}": one for key, one in JOB.items()}, name: "x"}.items():
                file.writestr(inside, content)
        return path
    with tarfile.open(path, "w") as file:
        for inside, content in {**{f"job/{key}": one for key, one in JOB.items()}, name: "x"}.items():
            info = tarfile.TarInfo(inside)
            info.size = len(content.encode())
            if inside == name and link:
                info.type, info.linkname, info.size = tarfile.SYMTYPE, link, 0
            file.addfile(info, io.BytesIO(content.encode()))
    return path


@pytest.mark.parametrize("kind", ["zip", "tar"])
@pytest.mark.parametrize(
    "name", ["../escaped", "/tmp/escaped", "job/../../escaped", "job/x/../../../escaped"]
)
def test_no_archive_writes_outside(cli, tmp_path, kind, name) -> None:
    ended = cli("check", packed(kind, name, tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert ended.returncode == 2
    assert "Traceback" not in ended.stderr
    assert list(tmp_path.rglob("*escaped*")) == []


def test_a_whole_archive_is_judged(cli, tmp_path) -> None:
    ended = cli("check", packed("tar", "job/agent.log", tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_an_archive_that_grows_too_much_is_not_unpacked(cli, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("conformance.check.places.archives._FREE", 10)
    monkeypatch.setattr("conformance.check.places.archives._MOST_RATIO", 0)
    ended = cli("check", packed("tar", "job/agent.log", tmp_path), XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert (ended.returncode, "times its own size" in ended.stdout + ended.stderr) == (2, True)
