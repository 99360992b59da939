"""What the tests of the matrix share."""

import importlib

import pytest

from conformance.suite.vectors import load_file


@pytest.fixture
def few(vectors, monkeypatch):
    """Four vectors, which are all that the spec has."""
    path = vectors.several(4)
    loaded = load_file(path)
    for module in ("matrix.trying", "matrix.recorded", "cli.matrix", "cli.run"):
        monkeypatch.setattr(importlib.import_module(f"conformance.{module}"), "load_spec", lambda _: loaded)
    return path
