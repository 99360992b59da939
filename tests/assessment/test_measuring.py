"""Counting clauses, and trying mistakes and properties: on few, for the whole takes minutes."""

import os
from collections import Counter

import pytest

from conformance.assessment import detection, open_world
from conformance.assessment.benchmarks import AssessmentError
from conformance.assessment.detection import broken_by, caught_mistakes, in_processes, properties_of
from conformance.assessment.measuring import untraced
from conformance.assessment.open_world import AIMS, OpenWorld, Run, measure, measured_run
from conformance.assessment.recorded import Diagnosed
from conformance.diagnosis.catching import Catching
from conformance.mistakes import all_mistakes, find_mistakes
from conformance.paths import DEFAULT_SPEC
from conformance.properties import load_properties
from conformance.suite.clauses import Clause
from conformance.suite.vectors import load_spec


def test_clauses_without_a_vector() -> None:
    vectors = load_spec(DEFAULT_SPEC)[:1]
    clauses = [
        Clause(vectors[0].clause, "003", "1.1", "Traced.", None, None),
        Clause("excused", "003", "1.1", "Excused.", "For a reason.", None),
        Clause("bare", "003", "1.2", "Bare.", None, None),
    ]
    assert [one.id for one in untraced(clauses, vectors)] == ["excused", "bare"]


def test_mistakes_are_caught_by_the_shortest_vector() -> None:
    found = list(caught_mistakes("evsys", "evsys.compute"))
    own = [name for name, one in all_mistakes("evsys").items() if one.op == "evsys.compute"]
    assert [one.name for one in found] == own
    catching = Catching(load_spec("evsys"))
    for one in found:
        caught = catching.caught_by(all_mistakes()[one.name])
        assert one.vector == min(caught, key=lambda vector: (len(vector.request().tail), vector.id)).id
        assert one.by_op["evsys.compute"] == one.vector


@pytest.mark.slow
def test_a_process_that_dies() -> None:
    with pytest.raises(AssessmentError, match="a process that tried a known mistake died"):
        in_processes(os._exit, [3, 3], 2, lambda: None)


@pytest.mark.slow
def test_a_property_is_broken_by_some_mistake_or_by_none(monkeypatch) -> None:
    few = {one.name: one for one in find_mistakes("naive-sum+agents-outermost")}
    monkeypatch.setattr(detection, "all_mistakes", lambda _spec=None: few)
    tried = properties_of(DEFAULT_SPEC, "plan_trials")
    broken = {key.rpartition("/")[2]: mistake for key, mistake in tried.items()}
    assert list(broken) == [one.slug for one in load_properties(DEFAULT_SPEC) if one.op.name == "plan_trials"]
    assert broken["plan-trials-equals-reference"] == "agents-outermost"
    assert broken["plan-trials-need-a-task"] is None  # neither of the two is about that


@pytest.mark.slow
@pytest.mark.parametrize("op", ["evals_key", "plan_trials"])
def test_a_mistake_is_left_out_only_where_it_answers_as_the_reference(op) -> None:
    """The short cut by what is called finds what asking everything does."""
    mistakes = list(all_mistakes(DEFAULT_SPEC).values())
    for wanted in load_properties(DEFAULT_SPEC):
        if wanted.op.name == op:
            assert broken_by(wanted, mistakes) == broken_by(wanted, mistakes, sparing=False) is not None


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
    assert all(run.named <= run.visible <= len(run.known) for run in world.runs)
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
