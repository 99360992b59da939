"""Small made-up measurements."""

from dataclasses import replace
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

SPEC = "harbor-0.13.1"
Json = Any


def _caught(name: str, op: str, says: str, clause: str, vector: str | None, count: int) -> CaughtMistake:
    of = {"aggregate": "aggregation"}.get(op, "reward")
    return CaughtMistake(name, op, of, says, clause, vector, count, {op: vector})


@pytest.fixture
def record() -> Record:
    return Record(
        against="harbor 0.13.1",
        date="2026-03-01",
        kit_version="0.2.0",
        level="bytes",
        seed=7,
        seconds=600.4,
        agreed={"aggregate": 1200, "evals_key": 34},
        disagreed={"aggregate": 0, "evals_key": 0},
        unsupported={"aggregate": 0, "evals_key": 0},
        not_asked=("outcome",),
        ended_early=None,
        causes=(),
        same_reference=True,
    )


@pytest.fixture
def measured(record: Record) -> Measurements:
    """Measurements in which all is well."""
    return Measurements(
        spec=SPEC,
        clauses=(ClauseSection("003", "1.1", 4, 1, 0), ClauseSection("003", "3.2", 9, 0, 0)),
        untested=(UntestedClause("003-1.1-paths", "Both files lie in *one* directory.", "a | b"),),
        bare=(),
        vectors={"reward": 12, "aggregation": 1400},
        mistakes=(
            _caught("naive-sum", "aggregate", "1 < 2 | 3", "003-6-sum", f"{SPEC}/aggregation/tenths", 12),
            _caught("max-of-one", "aggregate", "only one", "003-6-max", f"{SPEC}/aggregation/max", 1),
            _caught("no-suffix", "evals_key", "no suffix", "003-3.3", f"{SPEC}/evals_key/suffix", 3),
        ),
        modules=(MutatedModule("__main__", 11, 2, 2, 0), MutatedModule("plan", 1000, 0, 0, 0)),
        excused=(
            ExcusedMutant("__main__:f:a:1", "return a | b", "return a", "Both give the same answer."),
            ExcusedMutant("__main__:f:a:2", "return `b`", "return c", "Both give the same answer."),
        ),
        survivors=(),
        stale_excuses=(),
        properties=(
            TriedProperty(f"{SPEC}/properties/evals-key-any", "evals_key", "Any name is kept.", "no-suffix"),
            TriedProperty(f"{SPEC}/properties/evals-key-some", "evals_key", "Some names are.", None),
        ),
        record=record,
        ops=(MutatedOp("aggregate", 900, 2, 3, 40, 0), MutatedOp("evals_key", 30, 0, 0, 0, 0)),
        readings=(
            Reading("by-the-way", "003", "caught", "caught", "a | b", ""),
            Reading("at-once", "003", "survived", "vector", "all at once", ""),
            Reading("in-vain", "004", "survived", "equivalent", "in vain", "No input has it."),
        ),
        answers={"the real package, executed": 1400, "a decision table": 12},
    )


@pytest.fixture
def with_holes(measured: Measurements, record: Record) -> Measurements:
    """The same, nothing being well."""
    return replace(
        measured,
        clauses=(ClauseSection("003", "1.1", 3, 1, 1),),
        bare=("003-1.1-bare",),
        mistakes=(*measured.mistakes, _caught("unseen", "pass_at_k", "what no one sees", "003-4", None, 0)),
        modules=(MutatedModule("plan", 9, 0, 0, 1),),
        excused=(),
        survivors=(ExcusedMutant("plan:f:a:1", "x[0]", "x[1]", ""),),
        stale_excuses=("plan:f:a:2: it is killed, so it needs no excuse",),
        ops=(MutatedOp("pass_at_k", 9, 0, 0, 0, 1),),
        survivors_in=(("pass_at_k", ExcusedMutant("plan:f:a:3", "x[2]", "x[3]", "")),),
        unreachable={("evals_key", "no-suffix"): "It is said that no input can show it."},
        record=replace(
            record,
            disagreed={"aggregate": 3, "evals_key": 0},
            causes=("3 times aggregate: at /mean: *another* number",),
            ended_early="it was interrupted",
            same_reference=False,
        ),
    )
