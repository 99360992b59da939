import math
import sys
from collections.abc import Sequence
from types import ModuleType
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_impl.evsys import (
    BUILT_INS,
    DEFAULT_METRICS,
    EntryPoint,
    Metric,
    Registry,
    TaskRewards,
    evaluate,
    load_plugins,
    score,
)
from reference_impl.evsys.operations import OPERATIONS

NAMES = ["mean_reward", "avg", "pass_rate", "pass@1", "pass@3", "pass^3"]

# By repr, in the order of NAMES.
EXAMPLES: list[tuple[TaskRewards, list[str]]] = [
    ([[1, 1, 0], [1, 0, 0], [0, 0, 0], [1, 1, 1]], ["0.5", "0.5", "0.5", "0.75", "0.75", "0.25"]),
    ([], ["0.0"] * 6),
    ([[]], ["0.0"] * 6),
    ([[1, 0, 0], [1]], ["0.6666666666666666", "0.6666666666666666", "0.5", "1.0", "1.0", "0.5"]),
    ([[0, 0, 0, 1]], ["0.25", "0.25", "0.25", "0.0", "0.0", "0.0"]),
    ([[0, 1, 0], []], ["0.3333333333333333"] * 3 + ["0.0", "1.0", "0.0"]),
    ([[-1, 2]], ["0.5", "0.5", "0.5", "0.0", "1.0", "0.0"]),
    ([[math.nan, 1, 0]], ["nan", "nan", "0.3333333333333333", "0.0", "1.0", "0.0"]),
    ([[0.9999999999999999]], ["0.9999999999999999"] * 2 + ["0.0"] * 4),
    ([[0.1, 0.2, 0.3]], ["0.19999999999999998"] * 2 + ["0.0"] * 4),
    (([1.0, 1.0, 1.0, 0.0], (1,)), ["0.875", "0.875", "0.8", "1.0", "1.0", "1.0"]),
]

WORST_TASK = """
from typing import ClassVar, Sequence

from evsys_sdk.registry import register_metric

PASS = 1.0


@register_metric("worst_task")       # registry key == name on metrics: list
class WorstTask:
    name: ClassVar[str] = "worst_task"
    # No Config - metrics take no params.

    # One inner sequence per task; returns one scalar for the benchmark.
    def compute(self, task_rewards: Sequence[Sequence[float]]) -> float:
        tasks = [rs for rs in task_rewards if rs]   # drop empty tasks
        if not tasks:
            return 0.0
        # Each task's mean sample reward; report the lowest (the weakest task).
        means = [sum(rs) / len(rs) for rs in tasks]
        return min(means)
"""
"""The example of document 002, as it is printed."""

task_rewards = st.lists(st.lists(st.integers(-3, 3) | st.floats(), max_size=6), max_size=6)


class Constant:
    """A metric as somebody may write it."""

    name: ClassVar[str] = "constant"

    def compute(self, task_rewards: TaskRewards) -> float:
        return 0.25


class Raising:
    name: ClassVar[str] = "raising"

    def compute(self, task_rewards: TaskRewards) -> float:
        raise ZeroDivisionError


def test_the_built_ins() -> None:
    assert list(BUILT_INS) == NAMES
    assert [metric.name for metric in BUILT_INS.values()] == NAMES


@pytest.mark.parametrize(("rewards", "expected"), EXAMPLES)
def test_examples(rewards: TaskRewards, expected: list[str]) -> None:
    assert [repr(metric().compute(rewards)) for metric in BUILT_INS.values()] == expected


@pytest.mark.parametrize("rewards", [[[10**400, 0.5]], [[10**400]]])
def test_a_mean_beyond_the_double_range(rewards: TaskRewards) -> None:
    with pytest.raises(OverflowError):
        BUILT_INS["mean_reward"]().compute(rewards)
    assert BUILT_INS["pass@1"]().compute(rewards) == 1.0


