"""``harbor-conformance fuzz``: exit codes, text for people, what is written, and how it is stopped."""

import json
import re
from pathlib import Path

import pytest

from conformance.fuzz.inputs import all_ops
from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS
from conformance.suite import counterexamples as file
from conformance.suite.clauses import statements
from conformance.suite.vectors import load_file, load_spec
from conformance.wire.messages import Ok, Refused

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


def found_by(spec, op, given, likely=None):
    more = {"actual": Ok({}), "likely": likely, "unordered": frozenset(), "note": "By a fuzz", "path": Path()}
    return file.counterexample(spec, op, given, Variant().answer(op, given), **more)


def test_another_file_is_told_from_one(tmp_path) -> None:
    path = tmp_path / "other.json"
    assert not file.is_counterexample_file(path)
    for content in (b"", b"[]", b"{}", b"\xff", b'{"section": "plan", "vectors": []}'):
        path.write_bytes(content)
        assert not file.is_counterexample_file(path), content
    refused = Refused("ValueError", None, "words")
    assert file.expected_of(refused) == {"error": {"type": "ValueError", "reason_code": None}}


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_counterexamples_are_vectors_of_their_spec(spec, tmp_path, faults) -> None:
    path = tmp_path / "found.json"
    found = []
    for op in all_ops(spec):
        given = next(vector.input for vector in load_spec(spec) if vector.op.name == op)
        found.append(found_by(spec, op, given))
    if spec == DEFAULT_SPEC:  # an error, too
        found.append(found_by(spec, "aggregate", {"metric": "max", "rewards": []}, "the sum is naive"))
    file.write_counterexamples(path, spec, found)
    assert faults("vector-file", json.loads(path.read_bytes())) == []
    vectors = load_file(path)
    assert {vector.op.name for vector in vectors} == set(all_ops(spec))
    assert {vector.clause for vector in vectors} <= set(statements(spec))
    sections = {one.op.name: one.id.split("/")[1] for one in load_spec(spec)}
    assert {vector.op.name: vector.id.split("/")[1] for vector in vectors} == sections
