"""Follows docs/gating-a-fork.md literally: its five minutes, task by task, in a repository."""

import os
import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

STEP = re.compile(
    r"^\*\*(\d+\. [^*]+)\*\*|^```(sh gate(?: fails)?|yaml \S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True)
class Task:
    title: str
    kind: str
    """`sh gate`, `sh gate fails`, or `yaml` and a file's name."""
    text: str


@dataclass(frozen=True)
class Followed:
    task: Task
    exit_code: int
    printed: str

    @property
    def as_documented(self) -> bool:
        """Whether the exit code is the one in the document."""
        return self.exit_code == (1 if self.task.kind.endswith("fails") else 0)


def tasks(text: str) -> list[Task]:
    """The tasks of the section of five minutes."""
    section = text.partition("## A gate in five minutes")[2].partition("\n## ")[0]
    found, title = [], ""
    for match in STEP.finditer(section):
        title = match[1] or title
        if match[2]:
            found.append(Task(title, match[2], match[3]))
    return found


def follow(task: Task, folder: Path, before: list[str], variables: Mapping[str, str]) -> Followed:
    """Runs the task; exported variables stay set for later ones, as in a terminal."""
    if task.kind.startswith("yaml "):
        path = folder / task.kind.removeprefix("yaml ")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(task.text, encoding="utf-8")
        return Followed(task, 0, "")
    done = subprocess.run(
        ["bash", "-euc", "\n".join([*before, task.text])],
        cwd=folder,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    before += [line for line in task.text.splitlines() if line.startswith("export ")]
    return Followed(task, done.returncode, done.stdout)


def git(folder: Path, *words: str) -> None:
    names = ["-c", "user.name=a maintainer", "-c", "user.email=maintainer@example.invalid"]
    subprocess.run(["git", *names, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)
