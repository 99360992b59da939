"""What a task is: the files that its verifier leaves, and the rule that it is there for.

Most tasks are vectors: their verifier writes the vector's files, so that the expected answer is
harbor's own.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from conformance.suite.vectors import Vector
from reference_impl.runner.wire import decode_files

__all__ = ["REWARD_JSON", "REWARD_TEXT", "Dataset", "Scene", "Situation", "situations"]

REWARD_TEXT = "reward.txt"
REWARD_JSON = "reward.json"


@dataclass(frozen=True, slots=True)
class Scene:
    """What the verifier does once: for the task, or for one of its steps."""

    files: Mapping[str, bytes]
    """The reward files that are there when it has ended."""
    script: str | None = None
    """The shell commands that leave those files; None to write them one after another."""
    min_reward: Any = None
    """What the step has to reach: a number, numbers by key, or None."""


@dataclass(frozen=True, slots=True)
class Situation:
    """One task."""

    name: str
    """The task's name, and its folder's."""
    rule: str
    """What a conforming runner must do here, in one sentence."""
    clause: str
    catches: str
    """The likely mistake of a runner that reports something else."""
    scenes: tuple[Scene, ...]
    """One, or one for each step."""
    multi_step: bool = False
    strategy: str | None = None
    """``mean``, ``final`` or None, of a task with steps."""
    vector: str | None = None
    """The id of the vector that it plays."""


@dataclass(frozen=True, slots=True)
class Dataset:
    """One folder of tasks, to be run as one job."""

    name: str
    about: str
    """What its job shows, in one sentence."""
    attempts: int
    """How often each task is to be run."""
    tasks: tuple[str | Situation, ...]
    """Slugs of vectors (``parse_reward`` or ``multi_step_reward``), or situations of their own."""


def situations(dataset: Dataset, vectors: Mapping[str, Vector]) -> list[Situation]:
    """The dataset's tasks in order of their names; ``vectors`` by id.

    Raises:
        KeyError: there is no vector of that slug.
    """
    made = [task if isinstance(task, Situation) else _of_vector(task, vectors) for task in dataset.tasks]
    return sorted(made, key=lambda situation: situation.name)


def _of_vector(slug: str, vectors: Mapping[str, Vector]) -> Situation:
    found = vectors.get(f"harbor-0.13.1/reward/{slug}") or vectors[f"harbor-0.13.1/multi_step/{slug}"]
    steps = found.op.name == "multi_step_reward"
    return Situation(
        name=slug,
        rule=found.rule,
        clause=found.clause,
        catches=found.catches,
        scenes=(
            tuple(_step(step) for step in found.input["steps"])
            if steps
            else (Scene(decode_files(found.input["files"])),)
        ),
        multi_step=steps,
        strategy=found.input["strategy"] if steps else None,
        vector=found.id,
    )


def _step(step: Mapping[str, Any]) -> Scene:
    """The files that make a step end as the vector says: its rewards as JSON, or none at all."""
    files: dict[str, bytes] = {}
    if step["verifier_result"] is not None:
        files[REWARD_JSON] = json.dumps(step["verifier_result"]["rewards"], ensure_ascii=False).encode()
    elif step["exception"] != "RewardFileNotFoundError":
        raise KeyError(f"no verifier makes a step end with {step['exception']}")
    return Scene(files, min_reward=step["min_reward"])
