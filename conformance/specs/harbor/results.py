"""Random results of jobs for the consumer: the content of result.json, valid and invalid."""

import json
from typing import Any

from conformance.drawing.numbers import double, integer, number, tenth
from conformance.drawing.source import Draw, Source
from conformance.drawing.texts import as_content, content, json_text, json_value, mutated

__all__ = ["good_result", "result_file", "some_number", "some_tenth"]

_COUNTS: tuple[Any, ...] = (
    None,
    "",
    "3",
    " 4 ",
    "٣",
    "3.7",
    3.7,
    True,
    False,
    -1,
    [],
    {},
    0.0,
    1e16,
    2**63,
    "1_0",
)
_ODD: tuple[Any, ...] = (
    None,
    "",
    "0.5",
    " 1 ",
    "x",
    True,
    [],
    {},
    [1],
    {"mean": 1},
    -0.0,
    2**53 + 1,
    10**400,
)
_GROUPS: tuple[Any, ...] = (None, [], {}, {"metrics": {}}, {"metrics": "x"}, {"metrics": None})
_METRICS: tuple[Any, ...] = (None, [], "mean", "", 1, ["mean"], {})
_NAMES = ("mean", "mean", "mean", "mean", "accuracy", "max", "speed", "sum")
_KEYS: tuple[tuple[str, ...], ...] = ((), (), (), ("accuracy", "mean"), ("a", "b", "c"))
"""The reward keys of a group; without any, the only key is the name of each metric."""
_BUILT_IN = ("mean", "mean", "mean", "max", "min", "sum")
_WHOLE = (0.0, 1.0, 0, 1, 0.5, 2.5)
_VALUES = ("1.0", "0.0", "0.5", "1")
_TYPES = ("AgentTimeoutError", "RewardFileNotFoundError", "CancelledError")
_EVALS = ("a__m__d", "a__d", "b__adhoc")


def some_number(source: Source) -> Any:
    """A number as in Python, so that ``json.dumps`` writes it without quotes."""
    value = number(source)
    return float(value) if isinstance(value, str) else value


def _small(source: Source) -> int:
    return source.below(15)


def _count(source: Source) -> Any:
    kind = source.below(10)
    if kind < 7:
        return source.below(15)
    return source.pick(_COUNTS) if kind < 9 else (integer(source) if source.below(2) else some_number(source))


def some_tenth(source: Source) -> float:
    """A number from 0 to 1."""
    return source.below(11) / 10


def _share(source: Source) -> float:
    """A share of a few trials, often half a trial."""
    trials = source.below(11) + 1
    shift = (0, 0.5, 0.5, -0.5)[source.below(4)]
    return (source.below(trials + 1) + shift) / trials


def _sample(source: Source) -> Any:
    """A valid or invalid value of a metric."""
    kind = source.below(12)
    if kind < 7:
        return (_share, _share, some_tenth, tenth, double, double, some_number)[kind](source)
    return source.pick(_ODD) if kind < 11 else json_value(source, 2)


def _metric(source: Source, value: Draw[Any]) -> dict[str, Any]:
    metric = {source.pick(_NAMES): value(source) for _ in range((1, 1, 2, 3)[source.below(4)])}
    if source.below(12) == 11:
        # A mean of zero is a mean: values next to it do not count.
        metric |= {source.pick(_NAMES): value(source), "mean": (0.0, 0, -0.0)[source.below(3)]}
    return metric


def _group(source: Source, value: Draw[Any], good: bool) -> Any:
    odd = source.below(20)
    if not good and odd == 19:
        return source.pick(_GROUPS)
    metrics = [_metric(source, value) for _ in range((1, 0, 1, 2, 3)[source.below(5)])]
    if not good and odd == 18:
        metrics.append(source.pick(_METRICS))
    return {"metrics": metrics}


def _result(source: Source, good: bool) -> dict[str, Any]:
    kind = 0 if good else source.below(10)
    value: Draw[Any] = some_tenth if good or kind < 4 else _share if kind < 7 else _sample
    count: Draw[Any] = _small if good or kind % 2 == 0 else _count
    names = ("g", "h", "a__d", "")
    groups = source.items(lambda source: (source.pick(names), _group(source, value, good)), (3,))
    stats = {
        "n_completed_trials": count(source),
        "n_errored_trials": count(source) if source.chance(40) else 0,
        "evals": dict(groups),
    }
    result: dict[str, Any] = {"n_total_trials": count(source), "stats": stats}
    if good:
        return result
    odd = source.below(30)
    part = result if odd % 2 else stats
    if 20 <= odd < 26:
        part[sorted(part)[odd % len(part)]] = source.pick(_ODD) if odd < 24 else json_value(source)
    elif odd >= 26:
        del part[sorted(part)[odd % len(part)]]
    return result


