"""Writes all datasets and their manifest, always with the same bytes."""

from pathlib import Path

from conformance import __version__
from conformance.errors import UserError
from conformance.extensions.dataset.expectations import AGENT, expected_dataset
from conformance.extensions.dataset.tasks import DATASETS, Dataset, task_files, tasks_of
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import load_spec
from conformance.wire.writing import dumps

__all__ = ["MANIFEST", "DatasetError", "build", "write"]

MANIFEST = "manifest.json"
SCHEMA = "urn:harbor-conformance:dataset-manifest:1"

_README = """\
# Tasks for conformance with {spec}

Every folder next to this file is a harbor dataset. Run each as a separate job with the agent `{agent}`
and without a model, for example with harbor:

{commands}

Then check all jobs with the kit:

    harbor-conformance check --dataset . JOB_DIR...

`{manifest}` has the results of a conforming runner.
"""


class DatasetError(UserError):
    """The folder can't be used; the message is one sentence."""


def build() -> dict[str, str]:
    """Return all files, by relative path."""
    vectors = {vector.id: vector for vector in load_spec(DEFAULT_SPEC)}
    files = {
        f"{dataset.name}/{task.name}/{path}": text
        for dataset in DATASETS
        for task in tasks_of(dataset, vectors)
        for path, text in task_files(task).items()
    }
    manifest = {"schema": SCHEMA, "kit_version": __version__, "spec": DEFAULT_SPEC, "agent": AGENT}
    datasets = [expected_dataset(dataset, vectors) for dataset in DATASETS]
    files[MANIFEST] = dumps({**manifest, "datasets": datasets})
    commands = "\n".join(f"    {_command(dataset)}" for dataset in DATASETS)
    files["README.md"] = _README.format(spec=DEFAULT_SPEC, agent=AGENT, manifest=MANIFEST, commands=commands)
    return files


def _command(dataset: Dataset) -> str:
    attempts = f" -k {dataset.attempts}" if dataset.attempts > 1 else ""
    return f"harbor run -p {dataset.name} -a {AGENT}{attempts} --job-name conformance-{dataset.name}"


def write(folder: Path) -> int:
    """Write all files into a new or empty folder; return the number of tasks.

    Raises:
        DatasetError: the folder is not empty or not a folder, or can't be written.
    """
    try:
        if folder.exists() and not folder.is_dir():
            raise DatasetError(f"{folder} is not a folder")
        if folder.is_dir() and any(folder.iterdir()):
            raise DatasetError(f"{folder} is not empty: name a new folder")
        files = build()
        for path, text in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(text.encode("utf-8"))
            if target.suffix == ".sh":
                target.chmod(0o755)
    except OSError as error:
        raise DatasetError(f"{folder} can't be written: {error.strerror}") from None
    return sum(path.endswith("/task.toml") for path in files)
