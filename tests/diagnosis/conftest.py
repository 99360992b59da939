"""What the tests of the diagnosis share: runs made up in this process."""

import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

import pytest

from conformance.diagnosis.scratch import Scratch


@pytest.fixture(scope="session")
def runs() -> ModuleType:
    """The script beside, as a module."""
    spec = importlib.util.spec_from_file_location("diagnosis_runs", Path(__file__).with_name("runs.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session", autouse=True)
def _calls_remembered(runs: ModuleType) -> Iterator[None]:
    """Finds out once what the reference calls for a vector, not in each of the runs over the same vectors."""
    inputs = {id(vector.input): vector.id for vector in runs.vectors()}
    known: dict[tuple[Scratch, str], frozenset[CodeType]] = {}
    find_out = Scratch.called

    def called(self: Scratch, op: str, given: Any) -> frozenset[CodeType]:
        if id(given) not in inputs:
            return find_out(self, op, given)
        key = self, inputs[id(given)]
        if key not in known:
            known[key] = find_out(self, op, given)
        self.make()  # as it does itself
        return known[key]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Scratch, "called", called)
        yield
