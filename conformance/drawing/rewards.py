"""Random rewards of trial records: an object of numbers, or null."""

from typing import Any

from conformance.drawing.numbers import alike, number
from conformance.drawing.source import Draw, Source

__all__ = ["KEYS", "SIZES", "key", "one_key_list", "reward_list", "rewards", "rewards_or_none"]

KEYS: tuple[str, ...] = (
    *("reward", "reward", "a", "accuracy", "speed", "mean", "Z", "", "é", "e\u0301", "10", "9"),
)
KEYS += ("１", "\uffee", "\U00010000", "__proto__", "constructor", "key with space", "a\nb", "ß", "ẞ")
"""Reward keys: look-alikes, keys that languages treat specially, keys that sort differently by code unit."""
SIZES = (3, 6, 12, 12, 24, 40)
"""The lengths of lists of rewards."""


def key(source: Source) -> str:
    """A reward key."""
    return source.pick(KEYS)


def rewards(source: Source, value: Draw[Any] = number, least: int = 0, most: int = 3) -> dict[str, Any]:
    """An object with at most ``most`` keys and at least ``least``."""
    drawn: dict[str, Any] = {}
    for _ in range(source.between(least, most)):
        drawn[source.pick(KEYS)] = value(source)
    for name in KEYS:
        if len(drawn) < least and name not in drawn:
            drawn[name] = value(source)
    return drawn


def rewards_or_none(source: Source, value: Draw[Any] = number) -> dict[str, Any] | None:
    """Mostly one key, sometimes several or none, sometimes no rewards at all."""
    kind = source.below(20)
    if kind < 12:
        return {source.pick(KEYS): value(source)}
    return rewards(source, value, most=5 if kind == 15 else 3) if kind < 17 else None


def one_key_list(source: Source, value: Draw[Any] | None = None, none: bool = True) -> list[Any]:
    """The rewards of several trials, all of one key; with ``none`` some of them have no rewards."""
    name = source.pick(KEYS) if source.below(2) else "reward"
    draw = value or alike(source)
    odd = 12 if none and source.chance(40) else 0

    def one_key_or_none(source: Source) -> Any:
        if odd and source.chance(odd):
            return ({}, None, None)[source.below(3)]
        return {name: draw(source)}

    return source.items(one_key_or_none, SIZES)


def reward_list(source: Source) -> list[Any]:
    """The rewards of several trials, of one key or of several."""
    kind = source.below(10)
    if kind < 7:
        return one_key_list(source)
    value = alike(source)
    if kind < 9:
        return source.items(lambda source: rewards_or_none(source, value), SIZES)
    names = source.several(3, key)

    def same_keys_or_none(source: Source) -> Any:
        return None if source.chance(7) else {name: value(source) for name in names}

    return source.items(same_keys_or_none, SIZES)
