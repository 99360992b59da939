"""``kit spec add``: what it asks, what it writes for a person, and what it refuses."""

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.extensions.releases import adding, answers, package
from conformance.extensions.releases.adding import Adding, family
from conformance.extensions.releases.asking import answers_of
from conformance.oracle.of_specs import recipe_of
from conformance.oracle.python import OracleError
from conformance.paths import DEFAULT_SPEC, vectors_dir
from conformance.registry.op import ORACLE
from conformance.registry.ops import SPEC_TABLE, SPECS, op_of
from conformance.runner.conversation import Settings
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Failed, Ok, Refused, Unsupported

FOLDER = Path(__file__).parents[2]
NEW, TODO = "harbor-1.2.3", package.TODO
ERROR = {"type": "VerifierOutputParseError", "reason_code": "harbor_reward_parse_error"}


def made():
    return Adding("1.2.3", DEFAULT_SPEC, lambda _: None)


@pytest.mark.parametrize("spec", SPECS)
def test_no_spec_of_the_kit_waits_for_words(spec) -> None:
    """What ``spec add`` leaves for a person to say has been said."""
    todo = re.compile(rf'"(?:{TODO}\b|[^"]*/todo-)')
    assert [path for path in vectors_dir(spec).glob("*.json") if todo.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("0.13.1",), "harbor-0.13.1 already exists and is not overwritten"),
        *(((release,), "is not a release") for release in ("harbor", "newest", "../0.1.0", "1.2")),
        (("1.2.3", "--base", "evsys"), "evsys has no releases"),
        (("1.2.3",), "but this kit is installed from a wheel"),
    ],
)
def test_what_can_not_be_added_is_a_sentence(cli, monkeypatch, words, sentence) -> None:
    if "wheel" in sentence:
        monkeypatch.setattr(adding, "checkout_root", lambda: None)
    done = cli("kit", "spec", "add", *words)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert sentence in done.stderr


def test_what_fails_half_way_leaves_nothing(tmp_path, monkeypatch) -> None:
    """A release that can't be locked is no spec."""
    for folder in ("conformance/specs", "reference_impl", "vectors"):
        (tmp_path / folder).mkdir(parents=True)

    def fail(*_):
        (tmp_path / "vectors" / NEW).mkdir()
        raise OracleError("no network")

    monkeypatch.setattr(adding, "checkout_root", lambda: tmp_path)
    monkeypatch.setattr(package, "compiled_lock", fail)
    with pytest.raises(OracleError):
        made().run()
    assert list((tmp_path / "vectors").iterdir()) == []


def test_what_it_writes_is_python_and_a_spec_of_the_base() -> None:
    recipe = recipe_of(DEFAULT_SPEC)
    new = type(recipe)(recipe.package, "1.2.3", NEW, recipe.adapter)
    names = {}
    exec(package.package_text(new, DEFAULT_SPEC), names)
    spec = names["SPEC"]
    assert (spec.name, spec.base, spec.document) == (NEW, DEFAULT_SPEC, SPEC_TABLE[DEFAULT_SPEC].document)
    assert spec.oracle.further == SPEC_TABLE[DEFAULT_SPEC].oracle.further
    for base in (one for one, spec in SPEC_TABLE.items() if spec.document == "003"):
        texts = package.reference_texts(NEW, base)
        module = "runner" if SPEC_TABLE[base].base is None else package.module_name(base)
        assert f"from ..{module}.operations import OPERATIONS as BASE" in texts["operations.py"]
        for text in texts.values():
            compile(text, "made", "exec")
            assert max(map(len, text.splitlines())) <= 110


def vector_of(spec, part):
    return next(vector for vector in load_spec(spec, package=True) if part in vector.id)


def handled(vector, old, new):
    one = made()
    one.handle_answers(vector, old, new)
    return one


