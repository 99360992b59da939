"""Two real releases of harbor side by side, on a part of the vectors."""

import os

import pytest

from conformance.extensions.releases.changes import Sort
from conformance.extensions.releases.engine import Comparison
from conformance.extensions.releases.sides import Side
from conformance.oracle.of_specs import oracle_command
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import ops_of
from conformance.runner.conversation import Settings

OLD, NEW = "harbor-0.13.1", "harbor-0.25.0"


@pytest.mark.oracle
def test_what_changed_from_0_13_1_to_0_25_0(some_vectors, monkeypatch) -> None:
    """Only finite numbers are rewards since 0.23, and a job has an attempt; nothing else that these show."""
    monkeypatch.setitem(os.environ, "PYTHONHASHSEED", "0")
    asked = [one for one in some_vectors if one.op.name in ("parse_reward", "pass_at_k", "plan_trials")]
    sides = [Side(spec, Settings(oracle_command(spec), DEFAULT_SPEC, 60.0)) for spec in (OLD, NEW)]
    found = Comparison(*sides, DEFAULT_SPEC, asked, ops_of(DEFAULT_SPEC), 1, 60)
    found.run()
    assert found.failed() == []
    changed = {(one.op, one.sort) for one in found.changes.found}
    assert ("parse_reward", Sort.REFUSED) in changed
    assert {op for op, _ in changed} <= {"parse_reward", "plan_trials"}
    [refused] = [one for one in found.changes.found if one.sort is Sort.REFUSED and one.op == "parse_reward"]
    assert refused.what == "the error VerifierOutputParseError, before an answer"
    assert len(refused.examples) > 1, "more than one thing is refused"
