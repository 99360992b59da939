"""The table: what fake runners and recorded reports come to, and that one's fate costs no other its row."""

import json
import os
import shlex
import signal
import sys

import pytest

from conformance.extensions.releases.matrix import trying
from conformance.run.session import Session

pytestmark = pytest.mark.usefixtures("played")

SPEC = "harbor-0.13.1"
EVIL = """\
import json, sys
name = "evil\\x1b[31m|`<b>\\n::error::gotcha ##[error] " + "w" * 200
for line in sys.stdin:
    request = json.loads(line)
    if request["op"] == "hello":
        reply = {"ok": {"runner": name, "version": name, "protocol": 1, "ops": ["evals_key"]}}
    elif request["input"]["agent"] == "v1":
        reply = {"error": {"type": name, "reason_code": None, "message": name}}
    else:
        reply = {"unsupported": name}
    print(json.dumps({"id": request["id"], **reply}), flush=True)
"""


@pytest.fixture
def compare(cli, tmp_path, faults):
    """Runs ``matrix``; what was printed, and the JSON, which its schema accepts."""

    def run(*words):
        page = tmp_path / "m.md"
        done = cli("matrix", *words, "--json", tmp_path / "m.json", "--markdown", page)
        document = json.loads((tmp_path / "m.json").read_text("utf-8"))
        assert faults("matrix-report", document) == []
        assert done.returncode == document["exit_code"]
        for line in done.stdout.splitlines():
            assert len(line) <= 80, line
        for text in (done.stdout, done.stderr, page.read_text("utf-8")):
            assert text.replace("\n", "").isprintable()
            assert "##[" not in text
            assert not any(line.startswith("::") for line in text.splitlines())
        return done, document

    return run


def result(document, name):
    (row,) = [row for row in document["rows"] if row["subject"] == name]
    return row["result"]


def why_not(document, name):
    (row,) = [row for row in document["rows"] if row["subject"] == name]
    assert row["why_not"]
    return str(row["why_not"])


def test_a_subject_that_cannot_be_tried_costs_no_other_its_row(few, hostile_text, compare, tmp_path) -> None:
    good, wrong = hostile_text(few), hostile_text(few, "wrong", "v1")
    done, document = compare(f"good={good}", "gone=/no/such/runner", f"wrong={wrong}", "torn='", "99.99")
    assert document["exit_code"] == 2
    assert result(document, "good")["totals"]["passed"] == 4
    assert (
        result(document, "wrong")["totals"] | {"passed": 3, "mismatch": 1}
        == result(document, "wrong")["totals"]
    )
    assert "/no/such/runner" in why_not(document, "gone")
    assert "can't be split" in why_not(document, "torn")
    assert "no version" in why_not(document, "99.99")
    assert [row["subject"] for row in document["rows"]] == ["good", "gone", "wrong", "torn", "99.99"]
    assert "gone could not be tried" in done.stdout


def test_what_changed_between_neighbours(few, hostile_text, compare) -> None:
    before, after = hostile_text(few, "wrong", "v1", "v2"), hostile_text(few, "wrong", "v2", "v3")
    none = hostile_text(few, "unsupported")
    done, document = compare(f"a={before}", "gone=/no/such/runner", f"b={after}", f"c={none}")
    first, second = document["changes"]
    assert (first["from"], first["to"], first["compared"]) == ("a", "b", 4)
    moves = {(one["from"], one["to"]): (one["count"], one["example"]) for one in first["rules"]}
    example = f"{SPEC}/evals_key/v"
    assert moves == {("failed", "passed"): (1, example + "1"), ("passed", "failed"): (1, example + "3")}
    moves = {(one["from"], one["to"]): one["count"] for one in second["rules"]}
    assert moves == {("passed", "unsupported"): 2, ("failed", "unsupported"): 2}
    assert "a -> b: 003-3.3-made-for-a-test: 1 began to pass" in done.stdout


@pytest.mark.slow
def test_ops_that_went_are_told_once(few, tmp_path, hostile_text, compare) -> None:
    other = tmp_path / "other.py"
    other.write_text(EVIL.replace('["evals_key"]', '["aggregate"]'))
    _, document = compare(f"a={hostile_text(few)}", f"b={shlex.join([sys.executable, str(other)])}")
    (change,) = document["changes"]
    assert change["ops_gone"] == [{"op": "evals_key", "vectors": 4}]
    assert change["rules"] == []


