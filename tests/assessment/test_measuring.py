"""Counting clauses, and trying mistakes and properties: on few, for the whole takes minutes."""

import pytest

from conformance.assessment import trying
from conformance.assessment.measurements import AssessmentError
from conformance.assessment.measuring import bare_clauses, clause_sections, untested_clauses, vectors_by_class
from conformance.mistakes import find_mistakes
from conformance.paths import DEFAULT_SPEC
from conformance.properties import load_properties
from conformance.suite.clauses import Clause, load_clauses
from conformance.suite.vectors import load_spec


def test_clauses_are_counted_by_section() -> None:
    vectors = load_spec(DEFAULT_SPEC)[:1]
    clauses = [
        Clause(vectors[0].clause, "003", "1.1", "Traced.", None, None),
        Clause("excused", "003", "1.1", "Excused.", "For a reason.", None),
        Clause("bare", "003", "1.2", "Bare.", None, None),
    ]
    first, second = clause_sections(clauses, vectors)
    assert (first.section, first.traced, first.excused, first.bare, first.clauses) == ("1.1", 1, 1, 0, 2)
    assert (second.section, second.bare) == ("1.2", 1)
    assert [one.id for one in untested_clauses(clauses, vectors)] == ["excused"]
    assert bare_clauses(clauses, vectors) == ("bare",)


def test_no_clause_of_the_kit_is_bare() -> None:
    clauses, vectors = load_clauses(DEFAULT_SPEC), load_spec(DEFAULT_SPEC)
    assert bare_clauses(clauses, vectors) == ()
    assert sum(one.clauses for one in clause_sections(clauses, vectors)) == len(clauses)
    assert sum(vectors_by_class(vectors, DEFAULT_SPEC).values()) == len(vectors)


@pytest.fixture
def two_mistakes(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {one.name: one for one in find_mistakes("naive-sum+agents-outermost")}
    monkeypatch.setattr(trying, "all_mistakes", lambda _spec=None: few)


@pytest.mark.usefixtures("two_mistakes")
def test_mistakes_are_tried_in_other_processes() -> None:
    ticks: list[None] = []
    naive, outermost = trying.tried_mistakes(DEFAULT_SPEC, 2, lambda: ticks.append(None))
    assert (naive.name, naive.op, outermost.name, len(ticks)) == (
        "naive-sum",
        "aggregate",
        "agents-outermost",
        2,
    )
    for one in (naive, outermost):
        assert one.caught_by > 0
        assert one.vector is not None
        assert one.vector.startswith(f"{DEFAULT_SPEC}/")


@pytest.mark.usefixtures("two_mistakes")
def test_a_process_that_does_not_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trying, "_CPU_SECONDS", 0.01)
    with pytest.raises(AssessmentError, match="died, or did not end"):
        trying.tried_mistakes(DEFAULT_SPEC, 1, lambda: None)


@pytest.mark.usefixtures("two_mistakes")
def test_a_property_is_broken_by_some_mistake_or_by_none() -> None:
    broken = {
        one.id.rpartition("/")[2]: one.broken for one in trying.properties_of(DEFAULT_SPEC, "plan_trials")
    }
    assert list(broken) == [one.slug for one in load_properties(DEFAULT_SPEC) if one.op.name == "plan_trials"]
    assert broken["plan-trials-equals-reference"] is True
    assert broken["plan-trials-need-a-task"] is False  # neither of the two is about that
