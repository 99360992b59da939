"""The tables as DuckDB reads them: written whole or not at all; the questions of the document."""

import json
import math
import re
import resource
import signal
from pathlib import Path

import duckdb
import pytest

from conformance.extensions.audit.findings import AuditError, Finding, Findings
from conformance.extensions.audit.report import JobAudit
from conformance.extensions.audit.rows import TrialRow
from conformance.extensions.audit.rules import SINGLE
from conformance.extensions.audit.tables import COLUMNS, SCHEMA, Tables
from conformance.extensions.audit.under import GroupScores, Scores
from conformance.judging.comparison import Level

NAMES = ["findings", "jobs", "scores", "trials"]
DOCUMENT = Path(__file__).parents[3] / "docs" / "checking-a-leaderboard.md"
TEXT = DOCUMENT.read_text(encoding="utf-8").partition("## SQL")[2]
QUESTIONS = re.findall(r"^```sql\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)

ANSWERS = [
    [("two", 50.0, 60.0, 60.0), ("one", 50.0, 50.0, 66.7)],
    [("q", 2, True, 0.0), ("r", 3, False, 0.5), ("p", 4, False, 0.25)],
    [("metric", 2, 7, 77.8), ("counter", 1, 3, 33.3)],
]
FIRST = ("one/first", "one", "p__1", "p", "d", "a", "m", "a__m__d", True, 1.0, {"reward": 1.0})
ROWS = {
    "count(*), count(reward), sum(reward) FROM <trials>": [(9, 8, 5.0)],
    "* FROM <trials> WHERE job = 'one/first' AND trial = 'p__1'": [
        (*FIRST, '{"reward": 1.0}', None, 5.5, 10, None, None, 0.25)
    ],
    "scored, reward, rewards, exception FROM <trials> WHERE NOT scored": [
        (False, None, None, "AgentTimeoutError")
    ],
    "job, severity, kind, found, expected, length(id) FROM <findings>": [
        ("one/first", "wrong", "metric", "0.9", "0.5", 10),
        ("two/first", "wrong", "metric", "0.9", "0.5", 10),
        ("two/first", "wrong", "counter", "9", "3", 10),
    ],
    "job, state, verdict, problem, planned, trials, findings, wrong FROM <jobs>": [
        ("one/first", "finished", "wrong", None, 4, 4, 1, 1),
        ("two/first", "finished", "wrong", None, 4, 3, 2, 2),
        ("two/second", "finished", "clean", None, 2, 2, 0, 0),
        ("two/third", None, "not judged", "there is no result.json", None, 0, 0, 0),
    ],
}


@pytest.fixture
def leaderboard():
    """`one` scored 2 of 4 planned, of 4 records, of 3 scored; `two` 3 of 6 planned, of 5 and of 5."""
    metric = Finding("metric", "result.json", "/stats/evals/a__m__d/metrics/0/mean", "0.9", "0.5", "c")
    counter = Finding("counter", "result.json", "/stats/n_completed_trials", "9", "3", "c")
    jobs = []
    for path, planned, rewards, findings in (
        ("one/first", 4, {"p__1": 1.0, "p__2": 1.0, "q__1": 0.0, "r__1": None}, [metric]),
        ("two/first", 4, {"p__1": 1.0, "q__1": 0.0, "r__1": 1.0}, [metric, counter]),
        ("two/second", 2, {"p__3": 0.0, "r__2": 1.0}, []),
    ):
        rows = []
        for name, reward in rewards.items():
            ended = (None, "AgentTimeoutError") if reward is None else ({"reward": reward}, None)
            rows.append(TrialRow(name, name[0], "d", "a", "m", "a__m__d", *ended, 5.5))
        found = Findings(Level.BYTES, pending=findings)
        found.flush()
        about = {"submission": path[:3], "planned": planned, "errored": [*rewards.values()].count(None)}
        jobs.append(JobAudit(path, found, "finished", trials=len(rows), rows=rows, **about))
    jobs[0].rows[0].n_input_tokens, jobs[0].rows[0].cost_usd = 10, 0.25
    return [*jobs, JobAudit("two/third", problem="there is no result.json", submission="two")]


def stored(folder, jobs):
    Tables(folder).write(jobs)
    return folder


def ask(folder, question):
    for name in NAMES:
        question = question.replace(f"<{name}>", f"'{folder}/{name}.parquet'")
    with duckdb.connect() as connection:
        return connection.execute(question).fetchall()


def test_rows_of_trials_findings_and_jobs(tmp_path, leaderboard) -> None:
    folder = stored(tmp_path / "tables", leaderboard)
    for question, answer in ROWS.items():
        assert ask(folder, f"SELECT {question}") == answer


def one_trial(**more):
    known = {"trial": "t", "task": "t", "source": None, "agent": "a", "model": None}
    row = TrialRow(**{**known, "group": "a", "rewards": None, "exception": None, "started": None, **more})
    return [JobAudit("job", rows=[row])]


STRANGE = "=1+1\x00\n\x1b[31m'; DROP TABLE x; --\ud800"
DATA = STRANGE.replace("\ud800", "\\ud800")


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
def test_whatever_a_record_has_is_data(tmp_path, rewards, expected) -> None:
    numbers = {"n_input_tokens": 2**63, "n_output_tokens": 2**63 - 1, "cost_usd": 10**400}
    texts = dict.fromkeys(("task", "exception", "model"), STRANGE)
    folder = stored(tmp_path, one_trial(rewards=rewards, **numbers, **texts))
    columns = f"reward, rewards, rewards_json, {', '.join([*numbers, *texts])}"
    due = (*expected, None, 2**63 - 1, math.inf, DATA, DATA, DATA)
    assert ask(folder, f"SELECT {columns} FROM <trials>") == [due]


def test_a_folder_that_cannot_be_stored(tmp_path, monkeypatch) -> None:
    (tmp_path / "file").touch()
    for folder in (tmp_path / "file", tmp_path / "missing" / "folder"):
        with pytest.raises(AuditError, match=r"tables can.t be written to .*(exists|such file)"):
            Tables(folder)
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(AuditError, match=r"pip install 'harbor-conformance\[tables\]'"):
        Tables(tmp_path)


def test_every_file_says_what_it_is(tmp_path) -> None:
    folder = stored(tmp_path, [])
    for name in COLUMNS:
        found = ask(folder, f"SELECT key, value FROM parquet_kv_metadata(<{name}>)")
        noted = {bytes(key).decode(): bytes(value).decode() for key, value in found}
        assert (noted["schema"], noted["table"]) == (SCHEMA, name)
        described = ask(folder, f"DESCRIBE SELECT * FROM <{name}>")
        assert [row[:2] for row in described] == [*COLUMNS[name].items()]


def test_a_full_disk_costs_no_report(tmp_path, leaderboard) -> None:
    """It is told at the end, and what stood there still stands."""
    folder = stored(tmp_path, leaderboard[:1])
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    tables = Tables(folder)
    try:
        resource.setrlimit(resource.RLIMIT_FSIZE, (64, hard))
        with pytest.raises(AuditError, match=r"tables can.t be written to .*[Ff]ile too large"):
            tables.write(leaderboard)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)
    assert sorted(path.name for path in folder.iterdir()) == [f"{name}.parquet" for name in NAMES]
    assert ask(folder, "SELECT count(*) FROM <trials>") == [(4,)]


