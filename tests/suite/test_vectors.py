"""Loading vectors, choosing among them, and their lock."""

from pathlib import Path

import pytest

from conformance.paths import DEFAULT_SPEC
from conformance.suite.choosing import nothing_has, select
from conformance.suite.lock import Lock, LockError, meaning
from conformance.suite.vectors import VectorFileError, load_file, load_spec, unique

# Loading


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is not a vector file: it is not JSON"),
        (b"\xff", "is not a vector file: "),
        (b"[" * 100_000, "is not a vector file: "),
        (b"[]", 'is not a vector file: it has no list "vectors"'),
        (b"{}", 'is not a vector file: it has no list "vectors"'),
        (b'{"vectors": {}}', 'is not a vector file: it has no list "vectors"'),
        (b'{"vectors": [7]}', "vector 0 is no vector: "),
        (b'{"vectors": [], "vectors": []}', "is not a vector file: it holds an object with a duplicate key"),
        (b'{"vectors": [NaN]}', "is not a vector file: it holds the bare token NaN"),
        (b'{"vectors": [{"id": "a/b/c"}]}', "vector a/b/c is no vector: "),
    ],
)
def test_a_file_that_holds_no_vectors(tmp_path, content, sentence) -> None:
    path = tmp_path / "some.json"
    path.write_bytes(content)
    with pytest.raises(VectorFileError) as refused:
        load_file(path)
    assert str(refused.value).startswith(str(path))
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_or_has_no_end(tmp_path, monkeypatch) -> None:
    with pytest.raises(VectorFileError, match="can't be read: No such file or directory"):
        load_file(tmp_path / "absent.json")
    with pytest.raises(VectorFileError, match="can't be read: Is a directory"):
        load_file(tmp_path)
    monkeypatch.setattr("conformance.suite.vectors._MAX_BYTES", 1 << 20)
    with pytest.raises(VectorFileError, match="/dev/zero is larger than 1 MiB"):
        load_file(Path("/dev/zero"))


SPOILT = {
    **{name: [...] for name in ("rule", "clause", "catches", "since")},
    "op": [..., "no_such_op"],
    "id": [..., 5, "", "two words", "\x1b[31m", "\ud800"],
    "input": [..., []],
    "flags": [..., 5],
    "also": ["text"],
    "unordered": [[1]],
    "expected": [
        *({}, {"ok": 1, "error": {}}, 5, {"ok": 1}, {"ok": {}, "note": 1}, {"error": {"type": "E"}}),
        {"error": "E"},
    ],
    "variants": [5, {"elsewhere": {"ok": {}}}, {"pydantic-2.12.5": {}}],
}


@pytest.mark.parametrize("field", SPOILT)
def test_an_entry_that_is_no_vector(vectors, field) -> None:
    for value in SPOILT[field]:
        entry = {**vectors.entry("one"), field: value}
        with pytest.raises(VectorFileError, match="is no vector: ") as refused:
            vectors.load({key: one for key, one in entry.items() if one is not ...})
        assert str(refused.value).isprintable()


def test_an_id_means_one_thing_in_a_file_and_in_a_run(vectors, tmp_path) -> None:
    """A copy of a file does no harm; another answer under the same id would hide one of the two outcomes."""
    with pytest.raises(VectorFileError, match=r"holds harbor-0\.13\.1/evals_key/one more than once"):
        vectors.load(vectors.entry("one"), vectors.entry("two"), vectors.entry("one"))
    first, copy, other, nearly = (
        load_file(vectors.write([vectors.entry("one", ok=ok)], f"{number}.json"))
        for number, ok in enumerate((None, None, {"evals_key": 1}, {"evals_key": 1.0}))
    )
    assert unique([*first, *copy]) == first
    for several in ([*first, *other], [*other, *nearly]):
        with pytest.raises(VectorFileError, match=r"/one differs from .*\.json's: choose another id"):
            unique(several)


def test_a_request_has_no_answer_and_only_one_of_a_large_vector_a_long_line(vectors) -> None:
    secret = vectors.entry("one", ok={"evals_key": "a secret"})
    one, large = vectors.load(secret, vectors.entry("two", flags=["large"]))
    for strings in (False, True):
        assert b"secret" not in one.request(numbers_as_strings=strings).tail
    assert (one.request().line_limit, large.request().line_limit) == (1 << 20, 64 << 20)


def test_vectors_are_chosen_by_id_or_pattern_in_the_files_order(vectors) -> None:
    every = vectors.load(*(vectors.entry(slug) for slug in ("b", "a", "c1", "c2")))
    prefix = "harbor-0.13.1/evals_key/"

    def chosen(*patterns):
        return [vector.id.removeprefix(prefix) for vector in select(every, patterns)]

    assert chosen() == ["b", "a", "c1", "c2"]
    assert chosen(prefix + "a") == ["a"]
    assert chosen("*/c?", prefix + "b") == ["b", "c1", "c2"]
    assert chosen("evals_key/c?", "a") == ["a", "c1", "c2"]
    assert chosen("keys/c?") == chosen(prefix + "c") == chosen(prefix + "C1") == []


@pytest.mark.parametrize(
    ("pattern", "meant"),
    [
        ("harbor-0.13.1/pass-at-k/*", "did you mean 'harbor-0.13.1/pass_at_k/*'?"),
        ("harbor-0.13.1/plan_trials/*", "did you mean 'harbor-0.13.1/plan/*'?"),
        ("pass_at_k", "there are harbor-0.13.1/aggregation/*, "),
        ("harbor-0.13.1/aggregation/sum-ten-tenth", "did you mean 'harbor-0.13.1/aggregation/sum-ten-tent"),
        ("harbor-0.25.0/plan/*", "give its spec too, --spec harbor-0.25.0"),
        ("\x1b[31m", "there are harbor-0.13.1/aggregation/*, harbor-0.13.1/evals_key/*, "),
    ],
)
def test_a_pattern_that_matches_nothing(pattern, meant) -> None:
    said = nothing_has(pattern, load_spec("harbor-0.13.1"))
    assert said.startswith(("no vector has the id ", "no vector matches "))
    assert meant in said
    assert said.isprintable()


def test_the_lock_tells_every_change_of_meaning(vectors) -> None:
    entry = vectors.entry("one", unordered=["/a"])
    [locked] = vectors.load(entry)
    lock = Lock(DEFAULT_SPEC, {locked.id: meaning(locked)}, {}, [])
    changes = {
        "op": "reason_code",
        "input": {"agent": "two", "model": None, "source": None},
        "expected": {"ok": {"evals_key": "other"}},
        "unordered": [],
    }
    for field, value in changes.items():
        (problem,) = lock.problems(vectors.load({**entry, field: value}))
        assert problem.startswith(f"{locked.id} changed its meaning: "), field
    for field, value in {"rule": "Other words.", "flags": ["other"], "provenance": None}.items():
        assert lock.problems(vectors.load({**entry, field: value})) == [], field


@pytest.mark.parametrize("accept", [True, False])
def test_a_name_that_fits_nothing_is_refused(vectors, accept) -> None:
    lock = Lock(DEFAULT_SPEC, {}, {}, [])
    every = vectors.load(vectors.entry("one"))
    lock.update(every, set(), set(), "")
    for name in (every[0].id, "no-such-id"):
        with pytest.raises(LockError, match="--accept" if accept else "--retire"):
            lock.update(every, {name} if accept else set(), set() if accept else {name}, "why")
