"""Where many mistakes are made: where rewards come in and where numbers go out. No entries."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from conformance.mistakes.variant import Variant
from reference_impl import reward
from reference_impl.runner import wire

__all__ = [
    "Number",
    "Rewards",
    "as_double",
    "changed_answers",
    "changed_files",
    "changed_numbers",
    "changed_rewards",
    "for_doubles",
    "naive_sum",
    "single_precision",
]

Number = int | float
Rewards = dict[str, Number]


def naive_sum(values: Iterable[Number]) -> Number:
    """Left to right, every addition rounded."""
    total: Number = 0
    for value in values:
        total += value
    return total


def as_double(value: Number) -> float:
    """The nearest double; what is beyond the range is infinite, as in most languages."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def single_precision(value: Number) -> float:
    """The nearest single-precision float, as a double."""
    number = as_double(value)
    if not math.isfinite(number) or number == 0:
        return number
    _, exponent = math.frexp(number)
    unit = max(exponent - 24, -149)  # the smallest subnormal is 2**-149
    rounded = math.ldexp(round(math.ldexp(number, -unit)), unit)
    return math.copysign(math.inf, number) if abs(rounded) >= 2.0**128 else math.copysign(rounded, number)


def changed_rewards(reference: Variant, change: Callable[[Rewards], Rewards]) -> None:
    """Sends every object of rewards through ``change`` once it is read, from a file or from a message."""

    def around(read: Callable[[Any], Rewards | None]) -> Callable[[Any], Rewards | None]:
        def reading(given: Any) -> Rewards | None:
            rewards = read(given)
            return None if rewards is None else change(rewards)

        return reading

    reference.wrap(reward.parse_reward, around)
    reference.wrap(wire.decode_rewards, around)


def changed_numbers(reference: Variant, change: Callable[[Number], Number]) -> None:
    """Sends every reward through ``change`` once it is read."""
    changed_rewards(reference, lambda rewards: {key: change(value) for key, value in rewards.items()})


def changed_files(reference: Variant, change: Callable[[bytes], bytes]) -> None:
    """Sends the bytes of every reward file through ``change`` before it is read."""

    def around(parse: Callable[[dict[str, bytes]], Any]) -> Callable[[dict[str, bytes]], Any]:
        return lambda files: parse({name: change(content) for name, content in files.items()})

    reference.wrap(reward.parse_reward, around)


def changed_answers(reference: Variant, change: Callable[[float], Any]) -> None:
    """Sends every float of every answer through ``change``; NaN and the infinities are strings there."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(item) for key, item in value.items()}
        return change(value) if isinstance(value, float) else value

    for op in list(reference.operations):
        reference.wrap_op(op, lambda answer: lambda given: walk(answer(given)))


def for_doubles(add: Callable[[Sequence[float]], float]) -> Callable[[Iterable[Number]], Number]:
    """A sum that adds ints alone exactly, and anything else by ``add``, as doubles."""

    def total(values: Iterable[Number]) -> Number:
        listed = list(values)
        if all(isinstance(value, int) for value in listed):
            return sum(listed)
        return add([as_double(value) for value in listed])

    return total
