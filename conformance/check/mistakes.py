"""Likely mistakes: what a wrong number equals, had it been computed in a way that is often seen."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from conformance.check.json_files import Members, Number
from reference_impl import aggregate
from reference_impl.aggregation import METRICS
from reference_impl.verifier_result import Rewards

__all__ = ["counter_mistake", "metric_mistake", "number_mistake"]

_LAST_BITS = 4
"""Units in the last place within which two floats differ only by the way they were computed."""

RewardList = Sequence[Rewards | None]


def number_mistake(due: int | float, found: int | float) -> str | None:
    """What two numbers alone betray."""
    if isinstance(due, int) and isinstance(found, int):
        return "off by one" if abs(due - found) == 1 else None
    try:
        if not (math.isfinite(due) and math.isfinite(found)):
            return None
        if abs(due - found) <= _LAST_BITS * math.ulp(due):
            return (
                "only the last bits differ: another order of operations, or a sum that is not CPython 3.12's"
            )
        if any(found == round(float(due), digits) for digits in range(1, 7)):
            return "the number is rounded"
    except OverflowError:
        pass
    return None


def counter_mistake(key: str, due: int, found: Any, trials: int, errored: int) -> str | None:
    """What a wrong counter counts. `trials` are those of the group, or all; `errored` of them ended so."""
    if not isinstance(found, Number) or found.value == due:
        return None
    if key == "n_completed_trials" and errored and found.value == due - errored:
        return "trials that ended in an error are left out; they are completed too"
    if key == "n_trials" and found.value == trials:
        return "trials without rewards are counted"
    if key == "n_errored_trials" and found.value == 0:
        return "trials that ended in an error are not counted"
    return number_mistake(due, found.value)


def metric_mistake(name: str, rewards: RewardList, found: Any) -> str | None:
    """How a wrong metric could have come about."""
    if not isinstance(found, Members):
        return None
    said = [(key, value.value if isinstance(value, Number) else value) for key, value in found]
    keys = {key for reward in rewards for key in reward or {}}
    if len(keys) == 1 and [key for key, _ in said] == list(keys) != [name]:
        return "with one reward key the metric is named after itself, not after the key"
    if len(keys) > 1 and [key for key, _ in said] == [name]:
        return "with several reward keys there is a value for each, and none for the metric"
    for what, values in _variants(name, rewards):
        members = values()
        if members is not None and said == ([(name, members[0][1])] if len(keys) <= 1 else members):
            return what
    return None


def _variants(name: str, rewards: RewardList) -> list[tuple[str, Callable[[], Any]]]:
    verified = [reward for reward in rewards if reward is not None]
    numbers = [next(iter((reward or {}).values()), 0) for reward in rewards]

    def tried(work: Callable[[], Any]) -> Callable[[], Any]:
        def attempt() -> Any:
            try:
                return work()
            except (ArithmeticError, ValueError):
                return None

        return attempt

    def members(metric: str, over: RewardList) -> Callable[[], Any]:
        return tried(lambda: list(aggregate(metric, over).items()))

    def naive() -> Any:
        total: int | float = 0
        for number in numbers:
            total += number
        return [(name, total / len(numbers) if name == "mean" else total)]

    variants = [("trials without rewards are left out; each counts as 0", members(name, verified))]
    if name in ("mean", "sum"):
        sentence = "a plain left-to-right sum; that of CPython 3.12 is compensated"
        exact = "an exact sum (fsum); that of CPython 3.12 is compensated, which is not the same"
        variants += [
            (sentence, tried(naive)),
            (exact, tried(lambda: [(name, math.fsum(numbers) / (len(numbers) if name == "mean" else 1))])),
        ]
    variants += [
        (f"the {other} in the place of the {name}", members(other, rewards))
        for other in METRICS
        if other != name
    ]
    return variants
