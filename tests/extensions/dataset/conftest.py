"""A written folder, and conforming jobs over it, made from its own manifest."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.check.dataset.manifest import Manifest, load_manifest
from conformance.extensions.dataset.writing import write

Json = Any
Trials = list[tuple[str, Json]]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("written") / "datasets"
    write(path)
    return path


@pytest.fixture(scope="session")
def manifest(folder: Path) -> Manifest:
    return load_manifest(folder)


def recorded(due: Json) -> Json:
    """A trial's or step's outcome as harbor records it."""
    rewards = due["rewards"]
    if rewards is not None:
        rewards = {key: None if isinstance(value, str) else value for key, value in rewards.items()}
    exception = due["exception"]
    return {
        "verifier_result": {"rewards": rewards} if due["verified"] else None,
        "exception_info": exception and {"exception_type": exception, "exception_message": "…"},
    }


@pytest.fixture(scope="session")
def conforming(manifest: Manifest) -> Callable[[str], tuple[Trials, Json]]:
    """``conforming(dataset)``: the trials and the result of a job that is as it should be."""

    def make(name: str) -> tuple[Trials, Json]:
        (expected,) = (dataset for dataset in manifest.datasets if dataset.name == name)
        trials: Trials = [
            (
                f"{task['name']}__{attempt}",
                {
                    "task_name": task["name"],
                    "trial_name": f"{task['name']}__{attempt}",
                    "source": name,
                    "agent_info": {"name": "nop", "model_info": None},
                    **recorded(task),
                    "step_results": task["steps"]
                    and [{"step_name": step["name"], **recorded(step)} for step in task["steps"]],
                },
            )
            for attempt in range(expected.attempts)
            for task in expected.tasks.values()
        ]
        job = copy.deepcopy(expected.job)
        group = job["group"]
        group["reward_stats"] = {
            key: {value: ["trial"] * count for value, count in values.items()}
            for key, values in group["reward_stats"].items()
        }
        group["exception_stats"] = {key: ["trial"] * count for key, count in group["exception_stats"].items()}
        result = {
            "n_total_trials": job["n_total_trials"],
            "stats": {
                "n_completed_trials": job["n_completed_trials"],
                "n_errored_trials": job["n_errored_trials"],
                "evals": {job["evals_key"]: group},
            },
        }
        return copy.deepcopy(trials), json.loads(json.dumps(result))

    return make
