"""What ``harbor-conformance dataset`` writes: tasks that any shell can run, the same bytes each time."""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.check.dataset.manifest import MANIFEST, ManifestError, load_manifest
from conformance.extensions.dataset import expectations
from conformance.extensions.dataset.situations import Dataset, Situation, situations
from conformance.extensions.dataset.table import DATASETS
from conformance.extensions.dataset.tasks import task_files
from conformance.extensions.dataset.writing import build
from conformance.paths import DEFAULT_SPEC
from conformance.suite.clauses import load_clauses
from conformance.suite.vectors import Vector, load_spec

SHELLS = [shell for shell in ("dash", "bash", "busybox", "sh") if shutil.which(shell)]
SECONDS = 300

VECTORS: dict[str, Vector] = {vector.id: vector for vector in load_spec(DEFAULT_SPEC)}
TASKS = [(dataset, task) for dataset in DATASETS for task in situations(dataset, VECTORS)]
by_dataset = pytest.mark.parametrize("dataset", DATASETS, ids=lambda dataset: dataset.name)

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


def test_the_bytes_are_the_same_each_time() -> None:
    assert list(build().items()) == list(build().items())


def test_the_files_are_those_that_are_built(folder: Path) -> None:
    written = {
        path.relative_to(folder).as_posix(): path.read_bytes().decode("utf-8")
        for path in folder.rglob("*")
        if path.is_file()
    }
    assert written == build()


def test_the_manifest_is_what_its_schema_says(folder: Path, faults: Callable[[str, Any], list[str]]) -> None:
    assert faults("dataset-manifest", json.loads((folder / MANIFEST).read_text("utf-8"))) == []


def test_scripts_and_names_are_ascii_and_scripts_are_executable(folder: Path) -> None:
    for path in folder.rglob("*"):
        assert path.name.isascii()
        if path.suffix in (".sh", ".toml", ".json") or path.name == "Dockerfile":
            assert path.read_bytes().isascii(), path
        if path.suffix == ".sh":
            assert path.stat().st_mode & 0o111 == 0o111


def test_task_files_parse_and_name_their_steps(folder: Path) -> None:
    tomllib = pytest.importorskip("tomllib")  # CPython 3.11
    for dataset, task in TASKS:
        place = folder / dataset.name / task.name
        steps = tomllib.loads((place / "task.toml").read_text("utf-8")).get("steps", [])
        assert len(steps) == (len(task.scenes) if task.multi_step else 0)
        for step in steps:
            assert (place / "steps" / step["name"] / "tests" / "test.sh").is_file()
            assert (place / "steps" / step["name"] / "instruction.md").is_file()
        assert (place / "instruction.md").is_file() is not task.multi_step


@pytest.mark.slow
@pytest.mark.parametrize("shell", SHELLS)
def test_every_verifier_leaves_the_files_that_its_answer_is_for(shell: str, tmp_path: Path) -> None:
    command = ["busybox", "sh"] if shell == "busybox" else [shell]
    for dataset, task in TASKS:
        scripts = [text for path, text in task_files(task).items() if path.endswith("/test.sh")]
        for index, (scene, script) in enumerate(zip(task.scenes, scripts, strict=True)):
            place = tmp_path / dataset.name / task.name / str(index)
            place.mkdir(parents=True)
            done = subprocess.run(
                [*command, "-c", script.replace("/logs/verifier", str(place))],
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=SECONDS,
                check=False,
            )
            assert done.stderr == b"", (dataset.name, task.name)
            left = {
                path.name: path.read_bytes()
                for path in place.glob("reward.*")
                if path.suffix in (".txt", ".json")
            }
            assert left == dict(scene.files), (dataset.name, task.name)


@by_dataset
def test_names_are_unique_and_rules_are_sentences(dataset: Dataset) -> None:
    tasks = situations(dataset, VECTORS)
    assert len({task.name for task in tasks}) == len(tasks)
    clauses = {clause.id for clause in load_clauses(DEFAULT_SPEC)}
    for task in tasks:
        assert re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", task.name)
        assert task.rule.endswith(".")
        assert task.catches
        assert task.clause in clauses


