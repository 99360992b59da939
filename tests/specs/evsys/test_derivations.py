"""EvSys has no package to install: two derivations answer and have to agree, with its source too.

That both answer every vector as it says, `regen --check` and ``test_wrong.py`` ask.

``HARBOR_CONFORMANCE_EVSYS_SOURCE`` names the folder that holds the package ``evsys_sdk``, such as ``src``.
"""

import os
from pathlib import Path

import pytest

from conformance.oracle.of_specs import oracle_command
from conformance.registry.ops import ops_of
from tools.differential.commands import REFERENCE, differential, failing, kinds

SPEC = "evsys"
COUNTS = {op.name: 3000 for op in ops_of(SPEC)}
pytestmark = pytest.mark.oracle


@pytest.mark.release
def test_the_derivations_agree_on_random_inputs() -> None:
    found, answers = differential(SPEC, (oracle_command(SPEC), REFERENCE), COUNTS, 11)
    assert found == []
    registry = {"", "error", "class", "built_in", "available error", "loaded skipped", "left_out values"}
    registry |= {"left_out score"}
    assert set(kinds(answers)) == {"value", "KeyError", "OverflowError"} | registry
    assert min(kinds(answers).values()) > 20


@pytest.mark.release
def test_the_source_answers_as_the_derivations_do() -> None:
    folder = os.environ.get("HARBOR_CONFORMANCE_EVSYS_SOURCE")
    if folder is None:
        pytest.skip("HARBOR_CONFORMANCE_EVSYS_SOURCE names no checkout of the SDK")
    *python, _ = oracle_command(SPEC)
    executed = (*python, str(Path(__file__).with_name("sdk_source.py")), folder)
    assert failing(SPEC, executed) == []
    assert differential(SPEC, (oracle_command(SPEC), executed), COUNTS, 12)[0] == []
