"""The file of excuses is held strictly, and what it says of codes and aliases is tried."""

import itertools
import json
import sys
from pathlib import Path

import pytest

from conformance.mistakes.mutators.mutants import mutants_of
from conformance.mistakes.variant import Variant, module_names
from conformance.mutants.excuses import EXCUSES, Excuse, ExcusesError, load_excuses, stale
from conformance.mutants.fate import Fate, Verdict
from conformance.mutants.selection import all_mutants

REASON = "The two operands are ints, and ints can change places."
MUTANT = {"id": "made:f:arithmetic:1", "before": "return a + b", "after": "return a - b"}


MALFORMED = json.loads(Path(__file__).with_name("malformed.json").read_text("utf-8"))


def test_the_kits_own_are_of_mutants_that_there_are() -> None:
    every = [mutant for mutant, _ in all_mutants(module_names())]
    assert stale(load_excuses(), every, module_names(), {}) == []
    assert EXCUSES.read_text(encoding="utf-8").endswith("}\n")


def test_a_file_of_excuses_is_held_strictly(tmp_path) -> None:
    path, running = tmp_path / "equivalent.json", "{}.{}".format(*sys.version_info)
    with pytest.raises(ExcusesError, match="can't be read: No such file"):
        load_excuses(path)
    malformed = [(json.dumps(one), match) for one, match in MALFORMED]
    for text, match in [("{", "is no list of proofs"), *malformed]:
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ExcusesError, match=match):
            load_excuses(path)
    for pythons, count in (([running], 1), (["2.7"], 0), (["2.7", running], 1)):
        entry = {"reason": REASON, "pythons": pythons, "mutants": [MUTANT]}
        path.write_text(json.dumps({"equivalent": [entry]}), encoding="utf-8")
        assert len(load_excuses(path)) == count


def problems(excuse, **fates):
    made = mutants_of("made", "def f(a, b):\n    return a + b\n")
    verdicts = {f"made:f:{name}:1": Verdict(fate, "the-vector") for name, fate in fates.items()}
    return stale({excuse.id: excuse}, made, ["made"], verdicts)


def test_an_excuse_holds_while_its_mutant_is_there_and_survives() -> None:
    excuse = Excuse(**MUTANT)
    assert problems(excuse) == problems(excuse, arithmetic=Fate.SURVIVED) == []
    assert stale({"x:f:a:1": Excuse("x:f:a:1", "", "")}, [], ["made"], {}) == []  # of another module
    [killed] = problems(excuse, arithmetic=Fate.KILLED)
    assert killed == "made:f:arithmetic:1: it is killed by the-vector, so it needs no excuse"
    for id_, operand, more in (
        ("made:g:arithmetic:1", "b", ""),
        ("made:f:arithmetic:1", "c", ""),
        ("made:f:arithmetic:7", "b", "; the same change is made:f:arithmetic:1 now"),
    ):
        [gone] = problems(Excuse(id_, f"return a + {operand}", f"return a - {operand}"))
        assert gone == f"{id_}: there is no such mutant any more{more}"


def test_codes_and_aliases_are_found_without_their_tables() -> None:
    """The proof of the largest family: every name, with its parts joined in every way."""
    reference, without = Variant(), Variant()
    module = reference.module("reason_code")
    bare = without.module("reason_code")
    bare.KNOWN_CODES, bare._ALIASES = frozenset(), {}
    for name in [*module.KNOWN_CODES, *module._ALIASES]:
        parts = name.split("_")
        joints = itertools.product(["_", "-", " ", ""], repeat=len(parts) - 1)
        for text in ("".join(itertools.chain(*zip(parts, (*joint, ""), strict=True))) for joint in joints):
            for spelled in (text, text.upper(), f" {text}\n"):
                assert bare.reason_code(spelled) == module.reason_code(spelled)
