"""Makes forks of the published harbor, each with one change, and runs the kit on them.

``patches.json`` has the changes as data. A fork is a copy of the oracle's package alone, in front of it
on the path, as a fork's checkout is.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from conformance.diagnosis.evidence import expected_answer
from conformance.oracle import environments
from conformance.oracle.of_specs import recipe_of
from conformance.paths import DEFAULT_SPEC
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Ok

PATCHES = Path(__file__).parent / "patches.json"
REPOSITORY = Path(__file__).parents[2]
RUN_SECONDS = 600

FAILED = ("mismatch", "wrong-error", "crash", "timeout", "protocol-error")


@dataclass(frozen=True)
class Edit:
    """One edit: a file of the package, a text that occurs in it once, and its replacement."""

    file: str
    old: str
    new: str


@dataclass(frozen=True)
class Patch:
    """A fork's change, and the kit's expected result."""

    name: str
    does: str
    edits: tuple[Edit, ...]
    mistakes: tuple[tuple[str, ...], ...]
    """The to-do list's expected words, if no known mistake is expected."""
    says: tuple[str, ...]
    """Why no operation shows the change; empty if one does."""
    unseen: str
    """Why no operation shows it; empty where one does."""
    unnamed: str
    """Why the list is expected to show it without a name; empty where it has words for it."""
    quick: bool
    """Whether every run of the tests asks this fork."""


def patches() -> dict[str, Patch]:
    """All forks by name."""
    found = {}
    for entry in json.loads(PATCHES.read_text("utf-8"))["forks"]:
        edits = tuple(Edit(**edit) for edit in entry["edits"])
        found[entry["name"]] = Patch(
            entry["name"],
            entry["does"],
            edits,
            tuple(tuple(group) for group in entry.get("mistakes", [])),
            tuple(entry.get("says", [])),
            entry.get("unseen", ""),
            entry.get("unnamed", ""),
            entry.get("quick", False),
        )
    return found


def package(python: Path) -> Path:
    """The folder of the package next to that Python."""
    return next((python.parent.parent / "lib").glob("python3*/site-packages/harbor"))


def make(patch: Patch, folder: Path, source: Path) -> Path:
    """A checkout of the fork: a folder to put on the path. Files that stay are links to the published ones.

    Raises:
        ValueError: a file has the old text not once.
    """
    try:
        shutil.copytree(source, folder / "harbor", copy_function=os.link)
    except (shutil.Error, OSError):  # another file system
        shutil.rmtree(folder / "harbor", ignore_errors=True)
        shutil.copytree(source, folder / "harbor")
    for edit in patch.edits:
        path = folder / "harbor" / edit.file
        text = path.read_text("utf-8")
        if text.count(edit.old) != 1:
            raise ValueError(
                f"{patch.name}: {edit.file} has {edit.old!r} {text.count(edit.old)} times, not once"
            )
        path.unlink()  # otherwise the published file would change too
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
            compiled.unlink()  # it must not check whether its source is unchanged
        path.write_text(text.replace(edit.old, edit.new), "utf-8")
    return folder


def oracle_python() -> Path:
    """The Python of the spec's oracle, which is built on first use."""
    return environments.ensure(lambda _: None, recipe=recipe_of(DEFAULT_SPEC)).python


@dataclass(frozen=True)
class Outcome:
    """The kit's result for a fork."""

    patch: Patch
    totals: dict[str, int]
    clauses: tuple[str, ...]
    todo: tuple[dict[str, Any], ...]
    seconds: float
    start_up_seconds: float
    exit_code: int

    @property
    def failed(self) -> int:
        """How many vectors failed."""
        return sum(self.totals[outcome] for outcome in FAILED)

    @property
    def named(self) -> str:
        """How the to-do list names the change: right, part, wrong, unexplained, or - where nothing failed."""
        if not self.todo:
            return "-"
        names = {name for line in self.todo for name in names_in(line)}
        text = " ".join(line["says"] for line in self.todo)
        right = [any(name in names for name in group) for group in self.patch.mistakes]
        right += [words in text for words in self.patch.says]
        if right and all(right):
            wanted = {name for group in self.patch.mistakes for name in group}
            further = [line for line in self.todo if not wanted & names_in(line)]
            return "right, and others" if further and self.patch.mistakes else "right"
        if any(right):
            return "part"
        return "unexplained" if all(line["kind"] == "cluster" for line in self.todo) else "wrong"


