"""A spec that is a difference to another: what it takes from there, what it says itself, what is refused."""

import json
import shutil

import pytest

from conformance import paths
from conformance.oracle.regen import regenerate
from conformance.paths import DEFAULT_SPEC, vectors_dir
from conformance.suite import vectors as loading
from conformance.suite.choosing import refuse_folder
from conformance.suite.clauses import load_clauses, statements, successors
from conformance.suite.lock import Lock
from conformance.suite.overlays import renamed
from conformance.suite.properties import load_properties, property_ids
from conformance.suite.schemas import validator
from conformance.suite.vectors import VectorFileError, load_file, load_files, load_spec, section_files
from conformance.wire.writing import dumps
from reference_impl.runner.serving import table_of
from tests.oracle.in_process import answering, instead_of_processes

SPEC = "harbor-0.25.0"
NULL, ONE = "reward/json-top-null", "reward/json-int-one"
SECTIONS = ("plan", "reward")
REFUSED = {"error": {"type": "VerifierOutputParseError", "reason_code": "harbor_reward_parse_error"}}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """An overlay that says nothing, beside a base of two sections, a part of the kit's."""
    base = tmp_path / "vectors" / DEFAULT_SPEC
    base.mkdir(parents=True)
    for name in (*SECTIONS, "clauses", "flags", "properties", "lock"):
        shutil.copy(vectors_dir(DEFAULT_SPEC) / f"{name}.json", base)
    rewards = json.loads((base / "reward.json").read_text("utf-8"))
    every = enumerate(rewards["vectors"])
    rewards["vectors"] = [one for n, one in every if n % 5 == 0 or one["id"].endswith((NULL, ONE))]
    (base / "reward.json").write_text(dumps(rewards), encoding="utf-8")
    clauses = json.loads((base / "clauses.json").read_text("utf-8"))
    for entry in clauses["clauses"]:
        entry.pop("until", None)  # nothing ends, but in a test
    (base / "clauses.json").write_text(dumps(clauses), encoding="utf-8")
    own = tmp_path / "vectors" / SPEC
    own.mkdir()
    (own / "lock.json").write_text(Lock(SPEC, {}, {}, []).text(), encoding="utf-8")
    data = paths._data
    instead_of_processes(monkeypatch)
    monkeypatch.setattr(paths, "_data", lambda name: tmp_path / name if name == "vectors" else data(name))
    return own


@pytest.fixture
def say(folder):
    def write(section, vectors=None, **more):
        path = folder / f"{section}.json"
        head = {"$schema": "../../schemas/vector-file.schema.json", "spec": SPEC, "section": section}
        path.write_text(dumps({**head, "vectors": vectors or [], **more}), encoding="utf-8")
        return path

    return write


def differing(slug=NULL, **more):
    return {"id": f"{SPEC}/{slug}", "expected": REFUSED, "provenance": SPEC, **more}


def by_id(spec=SPEC):
    return {vector.id: vector for vector in load_spec(spec)}


@pytest.mark.usefixtures("folder")
def test_an_overlay_that_says_nothing_is_its_base() -> None:
    base, own = load_spec(DEFAULT_SPEC), load_spec(SPEC)
    assert section_files(SPEC) == []
    assert len(own) == len(base) > 100
    for one, other in zip(base, own, strict=True):
        assert other.id == renamed(one.id, SPEC) == f"{SPEC}/{one.section}/{one.id.rpartition('/')[2]}"
        assert (other.input, other.expected, other.rule) == (one.input, one.expected, one.rule)
        assert (other.op.spec, other.op.name, other.file) == (SPEC, one.op.name, one.file)
        assert other.provenance == SPEC
        assert other.twin is None or other.twin.startswith(f"{SPEC}/")
        assert loading.is_of_kit(other)
    ids = [one.rpartition("/")[2] for one in property_ids(SPEC)]
    assert ids == [one.rpartition("/")[2] for one in property_ids(DEFAULT_SPEC)]
    assert all(op.spec == SPEC for one in load_properties(SPEC) for op in one.ops)


