"""What the tests of the diagnosis share: runs made up in this process."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest


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
