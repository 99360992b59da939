"""The stream of inputs: repeatable, valid, and not blind where implementations differ."""

import hashlib
import itertools
import json

import pytest

from conformance.drawing.source import Seeded
from conformance.fuzz.changes import Changer
from conformance.fuzz.inputs import Inputs, all_ops
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS, SPECS
from conformance.suite.shapes import fits, shape_of
from conformance.suite.vectors import load_spec
from conformance.wire.messages import encode_tail
from reference_impl import result_score, summarise
from reference_impl.runner.wire import decode_content

DRAWN = [name for name, op in OPS.items() if not op.package_only]


@pytest.fixture(scope="module")
def spec():
    return load_spec(DEFAULT_SPEC)


def drawn(count, *arguments):
    return list(itertools.islice(Inputs(*arguments), count))


def digest(inputs):
    return hashlib.sha256(b"".join(encode_tail(one.op, one.input) for one in inputs)).hexdigest()


def test_every_op_can_be_drawn_and_no_script_is_changed() -> None:
    assert {op for name in SPECS for op in all_ops(name)} == set(DRAWN)
    assert all(OPS[name].weight > 0 for name in DRAWN)
    vectors = load_spec("harbor-metric")
    known = {json.dumps(one.input["script"]) for one in vectors if one.op.name == "metric_script"}
    changed = [one for one in drawn(400, 3, ["metric_script"], vectors) if one.base is not None]
    assert changed
    assert {json.dumps(one.input["script"]) for one in changed} <= {*known, "null"}
    assert not OPS["metric_script"].changing.sensible({"script": {"text": "b"}}, {"script": {"text": "a"}})


@pytest.mark.parametrize("name", SPECS)
def test_the_same_seed_gives_the_same_bytes(name) -> None:
    """Whatever the order of the vectors; some are changed ones, some made from nothing."""
    ops, vectors = all_ops(name), load_spec(name)
    for vector in vectors:  # makes sense as it is
        assert fits(shape_of(vector.op.name), vector.input), vector.id
        assert vector.op.changing.sensible(vector.input, vector.input), vector.id
    first = drawn(150, 7, ops, vectors)
    assert digest(first) == digest(drawn(150, 7, ops, vectors[::-1]))
    assert digest(first) != digest(drawn(150, 8, ops, vectors))
    assert [one.number for one in first] == list(range(1, 151))
    assert {one.base is None for one in first} == {True, False}


@pytest.mark.slow
@pytest.mark.parametrize("op", DRAWN)
def test_inputs_are_what_the_schema_says(op, faults) -> None:
    """Two validators: the shape, which is quicker, on all; the schema on some."""
    inputs = drawn(300, 3, [op], load_spec(OPS[op].spec))
    assert [one for one in inputs if not fits(shape_of(op), one.input)] == []
    for one in inputs[:60]:
        assert faults(f"op-{op}#/$defs/input", one.input) == [], one


def test_a_change_leaves_the_vector_as_it_is_and_no_count_alone_makes_a_result_malformed(spec) -> None:
    before = [json.dumps(vector.input) for vector in spec]
    changer = Changer(Seeded(1))
    changed = sum(json.dumps(changer.change(v.op.name, v.input)) != json.dumps(v.input) for v in spec)
    assert [json.dumps(vector.input) for vector in spec] == before
    assert changed > 0.8 * len(spec)
    vectors = [vector for vector in spec if vector.op.name == "result_score"]
    files = [one.input["result.json"] for one in drawn(2000, 1, ["result_score"], vectors)]
    contents = [None if file is None else decode_content(file) for file in files]
    for one in contents:
        assert (summarise(one).reason_code is None) == (result_score(one) is not None)


def test_what_no_rule_speaks_of_makes_no_sense() -> None:
    action = {"do": "register", "key": "k", "class": "B"}
    registry = {"classes": {"A": {}}, "actions": [action]}
    vectors = ([[], []], [[1]], [[1], [2]])
    crossed, one, two = ({"template": "embedding", "given": {"vectors": each}} for each in vectors)
    majority = {"measure_runs": "majority", "a_measure_runs": {"returns": None}}
    for op, given, before, right in (
        ("evsys.registry", registry, registry, False),
        ("harness.template", crossed | {"template": "llm"}, crossed | {"template": "llm"}, False),
        ("harness.template", one, one, False),
        ("harness.template", two, two, True),
        ("harness.reliability", majority, majority, False),
        ("harness.score", {"metadata": {"text": "{"}}, {}, False),
        ("harness.score", {"metadata": {"base64": "/w=="}}, {}, False),
        ("harness.score", {"value": {"json": "[1"}}, {}, False),
    ):
        assert OPS[op].changing.sensible(given, before) is right, given
