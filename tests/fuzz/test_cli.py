"""``harbor-conformance fuzz``: exit codes, text for people, what is written, and how it is stopped."""

import json
import re

import pytest

from conformance.suite.vectors import load_file

OUT = "counterexamples.json"


def steady(text, command):
    text = text.replace(command, "COMMAND")
    text = re.sub(r"[\d,.]+(?= s\b| a second| vectors to change)", "N", text)
    return re.sub(r"\d+\.\d+\.\d+", "N.N.N", text.replace("harbor-0.13.1", "SPEC"))


def test_a_right_runner(cli, tmp_path, faults, snapshot, direct) -> None:
    """An old file is left where nothing is found; without a seed one is drawn and told."""
    direct()
    old = '{"section": "counterexamples", "vectors": []}'
    (tmp_path / OUT).write_text(old)
    done = cli("fuzz", "--runner", "reference", "--seed", 3, "--inputs", 400, "--json", "report.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert steady(done.stdout, "reference") == snapshot
    report = json.loads((tmp_path / "report.json").read_text())
    assert faults("fuzz-report", report) == []
    assert (report["compared"], report["seed"], report["ended"], report["causes"]) == (400, 3, "inputs", [])
    done = cli("fuzz", "--runner", "reference", "--inputs", 5, "--from-scratch")
    assert (done.returncode, "all inputs generated" in done.stdout) == (0, True)
    assert re.search(r"seed: \d+, ", done.stdout)
    assert (tmp_path / OUT).read_text() == old
    (tmp_path / OUT).unlink()
    cli("fuzz", "--runner", "reference", "--inputs", 5)
    assert not (tmp_path / OUT).exists()


@pytest.mark.slow
def test_a_wrong_runner(cli, tmp_path, faults, snapshot) -> None:
    """What is found is shown, reported, and repeated by the command that is printed at the end."""
    command = "deviation:parse_reward:ok/rewards/*:through-double"
    arguments = ("--seed", 1, "--inputs", 3000, "--ops", "parse_reward", "--from-scratch")
    done = cli("fuzz", "--runner", command, *arguments, "--json", "report.json")
    assert done.returncode == 1
    assert done.stderr == "looking for known mistakes that explain the findings\n"
    assert steady(done.stdout, command) == snapshot
    report = json.loads((tmp_path / "report.json").read_text())
    assert faults("fuzz-report", report) == []
    assert report["causes"][0]["counterexample"] in {vector.id for vector in load_file(tmp_path / OUT)}
    assert faults("vector-file", json.loads((tmp_path / OUT).read_text())) == []
    again = cli("run", "--runner", command, "--vectors", OUT)
    assert (again.returncode, "0 of " in again.stdout) == (1, True)
    assert cli("run", "--runner", "reference", "--vectors", OUT).returncode == 0


@pytest.mark.slow
def test_what_could_not_be_tried(cli, tmp_path) -> None:
    (tmp_path / "other.json").write_text('{"mine": 1}')
    for words, sentence in {
        "--runner ./none": "does not exist",
        "--runner reference --ops rewards": "there is no op 'rewards'",
        "--runner reference --out no/such/folder.json": "its folder does not exist",
        "--runner reference --out other.json": "is not a file of counterexamples",
        "--runner reference --pipeline 0": "pipeline",
    }.items():
        done = cli("fuzz", "--inputs", 5, "--seed", 1, *words.split())
        assert (done.returncode, sentence in done.stdout + done.stderr) == (2, True), words
    assert (tmp_path / "other.json").read_text() == '{"mine": 1}'
