"""A situation as the folder of a harbor task: plain files that any harbor-compatible runner can run.

Verifiers are POSIX shell scripts without dependencies. Bytes that no shell can hold as text are
written by `printf` with octal escapes, and long runs of one byte by `head` and `tr`.
"""

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from conformance.extensions.dataset.situations import Scene, Situation

__all__ = ["IMAGE", "task_files"]

IMAGE = "debian:12.11-slim"
"""Small, and with the bash that harbor runs commands with."""

VERIFIER_FOLDER = "/logs/verifier"
SECONDS = 120

_RUN = re.compile(rb"(.)\1{199,}", re.DOTALL)
"""A byte often enough to be worth a command of its own."""
_LITERAL = frozenset(range(0x20, 0x7F)) - frozenset(b"\\'%")
_LINE = 60
"""Bytes in one printf."""


def task_files(situation: Situation) -> dict[str, str]:
    """The files of the task's folder, by path."""
    files = {"environment/Dockerfile": f"FROM {IMAGE}\n", "task.toml": _toml(situation)}
    if not situation.multi_step:
        (scene,) = situation.scenes
        return files | {
            "instruction.md": _instruction(situation),
            "tests/test.sh": _script(scene, situation.rule),
        }
    for name, scene in zip(step_names(situation), situation.scenes, strict=True):
        files[f"steps/{name}/instruction.md"] = _instruction(situation)
        files[f"steps/{name}/tests/test.sh"] = _script(scene, situation.rule)
    return files


def step_names(situation: Situation) -> list[str]:
    """The names of the task's steps."""
    return [f"step-{number}" for number in range(1, len(situation.scenes) + 1)]


def _instruction(situation: Situation) -> str:
    return f"Do nothing. The verifier's answer is fixed.\n\n{situation.rule}\n"


def _toml(situation: Situation) -> str:
    lines = ['schema_version = "1.3"']
    if situation.strategy is not None:
        lines.append(f"multi_step_reward_strategy = {json.dumps(situation.strategy)}")
    lines += ["", "[agent]", f"timeout_sec = {SECONDS}.0", "", "[verifier]", f"timeout_sec = {SECONDS}.0"]
    if situation.multi_step:
        for name, scene in zip(step_names(situation), situation.scenes, strict=True):
            lines += ["", "[[steps]]", f"name = {json.dumps(name)}"]
            if scene.min_reward is not None:
                lines.append(f"min_reward = {_toml_value(scene.min_reward)}")
    return "\n".join(lines) + "\n"


def _toml_value(value: Any) -> str:
    if isinstance(value, dict):
        return (
            "{" + ", ".join(f"{json.dumps(key)} = {_toml_value(item)}" for key, item in value.items()) + "}"
        )
    number = float(value)
    if math.isnan(number):
        return "nan"
    return repr(number)


def _script(scene: Scene, rule: str) -> str:
    lines = ["#!/bin/sh", f"# {_ascii(rule)}"]
    if scene.script is not None:
        lines.append(scene.script)
    else:
        for name, content in scene.files.items():
            lines += _writing(f"{VERIFIER_FOLDER}/{name}", content)
    return "\n".join(lines) + "\n"


def _ascii(text: str) -> str:
    return text.encode("ascii", "backslashreplace").decode("ascii")


def _writing(path: str, content: bytes) -> Iterator[str]:
    """Commands that make the file hold exactly ``content``."""
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
        if text.startswith("-"):  # some shells take it for an option
            text = "\\055" + text[1:]
        yield f"printf '{text}' >> {path}"


def _escape(byte: int) -> str:
    if byte in _LITERAL:
        return chr(byte)
    return "%%" if byte == ord("%") else f"\\{byte:03o}"
