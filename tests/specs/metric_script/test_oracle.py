"""The real harbor's metric scripts: random inputs against the reference.

Some vectors ``tests/oracle/test_adapter.py`` asks, and all `regen --check`.
"""

import pytest

from conformance.oracle.of_specs import oracle_command
from tests.specs.comparing import answers, compared, kinds

SPEC = "harbor-metric"


@pytest.mark.oracle
def test_reference_and_harbor_agree_on_random_inputs() -> None:
    run = compared(SPEC, oracle_command(SPEC), 530, 7)
    assert (run.agreed.total(), run.disagreed.total()) == (530, 0)


@pytest.mark.slow
def test_errors_of_scripts_are_drawn() -> None:
    drawn = kinds(answers(SPEC, {"metric_script": 30}, 7))
    assert {"RuntimeError", "FileNotFoundError", "JSONDecodeError"} < set(drawn)
