"""What the tests of a matrix share."""

import importlib

import pytest

from conformance.suite.vectors import load_file


@pytest.fixture
def few(vectors, monkeypatch):
    """Four vectors, which are all that the spec has."""
    path = vectors.several(4)
    loaded = load_file(path)
    matrix = "extensions.releases.matrix"
    for module in (f"{matrix}.trying", f"{matrix}.recorded", f"{matrix}.command", "cli.run"):
        monkeypatch.setattr(importlib.import_module(f"conformance.{module}"), "load_spec", lambda _: loaded)
    return path
