"""An input for every op, as its schema has it."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.drawing.strategies.evsys import EVSYS_INPUTS
from conformance.drawing.strategies.files import reward_files
from conformance.drawing.strategies.harness import HARNESS_INPUTS
from conformance.drawing.strategies.jobs import NAMES, job_results, pipelines
from conformance.drawing.strategies.numbers import chance, small_ints
from conformance.drawing.strategies.outcomes import outputs, stdouts
from conformance.drawing.strategies.rewards import reward_lists, rewards_or_none
from conformance.drawing.strategies.scripts import SCRIPT_INPUTS
from conformance.drawing.strategies.steps import step_lists, strategies
from conformance.drawing.strategies.texts import reasons

__all__ = ["DRAWABLE", "datasets", "graded", "inputs", "metric_names", "names", "tasks"]

_ONE = (1, 1.0)
_ZERO = (0, 0.0, -0.0)
_TASKS = ("t", "u", "10", "9", "__proto__", "é", "")

names: SearchStrategy[str] = st.sampled_from((*NAMES, "gpt-4.1", "y/z", "a b", "0"))
"""Names of agents, models and datasets."""
tasks: SearchStrategy[str] = st.sampled_from(_TASKS)
"""Names of tasks."""
metric_names: SearchStrategy[list[str]] = st.lists(
    st.sampled_from(("mean", "max", "min", "sum", "uv-script")), max_size=3
)
"""The names of several metrics."""


@st.composite
def graded(draw: Any, spoilt: bool = True) -> list[dict[str, Any]]:
    """The trials of one group: plain passes and failures; some groups hold something else too."""
    count = draw(st.sampled_from((0, 1, 2, 4, 5, 8, 11, 16, 20, 33)))
    of_tasks = draw(st.lists(tasks, min_size=1, max_size=3, unique=True))
    share = draw(st.integers(0, 10))
    odd = draw(chance(30)) if spoilt else False
    trials = []
    for index in range(count):
        kind = draw(st.integers(0, 99))
        passed = kind % 11 < share
        rewards: Any = {"reward": (_ONE if passed else _ZERO)[kind % (2 if passed else 3)]}
        if kind >= 96:
            rewards = draw(rewards_or_none()) if odd else None
        trials.append({"task": of_tasks[index % len(of_tasks)], "rewards": rewards})
    return draw(st.permutations(trials)) if draw(chance(30)) else trials


@st.composite
def datasets(draw: Any) -> dict[str, Any]:
    """A dataset of a job's configuration."""
    kind = draw(st.sampled_from(("local", "package", "registry")))
    name = draw(st.sampled_from(("d", "e", "adhoc", "my__data", "名", "10")))
    return {
        "name": f"o/{name}" if kind == "package" else name,
        "kind": kind,
        "metrics": draw(metric_names) if kind == "registry" else [],
        "metric_py": draw(st.booleans()),
    }


def _optional(strategy: SearchStrategy[Any]) -> SearchStrategy[Any]:
    return st.one_of(strategy, st.none())


_names = st.lists(st.sampled_from(("t1", "t2", "b", "a", "")), max_size=4)
_metrics = st.sampled_from(("mean", "sum", "mean", "sum", "mean", "sum", "max", "min"))
_INPUTS: dict[str, SearchStrategy[Any]] = {
    "parse_reward": st.fixed_dictionaries({"files": reward_files()}),
    "terminal_bench_reward": st.fixed_dictionaries(
        {"exit_code": st.one_of(st.integers(0, 20), st.sampled_from((127, 137, 255)))}
    ),
    "aggregate": st.fixed_dictionaries({"metric": _metrics, "rewards": reward_lists()}),
    "evals_key": st.fixed_dictionaries(
        {"agent": names, "model": _optional(names), "source": _optional(names)}
    ),
    "pass_at_k": st.fixed_dictionaries({"trials": graded()}),
    "multi_step_reward": st.fixed_dictionaries({"strategy": strategies, "steps": step_lists()}),
    "plan_trials": st.fixed_dictionaries({"n_attempts": small_ints, "tasks": _names, "agents": _names}),
    "resolve_metrics": st.fixed_dictionaries(
        {"datasets": st.lists(datasets(), max_size=5), "job_metrics": metric_names}
    ),
    "job_result": job_results(),
    "pipeline": pipelines(),
    "outcome": outputs,
    "reason_code": st.fixed_dictionaries({"text": _optional(reasons)}),
    "read_outcome": st.fixed_dictionaries(
        {
            "stdout": stdouts(),
            "returncode": st.sampled_from((0, 0, 0, 1, -9, 137)),
            "timed_out": chance(10),
        }
    ),
    **SCRIPT_INPUTS,
    **EVSYS_INPUTS,
    **HARNESS_INPUTS,
}


DRAWABLE: tuple[str, ...] = tuple(_INPUTS)
"""The ops that inputs can be drawn for."""


def inputs(op: str) -> SearchStrategy[Any]:
    """Inputs of an op, edge cases and refused ones included."""
    return _INPUTS[op]
