"""Plausible wrong implementations, each a change of the reference's text: the vectors notice every one."""

import json
from pathlib import Path

import pytest

from conformance.oracle.of_specs import oracle_command
from conformance.registry.ops import OPS, ops_of
from conformance.suite.vectors import load_spec
from tools.differential.commands import changed_reference, differential, failing

WRONG = json.loads(Path(__file__).with_name("wrong.json").read_text("utf-8"))
EVSYS = sum(one["spec"] == "evsys" for one in WRONG)
"""They come first."""


@pytest.mark.slow
@pytest.mark.parametrize("spec", ["evsys", "harness-evals"])
def test_the_reference_answers_all(spec) -> None:
    assert failing(spec) == []
    assert failing(spec, spelled=True) == []


@pytest.mark.parametrize("spec", ["evsys", "harness-evals"])
def test_every_op_has_vectors(spec) -> None:
    asked = [vector.op.name for vector in load_spec(spec)]
    assert (
        set(asked)
        == {op.name for op in ops_of(spec)}
        == {name for name, op in OPS.items() if op.spec == spec}
    )
    assert len(asked) >= 150


@pytest.mark.slow
@pytest.mark.parametrize("one", WRONG, ids=[f"{one['spec']}: {one['does']}" for one in WRONG])
def test_a_wrong_implementation_is_caught(one, tmp_path) -> None:
    assert failing(one["spec"], changed_reference(tmp_path, one["file"], one["old"], one["new"]))


@pytest.mark.release
@pytest.mark.oracle
@pytest.mark.parametrize("one", WRONG[:EVSYS], ids=[one["does"] for one in WRONG[:EVSYS]])
def test_random_inputs_notice_a_wrong_evsys(one, tmp_path) -> None:
    """Its two derivations have nothing but each other."""
    command = changed_reference(tmp_path, one["file"], one["old"], one["new"])
    counts = {op.name: 400 for op in ops_of("evsys")}
    assert differential("evsys", (oracle_command("evsys"), command), counts, 11)[0]
