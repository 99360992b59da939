"""The reference and the sources of the expected answers agree on random inputs; the gate tries many more."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.oracle import regen
from conformance.run.commands import resolve_command

SCRIPT = Path(__file__).with_name("compare.py")


def load_compare() -> object:
    spec = importlib.util.spec_from_file_location("compare", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.oracle
def test_reference_and_sources_agree() -> None:
    found = load_compare().differential(regen.sources("harbor-0.13.1", print), 1000, 7)  # type: ignore[attr-defined]
    assert found == []


@pytest.mark.oracle
def test_a_wrong_reference_is_noticed() -> None:
    naive = resolve_command("mistake:naive-sum")
    found = load_compare().differential(regen.sources("harbor-0.13.1", print), 600, 7, reference=naive)  # type: ignore[attr-defined]
    assert {disagreement["op"] for disagreement in found} >= {"aggregate"}


def test_the_same_seed_gives_the_same_bytes() -> None:
    command = [sys.executable, str(SCRIPT), "--inputs", "300", "--pythons", sys.executable, sys.executable]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "0 of 2 Pythons differ" in done.stdout
