"""What the known mistakes answer, kept for the diagnosis, is of today's reference, mistakes and vectors."""

import pytest

from conformance.diagnosis.evidence import expected_answer
from conformance.diagnosis.foretold import foretold, question
from conformance.paths import spec_names
from conformance.suite.vectors import load_spec


@pytest.mark.parametrize("spec", spec_names())
def test_what_is_kept_is_not_stale(spec: str) -> None:
    memo = foretold(spec)
    assert memo is not None, "run harbor-conformance foretell"
    asked = {question(one.op.name, one.input, expected_answer(one), one.unordered) for one in load_spec(spec)}
    assert asked <= memo.rows.keys(), "run harbor-conformance foretell"
