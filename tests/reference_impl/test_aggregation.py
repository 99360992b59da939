import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.aggregation import METRICS, aggregate
from reference_impl.verifier_result import Rewards

TWO_KEYS: list[Rewards | None] = [{"correctness": 1, "speed": 0.5}, {"correctness": 0, "speed": 1.0}]

# The document's examples, §3.2, and the ones that a first draft gets wrong; by repr.
EXAMPLES: list[tuple[str, list[Rewards | None], str]] = [
    ("mean", [{"reward": 1}, {"reward": 0}, {"reward": 1}], "{'mean': 0.6666666666666666}"),
    ("mean", [{"reward": 1}], "{'mean': 1.0}"),
    ("mean", TWO_KEYS, "{'correctness': 0.5, 'speed': 0.75}"),
    ("max", TWO_KEYS, "{'correctness': 1, 'speed': 1.0}"),
    ("min", TWO_KEYS, "{'correctness': 0, 'speed': 0.5}"),
    ("sum", TWO_KEYS, "{'correctness': 1, 'speed': 1.5}"),
    ("mean", [{"reward": 1}, None, None], "{'mean': 0.3333333333333333}"),
    ("mean", [{"reward": 0.1}, {"reward": 0.2}, {"reward": 0.3}], "{'mean': 0.19999999999999998}"),
    ("mean", [None, None], "{'mean': 0.0}"),
    ("mean", [{}, {"reward": 1}], "{'mean': 0.5}"),
    ("mean", [{"reward": 9007199254740993}, None, None], "{'mean': 3002399751580331.0}"),
    ("mean", [{"a": 1}, {"b": 1}], "{'a': 0.5, 'b': 0.5}"),
    ("max", [{"reward": 1}, {"reward": 1.0}], "{'max': 1}"),
    ("min", [{"reward": 0.0}, {"reward": 0}], "{'min': 0.0}"),
    ("max", [{"reward": 2.0**53}, {"reward": 2**53 + 1}], "{'max': 9007199254740993}"),
    ("max", [{"reward": math.nan}, {"reward": 1}], "{'max': nan}"),
    ("max", [{"reward": 1}, {"reward": math.nan}], "{'max': 1}"),
    ("max", [{"reward": -1}, None], "{'max': 0}"),
    ("sum", [], "{'sum': 0}"),
    ("sum", [{"\U00010000": 1, "\uffee": 2}], "{'\uffee': 2, '\U00010000': 1}"),
]


@pytest.mark.parametrize(("metric", "rewards", "expected"), EXAMPLES)
def test_examples(metric: str, rewards: list[Rewards | None], expected: str) -> None:
    assert repr(aggregate(metric, rewards)) == expected


@pytest.mark.parametrize(
    ("metric", "error"), [("mean", ZeroDivisionError), ("max", ValueError), ("min", ValueError)]
)
def test_no_trials(metric: str, error: type[Exception]) -> None:
    with pytest.raises(error):
        aggregate(metric, [])


def test_the_mean_leaves_the_double_range() -> None:
    with pytest.raises(OverflowError):
        aggregate("mean", [{"reward": 10**400}])


def test_unknown_metric() -> None:
    with pytest.raises(KeyError, match="median"):
        aggregate("median", [])


@given(
    metric=st.sampled_from(sorted(METRICS)),
    rewards=st.lists(
        st.none() | st.dictionaries(st.sampled_from("abc"), st.floats(-10, 10), min_size=1), min_size=1
    ),
)
def test_keyed_by_metric_or_by_reward_key(metric: str, rewards: list[Rewards | None]) -> None:
    keys = sorted({key for reward in rewards if reward for key in reward})
    assert list(aggregate(metric, rewards)) == (keys if len(keys) > 1 else [metric])
