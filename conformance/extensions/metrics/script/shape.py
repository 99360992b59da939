"""What trials a script takes: their keys, their number and their values, so that cases can vary them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from conformance.extensions.metrics.script.ran import Rewards

__all__ = ["Shape"]

_FILLER, _MOST_LEVELS = 0.25, 40


@dataclass(frozen=True, slots=True)
class Shape:
    """An input that works. Cases have values from 0 to 1 in mind, and any number of trials."""

    pattern: tuple[tuple[str, ...], ...] = (("reward",),)
    """The keys of the first trial, the second, …, and again from the start."""
    count: int = 3
    """How many trials there are where a case asks for no other number."""
    step: int | None = None
    """Larger lists have this many more, or a multiple; with 0 there are none. None: any number will do."""
    levels: Mapping[str, tuple[Any, ...]] = field(default_factory=dict)
    """The rewards that stand for 0 to 1, by key; under "" those of all keys. Without, 0 to 1 themselves."""
    nulls: bool = True
    """Whether trials without rewards are taken."""

    @property
    def keys(self) -> tuple[str, ...]:
        """Every key that a trial has."""
        return tuple(dict.fromkeys(key for keys in self.pattern for key in keys))

    @classmethod
    def beginning(
        cls, keys: Sequence[str], count: int | None, like: Sequence[Rewards], values: Sequence[float] | None
    ) -> "Shape":
        """The one that the search begins with; ``like`` are real trials, the others may be named too."""
        pattern = tuple(tuple(one) for one in like if one) or cls().pattern
        if keys or len(set(pattern)) == 1:
            pattern = (tuple(keys) or pattern[0],)
        levels = {"": tuple(values)} if values else {}
        for key in dict.fromkeys(key for one in like for key in one or ()) if not values else ():
            column = sorted({one[key] for one in like if one and key in one})
            levels[key] = tuple(column[:: -(-len(column) // _MOST_LEVELS)])
        return cls(pattern, count or len(like) or cls().count, None, levels)

    def numbers(self) -> str:
        """The numbers of trials that are taken, where not all are."""
        return {0: f"exactly {self.count}", 1: f"at least {self.count}"}.get(
            self.step or 0, f"a multiple of {self.count}"
        )

    def fit(self, number: int) -> int:
        """The number of trials that is taken where a case asks for ``number``."""
        if self.step is None or not number:
            return number
        if number <= self.count or not self.step:
            return self.count
        return self.count - (self.count - number) // self.step * self.step

    def trials(self, *values: float | None) -> list[Rewards]:
        """Trials with these values under every key, and as many more as have to be; None is null."""
        number = self.fit(len(values))
        filled = (*values, *[_FILLER] * (number - len(values)))[:number]
        turns = [self.pattern[at % len(self.pattern)] for at in range(number)]
        return [
            None if value is None else {key: self.value(value, key) for key in keys}
            for value, keys in zip(filled, turns, strict=True)
        ]

    def value(self, value: float, key: str) -> Any:
        """The reward that stands for a value; what is not from 0 to 1 stands for itself."""
        levels = self.levels.get(key) or self.levels.get("")
        return levels[round(value * (len(levels) - 1))] if levels and 0 <= value <= 1 else value
