"""The file of counterexamples: canonical, valid, and what ``run --vectors`` repeats."""

import json
from pathlib import Path

import pytest

from conformance.fuzz.inputs import all_ops
from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import SPECS
from conformance.suite import counterexamples as file
from conformance.suite.clauses import statements
from conformance.suite.vectors import load_file, load_spec
from conformance.wire.messages import Ok, Refused


def found_by(spec, op, given, likely=None):
    more = {"actual": Ok({}), "likely": likely, "unordered": frozenset(), "note": "By a fuzz", "path": Path()}
    return file.counterexample(spec, op, given, Variant().answer(op, given), **more)


def test_another_file_is_told_from_one(tmp_path) -> None:
    path = tmp_path / "other.json"
    assert not file.is_counterexample_file(path)
    for content in (b"", b"[]", b"{}", b"\xff", b'{"section": "plan", "vectors": []}'):
        path.write_bytes(content)
        assert not file.is_counterexample_file(path), content
    refused = Refused("ValueError", None, "words")
    assert file.expected_of(refused) == {"error": {"type": "ValueError", "reason_code": None}}


@pytest.mark.slow
@pytest.mark.parametrize("spec", SPECS)
def test_counterexamples_are_vectors_of_their_spec(spec, tmp_path, faults) -> None:
    path = tmp_path / "found.json"
    found = []
    for op in all_ops(spec):
        given = next(vector.input for vector in load_spec(spec) if vector.op.name == op)
        found.append(found_by(spec, op, given))
    if spec == DEFAULT_SPEC:  # an error, too
        found.append(found_by(spec, "aggregate", {"metric": "max", "rewards": []}, "the sum is naive"))
    file.write_counterexamples(path, spec, found)
    assert faults("vector-file", json.loads(path.read_bytes())) == []
    vectors = load_file(path)
    assert {vector.op.name for vector in vectors} == set(all_ops(spec))
    assert {vector.clause for vector in vectors} <= set(statements(spec))
    sections = {one.op.name: one.id.split("/")[1] for one in load_spec(spec)}
    assert {vector.op.name: vector.id.split("/")[1] for vector in vectors} == sections
