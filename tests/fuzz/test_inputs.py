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
from conformance.suite.shapes import fits, shape_of
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


def test_the_same_seed_gives_the_same_bytes(spec: list[Vector]) -> None:
    first = drawn(3000, 7, all_ops(), spec)
    assert digest(first) == digest(drawn(3000, 7, all_ops(), spec[::-1]))
    assert digest(first) != digest(drawn(3000, 8, all_ops(), spec))
    assert [one.number for one in first] == list(range(1, 3001))


def test_vectors_that_are_left_out_are_not_changed(spec: list[Vector]) -> None:
    few = [vector for vector in spec if vector.op.name == "aggregate"][:5]
    bases = {one.base for one in drawn(500, 1, all_ops(), few)}
    assert bases == {None, *(vector.id for vector in few)}
    assert {one.base for one in drawn(500, 1, all_ops())} == {None}


def test_only_the_ops_wanted_are_drawn(spec: list[Vector]) -> None:
    assert {one.op for one in drawn(300, 1, ["outcome", "evals_key"], spec)} == {"outcome", "evals_key"}


@pytest.mark.parametrize("op", OPS)
def test_inputs_are_what_the_schema_says(op: str, spec: list[Vector], faults: Faults) -> None:
    """Two validators: the schema on a sample, the shape, which is quicker, on more."""
    inputs = drawn(1500, 3, [op], spec)
    assert [one for one in inputs if not fits(shape_of(op), one.input)] == []
    for one in inputs[:60]:
        assert faults(f"op-{op}#/$defs/input", one.input) == [], one


@pytest.mark.parametrize("op", OPS)
def test_every_vector_has_its_ops_shape(op: str, spec: list[Vector]) -> None:
    assert [v.id for v in spec if v.op.name == op and not fits(shape_of(op), v.input)] == []


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
    assert sum(delicate(OPS["aggregate"].draw(source)) for _ in range(2000)) > 100


@pytest.mark.parametrize("op", ["parse_reward", "aggregate", "job_result", "multi_step_reward", "pipeline"])
def test_the_int_that_no_double_holds_comes_often(op: str) -> None:
    found = sum(str(2**53 + 1) in json.dumps(one.input) for one in drawn(4000, 1, [op]))
    assert found >= 8