@pytest.mark.slow
@by_dataset
def test_the_jobs_answer_does_not_depend_on_the_order_of_the_tasks(
    dataset: Dataset, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = expectations.expected_dataset(dataset, VECTORS)["job"]
    shuffle = random.Random(1)

    def shuffled(*args: Any) -> list[Situation]:
        tasks = situations(*args)
        shuffle.shuffle(tasks)
        return tasks

    monkeypatch.setattr(expectations, "situations", shuffled)
    for _ in range(20):
        assert expectations.expected_dataset(dataset, VECTORS)["job"] == job


@by_dataset
def test_no_value_has_two_spellings(dataset: Dataset) -> None:
    """1 and 1.0 share an entry of reward_stats, in the spelling that came first."""
    stats = expectations.expected_dataset(dataset, VECTORS)["job"]["group"]["reward_stats"]
    for spellings in stats.values():
        finite = [float(value) for value in spellings if value != "nan"]
        assert len(set(finite)) == len(finite)


def test_the_answers_of_vectors_are_the_oracles() -> None:
    task = next(task for _, task in TASKS if task.vector and not task.multi_step)
    assert task.vector is not None
    other = next(
        v
        for v in VECTORS.values()
        if v.op.name == "parse_reward" and v.expected != VECTORS[task.vector].expected
    )
    with pytest.raises(ValueError, match="differ"):
        expectations._task(task, {task.vector: other})


def test_the_command_writes_and_says_how_to_go_on(cli: Cli, tmp_path: Path) -> None:
    done = cli("dataset", "made")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        done.stdout
        == f"{len(TASKS)} tasks in {len(DATASETS)} datasets; made/README.md says how to run them\n"
    )
    assert (tmp_path / "made" / MANIFEST).is_file()


def test_a_folder_that_is_not_empty_is_left_alone_without_force(cli: Cli, tmp_path: Path) -> None:
    mine = tmp_path / "made" / "mine.txt"
    mine.parent.mkdir()
    mine.write_text("mine")
    done = cli("dataset", "made")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "harbor-conformance: made is not empty; --force replaces the datasets in it\n"
    assert [path.name for path in mine.parent.iterdir()] == ["mine.txt"]
    stale = tmp_path / "made" / "text" / "an-older-task"
    stale.mkdir(parents=True)
    assert cli("dataset", "--force", "made").returncode == 0
    assert mine.read_text() == "mine"
    assert not stale.exists()
    shutil.rmtree(tmp_path / "made" / "text")
    (tmp_path / "precious").mkdir()
    (tmp_path / "precious" / "file").write_text("here")
    (tmp_path / "made" / "text").symlink_to(tmp_path / "precious")
    done = cli("dataset", "--force", "made")
    assert (done.returncode, done.stderr) == (2, "harbor-conformance: made/text is a symbolic link\n")
    assert (tmp_path / "precious" / "file").read_text() == "here"
    (tmp_path / "file").write_text("")
    done = cli("dataset", "file")
    assert (done.returncode, done.stderr) == (2, "harbor-conformance: file is no folder\n")


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "can't be read"),
        ("{", "is not JSON"),
        ("[" * 100_000, "is not JSON"),
        ('{"a": 1}', "is no manifest of this kit"),
        ('"\\ud800"', "is no manifest of this kit"),
    ],
    ids=["none", "cut-off", "deep", "other", "surrogate"],
)
def test_a_manifest_that_cannot_be_used_is_one_sentence(
    text: str | None, sentence: str, tmp_path: Path
) -> None:
    if text is not None:
        (tmp_path / MANIFEST).write_text(text)
    with pytest.raises(ManifestError, match=sentence):
        load_manifest(tmp_path)


def test_a_manifest_has_to_be_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / MANIFEST)
    with pytest.raises(ManifestError, match="is no file"):
        load_manifest(tmp_path)
    (tmp_path / MANIFEST).unlink()
    with open(tmp_path / MANIFEST, "wb") as file:
        file.truncate(5 * 2**20)
    with pytest.raises(ManifestError, match="4 MiB are the most"):
        load_manifest(tmp_path)


def test_the_module_needs_no_harbor() -> None:
    assert "harbor" not in sys.modules
