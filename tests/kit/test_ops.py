"""The table of operations, held to the public contract."""

import pytest

from conformance.comparison import Level
from conformance.ops import CLASSES, OPS
from conformance.verdict import Outcome

CONTRACT = {
    "parse_reward": "reward",
    "terminal_bench_reward": "reward",
    "aggregate": "aggregation",
    "evals_key": "job",
    "pass_at_k": "pass-at-k",
    "multi_step_reward": "multi-step",
    "plan_trials": "job",
    "outcome": "outcome",
    "reason_code": "outcome",
    "read_outcome": "outcome",
}
"""The operations of release 0.1.0, each with the class that it counts for. Extended, never renamed."""


def test_every_op_of_the_release_counts_for_its_class() -> None:
    assert {name: OPS[name].conformance_class for name in CONTRACT if name in OPS} == CONTRACT
    assert all(op.name == name for name, op in OPS.items())


def test_the_classes_are_those_of_the_ops() -> None:
    assert sorted(CLASSES) == sorted({op.conformance_class for op in OPS.values()})


@pytest.mark.parametrize("op", OPS)
def test_a_place_is_of_one_kind(op: str) -> None:
    """A file's content and a line hold no number of the protocol."""
    known = OPS[op]
    texts = [*known.ok_files, *known.ok_lines]
    assert not set(texts) & set(known.ok_numbers)
    assert all(text and "*" not in text for text in texts)


def test_outcomes_and_levels_have_their_public_names() -> None:
    assert [str(outcome) for outcome in Outcome] == [
        *("passed", "mismatch", "wrong-error", "crash", "timeout", "protocol-error"),
        *("unsupported", "not-run", "expected-failure", "unexpected-pass"),
    ]
    assert [str(level) for level in sorted(Level)] == ["none", "value", "exact", "bytes"]
