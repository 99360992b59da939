"""The reference and the sources of the expected answers agree on random inputs; the gate tries many more."""

import subprocess
import sys

import pytest

from conformance.oracle import regen
from conformance.oracle.commands import resolve_command
from tools.differential.compare import differential


@pytest.mark.oracle
def test_reference_and_sources_agree() -> None:
    found = differential(regen.sources("harbor-0.13.1", print), 400, 7)
    assert found == []


@pytest.mark.oracle
def test_a_wrong_reference_is_noticed() -> None:
    naive = resolve_command("mistake:naive-sum")
    known, chosen = regen.sources("harbor-0.13.1", print), ("aggregate",)
    assert differential(known, 60, 7, reference=naive, chosen=chosen)


@pytest.mark.slow
def test_the_same_seed_gives_the_same_bytes() -> None:
    command = [sys.executable, "-m", "tools.differential.compare", "--inputs", "100", "--pythons"]
    command += [sys.executable, sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "0 of 2 Pythons differ" in done.stdout
