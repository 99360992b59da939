"""Recorded reports as subjects: the same row as a live run, and a sentence for what is none."""

import copy
import json
import os

import pytest

pytestmark = pytest.mark.usefixtures("played")


@pytest.fixture
def report(few, cli, hostile_text, tmp_path):
    """The report of a run that answers one vector wrongly."""
    command = hostile_text(few, "wrong", "v1")
    assert cli("run", "--runner", command, "--report", tmp_path / "r.json").returncode == 1
    return json.loads((tmp_path / "r.json").read_text("utf-8"))


@pytest.fixture
def taken(cli, tmp_path, faults):
    """The rows of some subjects."""

    def rows(*words):
        done = cli("matrix", *words, "--json", tmp_path / "m.json")
        assert "Traceback" not in done.stderr
        document = json.loads((tmp_path / "m.json").read_text("utf-8"))
        assert faults("matrix-report", document) == []
        return document["rows"]

    return rows


def test_a_recorded_run_has_the_row_of_a_live_one(few, report, taken, hostile_text) -> None:
    live, recorded = taken(f"live={hostile_text(few, 'wrong', 'v1')}", "report:r.json")
    assert recorded["subject"] == "r"
    assert recorded["notes"] == [f"recorded on {report['started_at'][:10]}"]
    for row in (live, recorded):
        row["result"]["seconds"] = 0
    assert live["result"] == recorded["result"]


def test_a_report_of_another_kit_is_taken_with_a_note(report, taken, tmp_path) -> None:
    report["kit_version"] = "9.0.0"
    old = json.loads(json.dumps(report).replace("/evals_key/v3", "/evals_key/former"))
    (tmp_path / "old.json").write_text(json.dumps(old))
    (row,) = taken("report:old.json")
    assert row["why_not"] is None
    assert "by kit 9.0.0" in row["notes"][0]
    assert "3 of its 4 vectors are among today's 4" in row["notes"][0]


def put(report, *path, value):
    spoilt = copy.deepcopy(report)
    at = spoilt
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = value
    return spoilt


JOB = ("classes", "job")
CLAIMED = {"claimed": "bytes", "reached": "bytes", "reason": None}
BROKEN = {
    "empty": (lambda _: "", "not JSON"),
    "cut": (lambda report: json.dumps(report)[:-9], "not JSON"),
    "deep": (lambda _: "[" * 100_000, "nested too deeply"),
    "nan": (lambda report: put(report, "duration_seconds", value=float("nan")), "not JSON"),
    "inf": (lambda report: swap(report, '"duration_seconds": ', '"duration_seconds": 1e999'), "not JSON"),
    "list": (lambda _: [], "no run report"),
    "nothing": (lambda _: {}, "no run report"),
    "escape": (lambda report: put(report, "spec", value="\x1b[31m::error::"), "no run report"),
    "version": (lambda report: put(report, "kit_version", value=["\x1b"]), "no run report"),
    "long": (lambda report: put(report, "duration_seconds", value=10**400), "more seconds"),
    "twice": (lambda report: put(report, "results", value=report["results"] * 2), "two results"),
    "totals": (lambda report: put(report, "totals", "passed", value=7), "totals are not"),
    "counts": (lambda report: put(report, *JOB, "totals", value={"passed": 4}), "counts of class job"),
    "claim": (
        lambda report: put(report, *JOB, value={**report["classes"]["job"], **CLAIMED}),
        "claims class job",
    ),
    "class": (lambda report: put(report, "classes", value={}), "says nothing of class job"),
    "vectors": (lambda report: swap(report, "_key/v3", "_key/v9"), "every vector of harbor-0.13.1"),
    "other": (lambda report: put(report, "spec", value="evsys"), "--spec does not name"),
}
"""A report's text, or what it is made of, and why it is refused."""


def swap(report, old, new):
    return json.dumps(report).replace(old, new)


def test_what_is_no_report_is_a_row_that_says_so(report, taken, tmp_path) -> None:
    for name, (spoil, _) in BROKEN.items():
        made = spoil(report)
        (tmp_path / f"{name}.json").write_text(made if isinstance(made, str) else json.dumps(made))
    os.mkfifo(tmp_path / "pipe.json")
    (tmp_path / "folder.json").mkdir()
    rows = taken(*(f"report:{name}.json" for name in [*BROKEN, "pipe", "folder", "missing"]), "report:r.json")
    said = {row["subject"]: row["why_not"] for row in rows}
    for name, (_, expected) in BROKEN.items():
        assert expected in said[name], (name, said[name])
        assert said[name].isprintable()
    assert "no regular file" in said["pipe"]
    assert "no regular file" in said["folder"]
    assert "can't be read" in said["missing"]
    assert said["r"] is None


def test_a_report_that_says_conforms_and_fails_is_refused(report, taken, tmp_path) -> None:
    (tmp_path / "lie.json").write_text(
        json.dumps(put(put(report, "exit_code", value=0), "results", 1, "outcome", value="unexpected-pass"))
    )
    (row,) = taken("report:lie.json")
    assert row["result"] is None
