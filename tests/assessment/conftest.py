"""Small made-up measurements."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from conformance.assessment.measurements import (
    CaughtMistake,
    ClauseSection,
    ExcusedMutant,
    Measurements,
    MutatedModule,
    MutatedOp,
    Reading,
    Record,
    TriedProperty,
    UntestedClause,
)

PARTS: dict[str, Any] = {
    "clauses": ClauseSection,
    "untested": UntestedClause,
    "mistakes": CaughtMistake,
    "modules": MutatedModule,
    "excused": ExcusedMutant,
    "properties": TriedProperty,
    "ops": MutatedOp,
    "readings": Reading,
}


UNSEEN: Any = ("unseen", "pass_at_k", "reward", "what no one sees", "003-4", None, 0, {"pass_at_k": None})


@pytest.fixture
def measured() -> Measurements:
    """Measurements in which all is well."""
    found: dict[str, Any] = json.loads(Path(__file__).with_name("measured.json").read_text("utf-8"))
    for name, value in found.items():
        if isinstance(value, list):
            found[name] = tuple(PARTS[name](*one) for one in value)
    record = Record(
        **{key: tuple(one) if isinstance(one, list) else one for key, one in found["record"].items()}
    )
    return Measurements(**{**found, "record": record})


@pytest.fixture
def with_holes(measured: Measurements) -> Measurements:
    """The same, nothing being well."""
    assert measured.record is not None
    return replace(
        measured,
        clauses=(ClauseSection("003", "1.1", 3, 1, 1),),
        bare=("003-1.1-bare",),
        mistakes=(*measured.mistakes, CaughtMistake(*UNSEEN)),
        modules=(MutatedModule("plan", 9, 0, 0, 1),),
        excused=(),
        survivors=(ExcusedMutant("plan:f:a:1", "x[0]", "x[1]", ""),),
        stale_excuses=("plan:f:a:2: it is killed, so it needs no excuse",),
        ops=(MutatedOp("pass_at_k", 9, 0, 0, 0, 1),),
        survivors_in=(("pass_at_k", ExcusedMutant("plan:f:a:3", "x[2]", "x[3]", "")),),
        unreachable={("evals_key", "no-suffix"): "It is said that no input can show it."},
        record=replace(
            measured.record,
            disagreed={"aggregate": 3, "evals_key": 0},
            causes=("3 times aggregate: at /mean: *another* number",),
            ended_early="it was interrupted",
            same_reference=False,
        ),
    )