def test_check_writes_them(cli, written) -> None:
    folder = written("pass-and-fail")
    done = cli("check", "--parquet", folder.parent / "tables", folder)
    assert (done.returncode, done.stderr) == (0, "")
    trials = "SELECT task, scored, reward, evals_key FROM <trials> ORDER BY task"
    assert ask(folder.parent / "tables", trials) == [("t0", True, 1.0, "nop__d"), ("t1", True, 0.0, "nop__d")]
    done = cli("check", "--parquet", folder / "result.json", folder)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_one_row_a_number_by_other_rules(tmp_path) -> None:
    (job,) = one_trial()
    stated = {"0/mean": 0.5, "1/of-a-script": [2]}
    group = GroupScores(stated, {"0/mean": 0.5, "pass@2": 1.0}, {"0/mean": math.inf})
    job.under.append(Scores(SINGLE["rule:pass-at-1"], {"a": group}))
    answer = ask(stored(tmp_path, [job]), "SELECT rules, evals_key, number, stated, own, under FROM <scores>")
    assert answer == [
        ("rule:pass-at-1", "a", "0/mean", 0.5, 0.5, math.inf),
        ("rule:pass-at-1", "a", "1/of-a-script", None, None, None),
        ("rule:pass-at-1", "a", "pass@2", None, 1.0, None),
    ]


def test_the_questions_of_the_document(tmp_path, monkeypatch, leaderboard) -> None:
    stored(tmp_path / "tables", leaderboard)
    monkeypatch.chdir(tmp_path)
    with duckdb.connect() as connection:
        assert [connection.execute(question).fetchall() for question in QUESTIONS] == ANSWERS


def test_the_document_names_every_column() -> None:
    named = {
        name: set(re.findall(r"`(\w+)`", row))
        for name, row in re.findall(r"^\| (\w+) \| (`.*) \|$", TEXT, re.MULTILINE)
    }
    for name, columns in COLUMNS.items():
        assert named["all"] | named[name] == columns.keys()
