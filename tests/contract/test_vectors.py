"""The suite as data: whole, locked, as its schemas say, and asked to its last vector."""

import json
import re
from pathlib import Path

import pytest

from conformance import paths
from conformance.oracle import environments, of_specs
from conformance.oracle import regen as regeneration
from conformance.paths import DEFAULT_SPEC, spec_names, vectors_dir
from conformance.registry.ops import SPEC_TABLE, SPECS, classes_of, ops_of
from conformance.suite.lock import Lock, guarded
from conformance.suite.schemas import first_fault
from conformance.suite.vectors import load_spec
from conformance.wire.writing import dumps
from tests.conftest import PLAIN
from tests.reports import results

BESIDE = {"clauses.json", "flags.json", "lock.json", "properties.json"}


def sections(spec):
    return sorted(path for path in vectors_dir(spec).glob("*.json") if path.name not in BESIDE)


def entries(spec):
    return [one for path in sections(spec) for one in json.loads(path.read_bytes())["vectors"]]


@pytest.mark.parametrize("spec", SPECS)
def test_no_vector_is_lost_or_changed_unseen(spec) -> None:
    """Whoever changes an answer, or takes a vector away, has to say so in the lock."""
    every = load_spec(spec, package=True)
    documents = [json.loads(path.read_bytes()) for path in sections(spec)]
    if SPEC_TABLE[spec].base is None:
        assert [one.id for one in every] == [one["id"] for one in entries(spec)]
    else:
        assert {one.id for one in every} >= {one["id"] for one in entries(spec)}
        gone = {one["id"] for document in documents for one in document.get("left_out", [])}
        assert gone
        assert not {one.id for one in every} & gone
    lock = Lock.read(vectors_dir(spec) / "lock.json", spec)
    assert lock.problems(guarded(spec, every, lock)) == []
    assert [first_fault("vector-file", document) for document in documents] == [None] * len(documents)


def test_every_spec_and_operation_is_there() -> None:
    """The registry gathers them by itself; what is found less is lost without a word."""
    assert set(spec_names()) == set(SPECS)
    found = {
        spec: (len(classes_of(spec, package=True)), len(ops_of(spec, package=True)), len(sections(spec)))
        for spec in SPECS
    }
    assert found == {
        "harbor-0.13.1": (9, 16, 14),
        "harbor-metric": (1, 2, 2),
        "evsys": (1, 2, 2),
        "harbor-0.25.0": (9, 16, 6),
        "harness-evals": (1, 8, 8),
    }
    asked = {one["op"] for spec in SPECS for one in entries(spec)}
    assert asked == {op.name for spec in SPECS for op in ops_of(spec, package=True)}


def test_every_section_is_asked(cli, few, runner, pytester, whole_kit, tmp_path, monkeypatch) -> None:
    """By pytest too, which collects the files itself; a kit of one vector of each section shows it."""
    with monkeypatch.context() as whole:
        whole.setattr(paths, "_PACKAGE", Path(paths.__file__).parent)
        first = {path.stem: json.loads(path.read_bytes())["vectors"][:1] for path in sections(DEFAULT_SPEC)}
    del first["played"]  # of which only a harbor is asked
    for name, some in first.items():
        few.write(some, name, DEFAULT_SPEC)
    pytester.makeini("[pytest]\n")
    due = {one["id"] for some in first.values() for one in some}
    assert cli("run", "--runner", "in-process", "--report", "r.json").returncode == 0
    assert {one["id"] for one in results(few.report(tmp_path / "r.json"))} == due
    words = ["--runner", "in-process", "-m", "not conformance_properties"]
    assert pytester.runpytest_inprocess(*PLAIN, *words, f"--conformance-report={tmp_path}/p.json").ret == 0
    assert {one["id"] for one in results(few.report(tmp_path / "p.json"))} == due


@pytest.fixture
def regen(few, cli, runner, monkeypatch):
    """``regen`` of the few vectors of evsys, whose oracle is ``in-process``."""
    monkeypatch.setattr(regeneration, "oracle_command", lambda *_: ("in-process",))
    return lambda *args: cli("kit", "regen", "--spec", "evsys", *args)


OTHER = {"ok": {"value": 0.25}}


def deleted(few, runner):
    few.write(few.vectors()[1:])


def answer_edited(few, runner):
    first, *others = few.vectors()
    few.write([first | {"expected": OTHER}, *others])


def oracle_differs(few, runner):
    first = few.vectors()[0]["input"]
    runner.but(lambda op, given, reply: OTHER if given == first else reply)


def not_canonical(few, runner):
    few.write(few.vectors()[::-1])


def not_locked(few, runner):
    lock = json.loads(few.file("lock").read_text("utf-8"))
    lock["vectors"].popitem()
    few.file("lock").write_text(dumps(lock), "utf-8")


