"""The file of excuses is held strictly, and what it says of codes and aliases is tried."""

import itertools
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conformance.mistakes.variant import Variant, module_names
from conformance.mutants.excuses import EXCUSES, Excuse, ExcusesError, load_excuses, stale
from conformance.mutants.fate import Fate, Verdict
from conformance.mutants.mutator import mutants_of
from conformance.mutants.selection import all_mutants

REASON = "The two operands are ints, and ints can change places."
MUTANT = {"id": "made:f:arithmetic:1", "before": "return a + b", "after": "return a - b"}


def written(path: Path, document: Any) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


def test_the_kits_own_are_of_mutants_that_there_are() -> None:
    excuses = load_excuses()
    every = [mutant for mutant, _ in all_mutants(module_names())]
    assert stale(excuses, every, module_names(), {}) == []
    assert EXCUSES.read_text(encoding="utf-8").endswith("}\n")


@pytest.mark.parametrize(
    ("document", "match"),
    [
        ([], "must be an object with equivalent"),
        ({"equivalent": {}}, "equivalent must be a list"),
        ({"equivalent": [], "more": 1}, "nothing else"),
        ({"equivalent": [{"mutants": [MUTANT]}]}, "must be an object with reason, mutants"),
        ({"equivalent": [{"reason": "", "mutants": [MUTANT]}]}, "is no reason"),
        ({"equivalent": [{"reason": "Hard to test.", "mutants": [MUTANT]}]}, "is no reason"),
        ({"equivalent": [{"reason": REASON, "mutants": []}]}, "excuses no mutant"),
        ({"equivalent": [{"reason": REASON, "mutants": [{"id": "a"}]}]}, "with id, before, after"),
        ({"equivalent": [{"reason": REASON, "mutants": [{**MUTANT, "id": 1}]}]}, "id must be a string"),
        ({"equivalent": [{"reason": REASON, "mutants": [MUTANT, MUTANT]}]}, "is excused twice"),
    ],
)
def test_malformed(tmp_path: Path, document: Any, match: str) -> None:
    with pytest.raises(ExcusesError, match=match):
        load_excuses(written(tmp_path / "equivalent.json", document))


def test_an_excuse_of_some_pythons(tmp_path: Path) -> None:
    running = "{}.{}".format(*sys.version_info)
    for pythons, count in (([running], 1), (["2.7"], 0), (["2.7", running], 1)):
        entry = {"reason": REASON, "pythons": pythons, "mutants": [MUTANT]}
        assert len(load_excuses(written(tmp_path / "equivalent.json", {"equivalent": [entry]}))) == count


def test_unreadable(tmp_path: Path) -> None:
    with pytest.raises(ExcusesError, match="can't be read: No such file"):
        load_excuses(tmp_path / "none.json")
    (tmp_path / "broken.json").write_text("{", encoding="utf-8")
    with pytest.raises(ExcusesError, match="is not JSON"):
        load_excuses(tmp_path / "broken.json")


def problems(excuse: Excuse, **fates: Fate) -> list[str]:
    made = mutants_of("made", "def f(a, b):\n    return a + b\n")
    verdicts = {f"made:f:{name}:1": Verdict(fate, "the-vector") for name, fate in fates.items()}
    return stale({excuse.id: excuse}, made, ["made"], verdicts)


def test_an_excuse_that_holds() -> None:
    excuse = Excuse(**MUTANT, reason=REASON)
    assert problems(excuse) == problems(excuse, arithmetic=Fate.SURVIVED) == []


def test_stale_excuses() -> None:
    gone = Excuse("made:g:arithmetic:1", "return a + b", "return a - b", REASON)
    assert problems(gone) == ["made:g:arithmetic:1: there is no such mutant any more"]
    other = Excuse("made:f:arithmetic:1", "return a + c", "return a - c", REASON)
    assert problems(other) == ["made:f:arithmetic:1: there is no such mutant any more"]
    moved = Excuse("made:f:arithmetic:7", "return a + b", "return a - b", REASON)
    assert problems(moved) == [
        "made:f:arithmetic:7: there is no such mutant any more; the same change is made:f:arithmetic:1 now"
    ]
    killed = Excuse(**MUTANT, reason=REASON)
    assert problems(killed, arithmetic=Fate.KILLED) == [
        "made:f:arithmetic:1: it is killed by the-vector, so it needs no excuse"
    ]


def test_excuses_of_other_modules_are_left_alone() -> None:
    assert stale({"x:f:a:1": Excuse("x:f:a:1", "", "", REASON)}, [], ["made"], {}) == []


def test_codes_and_aliases_are_found_without_their_tables() -> None:
    """The proof of the largest family: every name, with its parts joined in every way."""
    reference, without = Variant(), Variant()
    module: Any = reference.module("reason_code")
    bare: Any = without.module("reason_code")
    bare.KNOWN_CODES, bare._ALIASES = frozenset(), {}
    for name in [*module.KNOWN_CODES, *module._ALIASES]:
        parts = name.split("_")
        joints = itertools.product(["_", "-", " ", ""], repeat=len(parts) - 1)
        for text in ("".join(itertools.chain(*zip(parts, (*joint, ""), strict=True))) for joint in joints):
            for spelled in (text, text.upper(), f" {text}\n"):
                assert bare.reason_code(spelled) == module.reason_code(spelled)
