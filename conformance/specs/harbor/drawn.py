"""Random parts that the inputs of several sections share: names, usage of tokens, gates, jobs of trials."""

from collections.abc import Callable
from typing import Any

from conformance.drawing.rewards import key
from conformance.drawing.source import Draw, Source

__all__ = ["EXCEPTIONS", "METRICS", "NAMES", "STRATEGIES", "Rest", "gate", "job", "limit", "name", "usage"]

METRICS = ("mean", "max", "min", "sum")
"""The metrics that aggregate rewards."""
NAMES: tuple[str, ...] = (
    "d",
    "a",
    "b",
    "nop",
    "m",
    "x",
    "data",
    "adhoc",
    "e",
    "ds__",
    "my__data",
    "a___b",
    "a__b",
    "x__d",
    "_",
    "__",
)
NAMES += ("m_", "", "d\n", "é/名", "agent", "oracle", "gpt-4.1", "y/z", "名前", "a b", "0")
"""Names of agents, models and datasets, those that join to the same key included."""
EXCEPTIONS: tuple[str, ...] = (
    "RuntimeError",
    "AgentTimeoutError",
    "CancelledError",
    "VerifierTimeoutError",
    "ValueError",
    "OSError",
)
EXCEPTIONS += ("É", "cancellederror", "10", "9")
"""Names of exceptions; those that sort or compare in odd ways included."""
STRATEGIES = ("mean", "final", None)
"""What a task says of how its steps make one result."""
_LIMITS: tuple[Any, ...] = (0, 1, 0.5, 0.1, -0.0, 1.0, "NaN", "-Infinity", "Infinity", 2**53 + 1, 10**400)
_TRIALS = (
    "",
    "t",
    "t__1",
    'q"\\/',
    "\x00\x08\x0c\x1f\x7f\x80",
    "\u2028\ufeff\uffff",
    "\U0001f600é",
    "<&>'",
    "tab\t",
)
_IDS = ("00000000-0000-0000-0000-000000000000", "0123abcd-ef01-4aaa-8bbb-0123456789ab")
_TIMES: tuple[str, ...] = ("2000-01-01T00:00:00", "2026-02-28T23:59:59.000001", "2026-03-01T00:00:00.120000Z")
_TIMES += ("1999-12-31T23:59:59+02:00", "2024-02-29T12:00:00.999999-11:30", "0001-01-01T00:00:00Z")
_COUNTS = (None, 0, 1, 7, 2**53 + 1, 2**63 - 1, 10**20)
_COSTS = (
    None,
    0.1,
    None,
    0,
    1,
    None,
    -0.0,
    0.1,
    0.2,
    0.3,
    0.7,
    None,
    1e-7,
    1e16,
    1e308,
    2**53 + 1,
    "NaN",
    "Infinity",
)
_SIZES = (4, 9, 9, 12, 40)

Rest = Callable[[Source], dict[str, Any]]
"""Draws what a trial has beside its identity."""


def name(source: Source) -> str:
    """The name of an agent, a model or a dataset."""
    return source.pick(NAMES)


def limit(source: Source) -> Any:
    """A number that a reward has to reach."""
    return source.pick(_LIMITS)


def gate(source: Source, number: Draw[Any] = limit) -> Any:
    """What a step has to reach: a number, or numbers by key."""
    kind = source.below(5)
    if kind < 3:
        return number(source)
    return {key(source): number(source) for _ in range((1, 1, 1, 2, 0)[source.below(5)])}


def usage(source: Source) -> Any:
    """What an agent reports of tokens and cost."""
    if source.below(3) == 0:
        return None
    counts = ("n_input_tokens", "n_cache_tokens", "n_output_tokens")
    return {count: source.pick(_COUNTS) for count in counts} | {"cost_usd": source.pick(_COSTS)}


def job(source: Source, rest: Rest) -> dict[str, Any]:
    """A job of finished trials, each completed by ``rest``.

    They are of few agents and datasets, so that they form groups.
    """
    agents = [name(source) for _ in range((1, 1, 2, 4)[source.below(4)])]
    sources = [name(source) for _ in range((1, 1, 2, 4)[source.below(4)])]
    models = (None, None, name(source), name(source))
    tasks = (1, 1, 2, 5)[source.below(4)]

    def trial(source: Source) -> dict[str, Any]:
        model = source.pick(models)
        odd = source.below(100)
        found = {
            "task_name": f"task-{source.below(tasks)}",
            "trial_name": "",
            "source": None if 5 <= odd < 10 else source.pick(sources),
            "agent_info": {
                "name": source.pick(agents),
                "model_info": None if model is None else {"name": model},
            },
            "agent_result": usage(source) if odd % 3 == 2 else None,
            "exception_info": None,
        }
        if odd >= 88:
            found["exception_info"] = {"exception_type": source.pick(EXCEPTIONS)}
        elif odd >= 80:
            found["trial_name"] = source.pick(_TRIALS)
            found["odd name"] = None
        return found | rest(source)

    trials = source.items(trial, _SIZES)
    for index, one in enumerate(trials):
        if "odd name" in one:
            del one["odd name"]
        else:
            one["trial_name"] = f"t{index}"
    named = dict.fromkeys(one["source"] or "adhoc" for one in trials)
    datasets = dict.fromkeys([*named, *(one.split("__")[-1] for one in named), "adhoc"])
    metrics: dict[str, list[str]] = {}
    for dataset in sorted(datasets):
        count = (1, 1, 1, 1, 2, 4, 0, None)[source.below(8)]
        if count is not None:
            metrics[dataset] = [source.pick(METRICS) for _ in range(count)]
    return {
        "id": source.pick(_IDS),
        "started_at": source.pick(_TIMES),
        "updated_at": source.pick((None, *_TIMES)),
        "finished_at": source.pick((None, *_TIMES)),
        "n_total_trials": max(0, len(trials) + (0, 0, 0, 1, 5, -1)[source.below(6)]),
        "n_retries": (0, 0, 1, 7)[source.below(4)],
        "metrics": metrics,
        "trials": trials,
    }
