"""What is drawn for an op is what its schema says, and reaches the cases that matter."""

import json

import pytest

from conformance.drawing.numbers import number
from conformance.drawing.source import Seeded
from conformance.mistakes.plain import reference_answer
from conformance.paths import DEFAULT_SPEC
from conformance.registry.ops import OPS
from conformance.wire.messages import Ok

pytestmark = pytest.mark.slow

DRAWN = [name for name, op in OPS.items() if not op.package_only]


def by_seed(draw, count, seed=1):
    source = Seeded(seed)
    return [draw(source) for _ in range(count)]


@pytest.mark.parametrize("op", DRAWN)
def test_the_expected_answer_is_one_that_a_vector_can_hold(op, faults) -> None:
    """Most inputs get an answer of their own: a generator of trifles would test little."""
    answers = set()
    for value in by_seed(OPS[op].draw, 40 if op != "metric_script" else 10):
        answer = reference_answer(DEFAULT_SPEC, op, value)
        answers.add(repr(answer))
        if isinstance(answer, Ok):
            assert faults(f"op-{op}#/$defs/ok", answer.value) == []
        else:
            error = {"type": answer.type, "reason_code": answer.reason_code}
            assert faults("definitions#/$defs/expected-error", error) == [], json.dumps(value)[:500]
    assert len(answers) >= {"terminal_bench_reward": 2, "evals_key": 1, "metric_script": 1}.get(op, 8)


def test_errors_are_drawn_too_and_numbers_reach_the_edges() -> None:
    kinds = {"RewardFileNotFoundError", "RewardFileEmptyError", "VerifierOutputParseError", "ValidationError"}
    kinds |= {"OverflowError", "ZeroDivisionError", "ValueError"}
    for op in (OPS[name] for name in DRAWN if OPS[name].spec == DEFAULT_SPEC):
        answers = [reference_answer(DEFAULT_SPEC, op.name, value) for value in by_seed(op.draw, 80)]
        kinds -= {answer.type for answer in answers if not isinstance(answer, Ok)}
    assert kinds == set()
    found = by_seed(number, 10_000)
    ints = {value for value in found if isinstance(value, int)}
    floats = {repr(value) for value in found if isinstance(value, float)}
    assert ints >= {0, 2**53 + 1, -(2**63), 2**63, 2**64, 10**400}
    assert floats >= {"-0.0", "5e-324", "1.7976931348623157e+308", "0.1"}
    assert {"NaN", "Infinity", "-Infinity"} <= {value for value in found if isinstance(value, str)}
