"""How entries are written: names, docstrings and places, and what is refused where it is written."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.mistakes import catalogue
from conformance.mistakes.family import family, says_and_why, slug
from conformance.mistakes.places import PlaceError, path_of
from conformance.mistakes.variant import Variant
from reference_impl import aggregation, errors, json_text, outcome
from reference_impl.cpython312 import summation
from reference_impl.job_result import JobResult
from reference_impl.pass_at_k import pass_at_k
from reference_impl.reason_code import reason_code

CLAUSE = "003-3.2-mean-division"


@pytest.fixture
def entries(monkeypatch):
    """A catalogue of this test alone."""
    found = {}
    monkeypatch.setattr(catalogue, "_entries", found)
    return found


DOCSTRINGS = json.loads(Path(__file__).with_name("docstrings.json").read_text("utf-8"))


def test_a_function_names_its_mistake_and_a_docstring_says_what_and_why() -> None:
    names = {"mean_floors": "mean-floors", "naive_sum_": "naive-sum", "pass_at_1": "pass-at-1"}
    assert {function: slug(function) for function in names} == names
    for docstring, *parts in DOCSTRINGS:
        assert says_and_why(docstring) == tuple(parts)
    for docstring in ("", "A mean is 0.", "A mean is 0.\n\n"):
        with pytest.raises(ValueError, match="one on why"):
            says_and_why(docstring)


def test_an_entry_needs_a_clause_and_what_invites_it(entries) -> None:
    def mean_is_0(values):
        """A mean is 0. It happens."""
        return 0

    for one in (family("aggregate", of=aggregation.mean, clause="x"), family("aggregate", invited_by="x")):
        with pytest.raises(ValueError, match="'mean-is-0' has no clause, or nothing that invites it"):
            one.changed()(mean_is_0)
    assert not entries


def test_a_place_is_the_reference_s_own_object() -> None:
    for place, path in (
        (aggregation.mean, "aggregation.mean"),
        (summation.compensated_sum, "cpython312.summation.compensated_sum"),
        (JobResult.text, "job_result.JobResult.text"),
        (pass_at_k, "pass_at_k.pass_at_k"),
        (summation, "cpython312.summation"),
        ((json_text, "INDENT"), "json_text.INDENT"),
        ((outcome, aggregation.mean), "outcome.mean"),
        ((reason_code, "KNOWN_CODES"), "reason_code.KNOWN_CODES"),
        ((errors.RewardFileNotFoundError, "reason_code"), "errors.RewardFileNotFoundError.reason_code"),
    ):
        assert path_of(place) == path
    variant = Variant()
    for pristine in (errors.ValidationError, aggregation.mean, summation):
        assert variant.its(pristine) is not pristine
    assert variant.module_of(pass_at_k).pass_at_k is variant.its(pass_at_k)


def elsewhere() -> None:
    """Not a part of the reference."""


class Elsewhere:
    """Has been renamed in the reference since."""

    __module__ = "reference_impl.aggregation"


REFUSED = [
    *(elsewhere, json, Elsewhere, 0.5, "aggregation.mean", (json_text, "INDENTATION"), (json_text, 4)),
    *((aggregation, elsewhere), (outcome, SimpleNamespace(__name__="mean")), (json_text,), (None, "INDENT")),
]


def test_another_object_is_refused_in_a_sentence_where_the_entry_stands() -> None:
    for place in REFUSED:
        with pytest.raises(PlaceError, match="is not a place in reference_impl; name a constant as"):
            family("aggregate", of=place)
    for kind in ("wrapped", "replaced", "used"):  # a family of nothing has nothing to wrap
        with pytest.raises(PlaceError, match="None is not a place in reference_impl"):
            getattr(family("aggregate", clause=CLAUSE, invited_by="loops"), kind)()
