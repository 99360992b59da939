"""The stream of inputs: repeatable, valid, and not blind where implementations differ."""

import hashlib
import itertools
import json
from collections.abc import Callable
from typing import Any

import pytest

from conformance.drawing.source import Seeded
from conformance.fuzz.changes import Changer
from conformance.fuzz.inputs import Drawn, Inputs, all_ops
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS, SPECS
from conformance.suite.shapes import Pair, fits, shape_of
from conformance.suite.vectors import Vector, load_spec
from conformance.wire.messages import encode_tail
from reference_impl.cpython312.summation import compensated_sum

Faults = Callable[[str, Any], list[str]]


@pytest.fixture(scope="module")
def spec() -> list[Vector]:
    return load_spec(DEFAULT_SPEC)


def drawn(count: int, *arguments: Any) -> list[Drawn]:
    return list(itertools.islice(Inputs(*arguments), count))


def digest(inputs: list[Drawn]) -> str:
    return hashlib.sha256(b"".join(encode_tail(one.op, one.input) for one in inputs)).hexdigest()


def test_every_op_can_be_drawn() -> None:
    assert {op for name in SPECS for op in all_ops(name)} == set(OPS)
    assert all(op.weight > 0 for op in OPS.values())


@pytest.mark.parametrize("name", SPECS)
def test_the_same_seed_gives_the_same_bytes(name: str) -> None:
    """Whatever the order of the vectors; some are changed ones, some made from nothing."""
    ops, vectors = all_ops(name), load_spec(name)
    first = drawn(150, 7, ops, vectors)
    assert digest(first) == digest(drawn(150, 7, ops, vectors[::-1]))
    assert digest(first) != digest(drawn(150, 8, ops, vectors))
    assert [one.number for one in first] == list(range(1, 151))
    assert {one.base is None for one in first} == {True, False}


def test_vectors_that_are_left_out_are_not_changed(spec: list[Vector]) -> None:
    few = [vector for vector in spec if vector.op.name == "aggregate"][:5]
    bases = {one.base for one in drawn(500, 1, all_ops(), few)}
    assert bases == {None, *(vector.id for vector in few)}
    assert {one.base for one in drawn(500, 1, all_ops())} == {None}


def test_only_the_ops_wanted_are_drawn(spec: list[Vector]) -> None:
    assert {one.op for one in drawn(300, 1, ["outcome", "evals_key"], spec)} == {"outcome", "evals_key"}


@pytest.mark.parametrize("op", OPS)
def test_inputs_have_the_ops_shape(op: str) -> None:
    inputs = drawn(300, 3, [op], load_spec(OPS[op].spec))
    assert [one for one in inputs if not fits(shape_of(op), one.input)] == []


@pytest.mark.slow
@pytest.mark.parametrize("op", OPS)
def test_inputs_are_what_the_schema_says(op: str, faults: Faults) -> None:
    for one in drawn(60, 3, [op], load_spec(OPS[op].spec)):
        assert faults(f"op-{op}#/$defs/input", one.input) == [], one


@pytest.mark.parametrize("name", SPECS)
def test_every_vector_makes_sense(name: str) -> None:
    for vector in load_spec(name):
        assert fits(shape_of(vector.op.name), vector.input), vector.id
        assert vector.op.changing.sensible(vector.input, vector.input), vector.id


def test_a_change_leaves_the_vector_as_it_is(spec: list[Vector]) -> None:
    before = [json.dumps(vector.input) for vector in spec]
    changer = Changer(Seeded(1))
    changed = sum(json.dumps(changer.change(v.op.name, v.input)) != json.dumps(v.input) for v in spec)
    assert [json.dumps(vector.input) for vector in spec] == before
    assert changed > 0.8 * len(spec)


def test_members_agree_where_the_schema_cannot_say_so() -> None:
    trial = {"files": {}, "steps": [], "agent_result": {}, "strategy": "mean"}
    assert OPS["pipeline"].changing.mended({"trials": [trial]})["trials"] == [
        trial | {"files": None, "agent_result": None}
    ]
    alone = trial | {"steps": None}
    assert OPS["pipeline"].changing.mended({"trials": [alone]})["trials"] == [alone | {"strategy": None}]
    data = {"name": "a/b", "kind": "local", "metrics": ["mean"], "metric_py": False}
    assert OPS["resolve_metrics"].changing.mended({"datasets": [data]})["datasets"] == [
        data | {"name": "b", "metrics": []}
    ]


def test_lists_whose_sums_are_delicate_come_often() -> None:
    """Where a compensated and a plain sum differ: the blind spot of numbers of every magnitude."""

    def delicate(given: Any) -> bool:
        values = [next(iter(reward.values())) for reward in given["rewards"] if reward]
        if len(values) < 3 or not all(isinstance(value, float) for value in values):
            return False
        plain = 0.0
        for value in values:
            plain += value
        return repr(plain) != repr(compensated_sum(values))

    source = Seeded(1)
    assert sum(delicate(OPS["aggregate"].draw(source)) for _ in range(1000)) > 50


@pytest.mark.slow
@pytest.mark.parametrize("op", ["parse_reward", "aggregate", "job_result", "multi_step_reward", "pipeline"])
def test_the_int_that_no_double_holds_comes_often(op: str) -> None:
    found = sum(str(2**53 + 1) in json.dumps(one.input) for one in drawn(2000, 1, [op]))
    assert found >= 4


def test_no_script_is_changed() -> None:
    known = {
        json.dumps(one.input["script"])
        for one in load_spec("harbor-metric")
        if one.op.name == "metric_script"
    }
    changed = [
        one for one in drawn(400, 3, ["metric_script"], load_spec("harbor-metric")) if one.base is not None
    ]
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
