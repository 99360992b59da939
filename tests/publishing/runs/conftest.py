"""Reports as the kit writes them, each made once: of runners that are right, wrong, dead, asked in part."""

import copy
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.cli.run import run
from conformance.publishing.blocks import (
    Bars,
    Block,
    Failure,
    Failures,
    Line,
    Lines,
    Link,
    Paragraph,
    Row,
    Table,
)
from conformance.publishing.kinds.run import page
from conformance.publishing.merging import merged
from conformance.publishing.model import Page, Section
from conformance.publishing.reading import read
from conformance.wire.writing import dumps

Json = Any
FIRST = """
import json, sys
NAME = %r
def aggregate(metric, rewards):
    values = [0.0 if r is None else float(next(iter(r.values()), 0)) for r in rewards]
    total = 0.0
    for value in values:
        total += value
    results = {"mean": total / len(values), "sum": total, "max": max(values), "min": min(values)}
    return {metric: results[metric]}
count = 0
for line in sys.stdin:
    request = json.loads(line)
    count += 1
    if request["op"] == "hello":
        reply = {"ok": {"runner": NAME, "version": "0", "protocol": 1, "ops": ["aggregate", "evals_key"]}}
    elif request["op"] == "evals_key":
        BEHIND
        reply = {"unsupported": "not <yet> & never"}
    else:
        try:
            reply = {"ok": aggregate(**request["input"])}
        except Exception as error:
            reply = {"error": {"type": type(error).__name__, "reason_code": None, "message": "<b>"}}
    print(json.dumps({"id": request["id"], **reply}), flush=True)
"""
_SLOWLY = """
        if count > 5:
            open("slow.begun", "w").close()
            __import__("time").sleep(1)
""".strip()
_MAIN = "from conformance.cli import main; main()"


def _command(*words: str) -> list[str]:
    return [sys.executable, "-c", _MAIN, *words]


