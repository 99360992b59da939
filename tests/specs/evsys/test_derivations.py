"""EvSys has no package to install: two derivations answer and have to agree, with its source too.

That both answer every vector as it says, `regen --check` and ``test_wrong.py`` ask.

``HARBOR_CONFORMANCE_EVSYS_SOURCE`` names the folder that holds the package ``evsys_sdk``, such as ``src``.
"""

import os
import shlex
from pathlib import Path

import pytest

from conformance.oracle.of_specs import oracle_command
from conformance.registry.ops import ops_of
from tests.specs.comparing import answers, compared, kinds

SPEC = "evsys"
INPUTS = 6000
pytestmark = pytest.mark.oracle


@pytest.mark.release
def test_the_derivations_agree_on_random_inputs() -> None:
    assert compared(SPEC, oracle_command(SPEC), INPUTS, 11).agreed.total() == INPUTS
    drawn = kinds(answers(SPEC, {op.name: INPUTS // 2 for op in ops_of(SPEC)}, 11))
    registry = {"", "error", "class", "built_in", "available error", "loaded skipped", "left_out values"}
    registry |= {"left_out score"}
    assert set(drawn) == {"value", "KeyError", "OverflowError"} | registry
    assert min(drawn.values()) > 20


@pytest.mark.release
def test_the_source_answers_as_the_derivations_do(cli) -> None:
    folder = os.environ.get("HARBOR_CONFORMANCE_EVSYS_SOURCE")
    if folder is None:
        pytest.skip("HARBOR_CONFORMANCE_EVSYS_SOURCE names no checkout of the SDK")
    *python, _ = oracle_command(SPEC)
    executed = (*python, str(Path(__file__).with_name("sdk_source.py")), folder)
    assert cli("run", "--spec", SPEC, "--runner", shlex.join(executed)).returncode == 0
    assert compared(SPEC, executed, INPUTS, 12).agreed.total() == INPUTS
