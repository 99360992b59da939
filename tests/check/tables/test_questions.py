"""The three questions that docs/checking-a-leaderboard.md asks in SQL, with answers known by hand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import duckdb
import pytest

from conformance.check.report import Checked
from conformance.check.tables import Tables
from conformance.check.tables.columns import TABLES

DOCUMENT = Path(__file__).parents[3] / "docs" / "checking-a-leaderboard.md"
TEXT = DOCUMENT.read_text(encoding="utf-8").partition("## Asked in SQL")[2]
QUESTIONS = re.findall(r"^```sql\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)

ANSWERS: list[list[tuple[Any, ...]]] = [
    [("two", 50.0, 60.0, 60.0), ("one", 50.0, 50.0, 66.7)],
    [("q", 2, True, 0.0), ("r", 3, False, 0.5), ("p", 4, False, 0.25)],
    [("metric", 2, 7, 77.8), ("counter", 1, 3, 33.3)],
]


@pytest.mark.parametrize("number", range(3))
def test_a_question_of_the_document(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leaderboard: list[Checked]
) -> None:
    assert len(QUESTIONS) == len(ANSWERS)
    with Tables(tmp_path / "tables") as tables:
        for job in leaderboard:
            tables.add(job)
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        assert connection.execute(QUESTIONS[number]).fetchall() == ANSWERS[number]


def test_the_document_names_every_column() -> None:
    named = {
        name: set(re.findall(r"`(\w+)`", row))
        for name, row in re.findall(r"^\| (\w+) \| (`.*) \|$", TEXT, re.MULTILINE)
    }
    for table in TABLES:
        assert named["all"] | named[table.name] == {column.name for column in table.columns}