def test_a_vector_of_a_later_release_is_new_where_the_two_differ() -> None:
    """0.22.0 differs from 0.13.1 in nothing that 0.13.1's vectors ask."""
    vector = vector_of("harbor-0.25.0", "/source-unmatched")
    now, before = Ok(vector.expected["ok"]), Ok({"metrics": {"adhoc": ["mean"]}})
    assert handled(vector, now, now).new == handled(vector, before, Unsupported("no")).new == {}
    for old in (before, Unsupported("no sources here")):
        one = handled(vector, old, now)
        [entry] = one.new["metric_resolution"]
        assert entry["id"] == vector.id.replace("harbor-0.25.0", NEW)
        assert (entry["rule"], entry["clause"], entry["input"]) == (vector.rule, vector.clause, vector.input)
        assert "expected" not in entry
        assert (one.clauses[vector.clause]["from"], one.todo) == ("1.2.3", 0)
    [entry] = handled(vector, before, Ok({"metrics": {}})).new["metric_resolution"]
    assert entry["rule"] == f"{TODO}: harbor-0.25.0 says: {vector.rule}"
    played = vector_of("harbor-0.25.0", "/played/resume-blank-result")
    [entry] = handled(played, Refused("JSONDecodeError", None), Ok(played.expected["ok"])).new["played"]
    assert (entry["input"], entry["rule"]) == (played.input, played.rule)


def test_what_the_release_can_not_be_asked_is_left_out_of_the_base() -> None:
    vector, before = vector_of(DEFAULT_SPEC, "/plan/"), Ok({"trials": []})
    one = handled(vector, before, Unsupported("it has no such function"))
    assert one.left_out == {"plan_trials": 1}
    entry = {"id": vector.id.replace(DEFAULT_SPEC, NEW), "reason": "it has no such function"}
    assert one._unreached["plan"] == [entry]
    assert handled(vector, before, Ok({"trials": [[]]})).new == {}, "regen finds what differs"


@pytest.mark.slow
def test_all_that_the_kit_knows_is_asked(monkeypatch) -> None:
    release = str(FOLDER / "runners" / "release.py")
    asked = []
    monkeypatch.setattr(adding, "oracle_command", lambda *_: (sys.executable, release, "old", "play_job"))
    monkeypatch.setattr(Adding, "handle_answers", lambda _, vector, *__: asked.append(vector))
    built = SimpleNamespace(command=(sys.executable, release, "new", "play_job"))
    made()._ask(built)
    inputs = {(vector.op.name, json.dumps(vector.input)) for vector in asked}
    for vectors in family(DEFAULT_SPEC).values():
        for vector in vectors:
            text = (vector.op.name, json.dumps(vector.input))
            assert (text in inputs) is (vector.op.source == ORACLE), vector.id


def test_each_change_gets_one_clause_to_be_written(tmp_path) -> None:
    """However many vectors show it; their words say what the base demanded there."""
    clauses_of = {}
    for one in load_spec(DEFAULT_SPEC):
        if one.op.name == "parse_reward":
            clauses_of.setdefault(one.clause, []).append(one)
    known = max(clauses_of.values(), key=len)[:3]
    ids = [one.id.replace(DEFAULT_SPEC, NEW) for one in known]
    differs = [{"id": one, "expected": {"error": ERROR}, "provenance": NEW} for one in ids]
    path = tmp_path / "reward.json"
    path.write_text(json.dumps({"spec": NEW, "section": "reward", "vectors": [], "differs": differs}))
    differing, changes, clauses = answers.describe(NEW, DEFAULT_SPEC, tmp_path)
    entries = json.loads(path.read_text())["differs"]
    assert [entry["clause"] for entry in entries] == [f"{TODO}-1"] * 3
    for vector, entry in zip(known, entries, strict=False):
        assert entry["rule"] == f"{TODO}: {DEFAULT_SPEC} says: {vector.rule}"
    [clause] = clauses.values()
    assert (clause["id"], clause["from"], clause["document"]) == (f"{TODO}-1", "1.2.3", "003")
    assert known[0].clause in clause["statement"]
    assert (differing, len(changes)) == (3, 1)