@given(task_rewards)
def test_shares(rewards: list[list[float]]) -> None:
    """Every share lies in the unit interval, and the built-ins stand in their order."""
    rate, first, any_of, all_of = (BUILT_INS[name]().compute(rewards) for name in NAMES[2:])
    assert all(type(share) is float and 0.0 <= share <= 1.0 for share in (rate, first, any_of, all_of))
    assert all_of <= first <= any_of
    assert (rate == 0.0) or any(reward >= 1.0 for task in rewards for reward in task)


@given(task_rewards, st.lists(st.floats(), max_size=3))
def test_what_does_not_count(rewards: list[list[float]], more: list[float]) -> None:
    """Tasks without samples, for all; samples after the third, for pass@3 and pass^3."""
    longer = [task + more if len(task) >= 3 else task for task in rewards]
    for name in NAMES:
        value = BUILT_INS[name]().compute(rewards)
        assert repr(BUILT_INS[name]().compute([[], *rewards, []])) == repr(value)
        if name in ("pass@3", "pass^3"):
            assert BUILT_INS[name]().compute(longer) == value


def test_a_key_belongs_to_one_class() -> None:
    registry = Registry()
    assert registry.register_metric("mine")(Constant) is Constant
    registry.register_metric("mine")(Constant)
    registry.register_metric("another")(Constant)
    with pytest.raises(ValueError, match="'mine' is already registered"):
        registry.register_metric("mine")(Raising)
    with pytest.raises(ValueError, match="'avg'"):
        registry.register_metric("avg")(Constant)
    assert registry.get("mine") is registry.get("another") is Constant
    assert registry.get("avg") is BUILT_INS["avg"]


@pytest.mark.parametrize("key", ["", None])
def test_without_a_key_the_class_has_one(key: str | None) -> None:
    registry = Registry()
    named = type("Named", (Constant,), {"name": "mine"})
    nameless = type("Nameless", (), {"compute": Constant.compute})
    assert registry.register_metric(key)(named) is named is registry.get("mine")
    with pytest.raises(ValueError, match="without a name"):
        registry.register_metric(key)(nameless)
    with pytest.raises(ValueError, match="'mine' is already"):
        registry.register_metric(key)(type("Other", (Constant,), {"name": "mine"}))
    assert registry.available() == sorted([*BUILT_INS, "mine"])


def test_a_class_is_called_as_its_key() -> None:
    registry = Registry()
    nameless: type[Metric] = type("Nameless", (), {"compute": Constant.compute})
    for key in ("first", "second"):
        registry.register_metric(key)(nameless)
        assert nameless.name == key
    with pytest.raises(ValueError, match="already"):
        registry.register_metric("avg")(nameless)
    assert nameless.name == "second"
    registry.register_metric()(nameless)
    assert registry.available() == sorted([*BUILT_INS, "first", "second"])


def test_an_unknown_name() -> None:
    registry = Registry()
    registry.register_metric("Z")(Constant)
    with pytest.raises(KeyError, match=r"'constant', available: Z, avg, mean_reward, pass@1"):
        registry.get("constant")


def test_registries_are_apart() -> None:
    Registry().register_metric("mine")(Constant)
    assert "mine" not in Registry().available()
    assert sorted(BUILT_INS) == Registry().available()


def test_plugins() -> None:
    registry = Registry()

    def importing(*registers: tuple[str, type[Metric]]) -> None:
        for key, metric in registers:
            registry.register_metric(key)(metric)

    def failing() -> None:
        raise ImportError("no such module")

    entry_points = [
        EntryPoint("broken", failing),
        EntryPoint("midway", lambda: importing(("one", Constant), ("avg", Constant), ("two", Constant))),
        EntryPoint("good", lambda: importing(("three", Raising))),
    ]
    assert load_plugins(entry_points) == (["good"], ["broken", "midway"])
    assert registry.get("one") is Constant
    assert registry.get("three") is Raising
    assert "two" not in registry.available()