def good_result(source: Source) -> dict[str, Any]:
    """A result that the consumer can use: every sample is from 0 to 1."""
    return _result(source, True)


def _listed(source: Source, names: list[str]) -> dict[str, list[str]]:
    """Names under their common property, as harbor lists trials."""
    listed: dict[str, list[str]] = {}
    for name in names:
        listed.setdefault(source.pick(_VALUES), []).append(name)
    return listed


def _sampled(source: Source) -> Any:
    """A metric's value as harbor writes it: null where it is not finite."""
    kind = source.below(20)
    return None if kind == 19 else source.pick(_WHOLE) if kind > 12 else _share(source)


def _whole_group(source: Source, trials: list[str], failed: list[str]) -> dict[str, Any]:
    keys = source.pick(_KEYS)
    names = [source.pick(_BUILT_IN) for _ in range((1, 1, 1, 2, 4, 0)[source.below(6)])]
    return {
        "n_trials": len(trials),
        "n_errors": len(failed),
        "metrics": [{key: _sampled(source) for key in keys or (name,)} for name in names],
        "pass_at_k": {"2": some_tenth(source), "4": 1.0} if source.below(3) == 2 else {},
        "reward_stats": {key: _listed(source, trials) for key in keys or ("reward",)} if trials else {},
        "exception_stats": {source.pick(_TYPES): failed} if failed else {},
    }


def _whole_file(source: Source) -> dict[str, Any]:
    """A result with every member that harbor writes, of a job that finished, was cancelled, or still runs."""
    groups: dict[str, Any] = {}
    completed = errored = 0
    for key in _EVALS[: (1, 1, 0, 2, 3)[source.below(5)]]:
        count = (1, 2, 4, 10)[source.below(4)]
        trials = [f"t{number}" for number in range(count)]
        failed = trials[: source.below(count + 1)] if source.below(3) == 2 else []
        unverified = source.below(count + 1) if failed else (0, 0, 0, count)[source.below(4)]
        verified = trials[unverified:]
        groups[key] = _whole_group(source, verified, failed)
        completed += count
        errored += len(failed)
    pending = (0, 0, 0, 1, 7)[source.below(5)]
    running = source.below(3) if pending else 0
    tokens = None if source.below(2) else 10 * completed + 1
    stats = {
        "n_completed_trials": completed,
        "n_errored_trials": errored,
        "n_running_trials": running,
        "n_pending_trials": pending,
        "n_cancelled_trials": source.below(errored + 1),
        "n_retries": (0, 0, 1, 7)[source.below(4)],
        "evals": groups,
        "n_input_tokens": tokens,
        "n_cache_tokens": tokens and 0,
        "n_output_tokens": tokens,
        "cost_usd": tokens and _share(source),
    }
    return {
        "id": "00000000-0000-0000-0000-000000000000",
        "started_at": "2000-01-01T00:00:00",
        "updated_at": "2000-01-01T00:00:01.500000",
        "finished_at": None if pending else "2000-01-01T00:00:01.500000",
        "n_total_trials": (completed + pending + running, 0, completed)[(0, 0, 0, 0, 1, 2)[source.below(6)]],
        "stats": stats,
    }


def _result_text(source: Source) -> str:
    """The text of a result.json; sometimes not JSON."""
    style = source.below(15)
    if style >= 10:
        return json.dumps(_whole_file(source), ensure_ascii=False, indent=4)
    result = _result(source, False)
    if style < 5:
        text = json_text(source, result)
    else:
        text = json.dumps(result, ensure_ascii=style < 8, indent=4 if style % 2 else None)
    return mutated(source, text, 20)


def result_file(source: Source) -> Any:
    """An input with a file, which may be absent or broken."""
    odd = source.below(100)
    if odd >= 98:
        return {"result.json": None if odd == 98 else as_content("")}
    return {"result.json": content(source, _result_text(source))}
