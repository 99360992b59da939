"""The source of choices for random inputs: one generator per op, driven by a seed or by hypothesis.

A generator is a function of a ``Source``. It asks for one choice after another, simplest first: 0 is the
smallest number, the first option the plainest, the empty list the shortest. A driver shrinks an input by
answering with smaller choices.
"""

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TypeVar

__all__ = ["Draw", "Seeded", "Source"]

_Option = TypeVar("_Option")


class Source(ABC):
    """A stream of choices."""

    @abstractmethod
    def below(self, limit: int) -> int:
        """An int from 0 up to, but not including, the limit, which is at most 2**53."""

    @abstractmethod
    def items(self, item: "Draw[_Option]", sizes: Sequence[int]) -> list[_Option]:
        """A list of any length up to a size picked from ``sizes``.

        A shrinking driver removes single items.
        """

    def pick(self, options: Sequence[_Option]) -> _Option:
        """One of the options; the first is the simplest."""
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        """True with this probability, in percent; False is simpler."""
        return self.below(100) >= 100 - percent

    def between(self, low: int, high: int) -> int:
        """An int between two limits, inclusive; the lower limit is the simplest."""
        return low + self.below(high - low + 1)

    def times(self, most: int, item: "Draw[_Option]") -> list[_Option]:
        """From 0 to ``most`` items: for short lists, and for items of one choice."""
        return [item(self) for _ in range(self.below(most + 1))]

    def several(self, most: int, item: "Draw[_Option]") -> list[_Option]:
        """From 1 to ``most`` items."""
        return [item(self) for _ in range(self.below(most) + 1)]

    def sample(self, options: Sequence[_Option], most: int, least: int = 0) -> list[_Option]:
        """From ``least`` to ``most`` different options, in any order."""
        return self.shuffled(options)[: self.between(least, most)]

    def shuffled(self, options: Sequence[_Option]) -> list[_Option]:
        """The options in random order; the original order is the simplest."""
        order = list(options)
        for index in range(len(order) - 1):
            picked = index + self.below(len(order) - index)
            order[index], order[picked] = order[picked], order[index]
        return order


Draw = Callable[[Source], _Option]
"""A generator: builds a value from its choices."""


class Seeded(Source):
    """Choices drawn from a seed: the same on every Python."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed).random  # noqa: S311 - nothing secret here

    def below(self, limit: int) -> int:
        """See ``Source``."""
        return int(self._random() * limit)

    def pick(self, options: Sequence[_Option]) -> _Option:
        """See ``Source``; overridden for speed."""
        return options[int(self._random() * len(options))]

    def chance(self, percent: int) -> bool:
        """See ``Source``."""
        return self._random() * 100 >= 100 - percent

    def items(self, item: Draw[_Option], sizes: Sequence[int]) -> list[_Option]:
        """Every length below the picked size is equally likely."""
        return [item(self) for _ in range(int(self._random() * (self.pick(sizes) + 1)))]
