"""Random parts that several sections share: names, token usage, gates, jobs of trials."""

from collections.abc import Callable
from typing import Any

from conformance.drawing.rewards import key
from conformance.drawing.source import Draw, Source

__all__ = [
    "EXCEPTIONS",
    "METRICS",
    "NAMES",
    "STRATEGIES",
    "Rest",
    "exception",
    "gate",
    "job",
    "limit",
    "name",
    "usage",
]

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
"""Names of agents, models and datasets, including some that join to the same key."""
EXCEPTIONS: tuple[str, ...] = (
    "RuntimeError",
    "CancelledError",
    "AgentTimeoutError",
    "CancelledError",
    "VerifierTimeoutError",
    "ValueError",
    "OSError",
)
EXCEPTIONS += ("É", "cancellederror", "10", "9")
"""Names of exceptions, including some that sort or compare in odd ways."""
STRATEGIES = ("mean", "final", None)
"""A task's strategies for combining its steps' results."""
_MESSAGES: tuple[str, ...] = (
    "",
    "No reward file found at /logs/verifier/reward.txt",
    "CancelledError",
    "Agent execution timed out after 600.0 seconds",
    "ValueError: no\nTraceback (most recent call last):\n",
    "Verlängerung abgelehnt",
    "None",
)
_MODELS: tuple[tuple[str | None, ...], ...] = (
    (None,),
    ("m", None),
    ("gpt-4.1", "openai/gpt-4.1", "m"),
    ("", None, "m", "p/m"),
)
_TASKS: tuple[tuple[str, ...], ...] = (
    ("t", "u"),
    ("t",),
    ("task-1", "task-2", "task-10"),
    ("org/t", "other/t"),
    ("org/t", "other/t", "t", "org/t/", "u"),
    ("T", "t", " t", "", "é/名"),
)
"""Task names, some of which have the same ending."""
_ATTEMPTS = 22
"""The number of attempts at one task: 20 are enough for pass@20, but two tasks need a few more."""
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
"""Draws the parts of a trial other than its identity."""


def name(source: Source) -> str:
    """The name of an agent, a model or a dataset."""
    return source.pick(NAMES)


def limit(source: Source) -> Any:
    """A minimum for a reward."""
    return source.pick(_LIMITS)


def gate(source: Source, number: Draw[Any] = limit) -> Any:
    """A step's minimum: a number, or numbers by key."""
    kind = source.below(5)
    if kind < 3:
        return number(source)
    return {key(source): number(source) for _ in range((1, 1, 1, 2, 0)[source.below(5)])}


def usage(source: Source) -> Any:
    """An agent's report of tokens and cost."""
    if source.below(3) == 0:
        return None
    counts = ("n_input_tokens", "n_cache_tokens", "n_output_tokens")
    return {count: source.pick(_COUNTS) for count in counts} | {"cost_usd": source.pick(_COSTS)}


def exception(source: Source) -> dict[str, str]:
    """A trial's exception: only its type has an effect, not its message."""
    drawn = {"exception_type": source.pick(EXCEPTIONS)}
    if source.below(2):
        drawn["exception_message"] = source.pick(_MESSAGES)
    return drawn


def _datasets(source: Source, sources: list[str]) -> dict[str, list[str]]:
    """The metrics of a job's datasets, as harbor resolves them or under arbitrary names."""
    if source.below(4) == 3:
        # In a job without metrics of its own, a dataset has its own metrics, or else a mean.
        metrics = {"adhoc": ["mean"]}
        for dataset in sources:
            metrics[dataset] = [source.pick(METRICS) for _ in range(source.below(4))] or ["mean"]
        return metrics
    metrics = {}
    for dataset in sorted({*sources, *(path.split("__")[-1] for path in sources), "adhoc"}):
        count = (1, 1, 1, 1, 2, 4, 0, None)[source.below(8)]
        if count is not None:
            metrics[dataset] = [source.pick(METRICS) for _ in range(count)]
    return metrics


def _trial_names(source: Source, count: int) -> list[str]:
    """Trial names: usually in trial order, else shuffled, with duplicates, or with t10 before t9."""
    style = source.below(10)
    if style < 5:
        return [f"t{index:03}" for index in range(count)]
    numbers = list(range(count))
    if style == 9:
        numbers.reverse()
    elif style == 8:
        numbers = [number % 2 for number in numbers]
    elif style == 7:
        numbers = source.shuffled(numbers)
    return [f"t{number}" for number in numbers]


def job(source: Source, complete: Rest, attempts: bool = False) -> dict[str, Any]:
    """A job of finished trials, each completed by ``complete``.

    They share a few agents, models and datasets, so that they form groups; with ``attempts`` they are many
    attempts at one or two tasks, by one agent.
    """
    width = 1 if attempts else (1, 1, 2, 3)[source.below(4)]
    agents = [name(source) for _ in range(width)]
    models = (*_MODELS[source.below(4)], *((name(source),) if width > 1 else ()))
    sources = [name(source) for _ in range(1 if attempts else (1, 1, 2, 4)[source.below(4)])]
    tasks = source.pick(_TASKS)[: 1 + source.below(2) if attempts else None]
    model = source.pick(models)

    def trial(source: Source) -> dict[str, Any]:
        used = model if attempts else source.pick(models)
        odd = 0 if attempts else source.below(100)
        drawn = {
            "task_name": source.pick(tasks),
            "trial_name": "",
            "source": None if 5 <= odd < 10 else source.pick(sources),
            "agent_info": {
                "name": source.pick(agents),
                "model_info": None if used is None else {"name": used},
            },
            "agent_result": usage(source) if odd % 3 == 2 else None,
            "exception_info": None,
        }
        if odd >= 88:
            drawn["exception_info"] = exception(source)
        if 80 <= odd < 91:
            drawn["trial_name"] = source.pick(_TRIALS)
            drawn["odd name"] = None
        return drawn | complete(source)

    if attempts:
        trials = [trial(source) for _ in range(_ATTEMPTS)] + source.items(trial, (50,))
    else:
        trials = source.items(trial, _SIZES)
    for row, usual in zip(trials, _trial_names(source, len(trials)), strict=True):
        if "odd name" in row:
            del row["odd name"]
        else:
            row["trial_name"] = usual
    return {
        "id": source.pick(_IDS),
        "started_at": source.pick(_TIMES),
        "updated_at": source.pick((None, *_TIMES)),
        "finished_at": source.pick((None, *_TIMES)),
        "n_total_trials": max(0, len(trials) + (0, 0, 0, 1, 5, -1)[source.below(6)]),
        "n_retries": (0, 0, 1, 7)[source.below(4)],
        "metrics": _datasets(source, list(dict.fromkeys(row["source"] or "adhoc" for row in trials))),
        "trials": trials,
    }
