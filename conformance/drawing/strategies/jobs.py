"""Whole jobs: finished trials with rewards, or with the files that verifiers left."""

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.drawing.strategies.files import reward_files
from conformance.drawing.strategies.numbers import EDGE_FLOATS, chance, numbers, ordinary, tenths
from conformance.drawing.strategies.rewards import rewards_or_none
from conformance.drawing.strategies.steps import EXCEPTIONS, gates, strategies

__all__ = ["METRICS", "NAMES", "job_results", "jobs", "pipelines", "trials", "unread_trials", "usages"]

METRICS = ("mean", "max", "min", "sum")
NAMES = (
    "d",
    "a",
    "b",
    "nop",
    "m",
    "x",
    "data",
    "adhoc",
    "ds__",
    "my__data",
    "a___b",
    "_",
    "__",
    "m_",
    "",
    "d\n",
    "é/名",
)
"""Names of agents, models and datasets, those that join to the same key included."""
_TRIAL_NAMES = (
    "",
    'q"\\/',
    "\x00\x08\x0c\x1f\x7f\x80",
    "\u2028\ufeff\uffff",
    "\U0001f600é",
    "<&>'",
    "tab\t",
    "t__1",
)
_IDS = ("00000000-0000-0000-0000-000000000000", "0123abcd-ef01-4aaa-8bbb-0123456789ab")
_TIMES: tuple[str, ...] = ("2000-01-01T00:00:00", "2026-02-28T23:59:59.000001", "2026-03-01T00:00:00.120000Z")
_TIMES += ("1999-12-31T23:59:59+02:00", "2024-02-29T12:00:00.999999-11:30", "0001-01-01T00:00:00Z")
_COSTS = (0.1, 0, 1, -0.0, 0.2, 0.3, 0.7, 1e-7, 1e16, 1e308, 2**53 + 1, "NaN", "Infinity")
_COUNTS = (None, 0, 1, 7, 2**53 + 1, 2**63 - 1, 10**20)
_EDGES = (*EDGE_FLOATS, 0, 1, 1, 2**53 + 1, 2**63, 10**20, "NaN", "Infinity", "-Infinity")
_BINARY = (1, 0, 1.0, 0.0, -0.0)
_VALUES = (
    st.sampled_from(_BINARY),
    st.sampled_from(_BINARY),
    tenths,
    ordinary,
    st.sampled_from(_EDGES),
    numbers,
)
"""Of what kind all rewards of one job are; only the last kind makes a metric overflow."""

_count = st.sampled_from(_COUNTS)
usages: SearchStrategy[Any] = st.one_of(
    st.none(),
    st.fixed_dictionaries(
        {
            "n_input_tokens": _count,
            "n_cache_tokens": _count,
            "n_output_tokens": _count,
            "cost_usd": st.one_of(st.none(), st.sampled_from(_COSTS)),
        }
    ),
)
"""What an agent reports of tokens and cost."""

Rest = Callable[[Any], dict[str, Any]]
"""Draws what a trial has beside its identity."""


@st.composite
def trials(draw: Any, rest: Rest, names: tuple[str, ...] = NAMES, most: int = 12) -> list[dict[str, Any]]:
    """The trials of a job: of few agents, models, datasets and tasks, so that they form groups."""
    pick = st.sampled_from(names)
    agents, sources = ([draw(pick) for _ in range(draw(st.sampled_from((1, 1, 2))))] for _ in range(2))
    models = [None, *(draw(pick) for _ in range(draw(st.integers(0, 2))))]
    tasks = [f"task-{index}" for index in range(draw(st.sampled_from((1, 1, 2, 4))))]
    count = draw(st.integers(draw(st.sampled_from((0, 2, 5))), most))
    found = []
    for index in range(count):
        odd = draw(st.integers(0, 99))
        model = draw(st.sampled_from(models))
        trial = {
            "task_name": draw(st.sampled_from(tasks)),
            "trial_name": _TRIAL_NAMES[odd - 92] if odd >= 92 else f"t{index}",
            "source": None if odd < 3 else draw(st.sampled_from(sources)),
            "agent_info": {
                "name": draw(st.sampled_from(agents)),
                "model_info": None if model is None else {"name": model},
            },
            "agent_result": draw(usages) if draw(chance(20)) else None,
            "exception_info": None,
        }
        if 3 <= odd < 15:
            trial["exception_info"] = {"exception_type": draw(st.sampled_from(EXCEPTIONS))}
        found.append(trial | rest(draw))
    return found


