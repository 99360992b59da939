"""Small made-up measurements."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from conformance.assessment.measurements import (
    CaughtMistake,
    ClauseSection,
    Measurements,
    Reading,
    Record,
    TriedProperty,
)
from conformance.mutants.results import Report
from conformance.suite.clauses import Clause

UNSEEN: Any = ("unseen", "pass_at_k", "reward", "what no one sees", "003-4", None, 0, {"pass_at_k": None})
COUNTS = {"killed": 9, "timed-out": 0, "at-import": 0, "excused": 0, "survived": 1}
SURVIVOR = {"id": "plan:f:a:1", "fate": "survived", "before": "x[0]", "after": "x[1]"}
WITH_HOLES = {
    "modules": {"plan": COUNTS},
    "mutants": [SURVIVOR],
    "stale_excuses": ["plan:f:a:2: it is killed, so it needs no excuse"],
    "ops": {"pass_at_k": {**COUNTS, "unreachable": 0}},
    "survivors_in": [{"op": "pass_at_k", "id": "plan:f:a:3", "before": "x[2]", "after": "x[3]"}],
}


@pytest.fixture
def measured() -> Measurements:
    """Measurements in which all is well."""
    found: dict[str, Any] = msgspec.json.decode(Path(__file__).with_name("measured.json").read_bytes())
    return Measurements(
        spec=found["spec"],
        clauses=tuple(ClauseSection(*one) for one in found["clauses"]),
        untested=tuple(Clause(**one) for one in found["untested"]),
        bare=(),
        vectors=found["vectors"],
        mistakes=tuple(CaughtMistake(*one) for one in found["mistakes"]),
        mutants=msgspec.convert(found["mutants"], Report),
        properties=tuple(TriedProperty(*one) for one in found["properties"]),
        record=Record(found["record"], same_reference=True),
        readings=tuple(msgspec.convert(found["readings"], list[Reading])),
        answers=found["answers"],
    )


@pytest.fixture
def with_holes(measured: Measurements) -> Measurements:
    """The same, nothing being well."""
    assert measured.record is not None
    report = measured.record.report
    ops = {**report["ops"], "aggregate": {**report["ops"]["aggregate"], "disagreed": 3}}
    cause = {"count": 3, "op": "aggregate", "kind": "at /mean: *another* number", "likely": None}
    kept = {"ops": ops, "compared": report["compared"] + 3, "disagreed": 3, "causes": [cause]}
    return replace(
        measured,
        clauses=(ClauseSection("003", "1.1", 3, 1, 1),),
        bare=("003-1.1-bare",),
        mistakes=(*measured.mistakes, CaughtMistake(*UNSEEN)),
        mutants=msgspec.convert({**msgspec.to_builtins(measured.mutants), **WITH_HOLES}, Report),
        unreachable={("evals_key", "no-suffix"): "It is said that no input can show it."},
        record=Record({**report, **kept, "ended": "interrupted"}, same_reference=False),
    )
