"""The whole set of datasets, and its manifest, as files: the same bytes each time."""

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from conformance import __version__
from conformance.check.dataset.manifest import MANIFEST, SCHEMA
from conformance.extensions.dataset.expectations import AGENT, expected_dataset
from conformance.extensions.dataset.situations import Dataset, situations
from conformance.extensions.dataset.table import DATASETS
from conformance.extensions.dataset.tasks import task_files
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.writing import dumps

__all__ = ["DatasetError", "build", "write"]

_README = """\
# Tasks for conformance with {spec}

Every folder beside this file is a harbor dataset. Run each as a job of its own, with the agent `{agent}`
and no model, for instance with harbor itself:

{commands}

Then let the kit judge the jobs, all at once:

    harbor-conformance check --dataset . JOB_DIR...

`{manifest}` says what a conforming runner reports.
"""


class DatasetError(Exception):
    """A folder that can't be written to or used; the message is one sentence."""


def build() -> dict[str, str]:
    """All files, by path below the folder."""
    vectors = {vector.id: vector for vector in load_spec(DEFAULT_SPEC)}
    files = {
        f"{dataset.name}/{situation.name}/{path}": text
        for dataset in DATASETS
        for situation in situations(dataset, vectors)
        for path, text in task_files(situation).items()
    }
    files[MANIFEST] = dumps(_manifest(vectors))
    files["README.md"] = _README.format(
        spec=DEFAULT_SPEC,
        agent=AGENT,
        manifest=MANIFEST,
        commands="\n".join(f"    {_command(dataset)}" for dataset in DATASETS),
    )
    return files


def _manifest(vectors: Mapping[str, Vector]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "kit_version": __version__,
        "spec": DEFAULT_SPEC,
        "agent": AGENT,
        "datasets": [expected_dataset(dataset, vectors) for dataset in DATASETS],
    }


def _command(dataset: Dataset) -> str:
    attempts = f" -k {dataset.attempts}" if dataset.attempts > 1 else ""
    return f"harbor run -p {dataset.name} -a {AGENT}{attempts} --job-name conformance-{dataset.name}"


def write(folder: Path, *, force: bool = False) -> int:
    """Writes all files into ``folder``; the number of tasks.

    With ``force`` the kit's own datasets in it are replaced; other files are left alone.

    Raises:
        DatasetError: the folder is no folder, is not empty (without ``force``), or can't be written.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise DatasetError(f"{folder} is no folder")
        if folder.is_dir() and any(folder.iterdir()) and not force:
            raise DatasetError(f"{folder} is not empty; --force replaces the datasets in it")
        for dataset in DATASETS:
            if (folder / dataset.name).is_symlink():
                raise DatasetError(f"{folder / dataset.name} is a symbolic link")
        for name in (MANIFEST, "README.md"):
            if (folder / name).is_symlink() or ((folder / name).exists() and not (folder / name).is_file()):
                raise DatasetError(f"{folder / name} is no file: remove it first")
        files = build()
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".conformance-", dir=folder) as beside:
            _write_all(Path(beside), files)
            _take_places(Path(beside), folder)
    except OSError as error:
        raise DatasetError(f"{folder} can't be written: {error.strerror}") from None
    return sum(path.endswith("/task.toml") for path in files)


def _write_all(folder: Path, files: Mapping[str, str]) -> None:
    for path, text in files.items():
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode("utf-8"))
        if target.suffix == ".sh":
            target.chmod(0o755)


def _take_places(beside: Path, folder: Path) -> None:
    """Puts what is written whole in the place of what stands there, which goes where the new was."""
    with tempfile.TemporaryDirectory(prefix=".conformance-", dir=folder) as old:
        for made in sorted(beside.iterdir()):
            target = folder / made.name
            if target.is_dir() and not target.is_symlink():
                target.rename(Path(old) / made.name)
            made.replace(target)
