"""Properties of every pass@k."""

import itertools
from collections import Counter
from typing import Any

from conformance.drawing.rewards import key
from conformance.drawing.source import Source
from conformance.judging.comparison import Level
from conformance.properties.asking import Asker
from conformance.properties.registry import holds
from conformance.specs.harbor.pass_at_k.draw import graded

__all__: list[str] = []

_SPOILERS: tuple[dict[str, Any], ...] = (
    {"reward": 0.5},
    {"reward": "NaN"},
    {},
    {"a": 1, "b": 1},
    {"reward": 2},
    {"reward": -1},
)
_ONES, _ZEROS = (1, 1.0), (0, 0.0, -0.0)


def _group(source: Source) -> list[Any]:
    return graded(source, spoilt=False)


def _index(source: Source) -> int:
    return source.below(41)


def _values(asker: Asker, trials: list[Any]) -> dict[int, float]:
    answer = asker.ok("pass_at_k", {"trials": trials})
    return {int(k): value for k, value in answer.items()}


@holds("pass-at-k-is-a-probability", _group)
def _is_a_probability(asker: Asker, trials: Any) -> None:
    for k, value in _values(asker, trials).items():
        asker.holds(
            isinstance(value, float) or asker.level < Level.EXACT, f"pass@{k} is {value!r}, not a float"
        )
        asker.holds(0 <= value <= 1, f"pass@{k} is {value!r}")


@holds("pass-at-k-rises-with-k", _group)
def _rises_with_k(asker: Asker, trials: Any) -> None:
    values = sorted(_values(asker, trials).items())
    for (k, value), (more, higher) in itertools.pairwise(values):
        asker.holds(value <= higher, f"pass@{k} is {value!r}, pass@{more} only {higher!r}")


def _success(trial: Any) -> bool:
    return bool(trial["rewards"]) and 1 in trial["rewards"].values()


def _group_and_attempt(source: Source) -> tuple[list[Any], str, int]:
    """A group, and a task and a position for one more attempt."""
    trials = _group(source)
    task = source.pick(trials)["task"] if trials else "t"
    return trials, task, _index(source)


def _inserted(drawn: tuple[list[Any], str, int], rewards: Any) -> list[Any]:
    trials, task, index = drawn
    return [*trials[:index], {"task": task, "rewards": rewards}, *trials[index:]]


@holds("pass-at-k-failing-attempt-never-raises", _group_and_attempt)
def _failing_attempt_never_raises(asker: Asker, drawn: Any) -> None:
    before, after = _values(asker, drawn[0]), _values(asker, _inserted(drawn, {"reward": 0}))
    for k in before:
        asker.holds(k in after, f"pass@{k} is missing after another attempt")
        asker.holds(after[k] <= before[k], f"pass@{k} rises from {before[k]!r} to {after[k]!r}")


@holds("pass-at-k-passing-attempt-never-lowers", _group_and_attempt)
def _passing_attempt_never_lowers(asker: Asker, drawn: Any) -> None:
    before, after = _values(asker, drawn[0]), _values(asker, _inserted(drawn, {"reward": 1}))
    for k in before:
        asker.holds(k in after, f"pass@{k} is missing after another attempt")
        asker.holds(after[k] >= before[k], f"pass@{k} falls from {before[k]!r} to {after[k]!r}")


@holds("pass-at-k-none-is-failure", _group_and_attempt)
def _none_is_failure(asker: Asker, drawn: Any) -> None:
    none, zero = ({"trials": _inserted(drawn, rewards)} for rewards in (None, {"reward": 0}))
    asker.same("pass_at_k", none, zero, "an attempt without rewards is not a failure")


def _in_two_orders(source: Source) -> tuple[list[Any], list[Any]]:
    trials = graded(source)
    return trials, source.shuffled(trials)


@holds("pass-at-k-in-any-order", _in_two_orders)
def _in_any_order(asker: Asker, drawn: Any) -> None:
    trials, shuffled = drawn
    asker.same("pass_at_k", {"trials": trials}, {"trials": shuffled}, "the order of attempts matters")


@holds("pass-at-k-any-key", lambda source: (_group(source), source.several(4, key)))
def _any_key(asker: Asker, drawn: Any) -> None:
    trials, names = drawn
    renamed = [
        {**trial, "rewards": trial["rewards"] and {names[index % len(names)]: trial["rewards"]["reward"]}}
        for index, trial in enumerate(trials)
    ]
    asker.same("pass_at_k", {"trials": trials}, {"trials": renamed}, "the names of keys matter")


@holds("pass-at-k-any-task-names", lambda source: (graded(source), source.pick(("", "task ", "é", "1"))))
def _any_task_names(asker: Asker, drawn: Any) -> None:
    trials, prefix = drawn
    order = list(dict.fromkeys(trial["task"] for trial in trials))
    renamed = [{**trial, "task": f"{prefix}{order.index(trial['task'])}"} for trial in trials]
    asker.same("pass_at_k", {"trials": trials}, {"trials": renamed}, "the names of tasks matter")


@holds("pass-at-k-spoilt-by-one", lambda source: (_group(source), source.pick(_SPOILERS), _index(source)))
def _one_unusable_attempt(asker: Asker, drawn: Any) -> None:
    trials, spoiler, index = drawn
    spoilt = [
        *trials[:index],
        {"task": trials[0]["task"] if trials else "t", "rewards": spoiler},
        *trials[index:],
    ]
    values = _values(asker, spoilt)
    asker.holds(not values, f"pass@k exists although one attempt's rewards are {spoiler}")


@holds("pass-at-k-values-of-k", _group)
def _values_of_k(asker: Asker, trials: Any) -> None:
    fewest = min(Counter(trial["task"] for trial in trials).values(), default=0)
    expected = [k for k in range(2, fewest + 1) if k % 5 == 0 or k & (k - 1) == 0]
    ks = list(_values(asker, trials))
    if asker.level < Level.BYTES:
        ks.sort()
    asker.equal(expected, ks, f"the list of k for {fewest} attempts")


@holds(
    "pass-at-k-spellings-alike",
    lambda source: (_group(source), source.several(5, lambda source: source.below(6))),
)
def _spellings_alike(asker: Asker, drawn: Any) -> None:
    trials, picks = drawn
    respelled = []
    for index, trial in enumerate(trials):
        spellings = _ONES if _success(trial) else _ZEROS
        value = spellings[picks[index % len(picks)] % len(spellings)]
        respelled.append({**trial, "rewards": trial["rewards"] and {"reward": value}})
    asker.same("pass_at_k", {"trials": trials}, {"trials": respelled}, "1 and 1.0, or 0 and -0.0, differ")


@holds(
    "pass-at-k-of-certainty",
    lambda source: (bool(source.below(2)), source.several(3, lambda source: source.between(2, 40))),
)
def _all_or_none_pass(asker: Asker, drawn: Any) -> None:
    passing, counts = drawn
    reward = {"reward": 1 if passing else 0}
    trials = [
        {"task": str(task), "rewards": reward} for task, count in enumerate(counts) for _ in range(count)
    ]
    for k, value in _values(asker, trials).items():
        asker.equal(float(passing), value, f"pass@{k} where all attempts {'pass' if passing else 'fail'}")