@st.composite
def jobs(draw: Any, of_trials: SearchStrategy[list[dict[str, Any]]]) -> dict[str, Any]:
    """A job of such trials, with metrics for most of the datasets that they name, or seem to name."""
    listed = draw(of_trials)
    sources = dict.fromkeys(trial["source"] or "adhoc" for trial in listed)
    datasets = dict.fromkeys([*sources, *(name.split("__")[-1] for name in sources), "adhoc"])
    metrics = st.lists(st.sampled_from(METRICS), min_size=1, max_size=4)
    return {
        "id": draw(st.sampled_from(_IDS)),
        "started_at": draw(st.sampled_from(_TIMES)),
        "updated_at": draw(st.one_of(st.none(), st.sampled_from(_TIMES))),
        "finished_at": draw(st.one_of(st.none(), st.sampled_from(_TIMES))),
        "n_total_trials": max(0, len(listed) + draw(st.sampled_from((0, 0, 1, 5, -1)))),
        "n_retries": draw(st.sampled_from((0, 0, 1, 7))),
        "metrics": {name: draw(metrics) for name in sorted(datasets) if not draw(chance(12))},
        "trials": listed,
    }


@st.composite
def job_results(
    draw: Any, values: SearchStrategy[Any] | None = None, names: tuple[str, ...] = NAMES
) -> dict[str, Any]:
    """Jobs whose rewards have been read."""
    values = draw(st.sampled_from(_VALUES)) if values is None else values
    one = values.map(lambda value: {"reward": value})
    rewards = one if draw(st.booleans()) else st.one_of(one, rewards_or_none(values))
    reports = st.lists(st.builds(lambda usage: {"agent_result": usage}, usages), max_size=3)

    def rest(draw: Any) -> dict[str, Any]:
        odd = draw(st.integers(0, 9))
        return {
            "step_results": draw(reports) if odd == 9 else None,
            "verifier_result": None if odd == 8 else {"rewards": draw(rewards)},
        }

    return draw(jobs(trials(rest, names)))  # type: ignore[no-any-return]


_binary_text = st.sampled_from(("1\n", "0\n", "1", "0")).map(lambda text: {"reward.txt": {"text": text}})


@st.composite
def unread_trials(draw: Any, with_steps: bool = True) -> list[dict[str, Any]]:
    """Trials whose rewards are still in files."""
    files = st.one_of(st.none(), _binary_text, _binary_text.map(dict), reward_files())
    if draw(chance(30)):
        files = _binary_text

    @st.composite
    def step(draw: Any) -> dict[str, Any]:
        return {
            "files": draw(files),
            "exception": draw(st.sampled_from(EXCEPTIONS)) if draw(chance(10)) else None,
            "min_reward": draw(gates()) if draw(chance(25)) else None,
            "agent_result": draw(usages),
        }

    def rest(draw: Any) -> dict[str, Any]:
        if not (with_steps and draw(chance(20))):
            return {"files": draw(files), "steps": None, "strategy": None}
        unread = draw(st.lists(step(), max_size=3))
        return {"agent_result": None, "files": None, "steps": unread, "strategy": draw(strategies)}

    return draw(trials(rest, most=8))  # type: ignore[no-any-return]


def pipelines(with_steps: bool = True) -> SearchStrategy[dict[str, Any]]:
    """Jobs whose rewards are still in files."""
    return jobs(unread_trials(with_steps))
