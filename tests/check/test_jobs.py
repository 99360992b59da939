"""Jobs of the real harbor give no finding, however they are read."""

from __future__ import annotations

import json
import os
import re
import shutil
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from conformance.check.findings import KINDS
from conformance.check.job import explain
from conformance.check.reading.files import Folder
from conformance.check.reading.limits import Limits
from conformance.check.trials import helpers
from conformance.check.trials.shapes import quick
from conformance.oracle import environments
from conformance.paths import DEFAULT_SPEC
from conformance.suite.clauses import statements
from conformance.suite.schemas import first_fault
from tests.check.auditing import JOB, Written, audited, edit, report
from tools.jobs import described, releases
from tools.jobs.kept import JOBS, kept, write

HALF = [[*JOBS][::2], [*JOBS][1::2]]


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Helpers are started for small jobs too."""
    monkeypatch.setattr(helpers, "WORTH_IT", 1)
    monkeypatch.setattr("conformance.check.trials.scan.BATCH", 2)


def test_there_are_jobs_of_all_kinds() -> None:
    states = {name: json.loads(files[JOB])["finished_at"] is None for name, files in JOBS.items()}
    assert len(states) >= 50
    assert sum(states.values()) >= 4
    text = json.dumps(JOBS)
    assert "/playback" in text
    assert not any(word in text for word in ("/tmp/", "/home/", "/var/folders/"))


@pytest.mark.parametrize("names", HALF, ids=["even", "odd"])
@pytest.mark.parametrize(
    "how",
    ["whole", pytest.param("without configuration and lock", marks=pytest.mark.slow), "in another layout"],
)
def test_no_finding(how: str, names: list[str], tmp_path: Path) -> None:
    """In another layout a record is not read the quick way; what is found of its text is all there is."""
    folders = [write(JOBS[name], tmp_path / name) for name in names]
    for folder in folders:
        for file in ("config.json", "lock.json") if how.startswith("without") else ():
            (folder / file).unlink()
        for record in folder.glob("*/result.json") if how.startswith("in") else ():
            edit(record, (": ", " :"))
    assert {job["path"]: job["counts"] for job in report(*folders)["jobs"] if job["counts"]} == {}


def test_no_finding_in_older_pydantics_exponents(written: Written) -> None:
    folder = written("extremes")
    numbers = ('sum": 1.3345678901234568e', 'max": 1.2345678901234568e')
    edit(folder / JOB, *((f"{number}+17", f"{number}17") for number in numbers))
    assert audited(folder)["counts"] == {}


@pytest.mark.parametrize(
    ("situation", "words"),
    [
        ("resumed-backwards", "only a resumed job"),
        ("script", "script computed"),
        ("killed-half-way", "has not finished"),
    ],
)
def test_what_is_not_checked_is_noted(situation: str, words: str, written: Written) -> None:
    assert any(words in note for note in audited(written(situation))["notes"])


def test_nearly_every_record_is_read_quickly() -> None:
    every = [one for files in JOBS.values() for one in files.items()]
    records = [text for path, text in every if path.endswith("/result.json")]
    assert sum(quick(record.encode()) is not None for record in records) >= len(records) - 5


@pytest.mark.oracle
def test_harbor_writes_the_same_again() -> None:
    sample = ["pass-at-k", "not-a-number", "resumed", "steps-gate", "agents-and-models"]
    python = environments.ensure(lambda _: None).python
    made = releases.written_by(python, {name: described.MANY[name] for name in sample})
    assert made == {name: kept("many")[name] for name in sample}


def test_results_and_records_are_what_their_schemas_say() -> None:
    for name, files in JOBS.items():
        for path, content in files.items():
            if path.endswith(JOB):
                schema = "result-json" if path == JOB else "trial-result"
                assert first_fault(schema, json.loads(content)) is None, (name, path)


def test_kinds_and_clauses_are_known(written: Written) -> None:
    assert all(KINDS.values())
    document = report(written("pass-and-fail"))
    for kind in [*KINDS, "no such kind"]:
        document["jobs"][0]["counts"] = {kind: 1}
        assert (first_fault("check-report", document) is None) is (kind in KINDS)
    sources = Path(explain.__file__).parent.glob("*.py")
    named = {
        clause for path in sources for clause in re.findall(r'"(003-[0-9.]+-[a-z0-9-]+)"', path.read_text())
    }
    assert len(named) > 30
    assert named <= statements(DEFAULT_SPEC).keys()


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All trials of all of harbor's jobs in one directory: a job with plenty of findings."""
    folder = tmp_path_factory.mktemp("everything")
    for name, files in JOBS.items():
        for path, content in files.items():
            if "/" in path:
                write({f"{name}--{path}": content}, folder)
            elif name == "agents-and-models":
                write({path: content}, folder)
    return folder


@pytest.mark.slow
def test_helpers_change_nothing(everything: Path, small_batches: None, written: Written) -> None:
    alone, helped = (audited(everything, "--helpers", number) for number in (0, 2))
    assert alone["trials"] > 100
    assert helped == alone
    folders = [
        written(name, name)
        for name in ("twelve-trials", "not-a-number", "int-and-float", "reward-errors", "pass-at-k")
    ]
    assert [job["counts"] for job in report("--helpers", 1, *folders)["jobs"]] == [{}] * 5
    for verifier in sorted(folders[0].glob("*/verifier"))[1:]:
        shutil.rmtree(verifier)
    alone, helped = (audited(folders[0], "--helpers", number) for number in (0, 1))
    assert helped == alone
    assert alone["counts"] == {"reward-file": 11}


def _die(*_: object) -> None:
    os._exit(1)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["a helper dies", "none can be started", "a small job needs none"])
def test_without_helpers_every_trial_is_read(
    how: str, written: Written, small_batches: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise BrokenProcessPool

    if how == "a helper dies":
        monkeypatch.setattr(helpers, "_read", _die)
    elif how == "none can be started":
        monkeypatch.setattr(helpers.ProcessPoolExecutor, "submit", refuse)
    else:
        monkeypatch.setattr(helpers, "WORTH_IT", 4000)
        monkeypatch.setattr(helpers, "ProcessPoolExecutor", None)
    job = audited(written("twelve-trials"), "--helpers", 1)
    assert (job["counts"], job["trials"]) == ({}, 12)


def test_a_helper_that_finds_another_directory_sends_nothing(written: Written) -> None:
    folder = written("twelve-trials")
    opened = Folder.top(str(folder))
    names = sorted(path.name for path in folder.iterdir() if path.is_dir())
    assert None not in helpers._read(str(folder), opened.identity(), Limits(), names)
    shutil.move(folder, folder.with_name("away"))
    shutil.copytree(folder.with_name("away"), folder)
    assert helpers._read(str(folder), opened.identity(), Limits(), names) == [None] * 12
    opened.leave()
