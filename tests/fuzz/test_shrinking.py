"""The shrinker, without any process: what it makes of inputs that a plain condition finds interesting."""

import itertools
import json

import pytest

from conformance.fuzz.inputs import Inputs
from conformance.fuzz.shrinking import OutOfBudgetError, shrink, weight
from conformance.suite.shapes import fits, shape_of
from tests.fuzz.conftest import delicate, values


def shrunk(op, given, interesting):
    def still(candidates):
        for index, candidate in enumerate(candidates):
            assert fits(shape_of(op), candidate), candidate
            if interesting(candidate):
                return index
        return None

    return shrink(op, given, still)


def first(op, interesting, seed=1):
    stream = itertools.islice(Inputs(seed, [op]), 20_000)
    return next(one.input for one in stream if interesting(one.input))


def test_a_delicate_sum_shrinks_to_a_few_short_floats() -> None:
    """To three or four of three characters, but for one input in ten, whose digits matter."""
    found = [shrunk("aggregate", first("aggregate", delicate, seed), delicate) for seed in range(1, 11)]
    assert max(len(small["rewards"]) for small in found) <= 4
    assert sum(max(len(repr(number)) for number in values(small)) > 6 for small in found) <= 1


def test_json_in_a_file_shrinks_as_json() -> None:
    text = json.dumps({"a": [1, 2, {"b": "x" * 50}], "accuracy": 9007199254740993, "z": None})
    given = {"files": {"reward.json": {"text": text}, "reward.txt": {"text": "1"}}}

    def interesting(one):
        return "9007199254740993" in one["files"].get("reward.json", {}).get("text", "")

    assert shrunk("parse_reward", given, interesting) in (
        {"files": {"reward.json": {"text": "9007199254740993"}}},
        {"files": {"reward.json": {"text": '{"reward": 9007199254740993}'}}},
    )


def test_every_op_shrinks_to_something_valid() -> None:
    large = ("pipeline", "job_result", "multi_step_reward", "resolve_metrics", "read_outcome", "plan_trials")
    for op in large:
        given = next(iter(Inputs(5, [op]))).input
        small = shrunk(op, given, lambda _: True)
        assert fits(shape_of(op), small)
        assert weight(small) <= weight(given)


@pytest.mark.parametrize("budget", [0, 1, 3, 10])
def test_the_best_so_far_survives_the_end_of_the_budget(budget) -> None:
    given = {"metric": "mean", "rewards": [{"reward": 0.1}] * 20}
    left = budget

    def still(candidates):
        nonlocal left
        if not left:
            raise OutOfBudgetError
        left -= 1
        return next((i for i, one in enumerate(candidates) if len(one["rewards"]) >= 2), None)

    small = shrink("aggregate", given, still)
    assert 2 <= len(small["rewards"]) <= 20
    assert budget < 2 or weight(small) < weight(given)
