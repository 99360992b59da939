"""``harbor-conformance kit spec add``: what it writes for a person, and what it refuses."""

import json
import re
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.extensions.releases import adding, locking, package, regenerating
from conformance.extensions.releases.adding import Adding, AddingError, read_diff
from conformance.oracle.of_specs import recipe_of
from conformance.oracle.python import OracleError
from conformance.paths import DEFAULT_SPEC, vectors_dir
from conformance.registry.ops import SPEC_TABLE, SPECS
from conformance.suite.lock import Lock
from conformance.suite.vectors import load_spec

EXAMPLES = Path(__file__).parents[2] / "schemas" / "examples" / "spec-diff.json"
NEW = "harbor-1.2.3"


def made(found=None):
    return Adding("1.2.3", DEFAULT_SPEC, found, lambda _: None)


@pytest.mark.parametrize("spec", SPECS)
def test_no_spec_of_the_kit_waits_for_words(spec) -> None:
    """What ``spec add`` leaves for a person to say has been said."""
    todo = re.compile(rf'"(?:{package.TODO}\b|[^"]*/todo-)')
    left = [path.name for path in vectors_dir(spec).glob("*.json") if todo.search(path.read_text("utf-8"))]
    assert left == []


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("0.13.1",), "harbor-0.13.1 is there already and is not overwritten"),
        *(((release,), "is no release") for release in ("harbor", "newest", "../0.1.0", "1.2")),
        (("1.2.3", "--base", "evsys"), "evsys has no releases"),
    ],
)
def test_what_can_not_be_added_is_a_sentence(cli, words, sentence) -> None:
    done = cli("kit", "spec", "add", *words)
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert sentence in done.stderr


def test_it_needs_a_checkout(cli, monkeypatch) -> None:
    monkeypatch.setattr(adding, "checkout_root", lambda: None)
    done = cli("kit", "spec", "add", "1.2.3")
    assert done.returncode == 2
    assert "run it from one, not from a wheel" in done.stderr


def test_what_fails_half_way_leaves_nothing(tmp_path, monkeypatch) -> None:
    """A release that can't be locked is no spec."""
    for folder in ("conformance/specs", "reference_impl", "vectors"):
        (tmp_path / folder).mkdir(parents=True)

    def fail(*_):
        (tmp_path / "vectors" / NEW).mkdir()
        raise OracleError("no network")

    monkeypatch.setattr(adding, "checkout_root", lambda: tmp_path)
    monkeypatch.setattr(adding, "compiled_lock", fail)
    with pytest.raises(OracleError):
        made().run()
    assert list((tmp_path / "vectors").iterdir()) == []


def test_what_it_writes_is_python_and_a_spec_of_the_base() -> None:
    recipe = recipe_of(DEFAULT_SPEC)
    new = type(recipe)(recipe.package, "1.2.3", NEW, recipe.adapter, ())
    names = {}
    exec(package.package_text(new, DEFAULT_SPEC, frozenset({"pass_at_k"})), names)
    spec = names["SPEC"]
    assert (spec.name, spec.base, spec.document) == (NEW, DEFAULT_SPEC, SPEC_TABLE[DEFAULT_SPEC].document)
    assert spec.oracle.further == SPEC_TABLE[DEFAULT_SPEC].oracle.further
    assert len(names["RECIPE"].checks) == len(recipe.checks) - 1
    texts = package.reference_texts(NEW, DEFAULT_SPEC)
    assert "from ..runner.operations import OPERATIONS as BASE" in texts["operations.py"]
    for text in texts.values():
        compile(text, "made", "exec")
    assert max(len(line) for text in texts.values() for line in text.splitlines()) <= 110


def test_the_reference_of_an_overlay_builds_on_its_base() -> None:
    overlays = [name for name, spec in SPEC_TABLE.items() if spec.base is not None]
    text = package.reference_texts(NEW, overlays[0])["operations.py"]
    assert f"from ..{package.module_name(overlays[0])}.operations import OPERATIONS as BASE" in text


def test_each_change_gets_one_clause_to_be_written(tmp_path) -> None:
    """However many vectors show it; their words say what the base demanded there."""
    nulls = [
        one
        for one in load_spec(DEFAULT_SPEC)
        if one.op.name == "parse_reward" and one.expected is not None and "ok" in one.expected
    ][:3]
    error = {"error": {"type": "VerifierOutputParseError", "reason_code": "harbor_reward_parse_error"}}
    differs = [
        {"id": f"{NEW}/{one.id.partition('/')[2]}", "expected": error, "provenance": NEW} for one in nulls
    ]
    path = tmp_path / "reward.json"
    path.write_text(json.dumps({"spec": NEW, "section": "reward", "vectors": [], "differs": differs}))
    one = made()
    one._describe(tmp_path)
    said = json.loads(path.read_text())["differs"]
    assert [entry["clause"] for entry in said] == [f"{package.TODO}-1"] * 3
    assert all(entry["rule"].startswith(f"{package.TODO}: the error Verifier") for entry in said)
    assert nulls[0].rule in said[0]["rule"] + said[1]["rule"] + said[2]["rule"]
    [stub] = json.loads((tmp_path / "clauses.json").read_text())["clauses"]
    assert (stub["id"], stub["from"], stub["document"]) == (f"{package.TODO}-1", "1.2.3", "003")
    assert nulls[0].clause in stub["statement"]
    assert (one.differing, len(one.changes)) == (3, 1)