@pytest.mark.parametrize(
    ("change", "differences", "said"),
    [
        (None, 0, ""),
        (deleted, 1, "is in the lock but not among the vectors"),
        (answer_edited, 2, "answer differs: evsys/compute/"),
        (oracle_differs, 3, "changed its meaning"),
        (not_canonical, 1, "file differs: compute.json"),
        (not_locked, 1, "is not in the lock"),
    ],
)
def test_regen_check_counts_whatever_is_not_as_it_was(regen, few, runner, change, differences, said) -> None:
    if change is not None:
        change(few, runner)
    ended = regen("--check")
    assert (ended.returncode, said in ended.stdout) == (int(differences > 0), True)
    counted = {0: "no difference", 1: "1 difference"}.get(differences, f"{differences} differences")
    assert counted in ended.stdout.splitlines()[-1]


def test_a_locked_answer_changes_only_where_somebody_says_why(regen, few, runner) -> None:
    first, locked = few.vectors()[0]["id"], json.loads(few.file("lock").read_text("utf-8"))["vectors"]
    before = few.file("compute").read_bytes(), few.file("lock").read_bytes()
    oracle_differs(few, runner)
    ended = regen()
    assert (ended.returncode, f"{first} changed its meaning" in ended.stderr) == (2, True)
    assert regen("--accept", first).returncode == 2
    assert (few.file("compute").read_bytes(), few.file("lock").read_bytes()) == before
    ended = regen("--accept", "harbor-0.13.1/evals_key/x", "--reason", "y")
    assert "harbor-0.13.1/evals_key/x is not in a spec that is regenerated: evsys" in ended.stderr
    ended = regen("--accept", first, "--reason", "It was wrong.")
    assert (ended.returncode, f"answer renewed: {first}" in ended.stdout) == (0, True)
    assert few.vectors()[0]["expected"] == OTHER
    assert regen("--check").returncode == 0
    lock = json.loads(few.file("lock").read_text("utf-8"))
    change = {"from": locked[first], "to": lock["vectors"][first]}
    assert lock["accepted"] == [{"id": first, "reason": "It was wrong.", **change}]
    deleted(few, runner)
    assert regen().returncode == 2
    assert regen("--retire", first, "--reason", "Nobody needs it.").returncode == 0
    assert json.loads(few.file("lock").read_text("utf-8"))["retired"] == {first: "Nobody needs it."}
    taken, *others = few.vectors()
    few.write([taken | {"id": first}, *others])
    ended = regen("--check")
    assert (ended.returncode, f"{first} is retired (Nobody needs it.)" in ended.stdout) == (1, True)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"since": "soon"}, "does not match schemas/vector-file.schema.json"),
        ({"input": {"agent": 7, "model": None, "source": None}}, "does not match schemas/vector-file.schema"),
        ({"op": "nothing"}, "is no vector"),
        ({"flags": []}, "made.json: vector harbor-0.13.1/evals_key/two does not match schemas/vector-file"),
    ],
    ids=["since", "input", "op", "flags"],
)
def test_a_faulty_vector_file_is_refused(cli, few, runner, vectors, change, said) -> None:
    path = vectors.write([vectors.entry("one"), {**vectors.entry("two"), **change}])
    ended = cli("run", "--runner", "in-process", "--vectors", path)
    assert (ended.returncode, runner.starts) == (2, 0)
    assert said in ended.stderr


@pytest.mark.parametrize("more", [(), ("--json",), ("--ids",)])
def test_a_clause_that_no_vector_shows_is_said(cli, few, more) -> None:
    """The few vectors show few clauses; with all of them none is bare."""
    ended = cli("explain", "rules", "--spec", "evsys", *more)
    assert ended.returncode == 1
    assert more == ("--json",) or ended.stdout.count("\nbare: ") > 10


def test_the_oracle_is_not_the_reference(monkeypatch) -> None:
    """Each spec's is a program of its own in an environment of its own, which can't import the reference."""
    monkeypatch.setattr(environments, "ensure", lambda *_, **__: Built())
    monkeypatch.setattr(of_specs, "locate", lambda *_, **__: Built())
    for spec in SPECS:
        variants = [one.name for one in SPEC_TABLE[spec].oracle.variants]
        for variant in (None, *variants):
            command = of_specs.oracle_command(spec, variant=variant)
            assert "/oracle/python" in command
            (adapter,) = [word for word in command if word.endswith(".py")]
            assert Path(adapter).parent.name == "adapters"
            assert not {"reference_impl", "conformance"} & set(command)
            text = Path(adapter).read_text("utf-8")
            assert not re.search(r"^\s*(import|from) (reference_impl|conformance)", text, re.MULTILINE)


class Built:
    """An oracle's environment that nobody built."""

    python = path = Path("/oracle/python")
