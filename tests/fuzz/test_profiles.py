"""Fuzzing for the specs beside harbor's: the inputs make sense, the reference agrees with itself."""

import itertools
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from conformance.fuzz.engine import Fuzz, Plan
from conformance.fuzz.inputs import Drawn, Inputs, all_ops
from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS, SPECS
from conformance.run.options import RunOptions
from conformance.suite.clauses import statements
from conformance.suite.counterexamples import Counterexample, expected_of, write_counterexamples
from conformance.suite.shapes import Pair, fits, shape_of
from conformance.suite.vectors import load_file, load_spec
from conformance.wire.messages import encode_tail

Faults = Callable[[str, Any], list[str]]
PROFILES = [spec for spec in SPECS if spec != DEFAULT_SPEC]
REFERENCE = (sys.executable, "-m", "reference_impl")


def drawn(spec: str, count: int, seed: int = 3, ops: tuple[str, ...] = ()) -> list[Drawn]:
    return list(itertools.islice(Inputs(seed, ops or all_ops(spec), load_spec(spec)), count))


@pytest.mark.parametrize("op", [op.name for op in OPS.values() if op.spec != DEFAULT_SPEC])
def test_inputs_are_what_the_schema_says(op: str, faults: Faults) -> None:
    inputs = drawn(OPS[op].spec, 1500, ops=(op,))
    assert [one for one in inputs if not fits(shape_of(op), one.input)] == []
    for one in inputs[:80]:
        assert faults(f"op-{op}#/$defs/input", one.input) == [], one


@pytest.mark.parametrize("spec", PROFILES)
def test_the_same_seed_gives_the_same_inputs(spec: str) -> None:
    first, again, other = (
        [encode_tail(one.op, one.input) for one in drawn(spec, 300, seed)] for seed in (3, 3, 4)
    )
    assert first == again
    assert first != other
    assert {one.base is None for one in drawn(spec, 300)} == {True, False}


@pytest.mark.parametrize("spec", PROFILES)
def test_every_vector_makes_sense(spec: str) -> None:
    for vector in load_spec(spec):
        assert fits(shape_of(vector.op.name), vector.input), vector.id
        assert vector.op.changing.sensible(vector.input, vector.input), vector.id


def test_no_script_is_changed() -> None:
    known = {
        json.dumps(one.input["script"])
        for one in load_spec("harbor-metric")
        if one.op.name == "metric_script"
    }
    changed = [one for one in drawn("harbor-metric", 400, ops=("metric_script",)) if one.base is not None]
    assert changed
    assert {json.dumps(one.input["script"]) for one in changed} <= {*known, "null"}
    assert not OPS["metric_script"].changing.sensible({"script": {"text": "b"}}, {"script": {"text": "a"}})


def test_what_no_rule_speaks_of_makes_no_sense() -> None:
    action = {"do": "register", "key": "k", "class": "B"}
    registry = {"classes": {"A": {}}, "actions": [action]}
    assert not OPS["evsys.registry"].changing.sensible(registry, registry)
    crossed = {"template": "llm", "given": {"vectors": [[], []]}}
    assert not OPS["harness.template"].changing.sensible(crossed, crossed)
    for vectors, right in (([[1]], False), ([[1], [2]], True)):
        given = {"template": "embedding", "given": {"vectors": vectors}}
        assert OPS["harness.template"].changing.sensible(given, given) is right
    majority = {"measure_runs": "majority", "a_measure_runs": {"returns": None}}
    assert not OPS["harness.reliability"].changing.sensible(majority, majority)
    for metadata in ({"text": "{"}, {"base64": "/w=="}):
        assert not OPS["harness.score"].changing.sensible({"metadata": metadata}, {})
    assert not OPS["harness.score"].changing.sensible({"value": {"json": "[1"}}, {})


def test_a_pair_has_two() -> None:
    pair = Pair((shape_of("reason_code"), shape_of("reason_code")))
    assert fits(pair, [{"text": ""}, {"text": None}])
    assert not fits(pair, [{"text": ""}])
    assert not fits(pair, {})


@pytest.mark.parametrize("spec", PROFILES)
def test_the_reference_agrees_with_itself(spec: str) -> None:
    options = RunOptions(command="reference", spec=spec)
    run = Fuzz(Plan(options, options.settings(), 1, all_ops(spec), load_spec(spec), None, 300))
    run.run()
    assert run.stopped is None
    assert run.agreed.total() == 300
    assert run.causes.found == []


@pytest.mark.parametrize("spec", PROFILES)
def test_counterexamples_are_vectors_of_their_spec(spec: str, tmp_path: Path, faults: Faults) -> None:
    path = tmp_path / "found.json"
    found = []
    for op in all_ops(spec):
        given = next(vector.input for vector in load_spec(spec) if vector.op.name == op)
        expected = expected_of(Variant().answer(op, given))
        found.append(Counterexample(op, given, expected, "{}", None, frozenset(), "Found by fuzz --seed 1"))
    write_counterexamples(path, spec, found)
    assert faults("vector-file", json.loads(path.read_bytes())) == []
    vectors = load_file(path)
    assert sorted(vector.op.name for vector in vectors) == sorted(all_ops(spec))
    assert {vector.clause for vector in vectors} <= set(statements(spec))
    sections = {one.op.name: one.id.split("/")[1] for one in load_spec(spec)}
    assert {vector.op.name: vector.id.split("/")[1] for vector in vectors} == sections
