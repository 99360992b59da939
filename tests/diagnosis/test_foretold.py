"""The memo of what known mistakes answer: it is as if they were asked."""

import json
import lzma
import random
import sys
from pathlib import Path

import pytest

from conformance.diagnosis.evidence import expected_answer
from conformance.diagnosis.foretold import Foretold, file_of, foretell, foretold, question, save
from conformance.diagnosis.scratch import Scratch
from conformance.judging.comparison import Level
from conformance.mistakes.catalogue import all_mistakes
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPEC_TABLE, SPECS
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import Ok, Refused

HERE = sys.modules["conformance.diagnosis.foretold"]
SMALL, OVERLAY = "harbor-metric", "harbor-0.25.0"
ONE = Ok({"b": 1})
STALE = "the memo of {} is stale: run harbor-conformance foretell"


def key_of(vector: Vector) -> str:
    return question(vector.op.name, vector.input, expected_answer(vector), vector.unordered)


@pytest.mark.parametrize("spec", SPECS)
def test_the_memo_of_every_spec_is_fresh(spec: str) -> None:
    memo = foretold(spec)
    assert memo is not None, STALE.format(spec)
    keys = {key_of(vector) for vector in load_spec(spec)}
    if SPEC_TABLE[spec].base is None:
        assert keys == memo.rows.keys(), STALE.format(spec)
    assert keys <= memo.rows.keys(), STALE.format(spec)  # beside them stand its base's


SOME = {DEFAULT_SPEC: 30, "evsys": 30, "harness-evals": 30, SMALL: 0}
"""How many mistakes are asked again; one of scripts starts a process for each of its vectors."""


@pytest.mark.parametrize("spec", SPECS)
def test_the_memo_is_what_mistakes_answer(spec: str) -> None:
    memo = foretold(spec)
    assert memo is not None, STALE.format(spec)
    vectors = load_spec(spec)
    keys = {vector.id: key_of(vector) for vector in vectors}
    known = all_mistakes(spec)
    some = random.Random(5).sample(sorted(known), SOME.get(spec, 10))
    asked = dict(foretell(Scratch(spec), vectors, [known[name] for name in some])) if some else {}
    wrong = 0
    for name in some:
        kept = {
            vector.id: {(path, level, mark) for path, (level, mark) in places.items()}
            for vector in vectors
            for places, names in memo.rows[keys[vector.id]]
            if name in names
        }
        live = {key: {tuple(one) for one in places} for key, places in asked[name].items()}
        assert kept == live, name
        wrong += len(live)
    assert wrong >= len(some)


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A memo written anew, of one mistake."""
    path = tmp_path / "memo.json.xz"
    monkeypatch.setattr(HERE, "file_of", lambda spec: path)
    vectors, names = load_spec(SMALL), list(all_mistakes(SMALL))
    told: dict[str, dict[str, list[object]]] = {name: {} for name in names}
    told[names[1]][vectors[0].id] = [("/a", 2, "0f"), ("", 3, "1e")]
    told[names[2]][vectors[0].id] = [("/a", 2, "0f")]
    told[names[3]][vectors[0].id] = [("/a", 2, "0f")]
    path.write_bytes(save(SMALL, vectors, told))
    assert save(SMALL, vectors, told) == path.read_bytes()
    return path


def test_a_memo_is_read_as_it_was_written(kept: Path) -> None:
    memo = foretold.__wrapped__(SMALL)
    assert memo is not None
    vectors, names = load_spec(SMALL), list(all_mistakes(SMALL))
    assert memo.rows.keys() == {key_of(vector) for vector in vectors}
    row = memo.rows[key_of(vectors[0])]
    assert row == [
        ({"/a": (Level.EXACT, "0f"), "": (Level.BYTES, "1e")}, (names[1],)),
        ({"/a": (Level.EXACT, "0f")}, (names[2], names[3])),
    ]
    assert all(not memo.rows[key_of(vector)] for vector in vectors[1:])


def test_the_memo_of_a_difference_holds_what_its_bases_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, vectors, names = str(SPEC_TABLE[OVERLAY].base), load_spec(OVERLAY)[:20], list(all_mistakes(OVERLAY))
    here = {"/a": (Level.EXACT, "0f")}
    same, other = key_of(vectors[0]), key_of(vectors[1])
    rows = {key_of(vector): [] for vector in vectors} | {same: [(here, (names[1],))]}
    of_base = Foretold("", rows)
    monkeypatch.setattr(HERE, "file_of", lambda spec: tmp_path / spec)
    monkeypatch.setattr(HERE, "foretold", lambda spec: of_base if spec == base else None)
    told: dict[str, dict[str, list[object]]] = {name: {} for name in names}
    told[names[1]] = {vectors[0].id: [("/a", 2, "0f")], vectors[1].id: [("/a", 2, "0f")]}
    file_of_overlay = tmp_path / OVERLAY
    file_of_overlay.write_bytes(save(OVERLAY, vectors, told))
    assert json.loads(lzma.decompress(file_of_overlay.read_bytes()))["vectors"].keys() == {other}
    memo = foretold.__wrapped__(OVERLAY)
    assert memo is not None
    assert memo.rows[same] == memo.rows[other] == [(here, (names[1],))]
    assert memo.rows.keys() == rows.keys()
    monkeypatch.setattr(HERE, "foretold", lambda spec: None)
    assert foretold.__wrapped__(OVERLAY) is None, "what the base says is not known"


def test_a_memo_of_other_code_is_none(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert foretold.__wrapped__(SMALL) is not None
    monkeypatch.setattr(HERE, "fingerprint", lambda spec: "another")
    assert foretold.__wrapped__(SMALL) is None


@pytest.mark.parametrize("content", [None, b"", b"no xz", lzma.compress(b"no json")])
def test_a_memo_that_is_broken_or_not_there_is_none(kept: Path, content: bytes | None) -> None:
    kept.unlink()
    if content is not None:
        kept.write_bytes(content)
    assert foretold.__wrapped__(SMALL) is None


def test_each_spec_has_a_file_of_its_own() -> None:
    assert len({file_of(spec) for spec in SPECS}) == len(SPECS)
    assert all(file_of(spec).is_file() for spec in SPECS)


def test_a_question_is_all_that_decides_what_is_wrong() -> None:
    def asked(op: str = "a", given: object = 1, due: Ok | Refused = ONE, free: tuple[str, ...] = ()) -> str:
        return question(op, given, due, frozenset(free))

    others = [
        asked("b"),
        asked(given=1.0),
        asked(given={"a": 1, "b": 2}),
        asked(given={"b": 2, "a": 1}),
        asked(due=Ok({"b": 1.0})),
        asked(due=Refused("E", None)),
        asked(due=Refused("E", "c")),
        asked(free=("/x",)),
    ]
    assert len({asked(), *others}) == len(others) + 1
    assert asked(due=Refused("E", None, "one message")) == asked(due=Refused("E", None, "another"))
