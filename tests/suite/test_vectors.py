"""Loading vectors; and a lint that holds the kit's own vectors to their form."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

from conformance.judging.key_order import sorted_text
from conformance.paths import DEFAULT_SPEC, spec_names, vectors_dir
from conformance.registry.ops import SPEC_TABLE
from conformance.suite.canonical import canonical_vector
from conformance.suite.clauses import load_clauses, load_flags, traces
from conformance.suite.lock import Lock, LockError, guarded, meaning
from conformance.suite.vectors import (
    NOT_SECTIONS,
    Vector,
    VectorFileError,
    load_file,
    load_spec,
    section_files,
    select,
    unique,
)
from conformance.wire.writing import dumps

# Loading


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "is not JSON: "),
        (b"\xff", "is not JSON: "),
        (b"[" * 100_000, "is not JSON: "),
        (b"[]", 'is no vector file: it has no list "vectors"'),
        (b"{}", 'is no vector file: it has no list "vectors"'),
        (b'{"vectors": {}}', 'is no vector file: it has no list "vectors"'),
        (b'{"vectors": [7]}', "vector 0 is no vector: "),
        (b'{"vectors": [], "vectors": []}', "is not JSON: it holds an object with a duplicate key"),
        (b'{"vectors": [NaN]}', "is not JSON: it holds the bare token NaN"),
        (b'{"vectors": [{"id": "a/b/c"}]}', "vector a/b/c is no vector: "),
    ],
)
def test_a_file_that_holds_no_vectors(tmp_path: Path, content: bytes, sentence: str) -> None:
    path = tmp_path / "some.json"
    path.write_bytes(content)
    with pytest.raises(VectorFileError) as refused:
        load_file(path)
    assert str(refused.value).startswith(str(path))
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(VectorFileError, match="can't be read: No such file or directory"):
        load_file(tmp_path / "absent.json")
    with pytest.raises(VectorFileError, match="can't be read: Is a directory"):
        load_file(tmp_path)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *((field, ...) for field in ("id", "op", "rule", "clause", "flags", "input", "catches", "since")),
        ("op", "no_such_op"),
        ("expected", {}),
        ("expected", {"ok": 1, "error": {}}),
        ("expected", 5),
        ("expected", {"ok": 1}),
        ("expected", {"ok": {}, "note": 1}),
        ("expected", {"error": {"type": "ValueError"}}),
        ("id", 5),
        ("id", "two words"),
        ("id", "\x1b[31m"),
        ("input", []),
        ("also", "text"),
        ("unordered", [1]),
        ("flags", 5),
    ],
)
def test_an_entry_that_is_no_vector(vectors: Any, field: str, value: Any) -> None:
    entry = vectors.entry("one")
    if value is ...:
        del entry[field]
    else:
        entry[field] = value
    with pytest.raises(VectorFileError, match="is no vector: "):
        vectors.load(entry)


def test_an_id_stands_once_in_a_file(vectors: Any) -> None:
    with pytest.raises(VectorFileError, match=r"holds harbor-0\.13\.1/evals_key/one more than once"):
        vectors.load(vectors.entry("one"), vectors.entry("two"), vectors.entry("one"))


def test_an_id_means_one_thing_in_a_run(vectors: Any, tmp_path: Path) -> None:
    """A copy of a file does no harm; another answer under the same id would hide one of the two outcomes."""
    first = load_file(vectors.write([vectors.entry("one")], "first.json"))
    copy = load_file(vectors.write([vectors.entry("one")], "copy.json"))
    other = load_file(vectors.write([vectors.entry("one", ok={"evals_key": 1})], "other.json"))
    nearly = load_file(vectors.write([vectors.entry("one", ok={"evals_key": 1.0})], "nearly.json"))
    assert unique([*first, *copy]) == first
    for several in ([*first, *other], [*other, *nearly]):
        with pytest.raises(VectorFileError, match=r"/one differs from .*\.json's: choose another id"):
            unique(several)


def test_an_unknown_spec_is_told_with_the_known_ones() -> None:
    with pytest.raises(
        VectorFileError, match=r"there is no spec 'harbor-9'; choose one of .*harbor-0\.13\.1"
    ):
        section_files("harbor-9")
    with pytest.raises(VectorFileError):
        load_spec("../vectors")


def test_the_expected_answer_is_no_part_of_a_request(vectors: Any) -> None:
    [vector] = vectors.load(vectors.entry("one", ok={"evals_key": "a secret"}))
    assert b"secret" not in vector.request().tail
    assert b"secret" not in vector.request(numbers_as_strings=True).tail


def test_only_a_large_vector_may_have_a_long_line(vectors: Any) -> None:
    one, large = vectors.load(vectors.entry("one"), vectors.entry("two", flags=["large"]))
    assert (one.request().line_limit, large.request().line_limit) == (1 << 20, 64 << 20)


def test_vectors_are_chosen_by_id_or_pattern_in_the_files_order(vectors: Any) -> None:
    every = vectors.load(*(vectors.entry(slug) for slug in ("b", "a", "c1", "c2")))
    prefix = "harbor-0.13.1/evals_key/"

    def chosen(*patterns: str) -> list[str]:
        return [vector.id.removeprefix(prefix) for vector in select(every, patterns)]

    assert chosen() == ["b", "a", "c1", "c2"]
    assert chosen(prefix + "a") == ["a"]
    assert chosen("*/c?", prefix + "b") == ["b", "c1", "c2"]
    assert chosen("a") == []


# The lock


def test_the_lock_tells_every_change_of_meaning(vectors: Any) -> None:
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
        problems = lock.problems(vectors.load({**entry, field: value}))
        assert [problem.partition(":")[0] for problem in problems] == [f"{locked.id} changed its meaning"], (
            field
        )
    for field, value in {"rule": "Other words.", "flags": ["other"], "provenance": None}.items():
        assert lock.problems(vectors.load({**entry, field: value})) == [], field


def test_the_order_of_keys_is_part_of_the_meaning(vectors: Any) -> None:
    [one] = vectors.load(vectors.entry("one", ok={"a": 1, "b": 2}))
    [other] = vectors.load(vectors.entry("one", ok={"b": 2, "a": 1}))
    [float_one] = vectors.load(vectors.entry("one", ok={"a": 1.0, "b": 2}))
    assert len({meaning(one), meaning(other), meaning(float_one)}) == 3


def test_a_lock_grows_and_never_changes_unasked(vectors: Any, tmp_path: Path) -> None:
    path = tmp_path / "lock.json"
    lock = Lock.read(path, DEFAULT_SPEC)
    first = vectors.load(vectors.entry("one"), vectors.entry("two"))
    lock.update(first, set(), set(), "")
    path.write_text(lock.text(), encoding="utf-8")
    lock = Lock.read(path, DEFAULT_SPEC)
    assert lock.problems(first) == []

    one = first[0].id
    changed = vectors.load(vectors.entry("one", ok={"evals_key": "new"}), vectors.entry("two"))
    with pytest.raises(LockError, match=f"{one} changed its meaning"):
        lock.update(changed, set(), set(), "")
    lock.update(changed, {one}, set(), "it was a mistake of ours")
    assert lock.problems(changed) == []
    assert lock.accepted == [
        {
            "id": one,
            "reason": "it was a mistake of ours",
            "from": meaning(first[0]),
            "to": meaning(changed[0]),
        }
    ]

    with pytest.raises(LockError, match=f"{one} is in the lock but not among the vectors"):
        lock.update(changed[1:], set(), set(), "")
    lock.update(changed[1:], set(), {one}, "nobody needs it")
    assert lock.retired == {one: "nobody needs it"}
    with pytest.raises(LockError, match=rf"{one} is retired \(nobody needs it\): use a new id"):
        lock.update(changed, set(), set(), "")


@pytest.mark.parametrize("accept", [True, False])
def test_a_name_that_fits_nothing_is_refused(vectors: Any, accept: bool) -> None:
    lock = Lock(DEFAULT_SPEC, {}, {}, [])
    every = vectors.load(vectors.entry("one"))
    lock.update(every, set(), set(), "")
    for name in (every[0].id, "no-such-id"):
        with pytest.raises(LockError, match="--accept" if accept else "--retire"):
            lock.update(every, {name} if accept else set(), set() if accept else {name}, "why")


# The lint of the kit's own vectors

SPECS = spec_names()
FILES = [path for spec in SPECS for path in section_files(spec)]
per_spec = pytest.mark.parametrize("spec", SPECS)
per_file = pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")


def document(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@per_file
def test_a_file_is_canonical(path: Path) -> None:
    whole = document(path)
    listed = [name for name in ("vectors", "differs") if name in whole]
    entries = {
        name: sorted(map(canonical_vector, whole[name]), key=lambda entry: str(entry["id"]))
        for name in listed
    }
    assert dumps({**whole, **entries}) == path.read_text(encoding="utf-8")


@per_spec
def test_the_companions_are_canonical(spec: str) -> None:
    for name in sorted(NOT_SECTIONS):
        path = vectors_dir(spec) / name
        if SPEC_TABLE[spec].base is not None and not path.exists():
            continue  # it has its base's
        assert dumps(document(path)) == path.read_text(encoding="utf-8"), name


@per_file
def test_an_id_is_spec_section_and_slug(path: Path) -> None:
    whole = document(path)
    assert (whole["spec"], whole["section"]) == (path.parent.name, path.stem)
    prefix = f"{path.parent.name}/{path.stem}/"
    entries = [entry for name in ("vectors", "differs", "left_out") for entry in whole.get(name, ())]
    assert [entry["id"] for entry in entries if not entry["id"].startswith(prefix)] == []


VERDICTS = {
    "valid",
    "invalid",
    "ok",
    "fail",
    "fails",
    "pass",
    "passes",
    "error",
    "wrong",
    "correct",
    "bad",
    "good",
}


@per_file
def test_no_slug_is_a_verdict(path: Path) -> None:
    slugs = {vector.id: vector.id.rpartition("/")[2] for vector in load_file(path)}
    assert [vector_id for vector_id, slug in slugs.items() if slug in VERDICTS] == []


@per_spec
def test_ids_are_unique(spec: str) -> None:
    counted = Counter(vector.id for vector in load_spec(spec))
    assert [vector_id for vector_id, count in counted.items() if count > 1] == []


@per_spec
def test_no_two_vectors_ask_the_same(spec: str) -> None:
    by_question: dict[str, list[str]] = {}
    for vector in load_spec(spec):
        question = json.dumps([vector.op.name, vector.input])  # key order is data
        by_question.setdefault(question, []).append(vector.id)
    assert [ids for ids in by_question.values() if len(ids) > 1] == []


@per_file
def test_every_vector_has_an_answer_and_its_source(path: Path) -> None:
    assert [vector.id for vector in load_file(path) if vector.expected is None or not vector.provenance] == []


def refuses(vector: Vector) -> bool:
    return vector.expected is not None and "error" in vector.expected


@per_spec
def test_an_error_has_a_valid_neighbour(spec: str) -> None:
    every = {vector.id: vector for vector in load_spec(spec)}
    alone = [vector.id for vector in every.values() if refuses(vector) and not vector.twin]
    assert alone == []
    wrong = [
        f"{vector.id} -> {vector.twin}"
        for vector in every.values()
        if vector.twin
        and (
            vector.twin == vector.id
            or vector.twin not in every
            or every[vector.twin].op is not vector.op
            or (refuses(vector) and refuses(every[vector.twin]))
        )
    ]
    assert wrong == []


@per_spec
def test_flags_are_explained_and_used(spec: str) -> None:
    used = {flag for vector in load_spec(spec) for flag in vector.flags}
    assert used == set(load_flags(spec))


@per_spec
def test_clauses_are_known_and_traced_or_excused(spec: str) -> None:
    clauses = load_clauses(spec)
    ids = [clause.id for clause in clauses]
    assert [name for name, count in Counter(ids).items() if count > 1] == []
    traced = traces(load_spec(spec))
    assert sorted(set(traced) - set(ids)) == []
    assert [clause.id for clause in clauses if not traced.get(clause.id) and not clause.untested] == []
    assert [clause.id for clause in clauses if traced.get(clause.id) and clause.untested] == []


@per_spec
def test_clauses_stand_in_the_documents_order(spec: str) -> None:
    """Numbered sections ascend; words, for a document that numbers nothing, stand together."""
    clauses = load_clauses(spec)
    assert [c.document for c in clauses] == sorted(c.document for c in clauses)
    numbered = [c for c in clauses if c.section[0].isdigit()]
    places = [(c.document, *(int(part) for part in c.section.split("."))) for c in numbered]
    assert places == sorted(places)
    assert [c.id for c in numbered if not c.id.startswith(f"{c.document}-{c.section}-")] == []
    stretches = [place for place, _ in groupby((c.document, c.section) for c in clauses)]
    assert len(stretches) == len(set(stretches))
    assert [c.id for c in clauses if not c.id.startswith(f"{c.document}-")] == []
    mixed = {c.document for c in numbered} & {c.document for c in clauses if c not in numbered}
    assert mixed == set()


@per_spec
def test_rules_are_one_sentence_and_catches_say_something(spec: str) -> None:
    every = load_spec(spec)
    assert [vector.id for vector in every if not vector.rule.endswith(".") or "\n" in vector.rule] == []
    assert [vector.id for vector in every if len(vector.catches) < 4 or "\n" in vector.catches] == []
    assert [vector.id for vector in every if vector.catches == vector.rule] == []


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)


@per_spec
def test_no_message_holds_what_cannot_travel(spec: str) -> None:
    """Lone surrogates are outside Unicode text; a line is at most 1 MiB unless flagged large."""
    surrogates, long = [], []
    for vector in load_spec(spec):
        if any(
            "\ud800" <= char <= "\udfff" for text in strings([vector.input, vector.expected]) for char in text
        ):
            surrogates.append(vector.id)
        request = vector.request()
        if max(len(request.tail), len(json.dumps(vector.expected))) > request.line_limit - 100:
            long.append(vector.id)
    assert surrogates == []
    assert long == []


@per_spec
def test_the_lock_agrees(spec: str) -> None:
    lock = Lock.read(vectors_dir(spec) / "lock.json", spec)
    assert lock.problems(guarded(spec, load_spec(spec), lock)) == []
    assert lock.text() == (vectors_dir(spec) / "lock.json").read_text(encoding="utf-8")


@per_spec
def test_free_key_order_is_asked_for_only_where_there_are_keys(spec: str) -> None:
    for vector in load_spec(spec):
        for pointer in vector.unordered:
            assert vector.expected is not None
            value = vector.expected["ok"]
            place, inside, within = pointer.partition("#")
            for key in place.split("/")[1:]:
                value = value[key]
            if inside:
                assert sorted_text(value["text"], [within]) == value["text"], vector.id
                value = json.loads(value["text"])
                for key in within.split("/")[1:]:
                    value = value[key.replace("~1", "/").replace("~0", "~")]
            assert isinstance(value, dict), vector.id
            assert len(value) > 1, vector.id


def test_every_file_of_the_vectors_belongs_to_a_spec(faults: Callable[[str, Any], list[str]]) -> None:
    assert DEFAULT_SPEC in SPECS
    for spec in SPECS:
        assert section_files(spec) or SPEC_TABLE[spec].base is not None, spec
        assert faults("lock", document(vectors_dir(spec) / "lock.json")) == []
