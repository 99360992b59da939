"""The tables as DuckDB reads them, and that they are written whole or not at all."""

from __future__ import annotations

import json
import math
import resource
import signal
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import duckdb
import pytest
from pyarrow import parquet

from conformance.check.audit import Audit
from conformance.check.findings import Findings
from conformance.check.report import Checked
from conformance.check.tables import Tables, TablesError, writing
from conformance.check.tables.columns import SCHEMA, TABLES
from conformance.check.trials.rows import TrialRow
from conformance.judging.comparison import Level

NAMES = ["findings", "jobs", "trials"]


def stored(folder: Path, jobs: list[Checked]) -> Path:
    with Tables(folder) as tables:
        for job in jobs:
            tables.add(job)
    return folder


def ask(folder: Path, question: str) -> list[tuple[Any, ...]]:
    for name in NAMES:
        question = question.replace(f"<{name}>", f"'{folder}/{name}.parquet'")
    with duckdb.connect() as connection:
        return connection.execute(question).fetchall()


def test_one_row_a_trial(tmp_path: Path, leaderboard: list[Checked]) -> None:
    folder = stored(tmp_path / "tables", leaderboard)
    assert ask(folder, "SELECT count(*), count(reward), sum(reward) FROM <trials>") == [(9, 8, 5.0)]
    first = ask(folder, "SELECT * FROM <trials> WHERE job = 'one/first' AND trial = 'p__1'")
    head = ("one/first", "one", "p__1", "p", "d", "a", "m", "a__m__d", True, 1.0, {"reward": 1.0})
    assert first == [(*head, '{"reward": 1.0}', None, 5.5, 10, None, None, 0.25)]
    unscored = ask(folder, "SELECT scored, reward, rewards, exception FROM <trials> WHERE NOT scored")
    assert unscored == [(False, None, None, "AgentTimeoutError")]


def test_one_row_a_finding_and_one_a_job(tmp_path: Path, leaderboard: list[Checked]) -> None:
    folder = stored(tmp_path / "tables", leaderboard)
    kinds = ask(folder, "SELECT job, severity, kind, found, expected, length(id) FROM <findings>")
    assert kinds == [
        ("one/first", "wrong", "metric", "0.9", "0.5", 10),
        ("two/first", "wrong", "metric", "0.9", "0.5", 10),
        ("two/first", "wrong", "counter", "9", "3", 10),
    ]
    jobs = ask(folder, "SELECT job, state, verdict, problem, planned, trials, findings, wrong FROM <jobs>")
    assert jobs == [
        ("one/first", "finished", "wrong", None, 4, 4, 1, 1),
        ("two/first", "finished", "wrong", None, 4, 3, 2, 2),
        ("two/second", "finished", "clean", None, 2, 2, 0, 0),
        ("two/third", None, "not judged", "there is no result.json", None, 0, 0, 0),
    ]


def one_trial(**more: Any) -> list[Checked]:
    known: dict[str, Any] = {"trial": "t", "task": "t", "source": None, "agent": "a", "model": None}
    row = TrialRow(**{**known, "group": "a", "rewards": None, "exception": None, "started": None, **more})
    return [Checked("job", Audit("job", Findings(Level.BYTES), rows=[row]))]


@pytest.mark.parametrize(
    ("rewards", "expected"),
    [
        ({}, (None, {}, "{}")),
        ({"x": 1}, (1.0, {"x": 1.0}, '{"x": 1}')),
        ({"x": 1, "y": 0.5}, (None, {"x": 1.0, "y": 0.5}, '{"x": 1, "y": 0.5}')),
        ({"x": 2**53 + 1}, (2.0**53, {"x": 2.0**53}, '{"x": 9007199254740993}')),
        ({"x": -(10**400)}, (-math.inf, {"x": -math.inf}, json.dumps({"x": -(10**400)}))),
        ({"x": math.inf}, (math.inf, {"x": math.inf}, '{"x": Infinity}')),
        ({"\ud800": 1.0}, (1.0, {"\\ud800": 1.0}, '{"\\ud800": 1.0}')),
    ],
)
def test_rewards(tmp_path: Path, rewards: dict[str, int | float], expected: tuple[object, ...]) -> None:
    folder = stored(tmp_path, one_trial(rewards=rewards))
    assert ask(folder, "SELECT reward, rewards, rewards_json FROM <trials>") == [expected]


