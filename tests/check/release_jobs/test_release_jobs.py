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
from conformance.oracle import environments

HERE = Path(__file__).parent
Files = dict[str, str]


def module(name: str) -> ModuleType:
    """A program of this folder."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[name] = made  # the others import it by this name
    spec.loader.exec_module(made)
    return made


KEPT = module("kept_jobs")
ONE_NUMBER = module("one_number")
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
        made = audit(str(written(files, tmp_path / name)), Level.BYTES)
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


def modelled(model: str, release: str) -> list[str]:
    """The members of a release's model, as its sources have them."""
    runs = json.loads((HERE / "members.json").read_text(encoding="utf-8"))["models"][model]
    (run,) = [run for run in runs if key(run["first"]) <= key(release) <= key(run["last"])]
    made: list[str] = run["members"]
    return made


@pytest.mark.once
@pytest.mark.parametrize("release", RELEASES)
def test_files_have_the_members_of_the_models(release: str) -> None:
    for name, files in jobs(release).items():
        result = json.loads(files[JOB])
        live = result["finished_at"] is None and (0, 1, 3) <= key(release) <= (0, 6, 1)
        assert [*result] == [
            one for one in modelled("JobResult", release) if one != "trial_results" or live
        ], name
        assert [*result["stats"]] == modelled("JobStats", release)
        for group in result["stats"]["evals"].values():
            assert [*group] == modelled("AgentDatasetStats", release)
        for path, content in files.items():
            if path.count("/") == 1 and path.endswith("/result.json"):
                record = json.loads(content)
                assert [*record] == modelled("TrialResult", release)
                assert [*record["config"]] == modelled("TrialConfig", release)
                if record["agent_result"] is not None:
                    assert [*record["agent_result"]] == modelled("AgentContext", release)
                for step in record.get("step_results") or []:
                    assert [*step] == modelled("StepResult", release)


@pytest.mark.oracle
def test_the_release_still_writes_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the release whose environment is there anyway; make.py asks all of them."""
    module("environments")
    situations, make = module("situations"), module("make")
    few = {name: situations.ALL[name] for name in ("rewards", "attempts", "both-files", "unfinished")}
    monkeypatch.setattr(make, "descriptions", lambda _: few)
    monkeypatch.setattr(make, "python_of", lambda _: environments.ensure(print).python)
    kept = KEPT.kept("0.13.1")
    assert make.written_by("0.13.1") == {name: kept[name] for name in few}


@pytest.mark.once
@pytest.mark.parametrize("release", RELEASES)
def test_one_number_changed_is_found_at_its_place(release: str, tmp_path: Path) -> None:
    """Each kind of number, where the release has it first."""
    assert list(unfound(release, tmp_path, every=False)) == []


@pytest.mark.once
@pytest.mark.parametrize("release", RELEASES)
def test_one_number_changed_is_found_without_reward_files(release: str, tmp_path: Path) -> None:
    """In a record: the job's file is the only one that contradicts it."""
    assert list(unfound(release, tmp_path, every=False, alone=True)) == []


def unfound(release: str, scratch: Path, every: bool, alone: bool = False) -> Iterator[str]:
    """The changes that no finding of severity wrong names at its place.

    Those `alone` are of records whose reward files are not there; each is found in the record, or in what the
    job's file has of it.
    """
    seen = set()
    for name, whole in finished(release):
        files = {path: text for path, text in whole.items() if not (alone and "/verifier/" in path)}
        folder = written(files, scratch / name)
        for change in ONE_NUMBER.changes(files):
            if alone and (change.file == JOB or (name, change.kind) == ("steps-final", "step reward")):
                continue  # of a step that is not the last one only its reward file tells
            if not every and change.kind in seen:
                continue
            seen.add(change.kind)
            due = ((change.file, ""), (JOB, "/stats")) if alone else change.due
            (folder / change.file).write_bytes(change.text.encode())
            made = audit(str(folder), Level.VALUE)
            (folder / change.file).write_bytes(files[change.file].encode())
            wrong = [(each.file, each.path) for each in grave(made) if each.severity is Severity.WRONG]
            if not any(at == file and path.startswith(start) for at, path in wrong for file, start in due):
                yield f"{name}: {change.kind}: {change.file}#{change.path}: {grave(made)}"
        shutil.rmtree(folder)


if __name__ == "__main__":  # every change of every job: python tests/check/release_jobs/test_release_jobs.py
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        for each in sys.argv[1:] or RELEASES:
            missed = list(unfound(each, Path(place), every=True))
            count = sum(1 for _, files in finished(each) for _ in ONE_NUMBER.changes(files))
            print(each, count, "changes,", len(missed), "not found", *missed, sep="\n  " if missed else " ")
