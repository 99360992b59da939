"""Makes forks of the published harbor, each with a change of its own, and has the kit check them.

``patches.json`` and ``gated.json`` have the changes as data. A fork is a copy of the package with the
environment of its oracle.
"""

import json
import os
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of
from conformance.suite.vectors import load_spec

PATCHES, GATED = map(Path(__file__).with_name, ("patches.json", "gated.json"))
REPOSITORY = Path(__file__).parents[2]
KIT = (sys.executable, "-c", "from conformance.cli import main; main()")
RUN_SECONDS = 600
FAILED = ("mismatch", "wrong-error", "crash", "timeout", "protocol-error")


class Edit(msgspec.Struct, frozen=True):
    """A file of the package, a text that occurs once in it, and the replacement."""

    file: str
    """Empty for every file."""
    new: str | None
    """None if the file is missing."""
    old: str = ""
    """Empty for the beginning of the file."""


class Fork(msgspec.Struct, frozen=True):
    """A fork's change, and the kit's expected result."""

    name: str
    does: str
    edits: tuple[Edit, ...]
    release: str = "0.13.1"
    mistakes: tuple[tuple[str, ...], ...] = ()
    """The known mistakes that the to-do list must name: one of each group."""
    says: tuple[str, ...] = ()
    """The to-do list's expected words, if no known mistake is expected."""
    unseen: str = ""
    """Why no operation shows the change; empty if one does."""
    unnamed: str = ""
    """Why the list is expected to show it without a name; empty where it has words for it."""
    quick: bool = False
    """Whether a release asks this fork."""

    @property
    def spec(self) -> str:
        return f"harbor-{self.release}"


def forks(path: Path) -> dict[str, Fork]:
    """The forks in a file, by name; a fork with a single edit may have the edit's members itself."""
    rows = [row for listed in json.loads(path.read_text("utf-8")).values() for row in listed]
    listed = [msgspec.convert({"edits": [row], **row}, Fork) for row in rows]
    return {fork.name: fork for fork in listed}


def oracle(spec: str) -> environments.Oracle:
    """The environment of a spec's oracle, which is built on first use."""
    return environments.ensure(lambda _: None, recipe=recipe_of(spec))


def package(python: Path) -> Path:
    """The folder of the package next to that Python."""
    return next((python.parent.parent / "lib").glob("python3*/site-packages/harbor"))


def make(fork: Fork, folder: Path, source: Path) -> Path:
    """A copy of the package with the fork's change. Files that stay are links to the published ones.

    Raises:
        ValueError: a file does not have the old text exactly once.
    """
    try:
        shutil.copytree(source, folder / "harbor", copy_function=os.link)
    except (shutil.Error, OSError):  # another file system
        shutil.rmtree(folder / "harbor", ignore_errors=True)
        shutil.copytree(source, folder / "harbor")
    for edit in fork.edits:
        path = folder / "harbor" / edit.file
        if not edit.file:
            shutil.rmtree(path)
            path.mkdir()
            (path / "__init__.py").touch()
            continue
        text = path.read_text("utf-8")
        if edit.old and text.count(edit.old) != 1:
            raise ValueError(
                f"{fork.name}: {edit.file} has {edit.old!r} {text.count(edit.old)} times, not once"
            )
        path.unlink()  # otherwise the published file would change too
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()  # it must not check whether its source is unchanged
        if edit.new is not None:
            path.write_text(text.replace(edit.old, edit.new, 1), "utf-8")
    return folder


def checkout(fork: Fork, scratch: Path) -> Path:
    """A checkout of the fork, with its own environment."""
    built = oracle(fork.spec)
    folder = make(fork, scratch / fork.name, package(built.python))
    (folder / ".venv").symlink_to(built.folder)
    project = f'[project]\nname = "harbor"\nversion = "{built.version}"\n'
    (folder / "pyproject.toml").write_text(project, "utf-8")
    return folder


@dataclass(frozen=True)
class Outcome:
    fork: Fork
    exit_code: int
    report: dict[str, Any]
    """Empty if the kit wrote none."""
    printed: str
    seconds: float
    """Seconds of a processor."""

    @property
    def failures(self) -> list[dict[str, Any]]:
        return [result for result in self.report.get("results", ()) if result["outcome"] in FAILED]

    @property
    def sections(self) -> str:
        names = [result["id"].split("/")[1] for result in self.failures]
        return ", ".join(f"{names.count(name)} of {name}" for name in sorted(set(names))) or "none"

    @property
    def todo(self) -> list[dict[str, Any]]:
        return list((self.report.get("diagnosis") or {}).get("todo", ()))

    @property
    def named(self) -> str:
        """How the to-do list names the change: right, part, wrong, unexplained, or - if nothing failed."""
        if not self.todo:
            return "-"
        names = {name for line in self.todo for name in names_in(line)}
        text = " ".join(line["says"] for line in self.todo)
        right = [any(name in names for name in group) for group in self.fork.mistakes]
        right += [words in text for words in self.fork.says]
        if right and all(right):
            wanted = {name for group in self.fork.mistakes for name in group}
            further = [line for line in self.todo if not wanted & names_in(line)]
            return "right, and others" if further and self.fork.mistakes else "right"
        if any(right):
            return "part"
        return "unexplained" if all(line["kind"] == "cluster" for line in self.todo) else "wrong"

    @property
    def as_expected(self) -> bool:
        """Whether the kit finds the change if, and only if, an operation shows it, and does not crash."""
        crashed = "Traceback (most recent call last)" in self.printed
        return (self.exit_code != 0) != bool(self.fork.unseen) and not crashed


def names_in(line: dict[str, Any]) -> set[str]:
    """The known mistakes of a line of the to-do list."""
    return {name for group in line["mistakes"] for name in group}


def ask(fork: Fork, scratch: Path, sections: tuple[str, ...] = (), *, gate: bool = False) -> Outcome:
    """Makes the fork, and runs the kit on the vectors for any runner, or on some sections'; or gates it."""
    if not gate and not sections:
        sections = tuple(dict.fromkeys(vector.section for vector in load_spec(fork.spec)))
    folder, output = checkout(fork, scratch), scratch / f"{fork.name}-report"
    output.mkdir()
    report = output / "report.json"
    words = ["gate", "-o", output] if gate else ["run", "--report", report, "--again-seed", "1"]
    words += ["--runner", f"harbor:{folder}", "--spec", fork.spec]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [*KIT, *map(str, words), *(f"{fork.spec}/{section}/*" for section in sections)],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "COLUMNS": "200"},
        cwd=scratch,
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    content = json.loads(report.read_text("utf-8")) if report.exists() else {}
    return Outcome(fork, done.returncode, content, done.stdout + done.stderr, seconds)