class Reports:
    """Reports by name, made when they are first asked for."""

    def __init__(self, shared: Any) -> None:
        self.folder = folder = shared.folder("reports")
        self._alone = shared.alone
        self._made: dict[str, str] = {}
        with self._alone(folder / "stale.txt"):
            if not (folder / "stale.txt").exists():
                self._write()

    def _write(self) -> None:
        folder = self.folder
        (folder / "first.py").write_text((FIRST % "first <b>'&\"").replace("BEHIND", "pass"))
        (folder / "dying.py").write_text((FIRST % "dying").replace("BEHIND", "sys.exit(3)"))
        (folder / "slow.py").write_text((FIRST % "slow").replace("BEHIND", _SLOWLY))
        (folder / "stale.txt").write_text(
            "harbor-0.13.1/aggregation/sum-* mismatch  # since 2020-02-20: naive sums\n"
            "harbor-0.13.1/aggregation/empty-list-mean mismatch  # passes\n"
            "harbor-0.13.1/evals_key/* mismatch\n"
            "harbor-0.13.1/gone/* mismatch  # since 2020-01-01: nothing\n"
        )

    def path(self, name: str) -> Path:
        """The file of a report."""
        self(name)
        return self.folder / f"{name}.json"

    def __call__(self, name: str) -> Json:
        """A copy of the report."""
        if name not in self._made:
            target = self.folder / f"{name}.json"
            with self._alone(target):
                if not target.exists():
                    self._make(name, target)
            self._made[name] = target.read_text(encoding="utf-8")
        return json.loads(self._made[name])

    def _make(self, name: str, target: Path) -> None:
        if name == "interrupted":
            self._interrupt(target)
        elif name == "merged":
            parts = [read(self.path(part)) for part in ("shard-1", "shard-3")]
            target.write_text(dumps(merged(parts)), encoding="utf-8")
        else:
            self._run(*_RUNS[name], "--report", str(target), "--failures", "0")

    def _run(self, *words: str) -> None:
        """In this process: the kit and its vectors are there already."""
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            done = CliRunner().invoke(run, list(words))
        finally:
            os.chdir(here)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception

    def _interrupt(self, target: Path) -> None:
        words = _command("run", "--runner", f"{sys.executable} slow.py", "--report", str(target))
        process = subprocess.Popen(
            [*words, "harbor-0.13.1/evals_key/*"],
            cwd=self.folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        while not (self.folder / "slow.begun").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.wait(timeout=300)


_FIRST = ("--runner", f"{sys.executable} first.py", "--again-seed", "1")
_NAIVE = ("--runner", "mistake:naive-sum", "--again-seed", "1")
_REFERENCE = ("--runner", "reference", "--again-seed", "1")
_AGGREGATION = "harbor-0.13.1/aggregation/*"
_RUNS: dict[str, Sequence[str]] = {
    "right": _REFERENCE,
    "first": _FIRST,
    "naive": _NAIVE,
    "naive at value": (*_NAIVE, "--level", "value"),
    "demanded": (*_FIRST, "--classes", "aggregation,job"),
    "filtered": (*_FIRST, _AGGREGATION),
    "filtered and right": (*_REFERENCE, _AGGREGATION),
    "pinned": (*_REFERENCE, "--vectors-version", "0.3.0"),
    "shard-1": (*_FIRST, "--shard", "1/3"),
    "shard-3": (*_FIRST, "--shard", "3/3"),
    "stale": (*_NAIVE, "--known-failures", "stale.txt"),
    "dying": ("--runner", f"{sys.executable} dying.py"),
    "none": ("--runner", "there-is-no-such-runner"),
    "nothing": (*_FIRST, "harbor-0.13.1/evals_key/*"),
    "evsys": ("--runner", "reference", "--spec", "evsys"),
    "release": ("--runner", "reference", "--spec", "harbor-0.25.0", "--again-seed", "1"),
}
NAMES = (*_RUNS, "interrupted", "merged")
_LATER = {
    "": ("vectors", "selection", "known_failures", "clauses"),
    "results": ("rule", "since", "demanded", "repeat", "catches", "asked"),
    "properties": ("demanded", "repeat"),
}


@pytest.fixture(scope="session")
def reports(shared: Any) -> Reports:
    """Reports by name, made once for all workers of a test run."""
    return Reports(shared)


@pytest.fixture(scope="session")
def older() -> Callable[[Json], Json]:
    """What the kit before this one would have written."""

    def made(document: Json) -> Json:
        old = copy.deepcopy(document)
        for name in _LATER[""]:
            del old[name]
        for one in old["classes"].values():
            del one["vectors"]
        for where in ("results", "properties"):
            for one in old[where]:
                for name in _LATER[where]:
                    del one[name]
        for one in (old["asked_again"] or {"results": []})["results"]:
            one.pop("repeat", None)
            one.pop("demanded", None)
        return old

    return made


class Shown:
    """A page, for those who look for something on it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.counts = {count.name: count.number for count in page.counts}

    @property
    def facts(self) -> dict[str, str]:
        return {fact.name: text(fact.value) for fact in self.page.facts}

    @property
    def warnings(self) -> list[str]:
        return [text(line) for line in self.page.warnings]

    def section(self, anchor: str) -> Section | None:
        return next((one for one in self.page.sections if one.anchor == anchor), None)

    def blocks(self) -> list[Block]:
        return [block for section in self.page.sections for block in section.blocks]

    def failures(self, anchor: str = "failures") -> dict[str, Failure]:
        section = self.section(anchor)
        blocks = section.blocks if section is not None else ()
        return {one.title: one for block in blocks if isinstance(block, Failures) for one in block.failures}

    def rows(self, anchor: str) -> list[Row]:
        section = self.section(anchor)
        blocks = section.blocks if section is not None else ()
        return [row for block in blocks if isinstance(block, Table) for row in block.listed]

    def under(self, anchor: str) -> dict[str, list[Row]]:
        """A section's rows, by the anchor that the heading over them leads to."""
        section = self.section(anchor)
        found: dict[str, list[Row]] = {}
        for block in section.blocks if section is not None else ():
            for row in block.rows if isinstance(block, Table) else ():
                if row.heads:
                    rows = found.setdefault(row.cells[0][0].anchor, [])  # type: ignore[union-attr]
                else:
                    rows.append(row)
        return found

    def anchors(self) -> list[str]:
        found = [section.anchor for section in self.page.sections]
        for block in self.blocks():
            if isinstance(block, Table):
                found += [row.anchor for row in block.rows if row.anchor is not None]
            elif isinstance(block, Failures):
                found += [one.anchor for one in block.failures]
        return found

    def links(self) -> set[str]:
        return {piece.anchor for line in self.lines() for piece in line if isinstance(piece, Link)}

    def lines(self) -> list[Line]:
        found: list[Line] = [*self.page.warnings]
        for block in self.blocks():
            match block:
                case Table():
                    found += [cell for row in block.rows for cell in row.cells]
                case Failures():
                    found += [line for one in block.failures for _, line in one.fields]
                case Lines():
                    found += block.lines
                case Paragraph():
                    found.append(block.line)
                case Bars():
                    found += [bar.label for bar in block.bars]
        return found


def text(line: Line) -> str:
    """What a reader reads of a line."""
    return "".join(piece if isinstance(piece, str) else piece.text for piece in line)


@pytest.fixture(scope="session")
def shown(reports: Reports) -> Callable[[str], Shown]:
    """The page of a report, by its name."""
    made: dict[str, Shown] = {}

    def of(name: str) -> Shown:
        if name not in made:
            made[name] = Shown(page(reports(name)))
        return made[name]

    return of


@pytest.fixture(scope="session")
def shown_of() -> Callable[[Page], Shown]:
    """A page, for those who look for something on it."""
    return Shown
