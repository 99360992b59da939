"""A property that cannot fail proves nothing: a mistake, a deviation or a lie made for it breaks each."""

import functools
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from conformance.deviations.__main__ import deviating_reference, find_deviations
from conformance.mistakes.plain import reference_answer
from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.properties import load_properties, property_ids
from conformance.properties.registry import check_of, checks, holds
from conformance.properties.trying import seed_of, try_property
from conformance.registry.ops import OPS, SPEC_TABLE, SPECS
from conformance.suite.clauses import statements
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Reply
from tests.properties.lies import LIES

BROKEN_BY = json.loads(Path(__file__).with_name("broken_by.json").read_text("utf-8"))
"""By property what breaks it with the usual inputs; for the others there are lies."""
EQUALS = "-equals-reference"
LISTED = {spec: load_properties(spec) for spec in SPECS}
EVERY = {}
for listed in LISTED.values():
    EVERY.update({one.slug: one for one in listed if one.slug not in EVERY})  # an overlay has its base's
ALONE = [spec for spec in SPECS if SPEC_TABLE[spec].base is None]


def reference(spec):
    return SimpleNamespace(answer=functools.partial(reference_answer, spec))


def by_op(ones):
    """An item for each operation, so that a thousand properties are no thousand items."""
    groups = {}
    for one in ones:
        groups.setdefault(one.op.name, []).append(one)
    slow = {"metric_script": pytest.mark.slow}  # its scripts are processes
    return pytest.mark.parametrize(
        "ones", [pytest.param(group, id=op, marks=slow.get(op, ())) for op, group in groups.items()]
    )


def tried(one, variant, number=0, examples=None):
    how = {"seed": seed_of(one.id, number), "examples": examples, "shrinking": False}
    return try_property(check_of(one), lambda op, given: Reply("", variant.answer(op, given), 0.0), **how)


def test_every_property_is_listed_once_with_its_check_and_something_that_breaks_it() -> None:
    assert sorted([*BROKEN_BY, *LIES]) == sorted(slug for slug in EVERY if not slug.endswith(EQUALS))
    for slug, name in BROKEN_BY.items():
        deviations, mistakes = find_deviations(name, EVERY[slug].op.spec)
        assert {one.op for one in (*deviations, *mistakes)} <= ops_of(slug), slug
    assert sorted(EVERY) == sorted(checks())
    assert load_properties("no-such-spec") == []
    assert all(LISTED.values())
    slug, check = next(iter(checks().items()))
    with pytest.raises(ValueError, match=f"two checks called '{slug}'"):
        holds(slug, check.draw)(check.function)


def ops_of(slug):
    return {op.name for op in EVERY[slug].ops}


@pytest.mark.parametrize("spec", ALONE)
def test_the_list_is_of_its_spec(spec) -> None:
    known, vectors, ids = statements(spec), {vector.id for vector in load_spec(spec)}, property_ids(spec)
    assert ids == [f"{spec}/properties/{one.slug}" for one in LISTED[spec]] != []
    assert len(set(ids)) == len(ids)
    assert not set(ids) & vectors
    for one in LISTED[spec]:
        assert {op.spec for op in one.ops} == {spec}
        assert one.clause in known, one.id
        assert one.rule.endswith(".") and one.rule[:1].isalnum(), one.id  # noqa: PT018
        # So that -k finds the properties of an op by its name, with hyphens too.
        word = "multi_step" if one.slug.startswith("multi-step-") else one.op.name.replace(".", "_")
        assert one.slug.replace("-", "_").startswith(f"{word}_"), one.id
    compared = [one.op.name for one in LISTED[spec] if one.slug.endswith(EQUALS)]
    ops = [op.name for op in OPS.values() if op.spec == spec and not op.package_only]
    assert sorted(compared) == sorted(ops)
    assert len(ids) - len(compared) >= (30 if spec == DEFAULT_SPEC else 1)


@by_op(one for slug, one in EVERY.items() if not slug.endswith(EQUALS))
def test_each_fails_for_a_runner_in_which_it_does_not_hold(ones) -> None:
    for one in ones:
        if one.slug in BROKEN_BY:
            variant = deviating_reference(*find_deviations(BROKEN_BY[one.slug], one.op.spec), one.op.spec)
        else:
            variant = Variant(spec=one.op.spec)
            LIES[one.slug](variant)
        failure = tried(one, variant).failure
        assert failure is not None, one.id
        assert failure.outcome == "mismatch", one.id
        assert "does not have the op's shape" not in failure.sentence, one.id
        right = reference(one.op.spec).answer
        wrong = any(repr(right(each.op, each.input)) != repr(each.reply.answer) for each in failure.exchanges)
        assert wrong, f"{one.id}: the runner is right, and the property wrong"


@by_op(one for slug, one in EVERY.items() if slug.endswith(EQUALS))
def test_the_differential_ones_fail_for_a_runner_that_refuses(ones) -> None:
    def refuses(_):
        raise KeyError("no")

    for one in ones:
        variant = Variant(spec=one.op.spec)
        variant.operations[one.op.name] = refuses
        assert tried(one, variant).failure is not None, one.id


@by_op(EVERY.values())
def test_each_holds_of_the_reference_for_other_inputs_than_the_usual(ones) -> None:
    for one in ones:
        trial = tried(one, reference(one.op.spec), 20260, 4 if one.op.name == "metric_script" else 20)
        assert (trial.failure, trial.unsupported) == (None, None), one.id
        assert trial.examples > 0, one.id


@by_op(one for spec in SPECS if spec not in ALONE for one in LISTED[spec])
def test_each_holds_of_the_reference_of_an_overlay(ones) -> None:
    for one in ones:
        assert tried(one, reference(one.op.spec), examples=6).failure is None, one.id