def names_in(line: dict[str, Any]) -> set[str]:
    """The known mistakes of a line of the to-do list."""
    return {name for group in line["mistakes"] for name in group}


def ask(patch: Patch, scratch: Path, python: Path | None = None, sections: tuple[str, ...] = ()) -> Outcome:
    """Make the fork and ask it every vector, or those of some sections."""
    python = python or oracle_python()
    checkout = make(patch, scratch / patch.name, package(python))
    report = scratch / f"{patch.name}.report.json"
    adapter = REPOSITORY / "conformance" / "adapters" / "harbor.py"
    runner = f"env PYTHONPATH={checkout} PYTHONDONTWRITEBYTECODE=1 {python} -s -P -X utf8 {adapter}"
    command = [
        "run",
        "--runner",
        runner,
        "--spec",
        DEFAULT_SPEC,
        "--report",
        str(report),
        "--again-seed",
        "1",
        *(f"{DEFAULT_SPEC}/{section}/*" for section in sections),
    ]
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", "from conformance.cli import main; main()", *command],
        env={**os.environ, "PYTHONPATH": str(REPOSITORY), "COLUMNS": "200"},
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    seconds = time.monotonic() - started
    if not report.exists():
        raise RuntimeError(f"{patch.name}: no report; {done.stderr.strip()[-500:]}")
    return outcome_of(patch, json.loads(report.read_text("utf-8")), seconds)


def played(patch: Patch, scratch: Path, python: Path | None = None) -> tuple[int, list[str]]:
    """Has the fork play the jobs that vectors describe, which no run asks; returns their number, and the
    differing ones.

    An answer's order that is free may make one of them differ by chance.
    """
    python = python or oracle_python()
    checkout = scratch / patch.name
    if not checkout.exists():
        make(patch, checkout, package(python))
    vectors = [vector for vector in load_spec(DEFAULT_SPEC) if vector.played is not None]
    questions = [{"id": 0, "op": "hello", "protocol": 1, "spec": DEFAULT_SPEC}]
    questions += [
        {"id": number, "op": "play_job", "input": vector.played} for number, vector in enumerate(vectors, 1)
    ]
    done = subprocess.run(
        [str(python), "-s", "-P", "-X", "utf8", str(REPOSITORY / "conformance" / "adapters" / "harbor.py")],
        input="".join(json.dumps(question) + "\n" for question in questions),
        env={**os.environ, "PYTHONPATH": str(checkout), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=RUN_SECONDS,
        check=False,
    )
    replies = [json.loads(line) for line in done.stdout.splitlines()][1:]
    if len(replies) != len(vectors):
        raise RuntimeError(
            f"{patch.name}: {len(replies)} of {len(vectors)} jobs played; {done.stderr[-500:]}"
        )
    otherwise = []
    for vector, reply in zip(vectors, replies, strict=True):
        playing, expected = vector.op.playing, expected_answer(vector)
        assert playing is not None
        answer: dict[str, Any] = (
            {"ok": expected.value}
            if isinstance(expected, Ok)
            else {"error": {"type": expected.type, "reason_code": None}}
        )
        difference = playing.disagreement(answer, reply)
        if difference and not vector.unordered:
            otherwise.append(vector.id)
    return len(vectors), otherwise


def outcome_of(patch: Patch, report: dict[str, Any], seconds: float) -> Outcome:
    """A report's result for a fork."""
    failed = [result for result in report["results"] if result["outcome"] in FAILED]
    return Outcome(
        patch=patch,
        totals=report["summary"]["totals"],
        clauses=tuple(sorted({result["clause"] for result in failed})),
        todo=tuple((report["diagnosis"] or {}).get("todo", [])),
        seconds=seconds,
        start_up_seconds=report["start_up_seconds"],
        exit_code=report["summary"]["exit_code"],
    )
