"""Small made-up measurements."""

from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.assessment.detection import CaughtMistake
from conformance.assessment.measuring import Measurements
from conformance.mutants.fate import Fate
from conformance.mutants.results import Report, Survivor

UNSEEN: Any = ("unseen", None, {"pass_at_k": None})
COUNTS = Counter({Fate.KILLED: 9, Fate.SURVIVED: 1})
WITH_HOLES = Report(
    {"plan": COUNTS},
    {"pass_at_k": COUNTS},
    [Survivor("plan:f:a:1", "x[0]", "x[1]")],
    [Survivor("plan:f:a:3", "x[2]", "x[3]", "pass_at_k")],
    ["plan:f:a:2: it is killed, so it needs no excuse"],
)


def counts(given: dict[str, dict[str, int]]) -> dict[str, Counter[Fate]]:
    return {name: Counter({Fate(fate): n for fate, n in of.items()}) for name, of in given.items()}


@pytest.fixture
def measured() -> Measurements:
    """Measurements in which all is well."""
    found: dict[str, Any] = msgspec.json.decode(Path(__file__).with_name("measured.json").read_bytes())
    plain = {name: found[name] for name in ("spec", "vectors", "answers")}
    mistakes = tuple(CaughtMistake(*one) for one in found["mistakes"])
    mutants = Report(*map(counts, found["mutants"].values()), [], [], [])
    properties = dict(found["properties"])
    more = {"mistakes": mistakes, "mutants": mutants, "properties": properties}
    return Measurements(**plain, **found["clauses"], **more, bare=())


@pytest.fixture
def with_holes(measured: Measurements) -> Measurements:
    """The same, nothing being well."""
    mistakes = (*measured.mistakes, CaughtMistake(*UNSEEN))
    unreachable = frozenset({("evals_key", "no-suffix")})
    bare = ("003-1.1-bare",)
    return replace(measured, bare=bare, mistakes=mistakes, mutants=WITH_HOLES, unreachable=unreachable)
