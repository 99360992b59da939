"""Regeneration, with fake sources over a small spec: what is asked, written, refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.oracle import regen
from conformance.oracle.regen import RegenError, RegenResult, Source, regenerate
from conformance.suite.canonical import canonical_vector
from conformance.suite.lock import LockError
from conformance.suite.vectors import load_file

SPEC = "harbor-0.13.1"
ONE = f"{SPEC}/evals_key/one"
TWO = f"{SPEC}/evals_key/two"


class Small:
    """A spec of one file, and a source that answers from another."""

    def __init__(self, vectors: Any, hostile: Callable[..., tuple[str, ...]], folder: Path) -> None:
        self.vectors, self.hostile, self.folder = vectors, hostile, folder
        self.path = folder / "evals_key.json"
        self.lock = folder / "lock.json"

    def write(self, *entries: dict[str, Any]) -> None:
        self.path.write_text(self.vectors.write(list(entries)).read_text(encoding="utf-8"), encoding="utf-8")

    def run(self, *truth: dict[str, Any], behaviour: str = "correct", **options: Any) -> RegenResult:
        command = self.hostile(self.vectors.write(list(truth), "truth.json"), behaviour)
        sources = [Source(SPEC, frozenset(), command)]
        return regenerate(SPEC, sources, **{"check": False, **options})

    def answers(self) -> dict[str, Any]:
        return {vector.id: vector.expected for vector in load_file(self.path)}


@pytest.fixture
def small(
    vectors: Any, hostile: Callable[..., tuple[str, ...]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Small:
    folder = tmp_path / "spec"
    folder.mkdir()
    made = Small(vectors, hostile, folder)
    monkeypatch.setattr(regen, "section_files", lambda spec: [made.path])
    monkeypatch.setattr(regen, "load_files", lambda spec: {made.path: load_file(made.path)})
    monkeypatch.setattr(regen, "vectors_dir", lambda spec: folder)
    return made


def without_answer(entry: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in entry.items() if key not in ("expected", "provenance")}


def test_answers_are_filled_in_and_locked(small: Small) -> None:
    entry = small.vectors.entry
    small.write(without_answer(entry("two")), without_answer(entry("one")))
    result = small.run(entry("one"), entry("two"))
    assert (result.asked, result.changed, result.rewritten) == (2, [TWO, ONE], [small.path])
    document = json.loads(small.path.read_text(encoding="utf-8"))
    assert document["vectors"] == [entry("one"), entry("two")]  # sorted by id, source named
    assert sorted(json.loads(small.lock.read_text(encoding="utf-8"))["vectors"]) == [ONE, TWO]


def test_a_second_time_changes_nothing(small: Small) -> None:
    entry = small.vectors.entry("one")
    small.write(entry)
    small.run(entry)
    before = small.path.read_bytes(), small.lock.read_bytes()
    result = small.run(entry)
    assert (result.changed, result.rewritten) == ([], [])
    result = small.run(entry, check=True)
    assert (result.changed, result.rewritten, result.lock_problems) == ([], [], [])
    assert (small.path.read_bytes(), small.lock.read_bytes()) == before


def test_check_tells_and_writes_nothing(small: Small) -> None:
    entry = small.vectors.entry
    small.write(entry("one"), entry("two"))
    small.run(entry("one"), entry("two"))
    before = small.path.read_bytes(), small.lock.read_bytes()
    result = small.run(entry("one", ok={"evals_key": "new"}), entry("two"), check=True)
    assert (result.asked, result.changed, result.rewritten) == (2, [ONE], [small.path])
    assert [problem.partition(":")[0] for problem in result.lock_problems] == [f"{ONE} changed its meaning"]
    assert (small.path.read_bytes(), small.lock.read_bytes()) == before


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 0.0}, {"a": -0.0}),
        ({"a": "NaN"}, {"a": "Infinity"}),
    ],
)
def test_small_differences_are_differences(small: Small, old: Any, new: Any) -> None:
    small.write(small.vectors.entry("one", ok=old))
    small.run(small.vectors.entry("one", ok=old))
    assert small.run(small.vectors.entry("one", ok=new), check=True).changed == [ONE]


def test_a_file_that_is_not_canonical_is_a_difference(small: Small) -> None:
    entry = small.vectors.entry("one")
    small.write(entry)
    small.run(entry)
    small.path.write_text(small.path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    result = small.run(entry, check=True)
    assert (result.changed, result.rewritten, result.lock_problems) == ([], [small.path], [])


def test_a_locked_answer_changes_only_when_it_is_accepted(small: Small) -> None:
    entry = small.vectors.entry
    small.write(entry("one"))
    small.run(entry("one"))
    before = small.path.read_bytes(), small.lock.read_bytes()
    with pytest.raises(LockError, match=f"{ONE} changed its meaning"):
        small.run(entry("one", ok={"evals_key": "new"}))
    assert (small.path.read_bytes(), small.lock.read_bytes()) == before
    small.run(entry("one", ok={"evals_key": "new"}), accept=[ONE], reason="it was a mistake of ours")
    assert small.answers() == {ONE: {"ok": {"evals_key": "new"}}}
    assert json.loads(small.lock.read_text(encoding="utf-8"))["accepted"][0]["id"] == ONE


def test_a_vector_that_is_gone_must_be_retired(small: Small) -> None:
    entry = small.vectors.entry
    small.write(entry("one"), entry("two"))
    small.run(entry("one"), entry("two"))
    small.write(entry("two"))
    with pytest.raises(LockError, match=f"{ONE} is in the lock but not among the vectors"):
        small.run(entry("two"))
    small.run(entry("two"), retire=[ONE], reason="nobody needs it")
    assert json.loads(small.lock.read_text(encoding="utf-8"))["retired"] == {ONE: "nobody needs it"}


def test_an_answers_free_key_order_is_written_sorted(small: Small) -> None:
    given = {"files": {}}
    question = small.vectors.entry("one", "parse_reward", given, {"rewards": {}}, unordered=["/rewards"])
    small.write(question)
    small.run({**question, "expected": {"ok": {"rewards": {"b": 1.0, "a": 2}}}})
    [answer] = small.answers().values()
    assert json.dumps(answer) == '{"ok": {"rewards": {"a": 2, "b": 1.0}}}'


def test_errors_are_kept_without_their_message(small: Small) -> None:
    given = {"files": {"reward.txt": {"text": ""}}}
    question = small.vectors.entry("one", "parse_reward", given, error="RewardFileEmptyError", twin="x")
    small.write(without_answer(question))
    small.run(question)
    error = {"type": "RewardFileEmptyError", "reason_code": "harbor_reward_empty"}
    assert list(small.answers().values()) == [{"error": error}]


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("exit", f"{ONE}: crash: the runner exited with code 3 instead of replying"),
        ("garbage", f"{ONE}: protocol-error: "),
        ("unsupported", f"{ONE}: the source says unsupported: not here"),
        ("hello-exit", f"the source {SPEC} can't be started: the runner exited with code 7"),
        (
            "words-after-the-end",
            f"the source {SPEC}: the runner wrote to standard output after its last reply",
        ),
    ],
)
def test_a_source_that_gives_no_answer_writes_nothing(small: Small, behaviour: str, sentence: str) -> None:
    entry = small.vectors.entry("one")
    small.write(without_answer(entry))
    before = small.path.read_bytes()
    with pytest.raises(RegenError) as refused:
        small.run(entry, behaviour=behaviour)
    assert str(refused.value).startswith(sentence)
    assert small.path.read_bytes() == before
    assert not small.lock.exists()


def test_a_source_that_is_not_at_hand_leaves_locked_answers(small: Small) -> None:
    entry = small.vectors.entry
    small.write(entry("one"), without_answer(entry("two")))
    absent = [Source(SPEC, frozenset(), None)]
    with pytest.raises(RegenError, match=f"{TWO} has no answer yet, and its source {SPEC} is not at hand"):
        regenerate(SPEC, absent, check=False)
    small.write(entry("one"))
    result = regenerate(SPEC, absent, check=False)
    assert (result.asked, result.left, result.changed) == (0, {SPEC: 1}, [])
    assert small.answers() == {ONE: entry("one")["expected"]}


def test_a_field_that_vectors_do_not_have_is_refused(vectors: Any) -> None:
    with pytest.raises(ValueError, match="there is no field 'expect'"):
        canonical_vector(vectors.entry("one", expect={}))


# Variants: what other environments answer

ELSEWHERE = "pydantic-2.12.5"


def elsewhere(small: Small, *truth: dict[str, Any]) -> dict[str, Source]:
    """Another environment, which answers this."""
    command = small.hostile(small.vectors.write(list(truth), "elsewhere.json"), "correct")
    return {ELSEWHERE: Source(ELSEWHERE, frozenset(), command)}


def other(small: Small, slug: str, key: str = "elsewhere") -> dict[str, Any]:
    entry: dict[str, Any] = small.vectors.entry(slug, ok={"evals_key": key})
    return entry


def test_what_another_environment_answers_is_stored_where_it_differs(small: Small) -> None:
    entry = small.vectors.entry
    small.write(entry("one"), entry("two"))
    small.run(entry("one"), entry("two"))
    locked = json.loads(small.lock.read_text(encoding="utf-8"))["vectors"]
    asked = elsewhere(small, entry("one"), other(small, "two"))
    result = small.run(entry("one"), entry("two"), environments_asked=asked, check=True)
    assert result.changed == [f"{TWO}@{ELSEWHERE}"]
    assert [problem.partition(":")[0] for problem in result.lock_problems] == [
        f"{TWO}@{ELSEWHERE} is not in the lock"
    ]
    result = small.run(entry("one"), entry("two"), environments_asked=asked)
    assert result.variants == {ELSEWHERE: 1}
    one, two = load_file(small.path)
    assert (one.variants, two.variants) == ({}, {ELSEWHERE: {"ok": {"evals_key": "elsewhere"}}})
    lock = json.loads(small.lock.read_text(encoding="utf-8"))
    assert lock["vectors"] == locked  # the meaning of a vector is what it was
    assert list(lock["variants"]) == [f"{TWO}@{ELSEWHERE}"]
    result = small.run(entry("one"), entry("two"), environments_asked=asked, check=True)
    assert (result.changed, result.rewritten, result.lock_problems) == ([], [], [])
    result = small.run(entry("one"), entry("two"), check=True)  # an environment that is not asked
    assert (result.changed, result.rewritten, result.lock_problems) == ([], [], [])


def test_an_environments_answer_is_guarded_as_any_other(small: Small) -> None:
    entry, variant = small.vectors.entry, f"{ONE}@{ELSEWHERE}"
    small.write(entry("one"))
    small.run(entry("one"), environments_asked=elsewhere(small, other(small, "one")))
    before = small.path.read_bytes(), small.lock.read_bytes()
    changed = elsewhere(small, other(small, "one", "changed"))
    with pytest.raises(LockError, match=f"{variant} changed its meaning"):
        small.run(entry("one"), environments_asked=changed)
    assert (small.path.read_bytes(), small.lock.read_bytes()) == before
    small.run(entry("one"), environments_asked=changed, accept=[variant], reason="a mistake of ours")
    alike = elsewhere(small, entry("one"))
    with pytest.raises(LockError, match=f"{variant} is in the lock but not among the vectors"):
        small.run(entry("one"), environments_asked=alike)
    small.run(entry("one"), environments_asked=alike, retire=[variant], reason="they answer alike")
    lock = json.loads(small.lock.read_text(encoding="utf-8"))
    assert ("variants" in lock, lock["retired"]) == (False, {})
    small.run(entry("one"), environments_asked=changed)
    small.write(entry("two"))
    small.run(entry("two"), retire=[ONE], reason="nobody needs it")  # with its variants
    assert list(json.loads(small.lock.read_text(encoding="utf-8"))["vectors"]) == [TWO]
