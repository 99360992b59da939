"""The real harbor's metric scripts: every vector's answer, and random inputs against the reference."""

import pytest

from conformance.oracle.of_specs import oracle_command
from conformance.oracle.regen import regenerate, sources
from conformance.oracle.sources import Source, ask
from conformance.suite.vectors import load_spec
from tools.differential.commands import REFERENCE, differential, kinds

SPEC = "harbor-metric"
COUNTS = {"rewards_jsonl": 500, "metric_script": 30}
EACH = 9
"""Every ninth vector is asked here; all are by `regen --check`, which takes minutes for all specs."""


@pytest.mark.oracle
def test_harbor_answers_as_expected() -> None:
    (source,) = sources(SPEC, print)
    vectors = load_spec(SPEC)[::EACH]
    assert {vector.op.name for vector in vectors} == set(COUNTS)
    assert ask(source, vectors, SPEC, lambda: None) == {vector.id: vector.expected for vector in vectors}


def test_every_file_is_as_regen_writes_it() -> None:
    nobody = Source("harbor-0.13.1", frozenset(), None)
    result = regenerate(SPEC, [nobody], check=True)
    assert result.left == {"harbor-0.13.1": len(load_spec(SPEC))}
    assert (result.asked, result.changed, result.rewritten, result.lock_problems) == (0, [], [], [])


@pytest.mark.oracle
def test_reference_and_harbor_agree_on_random_inputs() -> None:
    found, answers = differential(SPEC, (oracle_command(SPEC), REFERENCE), COUNTS, 7)
    assert found == []
    assert {"RuntimeError", "FileNotFoundError", "JSONDecodeError"} < set(kinds(answers))
