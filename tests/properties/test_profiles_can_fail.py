"""As ``test_can_fail``, for the specs beside harbor's."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest
from conformance.drawing.strategies.inputs import DRAWABLE

from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC, spec_names
from conformance.properties import Property, load_properties
from conformance.properties.differential import reference
from conformance.properties.registry import checks
from conformance.properties.trying import Trial, seed_of, try_property
from conformance.registry.ops import OPS
from conformance.suite.clauses import statements
from conformance.suite.vectors import load_spec
from conformance.wire.messages import Reply


def load_lies() -> dict[str, dict[str, Any]]:
    spec = importlib.util.spec_from_file_location("lies", Path(__file__).with_name("profile_lies.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.LIES)


LIES = load_lies()
SPECS = sorted(set(spec_names()) - {DEFAULT_SPEC})
EQUALS = "-equals-reference"
LISTED = {spec: load_properties(spec) for spec in SPECS}
EVERY = {one.slug: one for listed in LISTED.values() for one in listed}
ONES = [pytest.param(one, id=one.slug) for one in EVERY.values()]
DIFFERENTIAL = [pytest.param(one, id=slug) for slug, one in EVERY.items() if slug.endswith(EQUALS)]
OTHERS = [pytest.param(one, id=slug) for slug, one in EVERY.items() if not slug.endswith(EQUALS)]


def tried(one: Property, variant: Variant, number: int = 0, examples: int | None = None) -> Trial:
    return try_property(
        checks()[one.slug],
        lambda op, given: Reply("", variant.answer(op, given), 0.0),
        seed=seed_of(one.id, number),
        examples=examples,
        shrinking=False,
    )


@pytest.mark.parametrize("spec", SPECS)
def test_there_is_a_lie_for_every_property(spec: str) -> None:
    assert sorted(LIES[spec]) == sorted(one.slug for one in LISTED[spec] if not one.slug.endswith(EQUALS))


@pytest.mark.parametrize("spec", SPECS)
def test_the_list_is_of_its_spec(spec: str) -> None:
    known, vectors = statements(spec), {vector.id for vector in load_spec(spec)}
    assert LISTED[spec]
    for one in LISTED[spec]:
        assert one.id == f"{spec}/properties/{one.slug}"
        assert one.id not in vectors
        assert {op.spec for op in one.ops} == {spec}
        assert one.clause in known, one.id
        assert one.slug.startswith(one.op.name.replace("_", "-").replace(".", "-"))
    compared = [one.op.name for one in LISTED[spec] if one.slug.endswith(EQUALS)]
    assert compared == [op for op in DRAWABLE if OPS[op].spec == spec]


@pytest.mark.parametrize("one", OTHERS)
def test_it_fails_for_a_runner_in_which_it_does_not_hold(one: Property) -> None:
    variant = Variant()
    LIES[one.op.spec][one.slug](variant)
    failure = tried(one, variant).failure
    assert failure is not None
    assert failure.outcome == "mismatch"
    assert "not of the op's shape" not in failure.sentence
    wrong = [
        exchange
        for exchange in failure.exchanges
        if repr(reference().answer(exchange.op, exchange.input)) != repr(exchange.reply.answer)
    ]
    assert wrong  # the runner is, not the property


@pytest.mark.parametrize("one", DIFFERENTIAL)
def test_the_differential_ones_fail_for_a_runner_that_refuses(one: Property) -> None:
    variant = Variant()

    def refuses(_: object) -> object:
        raise KeyError("no")

    variant.operations[one.op.name] = refuses
    assert tried(one, variant).failure is not None


@pytest.mark.parametrize("one", ONES)
def test_it_holds_of_the_reference_for_other_inputs_than_the_usual(one: Property) -> None:
    trial = tried(one, reference(), 20260, 4 if one.op.name == "metric_script" else 20)
    assert trial.failure is None, trial.failure
    assert trial.unsupported is None
    assert trial.examples > 0
