"""A written folder, and conforming jobs over it, made from its own manifest."""

import copy
from pathlib import Path

import pytest

from conformance.extensions.audit.against_dataset import Manifest, load_manifest
from conformance.extensions.dataset.writing import write
from tests.tables import tables

TABLES = tables(__file__)


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("written") / "datasets"
    write(path)
    return path


@pytest.fixture(scope="session")
def manifest(folder: Path) -> Manifest:
    return load_manifest(folder)


def recorded(due):
    """A trial's or step's outcome as harbor records it."""
    rewards, exception = due["rewards"], due["exception"]
    if rewards is not None:
        rewards = {key: None if isinstance(value, str) else value for key, value in rewards.items()}
    return {
        "verifier_result": {"rewards": rewards} if due["verified"] else None,
        "exception_info": exception and {"exception_type": exception, "exception_message": "…"},
    }


@pytest.fixture(scope="session")
def conforming(manifest: Manifest):
    """``conforming(dataset)``: the trials of a job that is as it should be."""

    def trial(dataset, task, attempt):
        name = f"{task['name']}__{attempt}"
        steps = [{"step_name": step["name"], **recorded(step)} for step in task["steps"] or ()]
        return name, {
            "task_name": task["name"],
            "trial_name": name,
            "source": dataset,
            "agent_info": {"name": "nop", "model_info": None},
            **recorded(task),
            "step_results": task["steps"] and steps,
        }

    def make(name):
        expected = manifest.datasets[name]
        tasks = expected.tasks.values()
        return copy.deepcopy([trial(name, task, n) for n in range(expected.attempts) for task in tasks])

    return make
