"""Where random inputs get their choices from: one generator per op, driven by a seed or by hypothesis.

A generator is a function of a ``Source``. It asks for one choice after another, and every choice is written
simplest first: 0 is the smallest number, the first option the plainest, the empty list the shortest. A driver
that answers with ever smaller choices thereby makes the input smaller.
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
        """An int from 0 up to, but not, the limit; the limit is at most 2**53."""

    @abstractmethod
    def items(self, item: "Draw[_Option]", sizes: Sequence[int]) -> list[_Option]:
        """A list of any length up to one of ``sizes``, which is picked.

        A driver that shrinks leaves out single items.
        """

    def pick(self, options: Sequence[_Option]) -> _Option:
        """One of the options; the first is the simplest."""
        return options[self.below(len(options))]

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases; False is simpler."""
        return self.below(100) >= 100 - percent

    def between(self, low: int, high: int) -> int:
        """An int within limits, both included; the lower one is the simplest."""
        return low + self.below(high - low + 1)

    def times(self, most: int, item: "Draw[_Option]") -> list[_Option]:
        """From none to ``most`` items: for short lists, and for items of one choice."""
        return [item(self) for _ in range(self.below(most + 1))]

    def several(self, most: int, item: "Draw[_Option]") -> list[_Option]:
        """From one to ``most`` items."""
        return [item(self) for _ in range(self.below(most) + 1)]

    def sample(self, options: Sequence[_Option], most: int, least: int = 0) -> list[_Option]:
        """From ``least`` to ``most`` different options, in any order."""
        return self.shuffled(options)[: self.between(least, most)]

    def shuffled(self, options: Sequence[_Option]) -> list[_Option]:
        """The options in some order; their own is the simplest."""
        found = list(options)
        for place in range(len(found) - 1):
            other = place + self.below(len(found) - place)
            found[place], found[other] = found[other], found[place]
        return found


Draw = Callable[[Source], _Option]
"""A generator: makes a value of what it chooses."""


class Seeded(Source):
    """Choices that a seed decides: the same on every Python."""

    def __init__(self, seed: int | str) -> None:
        self._random = random.Random(seed).random  # noqa: S311 - nothing secret here

    def below(self, limit: int) -> int:
        """As every source."""
        return int(self._random() * limit)

    def pick(self, options: Sequence[_Option]) -> _Option:
        """As every source; thousands of inputs are drawn a second."""
        return options[int(self._random() * len(options))]

    def chance(self, percent: int) -> bool:
        """As every source."""
        return self._random() * 100 >= 100 - percent

    def items(self, item: Draw[_Option], sizes: Sequence[int]) -> list[_Option]:
        """Every length below the size picked comes equally often."""
        return [item(self) for _ in range(int(self._random() * (self.pick(sizes) + 1)))]
