"""``matrix``: what fake runners and recorded reports come to; one's fate costs no other its row."""

import importlib
import json
import os
import re
import shlex
import signal

import pytest

from conformance.extensions.releases.matrix import trying
from conformance.extensions.releases.matrix.subjects import subjects_of
from conformance.run.session import Session
from conformance.suite.vectors import load_file
from tests.conftest import v
from tests.tables import each, tables

pytestmark = pytest.mark.usefixtures("played")

TABLES = tables(__file__)
MATRIX = "conformance.extensions.releases.matrix"


@pytest.fixture
def few(vectors, monkeypatch):
    path = vectors.several(4)
    loaded = load_file(path)
    for module in (f"{MATRIX}.trying", f"{MATRIX}.rows", f"{MATRIX}.command", "conformance.cli.run"):
        for name in ("load_spec", "load_set_of"):
            monkeypatch.setattr(importlib.import_module(module), name, lambda *_, **__: loaded, raising=False)
    return path


@pytest.fixture
def compare(few, hostile_text, cli, tmp_path, faults):
    """Runs ``matrix``; what was printed, and the JSON, which its schema accepts.

    A word such as `a~wrong v1` is the runner `a`, which does that to the few vectors.
    """

    def run(*words):
        parts = [word.partition("~") for word in words]
        words = [f"{name}={hostile_text(few, *how.split())}" if mark else name for name, mark, how in parts]
        page = tmp_path / "m.md"
        done = cli("matrix", *words, "--json", tmp_path / "m.json", "--markdown", page)
        document = json.loads((tmp_path / "m.json").read_text("utf-8"))
        assert faults("matrix-report", document) == []
        assert done.returncode == document["exit_code"]
        assert "Traceback" not in done.stderr
        for text in (done.stdout, done.stderr, page.read_text("utf-8")):
            assert text.replace("\n", "").isprintable()
            assert "##[" not in text
            assert not any(line.startswith("::") for line in text.splitlines())
        return done, document

    return run


def row_of(document, name):
    (row,) = [row for row in document["rows"] if row["subject"] == name]
    return row


def result(document, name):
    return row_of(document, name)["result"]


def why_not(document, name):
    return row_of(document, name)["why_not"] or ""


# Subjects


@each(TABLES["subjects"])
def test_each_kind_of_subject_has_its_words(row) -> None:
    (found,) = subjects_of([row["word"]])
    assert (found.name, found.kind, found.target) == (row["name"], row["kind"], row["target"])


@each(TABLES["no subjects"])
def test_what_is_no_subject_is_refused_in_a_sentence(cli, row) -> None:
    done = cli("matrix", *row["words"])
    assert (done.returncode, "\x1b" in done.stderr) == (2, False)
    assert row["says"] in done.stderr


# Live runs


def test_a_subject_that_cannot_be_tried_costs_no_other_its_row(compare) -> None:
    done, document = compare("good~", "gone=/no/such/runner", "wrong~wrong v1", "torn='", "99.99")
    assert document["exit_code"] == 2
    assert result(document, "good")["totals"]["passed"] == 4
    totals = result(document, "wrong")["totals"]
    assert totals == {**totals, "passed": 3, "mismatch": 1}
    assert "/no/such/runner" in why_not(document, "gone")
    assert "can't be split" in why_not(document, "torn")
    assert "not a release version" in why_not(document, "99.99")
    assert [row["subject"] for row in document["rows"]] == ["good", "gone", "wrong", "torn", "99.99"]
    assert re.search(r"^problem: +gone: .*/no/such/runner", done.stdout, re.M)


def test_what_changed_between_neighbours(compare) -> None:
    done, document = compare("a~wrong v1 v2", "gone=/no/such/runner", "b~wrong v2 v3", "c~unsupported")
    first, second = document["changes"]
    assert (first["from"], first["to"], first["compared"]) == ("a", "b", 4)
    moves = {(one["from"], one["to"]): (one["count"], one["example"]) for one in first["rules"]}
    assert moves == {("failed", "passed"): (1, v(1)), ("passed", "failed"): (1, v(3))}
    moves = {(one["from"], one["to"]): one["count"] for one in second["rules"]}
    assert moves == {("passed", "unsupported"): 2, ("failed", "unsupported"): 2}
    assert re.search(r"^Changes: a → b\n.*\n.*\n003-3.3-made-for-a-test +1 now pass ", done.stdout, re.M)


def test_ops_that_went_are_listed_once_and_what_a_runner_says_is_harmless(compare) -> None:
    evil = ("hello-control-name", "control-error", "control-unsupported")
    named = [f"{'n' * 38}{number}~{how}" for number, how in enumerate(evil)]
    _, document = compare("a~correct", "b~hello-few-ops", *named)
    assert document["changes"][0]["ops_gone"] == [{"op": "evals_key", "vectors": 4}]
    assert document["changes"][0]["rules"] == []


