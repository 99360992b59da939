"""Defines tasks and generates their folders, which any harbor-compatible runner can run.

Most tasks are made from vectors: their verifier writes the vector's files. Verifiers are POSIX shell scripts
without dependencies: `printf` writes unusual bytes as octal escapes, and `head` and `tr` write long runs of
one byte.
"""

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from conformance.suite.vectors import Vector
from reference_impl.runner.wire import decode_files

__all__ = ["DATASETS", "Dataset", "Scene", "Task", "task_files", "tasks_of"]

_IMAGE = "debian:12.11-slim"
"""A small image with bash, which harbor needs to run commands."""
_FOLDER = "/logs/verifier"
_SECONDS = 120
_RUN = re.compile(rb"(.)\1{199,}", re.DOTALL)
"""A run of one byte that is long enough for a separate command."""
_LITERAL = frozenset(range(0x20, 0x7F)) - frozenset(b"\\'%")
_LINE = 60
"""The most bytes for one printf."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One run of the verifier, for a task or for one of its steps."""

    files: Mapping[str, bytes]
    """The reward files after the run."""
    script: str | None = None
    """Shell commands that write the files; None to generate them."""
    min_reward: Any = None
    """The step's minimum reward: a number, numbers by key, or None."""


@dataclass(frozen=True, slots=True)
class Task:
    """A task."""

    name: str
    """The name of the task and of its folder."""
    rule: str
    """The rule for a conforming runner, in one sentence."""
    clause: str
    catches: str
    """The likely mistake if a runner reports another result."""
    scenes: Mapping[str, Scene]
    """The scenes by step name; a task without steps has one scene with an empty name."""
    strategy: str | None = None
    """``mean``, ``final`` or None, for a task with steps."""
    vector: str | None = None
    """The id of the vector that the task is made from."""

    @property
    def multi_step(self) -> bool:
        """Whether the task has steps."""
        return "" not in self.scenes


@dataclass(frozen=True, slots=True)
class Dataset:
    """A folder of tasks that is run as one job."""

    name: str
    about: str
    """A sentence on what the job tests."""
    attempts: int
    """The number of attempts at each task."""
    vectors: tuple[str, ...]
    """The slugs of vectors to make tasks from (of ``parse_reward`` or ``multi_step_reward``)."""
    own: tuple[Task, ...]
    """Tasks without a vector."""


def _datasets() -> Iterator[Dataset]:
    for row in yaml.safe_load(Path(__file__).with_name("table.yaml").read_text("utf-8")):
        own = []
        for name, about in row.get("tasks", {}).items():
            files = {file: text.encode() for file, text in about["files"].items()}
            scene = Scene(files, about.get("script"))
            own.append(Task(name, about["rule"], about["clause"], about["catches"], {"": scene}))
        yield Dataset(row["name"], row["about"], row["attempts"], tuple(row.get("vectors", ())), tuple(own))


DATASETS = tuple(_datasets())
"""All datasets, in the table's order."""


def tasks_of(dataset: Dataset, vectors: Mapping[str, Vector]) -> list[Task]:
    """Return the dataset's tasks, sorted by name; ``vectors`` are given by id.

    Raises:
        KeyError: there is no vector with that slug.
    """
    played = [_of_vector(slug, vectors) for slug in dataset.vectors]
    return sorted((*dataset.own, *played), key=lambda task: task.name)


def _of_vector(slug: str, vectors: Mapping[str, Vector]) -> Task:
    vector = vectors.get(f"harbor-0.13.1/reward/{slug}") or vectors[f"harbor-0.13.1/multi_step/{slug}"]
    input_ = vector.input
    if vector.op.name == "multi_step_reward":
        scenes = {f"step-{number}": _step(step) for number, step in enumerate(input_["steps"], 1)}
    else:
        scenes = {"": Scene(decode_files(input_["files"]))}
    return Task(slug, vector.rule, vector.clause, vector.catches, scenes, input_.get("strategy"), vector.id)


def _step(step: Mapping[str, Any]) -> Scene:
    """Return the scene for a step: a file with the vector's rewards as JSON, or none."""
    files: dict[str, bytes] = {}
    if step["verifier_result"] is not None:
        files["reward.json"] = json.dumps(step["verifier_result"]["rewards"], ensure_ascii=False).encode()
    elif step["exception"] != "RewardFileNotFoundError":
        raise KeyError(f"no verifier can make a step end with {step['exception']}")
    return Scene(files, min_reward=step["min_reward"])


def task_files(task: Task) -> dict[str, str]:
    """Return the files of the task's folder, by path."""
    instruction = f"Do nothing. The verifier's answer is fixed.\n\n{task.rule}\n"
    files = {"environment/Dockerfile": f"FROM {_IMAGE}\n", "task.toml": _toml(task)}
    for step, scene in task.scenes.items():
        folder = f"steps/{step}/" if step else ""
        files[f"{folder}instruction.md"] = instruction
        files[f"{folder}tests/test.sh"] = _script(scene, task.rule)
    return files


def _toml(task: Task) -> str:
    lines = ['schema_version = "1.3"']
    if task.strategy is not None:
        lines.append(f"multi_step_reward_strategy = {json.dumps(task.strategy)}")
    for section in ("agent", "verifier"):
        lines += ["", f"[{section}]", f"timeout_sec = {_SECONDS}.0"]
    for step, scene in task.scenes.items():
        if step:
            lines += ["", "[[steps]]", f"name = {json.dumps(step)}"]
        if scene.min_reward is not None:
            lines.append(f"min_reward = {_toml_value(scene.min_reward)}")
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        members = (f"{json.dumps(key)} = {_toml_value(item)}" for key, item in value.items())
        return "{" + ", ".join(members) + "}"
    return "nan" if math.isnan(float(value)) else repr(float(value))


def _script(scene: Scene, rule: str) -> str:
    lines = ["#!/bin/sh", f"# {rule.encode('ascii', 'backslashreplace').decode('ascii')}"]
    if scene.script is not None:
        lines.append(scene.script)
    else:
        for name, content in scene.files.items():
            lines += _writing(f"{_FOLDER}/{name}", content)
    return "\n".join(lines) + "\n"


def _writing(path: str, content: bytes) -> Iterator[str]:
    """Yield shell commands that write exactly ``content`` to the file."""
    yield f": > {path}"
    start = 0
    for run in _RUN.finditer(content):
        yield from _printing(path, content[start : run.start()])
        yield f"head -c {len(run[0])} /dev/zero | tr '\\000' '\\{run[1][0]:03o}' >> {path}"
        start = run.end()
    yield from _printing(path, content[start:])


def _printing(path: str, content: bytes) -> Iterator[str]:
    for start in range(0, len(content), _LINE):
        text = "".join(_escape(byte) for byte in content[start : start + _LINE])
        if text.startswith("-"):  # some shells would treat it as an option
            text = "\\055" + text[1:]
        yield f"printf '{text}' >> {path}"


def _escape(byte: int) -> str:
    if byte in _LITERAL:
        return chr(byte)
    return "%%" if byte == ord("%") else f"\\{byte:03o}"
