"""The benchmark of the diagnosis: runners made up of known mistakes and of some that it is not told."""

from collections import Counter

import pytest

from conformance.assessment import open_world
from conformance.assessment.detection import in_processes
from conformance.assessment.open_world import AIMS, OpenWorld, Run, measure, measured_run
from conformance.assessment.recorded import Diagnosed

SEED, NUMBERS = 1, (3, 8)
"""Runners of few failures, whose diagnosis takes seconds; one makes a mistake that it is not told."""


@pytest.mark.slow
def test_runners_made_up(monkeypatch) -> None:
    """One test, for the runs take their time."""
    monkeypatch.setattr(
        open_world, "in_processes", lambda task, _, *more: in_processes(task, NUMBERS[:1], *more)
    )
    elsewhere = measure(1, SEED, jobs=1)
    world = OpenWorld(SEED, [measured_run(SEED, number) for number in NUMBERS])
    assert world.runs[:1] == elsewhere.runs, "the same seed gives the same, wherever a runner is diagnosed"
    sure = world.names("certain")
    assert sure.total() > 3
    assert sure["wrong"] == 0
    assert world.shares()["failures covered"] == 1.0
    assert all(run.diagnosed.covered == run.diagnosed.failures > 0 for run in world.runs)
    assert max(run.diagnosed.lines for run in world.runs) <= 10
    assert all(1 <= len(run.known) <= 8 and len(run.unknown) <= 4 for run in world.runs)
    assert any(run.unknown for run in world.runs)
    assert not any(name in run.unknown for run in world.runs for name in run.names)
    assert all(run.found <= run.visible <= len(run.known) for run in world.runs)
    assert len({run.known for run in world.runs}) == len(NUMBERS)


def test_figures_are_shares() -> None:
    def run(names, visible, found, *counts):
        return Run(("a",), ("b",), names, visible, found, Diagnosed(*counts, 0.5))

    first = run({"a": ("made", "certain"), "c": ("held", "likely")}, 2, 1, 10, 10, 6, 3)
    world = OpenWorld(
        1, [first, run({"d": ("wrong", "resembled"), "e": ("held", "certain")}, 2, 2, 10, 9, 2, 5)]
    )
    assert world.names("likely", "resembled") == Counter(held=1, wrong=1)
    assert world.names("certain") == Counter(made=1, held=1)
    assert list(world.shares()) == list(AIMS)
    assert [figure.value for figure in world.as_figures()] == [100.0, 100.0, 75.0, 75.0, 95.0, 5, 0.5, 0.5]
