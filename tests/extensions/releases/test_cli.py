"""``kit spec diff``: exit codes, text for people, what is written, and how it is stopped."""

import json
import re
import shlex
import signal
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.slow


def test_what_changed_is_told_rule_by_rule(cli, tmp_path, release, faults) -> None:
    files = ("--json", "diff.json", "--markdown", "diff.md")
    done = cli("kit", "spec", "diff", release("old"), release("new"), "--inputs", 200, "--seed", 1, *files)
    assert done.returncode == 1, done.stderr
    lines = done.stdout.splitlines()
    table = lines[4 : lines.index("", 4)]
    assert max(map(len, table)) <= 80
    assert table[0].split() == ["rule", "change", "vectors", "random"]
    assert re.search(r"^\d\. aggregate: at /\*: other last digits \(\d+ vectors, ", done.stdout, re.M)
    assert re.search(
        r" could not answer \d+ inputs of plan_trials:\n   \d+: reference_impl has no", done.stdout
    )
    assert re.fullmatch(
        r"\d+ inputs in \d+ changes differ, of [0-9,]+ vectors, 200 random inputs .*", lines[-1]
    )
    document = json.loads((tmp_path / "diff.json").read_text())
    assert faults("spec-diff", document) == []
    assert document["ended"] == "complete"
    assert {change["op"] for change in document["changes"]} >= {"parse_reward", "aggregate", "evals_key"}
    page = (tmp_path / "diff.md").read_text()
    assert "## What changed" in page
    assert "| 1 | `" in page


def test_nothing_differs(cli, tmp_path, faults) -> None:
    done = cli(
        "kit", "spec", "diff", "reference", "reference", "--inputs", 50, "--seed", 1, "--json", "diff.json"
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith("nothing differs in ")
    assert faults("spec-diff", json.loads((tmp_path / "diff.json").read_text())) == []


@pytest.mark.parametrize(
    ("old", "words"),
    [
        ("no-such-runner", "no-such-runner: the command 'no-such-runner' does not exist"),
        ("false", "false: the runner exited with code 1 before it answered hello"),
    ],
)
def test_one_that_can_not_be_tried(cli, tmp_path, faults, old, words) -> None:
    done = cli("kit", "spec", "diff", "reference", old, "--json", "diff.json")
    assert done.returncode == 2
    assert words in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    document = json.loads((tmp_path / "diff.json").read_text())
    assert faults("spec-diff", document) == []
    assert document["ended"] == "not-tried"


def test_an_interruption_keeps_what_was_found(tmp_path, release, faults) -> None:
    program = "from conformance.cli import main; main()"
    asked = tmp_path / "asked"
    asked.touch()
    new = shlex.join(["sh", "-c", f"tee {asked} | {release('new')}"])
    words = ["spec", "diff", release("old"), new, "--inputs", "100000000", "--json", "diff.json"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen([sys.executable, "-c", program, *words], cwd=tmp_path, **pipes)
    while asked.read_bytes().count(b"\n") < 1000:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130, err
    assert "interrupted: more may differ" in out
    document = json.loads((tmp_path / "diff.json").read_text())
    assert faults("spec-diff", document) == []
    assert (document["ended"], document["exit_code"]) == ("interrupted", 130)
    assert document["changes"]
    assert all(change["examples"] for change in document["changes"])