def test_what_differs_is_the_bases_with_another_answer(say) -> None:
    clause = load_clauses(DEFAULT_SPEC)[0].id
    path = say("reward", differs=[differing(rule="It is refused.", clause=clause, catches="Habit.")])
    old, new = by_id(DEFAULT_SPEC)[f"{DEFAULT_SPEC}/{NULL}"], by_id()[f"{SPEC}/{NULL}"]
    assert (new.expected, new.rule, new.clause, new.catches) == (REFUSED, "It is refused.", clause, "Habit.")
    assert (new.input, new.flags, new.op.name) == (old.input, old.flags, old.op.name)
    assert new.file == path
    assert [one.id for one in load_file(path)] == [new.id]
    assert [one.id for one in loading.load_checked(path)] == [new.id]
    assert sum(one.id == new.id for vectors in load_files(SPEC).values() for one in vectors) == 1
    assert len(load_spec(SPEC)) == len(load_spec(DEFAULT_SPEC))


def document_entry():
    document = json.loads((vectors_dir(DEFAULT_SPEC) / "reward.json").read_text(encoding="utf-8"))
    return next(entry for entry in document["vectors"] if entry["id"].endswith("/" + ONE.partition("/")[2]))


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        ({"differs": [differing("reward/of-nobody")]}, f"{DEFAULT_SPEC} has no vector"),
        ({"differs": [{"id": f"{SPEC}/{NULL}"}]}, "difference 0 is none: KeyError\\('expected'\\)"),
        ({"differs": ["text"]}, "difference 0 is none: TypeError"),
        ({"differs": [differing(), differing()]}, "more than once"),
        ({"left_out": [{"id": f"{SPEC}/reward/of-nobody", "reason": "x"}]}, "the base has no vector"),
        ({"left_out": ["text"]}, "omits a vector that does not exist"),
        ({"vectors": [{**document_entry(), "id": f"{SPEC}/{ONE}"}]}, f"is an id of {DEFAULT_SPEC}'s vectors"),
    ],
)
def test_what_makes_no_sense_is_refused(say, said, fault) -> None:
    say("reward", **said)
    with pytest.raises(VectorFileError, match=fault):
        load_spec(SPEC)


def test_only_an_overlay_differs_and_the_bases_folder_is_no_other_specs(say) -> None:
    path = say("reward", differs=[differing()])
    path.write_text(path.read_text("utf-8").replace(f'"spec": "{SPEC}"', '"spec": "evsys"'), encoding="utf-8")
    with pytest.raises(VectorFileError, match="'evsys' is no difference to another spec"):
        load_file(path)
    refuse_folder(vectors_dir(DEFAULT_SPEC), SPEC)
    with pytest.raises(VectorFileError, match="run it with --spec"):
        refuse_folder(vectors_dir(SPEC), DEFAULT_SPEC)


def test_a_clause_holds_from_one_release_to_another(folder) -> None:
    base = folder.parent / DEFAULT_SPEC / "clauses.json"
    document = json.loads(base.read_text("utf-8"))
    vector = by_id(DEFAULT_SPEC)[f"{DEFAULT_SPEC}/{NULL}"]
    ended, gone = vector.clause, vector.also[0] if vector.also else None
    for entry in document["clauses"]:
        if entry["id"] in (ended, gone):
            entry["until"] = "0.22.0"
    base.write_text(dumps(document), encoding="utf-8")
    new = {"id": "003-1.3-null-refused", "document": "003", "section": "1.3", "statement": "It is refused."}
    listed = [{**new, "untested": None, "from": "0.23.0", "replaces": [ended]}]
    listed.append({**new, "id": "003-1.3-later", "untested": None, "from": "0.26.0"})
    (folder / "clauses.json").write_text(dumps({"spec": SPEC, "clauses": listed}), encoding="utf-8")
    ids = [clause.id for clause in load_clauses(SPEC)]
    assert ended in statements(DEFAULT_SPEC)
    assert {ended, new["id"], "003-1.3-later"} & set(ids) == {new["id"]}
    sections = [[int(part) for part in one.section.split(".")] for one in load_clauses(SPEC)]
    assert sections == sorted(sections)
    assert successors(SPEC) == {ended: new["id"], **({gone: None} if gone else {})}
    now = by_id()[f"{SPEC}/{NULL}"]
    assert (now.clause, gone in now.also) == (new["id"], False)


