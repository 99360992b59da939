"""Inputs of EvSys metrics: rewards of tasks by sample, and registries with what is done to them."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.drawing.strategies.numbers import chance, fractions, numbers, small_ints

__all__ = [
    "BUILT_INS",
    "EVSYS_INPUTS",
    "GRADES",
    "LABELS",
    "SHARES",
    "benchmarks",
    "classes",
    "grades",
    "keys",
]

SHARES: tuple[str, ...] = ("pass_rate", "pass@1", "pass@3", "pass^3")
"""The metrics that count what passes."""
BUILT_INS: tuple[str, ...] = ("mean_reward", "avg", *SHARES)
GRADES: tuple[Any, ...] = (0, 1, 1.0, 0.0, 0.5, 0.9999999999999999, 1.0000000000000002, 2, -1, -0.0, "NaN")
"""Rewards on both sides of what passes, most of them close to it."""
LABELS: tuple[str, ...] = ("A", "B", "C")
"""What an input calls its classes."""

grades: SearchStrategy[Any] = st.sampled_from(GRADES)
keys: SearchStrategy[str] = st.sampled_from(
    ("worst_task", "a", "A", "", "最悪", "pass@2", " avg", "\uffee", "\U00010000", *BUILT_INS)
)
"""Names of metrics, some of them taken."""


def benchmarks(values: SearchStrategy[Any] = grades, least: int = 0) -> SearchStrategy[Any]:
    """The rewards of a few tasks, each of at least so many samples."""
    tasks = st.lists(values, min_size=least, max_size=5)
    return st.lists(tasks, max_size=6)


_task_rewards = st.one_of(
    benchmarks(), benchmarks(fractions), benchmarks(numbers), benchmarks(st.one_of(fractions, small_ints))
)
_raises = st.sampled_from(("ValueError", "ZeroDivisionError")).map(lambda name: {"raises": name})


@st.composite
def classes(draw: Any, raising: bool = True) -> dict[str, Any]:
    """Three classes by label; some raise."""
    described = {}
    for label in LABELS:
        does = draw(_raises) if raising and draw(chance(25)) else {"returns": draw(numbers)}
        described[label] = {"name": draw(keys), **does}
    return described


_labels = st.sampled_from(LABELS)
_register = st.fixed_dictionaries({"do": st.just("register"), "key": keys, "class": _labels})
_get = st.fixed_dictionaries({"do": st.just("get"), "key": keys})
_evaluate = st.fixed_dictionaries(
    {"do": st.just("evaluate"), "metrics": st.lists(keys, max_size=4), "task_rewards": _task_rewards}
)
_registers = st.lists(st.tuples(keys, _labels).map(list), max_size=3)


@st.composite
def _load(draw: Any) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(("z", "a", "b", "worst_task")), max_size=3, unique=True))
    fails = st.sampled_from((None, None, None, None, "", "No module named x"))
    points = [{"name": name, "registers": draw(_registers), "fails": draw(fails)} for name in names]
    return {"do": "load", "entry_points": points}


EVSYS_INPUTS: dict[str, SearchStrategy[Any]] = {
    "evsys.compute": st.fixed_dictionaries(
        {
            "metric": st.one_of(*[st.sampled_from(BUILT_INS)] * 4, keys),
            "task_rewards": _task_rewards,
        }
    ),
    "evsys.registry": st.fixed_dictionaries(
        {
            "classes": classes(),
            "actions": st.lists(st.one_of(_register, _get, _load(), _evaluate), max_size=8),
        }
    ),
}
"""An input for every op of EvSys."""
