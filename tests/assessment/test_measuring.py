"""Counting clauses, and trying mistakes and properties: on few, for the whole takes minutes."""

import os

import pytest

from conformance.assessment import detection
from conformance.assessment.benchmarks import AssessmentError
from conformance.assessment.detection import breaking, caught_mistakes, in_processes, properties_of
from conformance.assessment.measuring import untraced
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
        assert one.alone["evsys.compute"] == one.vector


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
            assert breaking(wanted, mistakes) == breaking(wanted, mistakes, sparing=False) is not None
