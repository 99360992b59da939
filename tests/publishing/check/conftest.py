"""Reports of `check`, made by running it over harbor's own small jobs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from conformance.cli.check import check
from tools.jobs.kept import JOBS

Document = dict[str, Any]
Report = Callable[..., Document]


def put(folder: Path, situation: str = "pass-and-fail", **changes: Callable[[str], str]) -> Path:
    """One of harbor's jobs, the texts of some of its files changed."""
    for path, content in JOBS[situation].items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        change = changes.get(path.replace("/", "__").replace(".", "_"))
        file.write_bytes((change(content) if change is not None else content).encode())
    return folder


def wrong_mean(text: str) -> str:
    """A mean that the trials do not give."""
    assert '"mean": 0.5' in text
    return text.replace('"mean": 0.5', '"mean": 0.75')


def wrong(folder: Path) -> Path:
    return put(folder, result_json=wrong_mean)


@pytest.fixture
def report() -> Report:
    """What `check --json` says of places."""

    def reported(*arguments: object) -> Document:
        result = CliRunner().invoke(check, ["--json", "--jobs", "1", *map(str, arguments)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        document: Document = json.loads(result.stdout)
        assert document["exit_code"] == result.exit_code
        return document

    return reported


@pytest.fixture
def leaderboard(tmp_path: Path) -> Path:
    """Three submissions: one clean, one with a wrong mean, one with a job that can't be judged."""
    folder = tmp_path / "board"
    put(folder / "a" / "one")
    put(folder / "a" / "two", "pass-at-k")
    put(folder / "b" / "one", "fractions")
    wrong(folder / "b" / "two")
    put(folder / "c" / "one", "agent-errors")
    put(folder / "c" / "two", "stopped-half-way")
    for name in "abc":
        (folder / name / "metadata.yaml").write_text(f"agent: {name}\naccuracy: 0.5\n")
    return folder
