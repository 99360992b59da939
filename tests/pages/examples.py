"""Reports of every kind, each made once a test run: of runners that are right, wrong, dead, asked in part.

``Examples`` makes them by the commands of the kit, with runners that are no processes (``tests/played.py``).
"""

import copy
import json
import os
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.cli.fuzz import fuzz
from conformance.cli.report import report
from conformance.cli.run import run
from conformance.extensions.audit.command import check
from conformance.extensions.releases.matrix.command import matrix
from conformance.paths import vectors_dir
from conformance.run.session import Session
from tests.conftest import TESTS
from tests.played import play
from tests.processes import alone
from tools.jobs.kept import JOBS

Json = Any
ACCEPTED = TESTS / "schemas" / "examples"
KINDS = ("run", "check", "metric", "matrix", "fuzz")
EVSYS = ("--spec", "evsys", "--again-seed", "1")
WRONG = ("--runner", "mistake:evsys-micro-mean", *EVSYS)
RIGHT = ("--runner", "reference", *EVSYS)


def runner(name: str, *words: str) -> tuple[str, ...]:
    return "--runner", shlex.join([sys.executable, str(TESTS / "runners" / name), *words])


FEW = ("harbor-0.13.1/aggregation/mean-*", "harbor-0.13.1/evals_key/*", "harbor-0.13.1/reward/txt-*")
DYING = runner("hostile.py", str(vectors_dir("evsys")), "exit", "many-tasks", "threshold-infinity")
NEWER = "harbor-0.25.0"
RUNS: dict[str, tuple[str, ...]] = {
    "right": RIGHT,
    "wrong": WRONG,
    "wrong at value": (*WRONG, "--level", "value"),
    "without": (*runner("lying.py", "without", "evsys.registry"), *EVSYS),
    "unsupported": (*runner("lying.py", "unsupported", "evsys.compute"), *EVSYS),
    "demanded": (*runner("lying.py", "unsupported", "evsys.compute"), *EVSYS, "--classes", "evsys"),
    "filtered": (*WRONG, "evsys/compute/avg-*"),
    "filtered and right": (*RIGHT, "evsys/compute/avg-*"),
    "pinned": (*RIGHT, "--vectors-version", "0.3.0"),
    "shard 1": (*WRONG, "--shard", "1/3"),
    "shard 3": (*WRONG, "--shard", "3/3"),
    "right shard": (*RIGHT, "--shard", "1/3"),
    "stale": (*WRONG, "--known-failures", "stale.txt"),
    "dying": (*DYING, *EVSYS),
    "none": ("--runner", "there-is-no-such-runner", *EVSYS),
    "nothing": (*runner("lying.py", "unsupported", "evsys.compute", "always"), *EVSYS, "evsys/compute/*"),
    "interrupted": WRONG,
    "whole": ("--runner", "reference", "--again-seed", "1"),
    "whole naive": ("--runner", "mistake:naive-sum", "--again-seed", "1"),
    "fork": (*runner("lying.py", "without", "outcome"), "--again-seed", "1"),
    "few": ("--runner", "mistake:naive-sum", "--again-seed", "1", *FEW),
    "few and right": ("--runner", "reference", "--again-seed", "1", *FEW),
    "rewards": ("--runner", "reference", "--again-seed", "1", "harbor-0.13.1/reward/txt-*"),
    "release": ("--runner", "reference", "--spec", NEWER, "--again-seed", "1", f"{NEWER}/reward/txt-*"),
}
STALE = (
    "evsys/compute/avg-* mismatch  # since 2020-02-20: a mean of ours\n"
    "evsys/compute/threshold-infinity mismatch  # passes\n"
    "evsys/registry/* mismatch\n"
    "evsys/gone/* mismatch  # since 2020-01-01: nothing\n"
    "evsys/compute/pass-hat-* mismatch\n"
)
MATRICES = {
    "matrix": ("wrong v1 v2", "correct"),
    "matrix after": ("wrong v1 v3", "wrong v0"),
    "matrix gone": ("", "correct"),
}
SLUGS = {"v0": "many-tasks", "v1": "pass-at-1-example", "v2": "threshold-infinity", "v3": "no-key-no-name"}
FUZZ = ("--ops", "aggregate,evals_key", "--inputs", "120", "--runner-timeout", "90")