def test_a_benchmark() -> None:
    registry = Registry()
    registry.register_metric("mine")(Constant)
    registry.register_metric("bad")(Raising)
    names = ["pass@3", "nowhere", "mine", "bad", "pass_rate", "mine", "nowhere"]
    values, left_out = evaluate(registry, names, [[1, 0]])
    assert list(values.items()) == [("pass@3", 1.0), ("mine", 0.25), ("pass_rate", 0.5)]
    assert left_out == ["nowhere", "bad", "nowhere"]


def test_a_benchmark_that_names_nothing() -> None:
    assert evaluate(Registry(), [], [[1.0, 0.0]]) == ({"mean_reward": 0.5, "pass_rate": 0.5}, [])
    assert DEFAULT_METRICS == ("mean_reward", "pass_rate")


@pytest.mark.parametrize(
    ("returned", "value"), [(1, "1.0"), (True, "1.0"), (2**53 + 1, "9007199254740992.0")]
)
def test_values_are_floats(returned: object, value: str) -> None:
    registry = Registry()
    registry.register_metric("mine")(type("Mine", (), {"compute": lambda self, rewards: returned}))
    values, left_out = evaluate(registry, ["mine"], [])
    assert (repr(values["mine"]), left_out) == (value, [])


@pytest.mark.parametrize("returned", [None, [], 10**400, "one"])
def test_what_is_no_number_is_left_out(returned: object) -> None:
    registry = Registry()
    registry.register_metric("mine")(type("Mine", (), {"compute": lambda self, rewards: returned}))
    assert evaluate(registry, ["mine", "avg"], []) == ({"avg": 0.0}, ["mine"])


def test_the_whole_answer() -> None:
    registry = Registry()
    seen = []
    mine = type("Mine", (), {"compute": lambda self, rewards: seen.append(rewards) or 3})
    registry.register_metric("n_tasks")(mine)
    values, left_out = score(registry, ["pass@1", "nowhere"], [[], [1.0], [], [0.0]])
    assert list(values.items()) == [("n_tasks", 2.0), ("pass@1", 0.5)]
    assert left_out == ["nowhere"]
    assert list(score(registry, ["avg", "n_tasks"], [[], [1.0]])[0].items()) == [
        ("n_tasks", 3.0),
        ("avg", 1.0),
    ]
    assert seen == [[[1.0]]]


@pytest.fixture
def sdk(monkeypatch: pytest.MonkeyPatch) -> Registry:
    """A registry that the document's import finds."""
    registry, package, module = Registry(), ModuleType("evsys_sdk"), ModuleType("evsys_sdk.registry")
    module.__dict__["register_metric"] = registry.register_metric
    monkeypatch.setitem(sys.modules, "evsys_sdk", package)
    monkeypatch.setitem(sys.modules, "evsys_sdk.registry", module)
    return registry


def test_the_documents_example(sdk: Registry) -> None:
    """Executed as it is printed, and listed on a benchmark as the document lists it."""
    exec(compile(WORST_TASK, "document-002", "exec"), {"__name__": "worst_task"})
    assert sdk.get("worst_task").name == "worst_task"

    def worst(rewards: Sequence[Sequence[float]]) -> dict[str, float]:
        return evaluate(sdk, ["mean_reward", "worst_task"], rewards)[0]

    assert worst([[1.0, 0.0], [], [1.0], [0.0, 0.0, 1.0]]) == {
        "mean_reward": (0.5 + 1.0 + 1 / 3) / 3,
        "worst_task": 1 / 3,
    }
    assert worst([]) == worst([[]]) == {"mean_reward": 0.0, "worst_task": 0.0}
    assert worst([(0.5, 0.5), (1, 1)])["worst_task"] == 0.5


def test_a_label_is_a_class_of_its_own() -> None:
    described = {"name": "m", "returns": "NaN"}
    actions = [{"do": "register", "key": "m", "class": label} for label in ("A", "B", "A")]
    actions += [{"do": "evaluate", "metrics": ["m"], "task_rewards": []}]
    answer = OPERATIONS["evsys.registry"]({"classes": {"A": described, "B": described}, "actions": actions})
    values = {"values": {"m": "NaN"}, "left_out": []}
    assert answer == {"results": [{}, {"error": "ValueError"}, {}, values]}
