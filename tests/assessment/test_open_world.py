"""The benchmark of the diagnosis: runners made up of known mistakes and of some that it is not told."""

from collections import Counter

import pytest

from conformance.assessment.open_world import AIMS, OpenWorld, Run, measure, measured_run
from conformance.assessment.recorded import Diagnosed

RUNS, SEED = 4, 1


@pytest.mark.slow
def test_runners_made_up() -> None:
    """One test, for the runs take their time."""
    world = measure(RUNS, SEED, jobs=2)
    sure = world.names(certain=True)
    assert sure.total() > 5
    assert sure["wrong"] == 0
    assert world.shares()["failures covered"] == 1.0
    assert all(run.diagnosed.covered == run.diagnosed.failures > 0 for run in world.runs)
    assert max(run.diagnosed.lines for run in world.runs) <= 10
    assert all(1 <= len(run.known) <= 8 and len(run.unknown) <= 4 for run in world.runs)
    assert any(run.unknown for run in world.runs)
    assert not any(name in run.unknown for run in world.runs for name in run.names)
    assert all(run.found <= run.visible <= len(run.known) for run in world.runs)
    # The same seed gives the same, wherever a runner is diagnosed.
    smallest = min(range(RUNS), key=lambda number: world.runs[number].diagnosed.failures)
    assert measured_run(SEED, smallest) == world.runs[smallest]
    assert len({run.known for run in world.runs}) == RUNS


def test_figures_are_shares() -> None:
    def run(names, visible, found, *counts):
        return Run(("a",), ("b",), names, visible, found, Diagnosed(*counts, 0.5))

    first = run({"a": ("made", True), "c": ("held", False)}, 2, 1, 10, 10, 6, 3)
    world = OpenWorld(1, [first, run({"d": ("wrong", False), "e": ("held", True)}, 2, 2, 10, 9, 2, 5)])
    assert world.names() == Counter(made=1, held=2, wrong=1)
    assert world.names(certain=True) == Counter(made=1, held=1)
    assert list(world.shares()) == list(AIMS)
    assert [figure.value for figure in world.as_figures()] == [100.0, 75.0, 75.0, 95.0, 5, 0.5, 0.5]
