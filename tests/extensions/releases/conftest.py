"""What the tests of releases share: fake releases that differ in known ways, and a spec of four vectors."""

import importlib
import shlex
import sys
from pathlib import Path

import pytest

from conformance.extensions.releases import engine, small
from conformance.extensions.releases.engine import Comparison
from conformance.extensions.releases.sides import Side
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import ops_of
from conformance.runner.conversation import Settings
from conformance.suite.vectors import load_file, load_spec


@pytest.fixture(autouse=True)
def patient(monkeypatch) -> None:
    """On a busy machine too, examples are made as small as they get."""
    monkeypatch.setattr(engine, "_SMALL_SECONDS", 900.0)
    monkeypatch.setattr(small, "EXAMPLE_SECONDS", 300.0)


RELEASE = Path(__file__).parents[2] / "runners" / "release.py"


def command(way):
    """The command of ``runners/release.py``."""
    return (sys.executable, str(RELEASE), way)


@pytest.fixture
def release():
    """The same as a user would write it."""
    return lambda way: shlex.join(command(way))


@pytest.fixture(scope="session")
def some_vectors():
    """A part of the kit's vectors, of every section."""
    return [vector for vector in load_spec(DEFAULT_SPEC) if "large" not in vector.flags][::5]


@pytest.fixture
def compared(some_vectors):
    """A comparison that was run to its end."""

    def run(old, new, inputs=300, seed=1):
        sides = [Side(way, Settings(command(way), DEFAULT_SPEC, 20.0)) for way in (old, new)]
        made = Comparison(*sides, DEFAULT_SPEC, some_vectors, ops_of(DEFAULT_SPEC), seed, inputs)
        made.run()
        return made

    return run


@pytest.fixture
def few(vectors, monkeypatch):
    """Four vectors, which are all that the spec has."""
    path = vectors.several(4)
    loaded = load_file(path)
    matrix = "extensions.releases.matrix"
    for module in (f"{matrix}.trying", f"{matrix}.recorded", f"{matrix}.command", "cli.run"):
        monkeypatch.setattr(importlib.import_module(f"conformance.{module}"), "load_spec", lambda _: loaded)
    return path