def test_the_same_verdicts_with_jobs(few, hostile_text, compare) -> None:
    words = [f"s{at}={hostile_text(few, 'wrong', f'v{at}')}" for at in range(3)] + ["gone=/no/such/runner"]
    documents = [compare(*words, "--jobs", jobs)[1] for jobs in ("1", "3")]
    for document in documents:
        for row in document["rows"]:
            if row["result"]:
                row["result"]["seconds"] = 0
    assert documents[0]["rows"] == documents[1]["rows"]
    assert documents[0]["changes"] == documents[1]["changes"]


def test_classes_that_are_asked_for_fail_where_unsupported(few, hostile_text, compare, cli) -> None:
    some = f"some={hostile_text(few, 'unsupported', 'v1')}"
    assert compare(some)[1]["exit_code"] == 0
    _, document = compare(some, "--classes", "job")
    assert (document["exit_code"], document["classes"]) == (1, ["job"])
    assert "there is no class 'jobs'" in cli("matrix", some, "--classes", "jobs").stderr


def test_what_was_not_run_is_no_failure(few, hostile_text, compare) -> None:
    done, document = compare(f"slow={hostile_text(few, 'hang', 'v1')}", "--max-time", "5")
    assert result(document, "slow")["totals"]["not-run"] == 3
    assert result(document, "slow")["failures"] == []
    (note,) = document["rows"][0]["notes"]
    assert note.startswith("3 of 4 vectors: not run: --max-time was over")
    assert " 3n" in done.stdout


@pytest.mark.slow
def test_what_a_runner_says_is_harmless(few, tmp_path, compare) -> None:
    runner = tmp_path / "evil.py"
    runner.write_text(EVIL)
    name = "n" * 39
    _, document = compare(f"{name}={shlex.join([sys.executable, str(runner)])}")
    assert len(result(document, name)["runner"]["name"]) < 400
    assert result(document, name)["totals"]["unsupported"] == 3


@pytest.mark.parametrize("name", ["as_json", "open_run"])
def test_an_unforeseen_error_costs_one_row(few, hostile_text, compare, monkeypatch, name) -> None:
    """In a run, and before it."""
    whole = getattr(trying, name)

    def breaks(given, *rest):
        if "wrong" in given.command:
            raise ValueError("unforeseen")
        return whole(given, *rest)

    monkeypatch.setattr(trying, name, breaks)
    _, document = compare(f"a={hostile_text(few, 'wrong')}", f"b={hostile_text(few)}")
    assert why_not(document, "a") == "an error of the kit: ValueError: unforeseen"
    assert result(document, "b")["exit_code"] == 0


def test_a_signal_keeps_what_was_obtained(few, hostile_text, compare, monkeypatch) -> None:
    open_run = trying.open_run

    def interrupted(options, *rest):
        if "wrong" in options.command:
            os.kill(os.getpid(), signal.SIGTERM)
        return open_run(options, *rest)

    monkeypatch.setattr(trying, "open_run", interrupted)
    words = [f"a={hostile_text(few)}", f"b={hostile_text(few, 'wrong')}", f"c={hostile_text(few)}"]
    _, document = compare(*words)
    assert document["exit_code"] == 143
    assert result(document, "a")["totals"]["passed"] == 4
    assert {why_not(document, "b"), why_not(document, "c")} == {trying.NOT_REACHED}


@pytest.mark.slow
@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_signal_ends_a_run(jobs, few, hostile_text, compare, monkeypatch) -> None:
    took = Session.took

    def interrupted(session, verdict) -> None:
        took(session, verdict)
        if verdict.vector.id.endswith("v1"):
            os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(Session, "took", interrupted)
    hangs = shlex.join(["sh", "-c", f"exec {hostile_text(few, 'hang', 'v3')}"])  # a process, which hangs
    _, document = compare(f"a={hangs}", f"b={hostile_text(few)}", "--jobs", jobs)
    assert document["exit_code"] == 130
    assert "interrupted" in why_not(document, "a")


def test_a_kept_matrix_is_shown_again(few, hostile_text, compare, cli, tmp_path) -> None:
    done, _ = compare(f"a={hostile_text(few)}", f"b={hostile_text(few, 'wrong', 'v1')}")
    again = cli("matrix", "--kept", "m.json", "--markdown", "again.md")
    assert (again.stdout, again.returncode) == (done.stdout, 1)
    assert (tmp_path / "again.md").read_bytes() == (tmp_path / "m.md").read_bytes()
    (tmp_path / "m.json").write_text('{"schema": "\x1b"}')
    assert "is not" in cli("matrix", "--kept", "m.json").stderr
    assert cli("matrix", "--kept", "m.json", "a=b").returncode == 2
    assert "no subject" in cli("matrix").stderr
