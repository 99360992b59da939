"""Follows docs/gating-a-fork.md literally: a fork of harbor in an empty git repository, gated.

``python -m tools.guide FOLDER`` does it with the real things: a fork as ``tools/forks`` makes them, the
kit installed from this checkout by pip, the workflow's steps run as on GitHub; and prints what each took.
"""

import argparse
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from conformance.paths import DEFAULT_SPEC
from tools import github
from tools.forks import forking

ROOT = Path(__file__).resolve().parents[1]
GUIDE = ROOT / "docs" / "gating-a-fork.md"
STEP = re.compile(
    r"^\*\*(\d+\. [^*]+)\*\*|^```(sh gate(?: fails)?|yaml \S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
PYPROJECT = """\
[project]
name = "harbor"
version = "0.13.1"
requires-python = ">=3.12"
dependencies = [
{needs}
]
"""


@dataclass(frozen=True)
class Task:
    """One instruction of the document."""

    title: str
    kind: str
    """`sh gate`, `sh gate fails`, or `yaml` and a file's name."""
    text: str


@dataclass(frozen=True)
class Followed:
    """The result of a task."""

    task: Task
    seconds: float
    exit_code: int
    printed: str
    busy: float = 0.0
    """Seconds of a processor."""

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
    began, busy = time.monotonic(), processor()
    if task.kind.startswith("yaml "):
        path = folder / task.kind.removeprefix("yaml ")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(task.text, encoding="utf-8")
        return Followed(task, time.monotonic() - began, 0, "")
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
    return Followed(task, time.monotonic() - began, done.returncode, done.stdout, processor() - busy)


def processor() -> float:
    """Processor seconds of all ended child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def git(folder: Path, *words: str) -> None:
    """Runs a git command under a neutral name."""
    names = ["-c", "user.name=a maintainer", "-c", "user.email=maintainer@example.invalid"]
    subprocess.run(["git", *names, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def a_fork(folder: Path, name: str) -> None:
    """A repository with a fork of the published harbor that differs from it in one thing."""
    package = forking.package(forking.oracle(DEFAULT_SPEC).python)
    forking.make(forking.forks(forking.PATCHES)[name], folder / "src", package)
    (metadata,) = package.parent.glob("harbor-*.dist-info/METADATA")
    needs = re.findall(r"^Requires-Dist: ([^;\n]+)$", metadata.read_text("utf-8"), re.MULTILINE)
    text = PYPROJECT.format(needs="\n".join(f'    "{need.strip()}",' for need in needs))
    (folder / "pyproject.toml").write_text(text, "utf-8")
    (folder / ".gitignore").write_text("__pycache__/\n*.before\n", "utf-8")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "A fork of harbor")


def main() -> None:
    """Follows the document and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder that does not exist yet")
    parser.add_argument("--fork", default="text-clamped", help="the change of the fork")
    given = parser.parse_args()
    given.folder.mkdir(parents=True)
    repository = given.folder.resolve() / "fork"
    repository.mkdir()
    git(repository, "init", "-q")
    a_fork(repository, given.fork)
    os.environ.pop("PYTHONPATH", None)  # from here on, use what pip installs instead of the checkout
    names = {
        f"GIT_{who}_{what}": f"a-{who}@example.invalid".lower()
        for who in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    before: list[str] = []
    total = 0.0
    print(f"a fork of harbor 0.13.1 ({given.fork}) in {repository}")
    for task in tasks(GUIDE.read_text("utf-8")):
        done = follow(task, repository, before, {"KIT": str(ROOT), **names})
        total += done.seconds
        last = (done.printed.strip().splitlines() or ["(a file written)"])[-1]
        print(
            f"{done.seconds:7.1f} s ({done.busy:.1f} s of a processor)  exit {done.exit_code}  {task.title}"
        )
        print(f"{'':11}{last}", flush=True)
        if not done.as_documented:
            print(done.printed)
            sys.exit(f"not as in the document: {task.title}")
    print(f"{total:7.1f} s  in all")
    began = time.monotonic()
    machine = github.Machine(
        repository, given.folder / "temp", given.folder / "artifacts", kit="OWNER/harbor-conformance"
    )
    gate = github.workflow(machine, repository / ".github" / "workflows" / "conformance.yml")["gate"]
    print(f"{time.monotonic() - began:7.1f} s  exit {gate.exit_code}  the workflow, as GitHub runs it")
    sys.exit(gate.exit_code)


if __name__ == "__main__":
    main()