class Examples:
    """Reports by name, for all workers of a test run."""

    def __init__(self, shared: Any) -> None:
        self.folder: Path = shared.folder("examples")
        self._kept: dict[str, str] = {}

    @staticmethod
    def docs() -> Path:
        return TESTS.parent / "docs"

    def path(self, name: str) -> Path:
        """The file of a report; of a shard, of what it heard."""
        kind, _, accepted = name.partition(": ")
        target = self.folder / f"{name}.json"
        if accepted and not target.exists():
            text = (ACCEPTED / f"{kind}-report.json").read_text(encoding="utf-8")
            target.write_text(json.dumps(json.loads(text)["accepts"][accepted]), encoding="utf-8")
        elif not accepted:
            with alone(target):
                if not target.exists():
                    self._make(name, target)
        return target

    def __call__(self, name: str) -> Json:
        if name not in self._kept:
            self._kept[name] = self.path(name).read_text(encoding="utf-8")
        return json.loads(self._kept[name])

    def run(self, target: Path, *words: str) -> None:
        self._invoke(run, *words, "--report", str(target), "--failures", "0")

    def fuzz(self, target: Path, *words: str) -> None:
        out = str(target.with_suffix(".vectors"))
        self._invoke(fuzz, *words, "--json", str(target), "--out", out, "--failures", "0")

    def report(self, *words: object) -> Any:
        return self._invoke(report, *map(str, words))

    def merge(self, target: Path, *parts: Path) -> Any:
        """What ``report --merge`` says of parts; the whole is written."""
        return self._invoke(report, "--merge", *map(str, parts), "--json", str(target))

    def check(self, *words: object) -> Json:
        return json.loads(self._invoke(check, "--json", "--jobs", "1", *map(str, words)).stdout)

    def _invoke(self, command: Any, *words: str) -> Any:
        (self.folder / "stale.txt").write_text(STALE, encoding="utf-8")
        here = os.getcwd()
        os.chdir(self.folder)
        try:
            with pytest.MonkeyPatch.context() as patch:
                play(patch)
                done = CliRunner().invoke(command, list(words), help_option_names=["-h", "--help"])
        finally:
            os.chdir(here)
        if done.exception is not None and not isinstance(done.exception, SystemExit):
            raise done.exception
        return done

    def _make(self, name: str, target: Path) -> None:
        if name == "merged":
            self.merge(target, self.path("shard 1"), self.path("shard 3"))
        elif name == "merged and right":
            self.merge(target, self.path("right shard"))
        elif name == "interrupted":
            with pytest.MonkeyPatch.context() as patch:
                took = Session.record

                def interrupted(self: Session, verdict: Any) -> None:
                    took(self, verdict)
                    if self.judged_count == 40:
                        raise KeyboardInterrupt

                patch.setattr(Session, "record", interrupted)
                self.run(target, *RUNS[name])
        elif name in RUNS:
            self.run(target, *RUNS[name])
        elif name in MATRICES:
            self._matrix(target, *MATRICES[name])
        elif name.startswith("fuzz"):
            who = {"agrees": "reference"}.get(name.split()[1], "mistake:naive-sum")
            self.fuzz(target, "--runner", who, *FUZZ, "--seed", name.split()[2])
        else:
            self._check(name, target)

    def _matrix(self, target: Path, *behaviours: str) -> None:
        """Subjects a, b, …, of which one that is not there has no behaviour, and one that is right."""
        file = str(vectors_dir("evsys"))
        subjects = [f"right={runner('hostile.py', file)[1]}"]
        for letter, behaviour in zip("ab", behaviours, strict=True):
            words = [SLUGS.get(word, word) for word in behaviour.split()]
            command = runner("hostile.py", file, *words)[1] if words else "/no/such/runner"
            subjects.append(f"{letter}={command}")
        self._invoke(matrix, *subjects, "--spec", "evsys", "--json", str(target))

    def _check(self, name: str, target: Path) -> None:
        folder = self.folder / f"{name} folder"
        if name == "check board":
            leaderboard(folder)
        elif name == "check gone":
            (folder / "job").mkdir(parents=True, exist_ok=True)
        else:
            put(folder / "job", spoil=name == "check wrong")
        target.write_text(json.dumps(self.check(folder)), encoding="utf-8")


def put(folder: Path, situation: str = "pass-and-fail", *, spoil: bool = False) -> Path:
    """One of harbor's jobs; with a mean that its trials do not give, if spoilt."""
    for path, content in JOBS[situation].items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if spoil and path == "result.json":
            assert '"mean": 0.5' in content
            content = content.replace('"mean": 0.5', '"mean": 0.75')
        file.write_bytes(content.encode())
    return folder


def leaderboard(folder: Path) -> Path:
    """Three submissions: one clean, one with a wrong mean, one with a job that can't be judged."""
    put(folder / "a" / "one")
    put(folder / "a" / "two", "pass-at-k")
    put(folder / "b" / "one", "fractions")
    put(folder / "b" / "two", spoil=True)
    put(folder / "c" / "one", "agent-errors")
    put(folder / "c" / "two", "stopped-half-way")
    for name in "abc":
        (folder / name / "metadata.yaml").write_text(f"agent: {name}\naccuracy: 0.5\n")
    return folder


def many(failing: int, vectors: int, text: str = '{"reward": 0.1}', document: Json = None) -> Json:
    """A report on so many vectors, of which some fail and have the text as their answer."""
    if document is None:
        accepted = json.loads((ACCEPTED / "run-report.json").read_text(encoding="utf-8"))["accepts"]
        document = accepted["mismatch"]
    made, (one,) = copy.deepcopy(document), document["results"]
    ids = [f"harbor-0.13.1/aggregation/made-{n:04d}" for n in range(vectors)]
    clauses = [f"003-3.{n % 40}-rule" for n in range(vectors)]
    made["results"] = [
        {**one, "id": ids[n], "clause": clauses[n], "actual": {"ok": {"a": text}}, "repeat": REPEAT % n}
        for n in range(failing)
    ]
    passed = [[key, "bytes", 0.1] for key in ids[failing:]]
    made["passed"] = {"aggregation": passed} if passed else {}
    made["asked"] = {"aggregate": dict(Counter(clauses))}
    made["vectors"] |= {"total": vectors, "classes": {"aggregation": vectors}}
    made["selection"]["selected"] = vectors
    made["diagnosis"] = None
    return made


REPEAT = "harbor-conformance run --runner 'python first.py' harbor-0.13.1/aggregation/made-%04d"


def accepted_names(kind: str) -> list[str]:
    documents = json.loads((ACCEPTED / f"{kind}-report.json").read_text(encoding="utf-8"))["accepts"]
    return [f"{kind}: {name}" for name in documents]


def leaves(value: Json, *path: Any) -> Iterator[tuple[Any, ...]]:
    """Where the texts of a report are."""
    if isinstance(value, dict | list):
        for key, one in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(one, *path, key)
    elif isinstance(value, str):
        yield path


def changed(document: Json, path: tuple[Any, ...], to: Json | Callable[[Json], Json]) -> Json:
    """A copy of a report with another value at a place."""
    made = copy.deepcopy(document)
    at = made
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = to(at[path[-1]]) if callable(to) else to
    return made
