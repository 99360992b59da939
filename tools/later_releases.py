"""Executes the installed harbor to show changes of 0.24.0 and 0.25.0 that no vector shows.

    RELEASE_VENV/bin/python tools/later_releases.py

prints the facts for docs/harbor-0.25.0.md as JSON. Nothing runs in a container.
"""

import asyncio
import contextlib
import importlib.metadata
import io
import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

if "--help" in sys.argv:  # before harbor is imported, which only its own Python has
    sys.exit(print(__doc__))

from harbor.job import Job
from harbor.models.job.config import DatasetConfig, JobConfig, RetryConfig
from harbor.models.trial.config import AgentConfig, EnvironmentConfig
from local_environment import LocalEnvironment

SLOW = 3
"""The delay that counts as too slow, in seconds; the limit is one second."""
TASK = '[task]\nname = "org/{name}"\nversion = "{version}"\n\n[verifier]\ntimeout_sec = 60.0\n{more}'
SEPARATE = 'environment_mode = "separate"\n\n[environment]\nbuild_timeout_sec = 1.0\n'
STEPS = '\n[[steps]]\nname = "one"\n\n[steps.verifier]\ntimeout_sec = 1.0\n\n[[steps]]\nname = "two"\n'
REWARD = "echo {} > /logs/verifier/reward.txt"
NO_WAITING = {"min_wait_sec": 0.0, "max_wait_sec": 0.0}

Facts = Iterator[tuple[str, Any]]


class SlowVerifier(LocalEnvironment):
    """A verifier whose own environment starts too slowly."""

    async def start(self, force_build: bool) -> None:
        if "verifier" in str(self.session_id):
            await asyncio.sleep(SLOW)
        await super().start(force_build)


def write(folder: Path, name: str, commands: str, version: str = "1.0.0", more: str = "") -> None:
    """A task with one step, or with two that share a verifier."""
    files = {"task.toml": TASK.format(name=name, version=version, more=more)}
    files |= {f"{part}/Dockerfile": "FROM scratch\n" for part in ("environment", "tests")}
    for step in ("steps/one/", "steps/two/") if "[[steps]]" in more else ("",):
        files |= {f"{step}instruction.md": "-\n", f"{step}tests/test.sh": f"#!/bin/sh\n{commands}\n"}
    for path, content in files.items():
        target = folder / name / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, "utf-8")


def run(jobs: Path, name: str, dataset: Path, environment: type = LocalEnvironment, **more: Any) -> Any:
    async def run_job() -> None:
        config = JobConfig(
            job_name=name,
            jobs_dir=jobs,
            quiet=True,
            n_concurrent_trials=1,
            agents=[AgentConfig(name="nop")],
            environment=EnvironmentConfig(import_path=f"{__name__}:{environment.__name__}"),
            datasets=[DatasetConfig(path=dataset)],
            **more,
        )
        await (await Job.create(config)).run()

    asyncio.run(run_job())
    return json.loads((jobs / name / "result.json").read_text("utf-8"))


def records(folder: Path) -> list[Any]:
    return [json.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*/result.json"))]


def raised(record: Any) -> str | None:
    return record["exception_info"] and record["exception_info"]["exception_type"]


def time_outs(folder: Path) -> Facts:
    write(folder / "steps", "t", f"sleep {SLOW}", more=STEPS)
    run(folder, "timed", folder / "steps")
    (record,) = records(folder / "timed")
    yield "a step's verifier takes too long", list(map(raised, record["step_results"]))
    write(folder / "separate", "t", REWARD.format(1), more=SEPARATE)
    retry = RetryConfig(max_retries=1, **NO_WAITING)
    result = run(folder, "slow", folder / "separate", SlowVerifier, retry=retry)
    (record,) = records(folder / "slow")
    yield "a verifier's environment starts too slowly", raised(record)
    yield "and is tried again", result["stats"]["n_retries"]


def diff_job(folder: Path) -> Facts:
    def figures(result: Any) -> list[Any]:
        (group,) = result["stats"]["evals"].values()
        return [result["n_total_trials"], group["n_trials"], group["metrics"], group["pass_at_k"]]

    dataset = folder / "dataset"
    for name, reward in (("a", 1), ("b", 1), ("c", 0)):
        write(dataset, name, REWARD.format(reward))
    yield "a job of three tasks, two of which pass", figures(run(folder, "whole", dataset, n_attempts=2))
    write(dataset, "c", REWARD.format(0) + "\n# another", version="2.0.0")
    source = {"action": "diff", "type": "local", "path": folder / "whole"}
    result = run(folder, "diff", dataset, n_attempts=2, source_jobs=[source])
    yield "its diff job, when the third task is another", figures(result)
    yield "tasks of the diff job", sorted(record["task_name"] for record in records(folder / "diff"))


def package_version(_: Path) -> Facts:
    from harbor.registry.client.package import PackageDatasetClient

    names: list[str] = []

    async def metadata(_: Any, name: str) -> Any:
        names.append(name)
        return SimpleNamespace(task_ids=[], version="sha256:0")

    PackageDatasetClient.get_dataset_metadata = metadata
    with contextlib.suppress(Exception):  # without tasks it ends here
        asyncio.run(DatasetConfig(name="org/d", version="1.2").get_task_configs())
    yield "version 1.2 of the package org/d", names


def moved_job(folder: Path) -> Facts:
    write(folder / "dataset", "a", REWARD.format(1))
    run(folder, "before", folder / "dataset")
    (folder / "before").rename(folder / "after")
    result = run(folder, "after", folder / "dataset")
    yield "a moved job is resumed", result["stats"]["n_completed_trials"]


if __name__ == "__main__":
    facts: dict[str, Any] = {"harbor": importlib.metadata.version("harbor")}
    for experiment in (time_outs, diff_job, package_version, moved_job):
        with tempfile.TemporaryDirectory() as name, contextlib.redirect_stdout(io.StringIO()):
            try:
                facts.update(experiment(Path(name)))
            except ValueError as error:  # for pydantic, the name of a missing member is one too
                facts[experiment.__name__] = type(error).__name__
    print(json.dumps(facts, indent=2))
