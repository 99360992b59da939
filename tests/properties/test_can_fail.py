"""A property that cannot fail says nothing: for each there is a runner in which it does not hold."""

import importlib.util
from pathlib import Path
from typing import Any

import pytest

from conformance.mistakes.variant import Variant
from conformance.paths import DEFAULT_SPEC
from conformance.properties import load_properties
from conformance.properties.differential import reference
from conformance.properties.registry import checks
from conformance.properties.trying import seed_of, try_property
from conformance.wire.messages import Reply


def load_lies() -> dict[str, Any]:
    spec = importlib.util.spec_from_file_location("lies", Path(__file__).with_name("lies.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return dict(module.LIES)


LIES = load_lies()
IDS = {one.slug: one.id for one in load_properties(DEFAULT_SPEC)}
EQUALS = "-equals-reference"


def test_there_is_a_lie_for_every_property() -> None:
    assert sorted(LIES) == sorted(slug for slug in IDS if not slug.endswith(EQUALS))


@pytest.mark.parametrize("slug", LIES)
def test_it_fails_for_a_runner_in_which_it_does_not_hold(slug: str) -> None:
    variant = Variant()
    LIES[slug](variant)
    trial = try_property(
        checks()[slug],
        lambda op, given: Reply("", variant.answer(op, given), 0.0),
        seed=seed_of(IDS[slug], 0),
        shrinking=False,
    )
    assert trial.failure is not None
    assert trial.failure.outcome == "mismatch"
    assert "not of the op's shape" not in trial.failure.sentence
    wrong = [
        exchange
        for exchange in trial.failure.exchanges
        if repr(reference().answer(exchange.op, exchange.input)) != repr(exchange.reply.answer)
    ]
    assert wrong  # the runner is, not the property


@pytest.mark.parametrize("slug", [slug for slug in IDS if slug.endswith(EQUALS)])
def test_the_differential_ones_fail_for_a_runner_that_refuses(slug: str) -> None:
    variant = Variant()
    op = next(one.op.name for one in load_properties(DEFAULT_SPEC) if one.slug == slug)

    def refuses(_: object) -> object:
        raise KeyError("no")

    variant.operations[op] = refuses
    trial = try_property(
        checks()[slug],
        lambda asked, given: Reply("", variant.answer(asked, given), 0.0),
        seed=1,
        shrinking=False,
    )
    assert trial.failure is not None


@pytest.mark.parametrize("slug", IDS)
def test_it_holds_of_the_reference_for_other_inputs_than_the_usual(slug: str) -> None:
    trial = try_property(
        checks()[slug],
        lambda op, given: Reply("", reference().answer(op, given), 0.0),
        seed=seed_of(IDS[slug], 20260),
        examples=15,
    )
    assert trial.failure is None, trial.failure
    assert trial.unsupported is None
    assert trial.examples > 0
