"""The list of properties and the checks behind it belong together."""

import pytest

from conformance.paths import DEFAULT_SPEC, spec_names
from conformance.properties import load_properties, property_ids
from conformance.properties.registry import Check, checks, enter
from conformance.registry.ops import ops_of
from conformance.suite.clauses import statements
from conformance.suite.vectors import load_spec

LISTED = load_properties(DEFAULT_SPEC)


def test_every_property_has_a_check_and_every_check_is_listed() -> None:
    listed = [one.slug for spec in spec_names() for one in load_properties(spec)]
    assert sorted(set(listed)) == sorted(checks())


def test_every_op_is_compared_with_the_reference() -> None:
    differential = [one for one in LISTED if one.slug.endswith("-equals-reference")]
    assert sorted(one.op.name for one in differential) == sorted(op.name for op in ops_of(DEFAULT_SPEC))
    assert len(LISTED) - len(differential) >= 30


def test_ids_are_unique_and_no_vector_has_one() -> None:
    ids = property_ids(DEFAULT_SPEC)
    assert len(set(ids)) == len(ids)
    assert all(one.startswith(f"{DEFAULT_SPEC}/properties/") for one in ids)
    assert not set(ids) & {vector.id for vector in load_spec(DEFAULT_SPEC)}


def test_every_clause_exists() -> None:
    known = statements(DEFAULT_SPEC)
    assert [one.id for one in LISTED if one.clause not in known] == []


def test_a_slug_begins_with_what_it_is_about() -> None:
    """So that -k finds the properties of an op by its name, with hyphens too."""
    for one in LISTED:
        word = "multi_step" if one.slug.startswith("multi-step-") else one.op.name
        assert one.slug.replace("-", "_").startswith(f"{word}_"), one.slug


def test_rules_are_sentences() -> None:
    assert [one.id for one in LISTED if not (one.rule.endswith(".") and one.rule[:1].isalnum())] == []


def test_a_spec_without_a_list_has_no_properties() -> None:
    assert load_properties("no-such-spec") == []
    assert all(load_properties(spec) for spec in spec_names())


def test_a_slug_stands_once() -> None:
    slug, check = next(iter(checks().items()))
    with pytest.raises(ValueError, match=f"two checks called '{slug}'"):
        enter(slug, Check(check.draw, check.function))