def test_properties_are_left_out_and_added(folder) -> None:
    first, second = load_properties(DEFAULT_SPEC)[:2]
    new = {"id": f"{SPEC}/properties/new", "op": "parse_reward", "clause": first.clause, "rule": "It holds."}
    gone = [{"id": renamed(first.id, SPEC), "reason": "It does not hold."}]
    document = {"spec": SPEC, "properties": [new], "left_out": gone}
    (folder / "properties.json").write_text(dumps(document), encoding="utf-8")
    ids = property_ids(SPEC)
    assert ids[0] == renamed(second.id, SPEC)
    assert ids[-1] == new["id"]
    assert len(ids) == len(load_properties(DEFAULT_SPEC))


# Regeneration: a source stands in for the oracle


def regenerated(spec, *, check=False, accept=()):
    """The overlay, asked of the reference by a spec's rules."""
    table = table_of(spec)

    def answer(op, given):
        try:
            return {"ok": table[op](given)}
        except Exception as error:
            reason = getattr(error, "reason_code", None)
            return {"error": {"type": type(error).__name__, "reason_code": reason}}

    reason = "a test" if accept else ""
    return regenerate(SPEC, [answering(SPEC, answer)], check=check, accept=accept, reason=reason)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_regen_of_what_differs_in_nothing_or_no_longer_is_empty(folder) -> None:
    result = regenerated(DEFAULT_SPEC)
    assert (result.changed, result.rewritten, result.unreviewed) == ([], [], [])
    assert result.asked == len(load_spec(DEFAULT_SPEC))
    assert files(folder) == ["lock.json"]
    assert Lock.read(folder / "lock.json", SPEC).vectors == {}
    assert regenerated(DEFAULT_SPEC, check=True).lock_problems == []
    regenerated(SPEC)
    assert files(folder) != ["lock.json"]
    locked = Lock.read(folder / "lock.json", SPEC).vectors
    checked = regenerated(DEFAULT_SPEC, check=True)
    assert len(checked.lock_problems) == len(locked) > 0
    assert "changed its meaning" in checked.lock_problems[0]
    regenerated(DEFAULT_SPEC, accept=tuple(locked))
    assert files(folder) == ["lock.json"], "a section without differences has no file"
    assert regenerated(DEFAULT_SPEC, check=True).lock_problems == []


def test_regen_writes_answers_that_differ_alone(folder, say) -> None:
    said = {"rule": "It is refused.", "clause": load_clauses(DEFAULT_SPEC)[0].id}
    say("reward", differs=[differing(**said), differing(ONE)])
    checked = regenerated(SPEC, check=True)
    assert f"{SPEC}/{ONE}" in checked.changed
    assert folder / "reward.json" in checked.rewritten
    result = regenerated(SPEC)
    assert f"{SPEC}/{NULL}" not in result.unreviewed
    assert f"{SPEC}/{ONE}" not in result.unreviewed
    document = json.loads((folder / "reward.json").read_text("utf-8"))
    listed = {entry["id"]: entry for entry in document["differs"]}
    assert f"{SPEC}/{ONE}" not in listed
    assert listed[f"{SPEC}/{NULL}"].items() >= {"expected": REFUSED, "provenance": SPEC, **said}.items()
    unreviewed = [key for key in result.unreviewed if "/reward/" in key]
    assert unreviewed == sorted(listed.keys() - {f"{SPEC}/{NULL}"})
    assert document["vectors"] == []
    assert validator("vector-file").is_valid(document)
    locked = Lock.read(folder / "lock.json", SPEC).vectors
    assert {key for key in locked if "/reward/" in key} == listed.keys()
    again = regenerated(SPEC, check=True)
    assert (again.changed, again.rewritten, again.lock_problems) == ([], [], [])
