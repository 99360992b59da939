"""Helpers change nothing but the time that an audit takes."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from conformance.check.audit import Audit, audit
from conformance.check.reading.files import Folder
from conformance.check.reading.limits import Limits
from conformance.check.trials import helpers
from conformance.judging.comparison import Level


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(helpers, "WORTH_IT", 1)
    monkeypatch.setattr("conformance.check.trials.scan.BATCH", 2)


def outcome(found: Audit) -> tuple[object, ...]:
    return found.findings.ordered(), list(found.findings.notes), found.trials, found.errored, found.state


@pytest.fixture(scope="module")
def everything(tmp_path_factory: pytest.TempPathFactory, jobs: dict[str, dict[str, str]]) -> Path:
    """All trials of all of harbor's jobs in one directory: a job with plenty of findings."""
    folder = tmp_path_factory.mktemp("everything")
    for name, files in jobs.items():
        for path, content in files.items():
            if "/" not in path and name != "agents-and-models":
                continue
            file = folder / (path if "/" not in path else f"{name}--{path}")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode())
    return folder


def test_the_outcome_is_the_same(everything: Path) -> None:
    alone = audit(str(everything), Level.BYTES)
    helped = audit(str(everything), Level.BYTES, helpers=2)
    assert alone.trials > 100
    assert outcome(alone) == outcome(helped)


@pytest.mark.parametrize(
    "name", ["twelve-trials", "not-a-number", "int-and-float", "reward-errors", "pass-at-k"]
)
def test_no_finding(name: str, written: Callable[..., Path]) -> None:
    found = audit(str(written(name)), Level.BYTES, helpers=1)
    assert found.findings.ordered() == []


def test_what_a_dead_helper_leaves_is_read_all_the_same(
    written: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helpers, "_read", _die)
    found = audit(str(written("twelve-trials")), Level.BYTES, helpers=1)
    assert (found.findings.ordered(), found.trials) == ([], 12)


def _die(*_: object) -> None:
    os._exit(1)


def test_a_helper_that_finds_another_directory_sends_nothing(written: Callable[..., Path]) -> None:
    folder = written("twelve-trials")
    opened = Folder.top(str(folder))
    names = sorted(path.name for path in folder.iterdir() if path.is_dir())
    assert None not in helpers._read(str(folder), opened.identity(), Limits(), names)
    shutil.move(folder, folder.with_name("away"))
    shutil.copytree(folder.with_name("away"), folder)
    assert helpers._read(str(folder), opened.identity(), Limits(), names) == [None] * 12
    opened.leave()


def test_none_are_started_for_a_small_job(
    written: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(helpers, "WORTH_IT", 4000)
    monkeypatch.setattr(helpers, "ProcessPoolExecutor", None)
    assert audit(str(written("twelve-trials")), Level.BYTES, helpers=4).trials == 12


def test_a_pool_that_breaks_at_once_is_done_without(
    written: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise BrokenProcessPool

    monkeypatch.setattr(helpers.ProcessPoolExecutor, "submit", refuse)
    assert audit(str(written("twelve-trials")), Level.BYTES, helpers=1).trials == 12