@pytest.mark.slow
def test_a_release_is_asked_whatever_it_does() -> None:
    """An op that it lacks, a crash, and so many of them that it can't go on."""
    release = str(FOLDER / "runners" / "release.py")
    settings = Settings((sys.executable, release, "crash"), DEFAULT_SPEC)
    ops = {name: op_of(DEFAULT_SPEC, name) for name in ("aggregate", "evals_key", "play_job")}
    key = {"agent": "a", "model": None, "source": None}
    dying = (ops["aggregate"], {"metric": "sum", "rewards": []})
    lacking, died, answered = answers_of(settings, [(ops["play_job"], {}), dying, (ops["evals_key"], key)])
    assert isinstance(lacking, Unsupported)
    assert isinstance(died, Failed)
    assert isinstance(answered, Ok)
    with pytest.raises(OracleError, match="reference"):
        answers_of(settings, [dying] * 20)


def test_a_package_that_the_index_lacks_is_taken_as_near_as_there_is(monkeypatch) -> None:
    said = (
        "  x No solution found:\n  Because only certifi<=2026.10.18 is available and "
        "harbor==1.2.3 depends on\n  certifi>=2026.10.19, we can conclude that it cannot be used."
    )
    calls = []

    def compiled(_, wanted, *options, **__):
        overrides = Path(options[options.index("--override") + 1]).read_text("utf-8").splitlines()
        calls.append((wanted.splitlines(), overrides))
        if not overrides or "there is no" in said:
            return SimpleNamespace(returncode=1, stdout="", stderr=said)
        return SimpleNamespace(returncode=0, stdout="certifi==2026.10.18 --hash=sha256:0\n", stderr="")

    monkeypatch.setattr(package, "find_uv", lambda: "uv")
    monkeypatch.setattr(package, "locate", lambda **_: None)
    monkeypatch.setattr(package.Index, "_compile", compiled)
    text = package.compiled_lock("harbor", "1.2.3", recipe_of(DEFAULT_SPEC), lambda _: None)
    assert [overrides for _, overrides in calls] == [[], ["certifi"]]
    assert text.splitlines()[0].endswith("(nearest available: certifi)")
    assert calls[0][0][0] == "harbor==1.2.3"
    assert calls[0][0][1].startswith("pydantic==")
    said = "Because there is no version of harbor==1.2.3, your requirements are unsatisfiable."
    with pytest.raises(OracleError, match=r"could not lock harbor 1\.2\.3"):
        package.compiled_lock("harbor", "1.2.3", recipe_of(DEFAULT_SPEC), lambda _: None)


@pytest.mark.parametrize("new", [False, True])
def test_a_vector_whose_job_comes_to_something_else_is_left_out(tmp_path, monkeypatch, new) -> None:
    """One that is new is none."""
    vector = f"{NEW}/job_result/job-one"
    path = tmp_path / "job_result.json"
    if new:
        path.write_text(json.dumps({"vectors": [{"id": vector}, {"id": f"{vector}-more"}]}))
    said = iter(
        [f"harbor-conformance: {vector}: the job that is played back has a different result.json", ""]
    )
    done = (SimpleNamespace(stderr=text, returncode=2 if text else 0) for text in said)
    monkeypatch.setattr(answers, "run", lambda *_, **__: next(done))
    assert answers.regenerated(NEW, tmp_path, tmp_path, lambda _: None) == [vector]
    document = json.loads(path.read_text())
    assert [entry["id"] for entry in document["vectors"]] == [f"{vector}-more"] * new
    left_out = document.get("left_out", [])
    assert [(entry["id"], entry["reason"][:4]) for entry in left_out] == [(vector, TODO)] * (not new)