def test_classes_that_are_asked_for_fail_where_unsupported(compare, cli) -> None:
    assert compare("some~unsupported v1")[1]["exit_code"] == 0
    _, document = compare("some~unsupported v1", "--classes", "job")
    assert (document["exit_code"], document["classes"]) == (1, ["job"])
    assert "there is no class 'jobs'" in cli("matrix", "reference", "--classes", "jobs").stderr


def test_what_was_not_run_is_no_failure(compare) -> None:
    done, document = compare("slow~hang v1", "--max-time", "5")
    assert result(document, "slow")["totals"]["not-run"] == 3
    assert result(document, "slow")["failures"] == []
    (note,) = document["rows"][0]["notes"]
    assert note.startswith("3 of 4 vectors: not run: --max-time was over")
    assert "3 not run" in done.stdout


@pytest.mark.parametrize("name", ["close_run", "open_run"])
def test_an_unforeseen_error_costs_one_row(compare, monkeypatch, name) -> None:
    """In a run, and before it."""
    whole = getattr(trying, name)

    def breaks(given, *rest, **options):
        if "wrong" in getattr(given, "options", given).command:
            raise ValueError("unforeseen")
        return whole(given, *rest, **options)

    monkeypatch.setattr(trying, name, breaks)
    _, document = compare("a~wrong", "b~")
    assert why_not(document, "a") == "an error in the kit: ValueError: unforeseen"
    assert result(document, "b")["exit_code"] == 0


def test_a_signal_keeps_what_was_obtained(compare, monkeypatch) -> None:
    open_run = trying.open_run

    def interrupted(options, *rest):
        if "wrong" in options.command:
            os.kill(os.getpid(), signal.SIGTERM)
        return open_run(options, *rest)

    monkeypatch.setattr(trying, "open_run", interrupted)
    _, document = compare("a~", "b~wrong", "c~")
    assert document["exit_code"] == 143
    assert result(document, "a")["totals"]["passed"] == 4
    assert {why_not(document, "b"), why_not(document, "c")} == {trying.NOT_REACHED}


@pytest.mark.slow
def test_a_signal_ends_a_run(few, hostile_text, compare, monkeypatch) -> None:
    record = Session.record

    def interrupted(session, verdict) -> None:
        record(session, verdict)
        if verdict.vector.id.endswith("v1"):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Session, "record", interrupted)
    hangs = shlex.join(["sh", "-c", f"exec {hostile_text(few, 'hang', 'v3')}"])  # a process, which hangs
    _, document = compare(f"a={hangs}", "b~")
    assert document["exit_code"] == 130
    assert "interrupted" in why_not(document, "a")


# Recorded reports


@pytest.fixture
def report(few, cli, hostile_text, tmp_path):
    """The report of a run that answers one vector wrongly."""
    command = hostile_text(few, "wrong", "v1")
    assert cli("run", "--runner", command, "--report", tmp_path / "r.json").returncode == 1
    return json.loads((tmp_path / "r.json").read_text("utf-8"))


def test_a_recorded_run_has_the_row_of_a_live_one(report, compare, tmp_path) -> None:
    report["kit_version"] = "9.0.0"
    old = json.dumps(report).replace("/evals_key/v3", "/evals_key/former")
    (tmp_path / "old.json").write_text(old)
    _, document = compare("live~wrong v1", "report:r.json", "report:old.json")
    live, recorded, other = document["rows"]
    assert recorded["subject"] == "r"
    assert recorded["notes"] == [f"recorded on {report['started_at'][:10]}"]
    for row in (live, recorded):
        row["result"]["seconds"] = 0
    assert live["result"] == recorded["result"]
    assert other["why_not"] is None
    assert "by kit 9.0.0" in other["notes"][0]
    assert "3 of its 4 vectors are among this kit's 4" in other["notes"][0]


def test_what_is_no_report_is_a_row_that_says_so(report, compare, tmp_path) -> None:
    expected = {row["name"]: row["says"] for row in TABLES["broken"]}
    whole = json.dumps(report)
    made = {row["name"]: spoilt(report, row) for row in TABLES["broken"]}
    for name, text, says in (
        ("cut", whole[:-9], "not JSON"),
        ("deep", "[" * 100_000, "not JSON"),
        ("long", json.dumps({**report, "duration_seconds": 10**400}), "impossible duration"),
    ):
        made[name], expected[name] = text, says
    for name, text in made.items():
        (tmp_path / f"{name}.json").write_text(text)
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    expected |= dict.fromkeys(("pipe", "folder"), "it is not a regular file")
    expected["missing"] = "No such file"
    _, document = compare(*(f"report:{name}.json" for name in (*expected, "r")))
    said = {row["subject"]: row["why_not"] for row in document["rows"]}
    assert said.pop("r") is None
    assert [name for name, why in expected.items() if why not in said[name]] == [], said
    assert all(why.isprintable() for why in said.values())


def spoilt(report, row):
    old, new = row.get("replace", ("", ""))
    text = json.dumps({**report, **row.get("set", {})})
    return row.get("text", text.replace(old, new) if old else text)
