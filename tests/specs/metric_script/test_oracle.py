"""The real harbor's metric scripts: random inputs against the reference.

Some vectors ``tests/oracle/test_adapter.py`` asks, and all `regen --check`.
"""

import pytest

from conformance.oracle.of_specs import oracle_command
from tools.differential.commands import REFERENCE, differential, kinds

SPEC = "harbor-metric"
COUNTS = {"rewards_jsonl": 500, "metric_script": 30}


@pytest.mark.oracle
def test_reference_and_harbor_agree_on_random_inputs() -> None:
    found, answers = differential(SPEC, (oracle_command(SPEC), REFERENCE), COUNTS, 7)
    assert found == []
    assert {"RuntimeError", "FileNotFoundError", "JSONDecodeError"} < set(kinds(answers))
