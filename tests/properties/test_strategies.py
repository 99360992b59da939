"""What is drawn for an op is what its schema says, and reaches the cases that matter."""

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.strategies import SearchStrategy

from conformance.drawing.strategies.inputs import DRAWABLE, inputs
from conformance.drawing.strategies.numbers import EDGE_FLOATS, numbers
from conformance.properties.differential import reference
from conformance.wire.messages import Ok


def drawn(strategy: SearchStrategy[Any], count: int, number: int = 1) -> list[Any]:
    found: list[Any] = []

    @seed(number)
    @settings(
        max_examples=count, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(strategy)
    def collect(value: Any) -> None:
        found.append(value)

    collect()
    return found


@pytest.mark.parametrize("op", DRAWABLE)
def test_every_input_is_what_the_schema_says(op: str, faults: Callable[..., list[str]]) -> None:
    for value in drawn(inputs(op), 200):
        assert faults(f"op-{op}#/$defs/input", value) == [], json.dumps(value)[:500]
        assert len(json.dumps(value)) < 1 << 19  # a request is one line of 1 MiB at most


@pytest.mark.parametrize("op", DRAWABLE)
def test_the_expected_answer_is_one_that_a_vector_can_hold(op: str, faults: Callable[..., list[str]]) -> None:
    for value in drawn(inputs(op), 60 if op != "metric_script" else 10):
        answer = reference().answer(op, value)
        if isinstance(answer, Ok):
            assert faults(f"op-{op}#/$defs/ok", answer.value) == []
        else:
            error = {"type": answer.type, "reason_code": answer.reason_code}
            assert faults("definitions#/$defs/expected-error", error) == [], json.dumps(value)[:500]


def test_errors_are_drawn_too() -> None:
    kinds = Counter(
        answer.type
        for op in DRAWABLE
        for value in drawn(inputs(op), 200 if op != "metric_script" else 10)  # each starts a process
        if not isinstance(answer := reference().answer(op, value), Ok)
    )
    assert set(kinds) >= {
        "RewardFileNotFoundError",
        "RewardFileEmptyError",
        "VerifierOutputParseError",
        "ValidationError",
        "OverflowError",
        "ZeroDivisionError",
        "ValueError",
    }


def test_numbers_reach_the_edges() -> None:
    found = drawn(numbers, 3000)
    ints = {value for value in found if isinstance(value, int)}
    floats = {repr(value) for value in found if isinstance(value, float)}
    assert ints >= {0, 2**53 + 1, -(2**63), 2**63, 2**64, 10**400}
    assert floats >= {"-0.0", "5e-324", "1.7976931348623157e+308", "0.1"}
    assert {"NaN", "Infinity", "-Infinity"} <= {value for value in found if isinstance(value, str)}
    assert len(EDGE_FLOATS) < 98


def test_the_same_seed_draws_the_same_whatever_else_is_random() -> None:
    once = [drawn(inputs(op), 20) for op in DRAWABLE]
    random.seed(99)
    assert [drawn(inputs(op), 20) for op in DRAWABLE] == once
    assert [drawn(inputs(op), 20, 2) for op in DRAWABLE] != once
