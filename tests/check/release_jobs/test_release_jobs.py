"""Jobs that published releases wrote: no finding; with one number changed, one at its place."""

from __future__ import annotations

import functools
import importlib.util
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from conformance.check.audit import Audit, audit
from conformance.check.findings import Severity
from conformance.check.generations import JOB_GENERATIONS, RECORD_GENERATIONS
from conformance.judging.comparison import Level

HERE = Path(__file__).parent
Files = dict[str, str]


def module(name: str) -> ModuleType:
    """A program of this folder; those that it imports are found by name."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made  # dataclasses look there
    spec.loader.exec_module(made)
    return made


ONE_NUMBER = module("one_number")
KEPT = module("kept_jobs")
RELEASES: list[str] = KEPT.releases()


@functools.cache
def jobs(release: str) -> dict[str, Files]:
    """A release's job directories by situation: those with a result."""
    return {name: made["files"] for name, made in KEPT.kept(release).items() if JOB in made.get("files", {})}


JOB = "result.json"


def finished(release: str) -> Iterator[tuple[str, Files]]:
    for name, files in jobs(release).items():
        if json.loads(files[JOB])["finished_at"] is not None:
            yield name, files


def key(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))


def written(files: Files, folder: Path) -> Path:
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content.encode())
    return folder


def grave(made: Audit) -> list[Any]:
    return [each for each in made.findings.ordered() if each.severity > Severity.NOTE]


def test_releases_of_each_generation_are_here() -> None:
    assert len(RELEASES) >= 20
    assert sum(key(release) < (0, 9) for release in RELEASES) >= 8
    for generation in (*JOB_GENERATIONS, *RECORD_GENERATIONS):
        inside = [one for one in RELEASES if key(generation.first) <= key(one) <= key(generation.last)]
        assert inside, generation.name
    every = [len(jobs(release)) for release in RELEASES]
    assert min(every) >= 20


def test_what_ended_without_a_result_is_said() -> None:
    for release in RELEASES:
        for name, made in KEPT.kept(release).items():
            assert "out_of_reach" not in made, (release, name)
            if JOB not in made["files"]:
                assert made["errors"], (release, name)


@pytest.mark.parametrize("release", RELEASES)
def test_no_finding(release: str, tmp_path: Path) -> None:
    found = {}
    for name, files in jobs(release).items():
        made = audit(str(written(files, tmp_path / name)), Level.VALUE)
        found[name] = grave(made)
        trials = sum(path.count("/") == 1 and path.endswith("/result.json") for path in files)
        assert made.trials == trials
    assert {name: each for name, each in found.items() if each} == {}


@pytest.mark.parametrize("release", RELEASES)
def test_no_finding_without_reward_files(release: str, tmp_path: Path) -> None:
    for name, files in finished(release):
        records = {path: content for path, content in files.items() if "/verifier/" not in path}
        made = audit(str(written(records, tmp_path / name)), Level.VALUE)
        assert grave(made) == [], name


@pytest.mark.parametrize("release", RELEASES)
def test_generations_are_named(release: str, tmp_path: Path) -> None:
    made = audit(str(written(jobs(release)["agents"], tmp_path / "job")), Level.VALUE)
    here = [
        one.name
        for family in (JOB_GENERATIONS, RECORD_GENERATIONS)
        for one in family
        if key(one.first) <= key(release) <= key(one.last)
    ]
    assert len(here) == 2
    assert all(any(name in said for said in made.generations) for name in here), made.generations


@pytest.mark.once
@pytest.mark.parametrize("release", RELEASES)
def test_one_number_changed_is_found_at_its_place(release: str, tmp_path: Path) -> None:
    """Each kind of number, where the release has it first."""
    assert list(unfound(release, tmp_path, every=False)) == []


def unfound(release: str, scratch: Path, every: bool, **terms: Any) -> Iterator[str]:
    """The changes that no finding of severity wrong names at its place."""
    seen = set()
    for name, files in finished(release):
        folder = written(files, scratch / name)
        for change in ONE_NUMBER.changes(files):
            if not every and change.kind in seen:
                continue
            seen.add(change.kind)
            (folder / change.file).write_bytes(change.text.encode())
            made = audit(str(folder), Level.VALUE, **terms)
            (folder / change.file).write_bytes(files[change.file].encode())
            wrong = [(each.file, each.path) for each in grave(made) if each.severity is Severity.WRONG]
            if not any(at == file and path.startswith(due) for at, path in wrong for file, due in change.due):
                yield f"{name}: {change.kind}: {change.file}#{change.path}: {grave(made)}"
        shutil.rmtree(folder)


if __name__ == "__main__":  # every change of every job: python tests/check/release_jobs/test_release_jobs.py
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        for each in sys.argv[1:] or RELEASES:
            missed = list(unfound(each, Path(place), every=True))
            count = sum(1 for _, files in finished(each) for _ in ONE_NUMBER.changes(files))
            print(each, count, "changes,", len(missed), "not found", *missed, sep="\n  " if missed else " ")
