"""Rewards as they are recorded: an object of numbers, or none."""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from conformance.drawing.strategies.numbers import (
    chance,
    doubles,
    finite,
    fractions,
    ints,
    numbers,
    ordinary,
    tenths,
)

__all__ = ["KEYS", "POOLS", "keys", "lists_of", "one_key_lists", "reward_lists", "rewards", "rewards_or_none"]

KEYS: tuple[str, ...] = ("reward", "a", "accuracy", "speed", "mean", "Z", "", "é", "e\u0301", "10", "9", "１")
KEYS += ("\uffee", "\U00010000", "__proto__", "constructor", "key with space", "a\nb", "ß", "ẞ")

keys: SearchStrategy[str] = st.sampled_from(KEYS)
"""Reward keys: look-alikes, keys that languages treat specially, keys that sort differently by code unit."""


def rewards(values: SearchStrategy[Any] = numbers, least: int = 0, most: int = 3) -> SearchStrategy[Any]:
    """Objects of so many keys."""
    return st.dictionaries(keys, values, min_size=least, max_size=most)


def rewards_or_none(values: SearchStrategy[Any] = numbers) -> SearchStrategy[Any]:
    """Mostly one key, sometimes several or none, sometimes no rewards at all."""
    one = st.builds(lambda key, value: {key: value}, keys, values)
    return st.one_of(one, one.map(dict), rewards(values), st.none())


_LEAST = (0, 3, 8, 4, 6, 3, 5, 1)
"""The fewest items of a list; the first is what shrinking comes to."""


@st.composite
def lists_of(draw: Any, items: SearchStrategy[Any], most: int = 24) -> list[Any]:
    """Lists of which few are empty and many are long: hypothesis alone prefers short ones."""
    least = min(draw(st.sampled_from(_LEAST)), most)
    return draw(st.lists(items, min_size=least, max_size=most))  # type: ignore[no-any-return]


POOLS = (tenths, fractions, fractions, tenths, fractions, doubles, finite, ints, ordinary, numbers)
"""What the values of one list have in common."""


@st.composite
def one_key_lists(draw: Any, values: SearchStrategy[Any] | None = None, none: bool = True) -> list[Any]:
    """The rewards of several trials, all of one key."""
    key = draw(keys)
    if values is None:
        values = draw(st.sampled_from(POOLS))
    item = values.map(lambda value: {key: value})
    if none and draw(chance(30)):
        item = st.one_of(item, item.map(dict), st.none(), st.just({}))
    return draw(lists_of(item))  # type: ignore[no-any-return]


@st.composite
def reward_lists(draw: Any) -> list[Any]:
    """The rewards of several trials, of one key or of several."""
    if draw(chance(30)):
        return draw(lists_of(rewards_or_none(draw(st.sampled_from(POOLS))), 12))  # type: ignore[no-any-return]
    return draw(one_key_lists())  # type: ignore[no-any-return]
