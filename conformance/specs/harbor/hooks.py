"""Hooks for mistakes of several sections: reading rewards and writing numbers. Has no entries."""

from collections.abc import Callable
from typing import Any

from conformance.mistakes.other_numbers import Number, Rewards
from conformance.mistakes.variant import Variant
from reference_impl import reward
from reference_impl.runner import wire

__all__ = ["changed_answers", "changed_files", "changed_numbers", "changed_rewards"]


def changed_rewards(reference: Variant, change: Callable[[Rewards], Rewards]) -> None:
    """Applies ``change`` to every object of rewards after it is read, from a file or from a message."""

    def around(read: Callable[[Any], Rewards | None]) -> Callable[[Any], Rewards | None]:
        def reading(input_: Any) -> Rewards | None:
            rewards = read(input_)
            return None if rewards is None else change(rewards)

        return reading

    reference.wrap(reward.parse_reward, around)
    reference.wrap(wire.decode_rewards, around)


def changed_numbers(reference: Variant, change: Callable[[Number], Number]) -> None:
    """Applies ``change`` to every reward after it is read."""
    changed_rewards(reference, lambda rewards: {key: change(value) for key, value in rewards.items()})


def changed_files(reference: Variant, change: Callable[[bytes], bytes]) -> None:
    """Applies ``change`` to the bytes of every reward file before it is read."""

    def around(parse: Callable[[dict[str, bytes]], Any]) -> Callable[[dict[str, bytes]], Any]:
        return lambda files: parse({name: change(content) for name, content in files.items()})

    reference.wrap(reward.parse_reward, around)


def changed_answers(reference: Variant, change: Callable[[float], Any]) -> None:
    """Applies ``change`` to every float in every answer; NaN and the infinities are strings there."""

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(item) for key, item in value.items()}
        return change(value) if isinstance(value, float) else value

    for op in list(reference.operations):
        reference.wrap_op(op, lambda answer: lambda input_: walk(answer(input_)))