def test_what_only_random_inputs_show_becomes_a_vector(tmp_path) -> None:
    document = json.loads(EXAMPLES.read_text())["accepts"]["changed"]
    document["new"]["version"] = "1.2.3"
    path = tmp_path / "diff.json"
    path.write_text(json.dumps(document))
    assert made(read_diff(path, "1.2.3"))._new_vectors() == {}, "a vector shows it already"
    document["changes"][0]["vectors"] = []
    path.write_text(json.dumps(document))
    [vector] = made(read_diff(path, "1.2.3"))._new_vectors()["reward"]
    assert vector["id"] == f"{NEW}/reward/todo-1"
    assert vector["input"] == document["changes"][0]["examples"][0]["input"]
    assert vector["rule"].startswith(package.TODO)


CHANGED = json.loads(EXAMPLES.read_text())["accepts"]["changed"]


NONE = ("", "[]", "{}", '{"schema": "urn:harbor-conformance:spec-diff:1"}')
OTHER = r"tells of the way to 0\.25\.0, not to 1\.2\.3"


@pytest.mark.parametrize(("text", "said"), [*((text, None) for text in NONE), (json.dumps(CHANGED), OTHER)])
def test_a_file_that_is_no_report_of_the_release(tmp_path, text, said) -> None:
    path = tmp_path / "diff.json"
    path.write_text(text)
    with pytest.raises(AddingError, match=said):
        read_diff(path, "1.2.3")


def test_a_package_that_the_index_lacks_is_taken_as_near_as_there_is(monkeypatch) -> None:
    said = (
        "  x No solution found:\n  Because only certifi<=2026.10.18 is available and "
        "harbor==1.2.3 depends on\n  certifi>=2026.10.19, we can conclude that it cannot be used."
    )
    calls = []

    def compiled(wanted, overrides):
        calls.append((list(wanted), list(overrides)))
        if not overrides:
            return SimpleNamespace(returncode=1, stdout="", stderr=said)
        return SimpleNamespace(returncode=0, stdout="certifi==2026.10.18 --hash=sha256:0\n", stderr="")

    monkeypatch.setattr(locking, "_compiled", compiled)
    text = locking.compiled_lock("harbor", "1.2.3", recipe_of(DEFAULT_SPEC), lambda _: None)
    assert [overrides for _, overrides in calls] == [[], ["certifi==2026.10.18"]]
    assert text.splitlines()[0].endswith("(as near as there is: --override certifi==2026.10.18)")
    assert calls[0][0][0] == "harbor==1.2.3"
    assert calls[0][0][1].startswith("pydantic==")


def test_a_release_that_there_is_not(monkeypatch) -> None:
    said = "Because there is no version of harbor==1.2.3, your requirements are unsatisfiable."
    monkeypatch.setattr(
        locking, "_compiled", lambda *_: SimpleNamespace(returncode=1, stdout="", stderr=said)
    )
    with pytest.raises(OracleError, match=r"could not lock harbor 1\.2\.3"):
        locking.compiled_lock("harbor", "1.2.3", recipe_of(DEFAULT_SPEC), lambda _: None)


def test_a_vector_whose_job_comes_to_something_else_is_left_out(tmp_path, monkeypatch) -> None:
    vector = f"{NEW}/job_result/job-one"
    said = iter([f"harbor-conformance: {vector}: the job that is played back has another result.json", ""])
    monkeypatch.setattr(
        regenerating,
        "run",
        lambda *_, **__: SimpleNamespace(stderr=(text := next(said)), returncode=2 if text else 0),
    )
    assert regenerating.regenerated(NEW, tmp_path, tmp_path, lambda _: None) == [vector]
    [gone] = json.loads((tmp_path / "job_result.json").read_text())["left_out"]
    assert gone["id"] == vector
    assert gone["reason"].startswith(package.TODO)


def test_a_lock_begins_empty() -> None:
    lock = json.loads(package.lock_text(NEW))
    assert lock["spec"] == NEW
    assert lock["vectors"] == Lock(NEW, {}, {}, []).vectors