def test_text_is_data(tmp_path: Path) -> None:
    strange = "=1+1\x00\n\x1b[31m'; DROP TABLE x; --\ud800"
    folder = stored(tmp_path, one_trial(task=strange, exception=strange, model=strange))
    due = strange.replace("\ud800", "\\ud800")
    assert ask(folder, "SELECT task, exception, model FROM <trials>") == [(due, due, due)]


def test_numbers_beyond_a_column(tmp_path: Path) -> None:
    folder = stored(tmp_path, one_trial(n_input_tokens=2**63, n_output_tokens=2**63 - 1, cost_usd=10**400))
    answer = ask(folder, "SELECT n_input_tokens, n_output_tokens, cost_usd FROM <trials>")
    assert answer == [(None, 2**63 - 1, math.inf)]


def test_more_than_one_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, leaderboard: list[Checked]
) -> None:
    monkeypatch.setattr(writing, "BATCH", 2)
    folder = stored(tmp_path, leaderboard)
    assert ask(folder, "SELECT count(*) FROM <trials>") == [(9,)]
    assert parquet.read_metadata(folder / "trials.parquet").num_row_groups == 5


def test_every_file_says_what_it_is(tmp_path: Path) -> None:
    folder = stored(tmp_path, [])
    for table in TABLES:
        schema = parquet.read_schema(folder / f"{table.name}.parquet")
        assert schema.metadata[b"schema"] == SCHEMA.encode()
        assert schema.names == [column.name for column in table.columns]
        assert all(field.metadata[b"means"].endswith(b".") for field in schema)


def test_an_earlier_report_stands_until_the_next_is_whole(tmp_path: Path, leaderboard: list[Checked]) -> None:
    folder = stored(tmp_path, leaderboard)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(RuntimeError), Tables(folder) as tables:  # noqa: PT012
        tables.add(leaderboard[0])
        raise RuntimeError
    with Tables(folder) as tables:
        tables.add(leaderboard[0])
        tables.give_up()
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    stored(folder, leaderboard[:1])
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.parquet" for name in NAMES]
    assert ask(folder, "SELECT count(*) FROM <trials>") == [(4,)]


def test_a_folder_that_cannot_be_stored(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "missing" / "folder"):
        with pytest.raises(TablesError, match=r"tables can.t be written to .*(exists|such file)"):
            Tables(folder)


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    with pytest.raises(TablesError, match=r"pip install 'harbor-conformance\[tables\]'"):
        Tables(tmp_path)


def test_a_full_disk_costs_no_report(tmp_path: Path, leaderboard: list[Checked]) -> None:
    """It is told at the end, and what stood there still stands."""
    folder = stored(tmp_path, leaderboard[:1])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with Tables(folder) as tables:
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
            for job in leaderboard:
                tables.add(job)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert tables.unwritten == f"tables can't be written to {folder}: File too large"
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.parquet" for name in NAMES]
    assert ask(folder, "SELECT count(*) FROM <trials>") == [(4,)]


def test_check_writes_them(cli: Callable[..., CompletedProcess[str]], written: Callable[..., Path]) -> None:
    folder = written("pass-and-fail")
    done = cli("check", "--parquet", folder.parent / "tables", folder)
    assert (done.returncode, done.stderr) == (0, "")
    trials = "SELECT task, scored, reward, evals_key FROM <trials> ORDER BY task"
    assert ask(folder.parent / "tables", trials) == [("t0", True, 1.0, "nop__d"), ("t1", True, 0.0, "nop__d")]
    done = cli("check", "--parquet", folder / "result.json", folder)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
