"""Plays described jobs with the harbor release whose Python runs this, and prints what it wrote.

    <a release's python> playing.py < descriptions.json > played.json

conformance/adapters/playback.py does the work: it writes a description as tasks, and lets harbor's own
`Job` run them with a scripted environment and agent. Code that writes or counts is unchanged.
"""

import abc
import argparse
import functools
import importlib
import importlib.util
import json
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

PLAYBACK = Path(__file__).parents[2] / "conformance" / "adapters" / "playback.py"
NAME = "harbor_conformance_playback"
"""harbor imports the stand-ins under this name."""

Json = dict[str, Any]
OVERRIDE = "override_error_policy"
"""A member of a description that playback.py does not know: it is passed to `JobConfig` unchanged."""


def load_playback() -> Any:
    """Loads playback.py, adapted to this release."""
    spec = importlib.util.spec_from_file_location(NAME, PLAYBACK)
    assert spec is not None
    assert spec.loader is not None
    playback: Any = importlib.util.module_from_spec(spec)
    sys.modules[NAME] = playback
    spec.loader.exec_module(playback)
    adapt(playback)
    return playback


def adapt(playback: Any) -> None:
    """Adapts what playback.py creates to this release."""
    environment, retry = playback.PlaybackEnvironment, playback.RetryConfig
    playback.RetryConfig = lambda **options: retry(**{"min_wait_sec": 0, **options})
    playback.Stage._task = with_metadata(playback.Stage._task)
    fetch_nothing(playback)
    for name in environment.__abstractmethods__:  # properties that later releases look up in the capabilities
        setattr(environment, name, name == "is_mounted")
    abc.update_abstractmethods(environment)


def with_metadata(laid_out: Any) -> Any:
    """Tasks with a member that releases before 0.1.4 require: it is in the checksum of every kept task."""

    def lay_out(stage: Any, task: Json, path: Path) -> None:
        laid_out(stage, task, path)
        toml = path / "task.toml"
        toml.write_text(toml.read_text() + "[metadata]\n")

    return lay_out


PACKAGES: dict[str, list[str]] = {}
"""The tasks of each data set that harbor would fetch from its hub: since 0.3, names with a `/`."""
DIGEST = "0" * 64


def fetch_nothing(playback: Any) -> None:
    """Makes data sets of the kind "package" available on this machine, as if they had been fetched before."""
    from harbor import constants
    from harbor.models.registry import DatasetMetadata
    from harbor.models.task import id as task_ids
    from harbor.registry.client.package import PackageDatasetClient
    from harbor.tasks.client import TaskClient

    lay_out_dataset, name_trials = playback.Stage._dataset, playback.Stage._name_trials

    def package_path(stage: Any, task: str) -> Path:
        constants.PACKAGE_CACHE_DIR = task_ids.PACKAGE_CACHE_DIR = stage.root / "packages"
        return Path(constants.PACKAGE_CACHE_DIR / task / DIGEST)

    def lay_out(stage: Any, dataset: Json) -> Any:
        if dataset.get("kind") != "package":
            return lay_out_dataset(stage, dataset)
        organisation = dataset["name"].partition("/")[0]
        PACKAGES[dataset["name"]] = [f"{organisation}/{task['name']}" for task in dataset["tasks"]]
        for task, name in zip(dataset["tasks"], PACKAGES[dataset["name"]], strict=True):
            stage._task(task, package_path(stage, name))
            toml = package_path(stage, name) / "task.toml"
            toml.write_text(toml.read_text() + f'[task]\nname = "{name}"\n')
        return playback.DatasetConfig(name=dataset["name"])

    async def described(client: Any, name: str) -> Any:
        name = name.partition("@")[0]
        parts = [task.split("/") for task in PACKAGES[name]]
        ids = [task_ids.PackageTaskId(org=org, name=task, ref=f"sha256:{DIGEST}") for org, task in parts]
        return DatasetMetadata(name=name, version=f"sha256:{DIGEST}", task_ids=ids)

    async def resolved(client: Any, task: Any) -> Any:
        return types.SimpleNamespace(id="", archive_path="", content_hash=DIGEST)

    def named(stage: Any, job: Any) -> None:
        tasks = {id(config.task): config.task for config in job._trial_configs if config.task.path is None}
        for task in tasks.values():
            task.path = package_path(stage, task.name)
        name_trials(stage, job)
        for task in tasks.values():
            task.path = None

    playback.Stage._dataset, playback.Stage._name_trials = lay_out, named
    PackageDatasetClient._get_dataset_metadata = described
    TaskClient._resolve_package_version = resolved


def is_needed(parts: tuple[str, ...]) -> bool:
    """Whether an audit reads the file; logs, artifacts and the trials' own configurations are not stored."""
    return not {*parts} & {"artifacts", "agent"} and not (len(parts) > 1 and parts[-1] == "config.json")


def each_policy() -> Json:
    """A job with a trial for each exception that has a policy in this release."""
    from harbor.models.trial.error_policy import ERROR_POLICIES

    files = {"reward.txt": {"text": "1"}}
    plays = [{"files": files, "agent": {"raises": name}} for name in ERROR_POLICIES]
    tasks = [{"name": f"t{index}", "plays": [play]} for index, play in enumerate(plays)]
    return {"datasets": [{"name": "d", "tasks": tasks}]}


def played(playback: Any, description: Json, kept: Path) -> Json:
    """Plays one job; returns its files by path, and the errors that ended it."""
    if description.get("each_policy"):
        description = each_policy()
    members = {name: value for name, value in description.items() if name != OVERRIDE}
    config = playback.JobConfig
    if OVERRIDE in description:
        playback.JobConfig = functools.partial(config, **{OVERRIDE: description[OVERRIDE]})
    try:
        outcome = playback.play(members, kept)
    except playback.OutOfReachError as error:
        return {"out_of_reach": str(error)}
    finally:
        playback.JobConfig = config
    files = {
        path.relative_to(kept).as_posix(): path.read_bytes().decode("utf-8")
        for path in sorted(kept.rglob("*"))
        if path.is_file() and is_needed(path.relative_to(kept).parts)
    }
    return {"files": files, "errors": outcome.errors, "message": outcome.message}


def main() -> None:
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    descriptions: dict[str, Json] = json.load(sys.stdin)
    playback = load_playback()
    with tempfile.TemporaryDirectory() as folder:
        written = {name: played(playback, job, Path(folder) / name) for name, job in descriptions.items()}
    json.dump(written, sys.stdout)


if __name__ == "__main__":
    main()
