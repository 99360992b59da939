"""`python -m tools.merge`: two branches that each add to the same files of vectors."""

import json
import subprocess

import pytest

from conformance.suite.lock import Lock
from conformance.wire.writing import dumps
from tools import merge
from tools.merge import MergeError, merged

SPEC = "harbor-0.13.1"


def section(*entries):
    return {"spec": SPEC, "section": "evals_key", "vectors": list(entries)}


def clause(slug, number, **more):
    return {"id": f"003-{number}-{slug}", "document": "003", "section": number, "untested": None, **more}


def test_each_side_keeps_what_it_did(vectors) -> None:
    one, two, three, four = (vectors.entry(slug) for slug in ("one", "two", "three", "four"))
    renewed = {**one, "rule": "Other words."}
    text = merged("x", section(one, two), section(renewed, two, four), section(one, three))
    assert text == dumps(section(four, renewed, three)), "two is gone, and all are sorted by id"


def test_a_lock_has_both_sides_hashes_retirements_and_corrections() -> None:
    def lock(vectors, retired, accepted):
        return json.loads(Lock(SPEC, vectors, retired, accepted).text())

    ours = lock({"a": "1", "b": "2", "a@x": "5"}, {}, [{"id": "a", "to": "1"}])
    theirs = lock({"a": "0", "c": "3"}, {"d": "useless"}, [{"id": "e", "to": "2"}])
    both = Lock(SPEC, {"a": "1", "b": "2", "c": "3", "a@x": "5"}, {"d": "useless"}, [])
    both.accepted = ours["accepted"] + theirs["accepted"]
    assert merged("x", lock({"a": "0", "d": "4"}, {}, []), ours, theirs) == both.text()


def test_clauses_stay_in_the_documents_order() -> None:
    old = [clause("a", "1.2"), clause("b", "1.10"), clause("w", "Words")]
    ours = [*old[:2], clause("of-ours", "1.11"), old[2]]
    theirs = [*old[:2], clause("of-theirs", "1.10"), old[2], clause("x", "Words"), clause("y", "Others")]
    text = merged("x", *({"clauses": clauses} for clauses in (old, ours, theirs)))
    slugs = [one["id"].partition("-")[2].partition("-")[2] for one in json.loads(text)["clauses"]]
    assert slugs == ["a", "b", "of-theirs", "of-ours", "w", "x", "y"]


@pytest.mark.parametrize("other", [{"rule": "Theirs."}, {"flags": []}, None])
def test_an_entry_that_both_changed_is_for_a_person(vectors, other) -> None:
    one = vectors.entry("one")
    theirs = section() if other is None else section({**one, **other})
    with pytest.raises(MergeError, match=f"^{SPEC}/evals_key/one in vectors in x.json was changed by both"):
        merged("x.json", section(one), section({**one, "rule": "Ours."}), theirs)
    with pytest.raises(MergeError, match="changed by both"):
        merged("x.json", section(), section(one), section(vectors.entry("one", ok={"evals_key": "other"})))


@pytest.mark.slow
def test_two_branches_of_a_checkout(vectors, tmp_path, monkeypatch, capsys) -> None:
    monkeypatch.chdir(tmp_path)

    def git(*words, code=0):
        who = ("-c", "user.name=n", "-c", "user.email=e@example.org", "-c", "init.defaultBranch=main")
        done = subprocess.run(["git", *who, *words], capture_output=True, text=True, timeout=60)
        assert done.returncode == code, done.stderr
        return done.stdout

    file = tmp_path / "vectors" / SPEC / "evals_key.json"
    file.parent.mkdir(parents=True)

    def commit(*slugs, notes="") -> None:
        file.write_text(dumps(section(*map(vectors.entry, slugs))), encoding="utf-8")
        (tmp_path / "notes.md").write_text(notes, encoding="utf-8")
        git("add", ".")
        git("commit", "-q", "-m", "a change")

    git("init", "-q")
    commit("m")
    git("checkout", "-q", "-b", "other")
    commit("m", "theirs")
    git("checkout", "-q", "main")
    commit("m", "ours")
    git("merge", "-q", "other", code=1)
    assert merge.main() == 0
    assert capsys.readouterr().out == f"merged: vectors/{SPEC}/evals_key.json\n"
    assert file.read_text("utf-8") == dumps(section(*map(vectors.entry, ("m", "ours", "theirs"))))
    git("commit", "-q", "-m", "both")
    git("checkout", "-q", "-b", "third", "HEAD~1")
    commit("m", "ours", notes="third")
    git("checkout", "-q", "main")
    commit("m", "ours", "theirs", notes="main")
    git("merge", "-q", "third", code=1)
    assert merge.main() == 1
    assert capsys.readouterr().err == "left for you: notes.md\n"
    git("checkout", "-q", "-f", "third")
    monkeypatch.chdir("/")
    with pytest.raises(SystemExit, match="not a git repository"):
        merge.main()
