"""Draws inputs from a seed, a hundred times as fast as hypothesis, and can shrink them afterwards.

The choices behind an input are recorded. To shrink it, choices are removed or lowered, and the generator runs
on the remaining ones: smaller choices are simpler.
"""

import itertools
import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from conformance.drawing.source import Draw, Source

__all__ = ["Kept", "drawn_by", "shrink"]

_Option = TypeVar("_Option")
_TWICE = 0.7
"""The probability that an input is changed by duplicating an item, if there are two."""
_MOST_SIMPLE = 6
"""The most consecutive choices that become the simplest."""
_RUNS = (32, 8, 4, 2, 1)
"""The number of consecutive choices set to zero at a time."""


class Kept(Source):
    """Records choices as they are made."""

    def __init__(self, choose: Callable[[int], int]) -> None:
        """``choose`` returns an int from 0 up to, but not including, its argument."""
        self._choose = choose
        self.made: list[int] = []
        self.spans: list[tuple[int, int, int]] = []
        """For each item: the index where the number of items was chosen, and where its own choices begin and
        end."""

    def below(self, limit: int) -> int:
        """See ``Source``."""
        choice = self._choose(limit)
        self.made.append(choice)
        return choice

    def items(self, item: Draw[_Option], sizes: Sequence[int]) -> list[_Option]:
        """See ``Source``; every length up to the picked size is equally likely."""
        return self.times(self.pick(sizes), item)

    def times(self, most: int, item: Draw[_Option]) -> list[_Option]:
        """See ``Source``."""
        return self._items(self.below(most + 1), item)

    def several(self, most: int, item: Draw[_Option]) -> list[_Option]:
        """See ``Source``."""
        return self._items(self.below(most) + 1, item)

    def _items(self, count: int, item: Draw[_Option]) -> list[_Option]:
        counted = len(self.made) - 1
        drawn = []
        for _ in range(count):
            begin = len(self.made)
            drawn.append(item(self))
            self.spans.append((counted, begin, len(self.made)))
        return drawn


def _from(choices: Sequence[int]) -> Callable[[int], int]:
    """Replays the choices as far as the limits allow, then the simplest ones."""
    following = iter(choices)
    return lambda limit: min(next(following, 0), limit - 1)


def drawn_by(draw: Draw[_Option], seed: int) -> Iterator[tuple[_Option, Kept]]:
    """An endless stream of inputs with their choices; the same for a seed on every Python.

    The first is the simplest. Every third one is a variation of the previous one that chance seldom produces:
    a duplicated item, or a run of simplest choices.
    """
    chance = random.Random(seed)  # noqa: S311 - nothing secret here
    fraction = chance.random
    source = Kept(_from(()))
    yield draw(source), source
    for number in itertools.count():
        if number % 3 == 2:
            source = Kept(_from(_changed(source, chance)))
        else:
            source = Kept(lambda limit: int(fraction() * limit))
        yield draw(source), source


def _changed(source: Kept, chance: random.Random) -> list[int]:
    choices = source.made
    if len(source.spans) > 1 and chance.random() < _TWICE:
        _, begin, end = source.spans[int(chance.random() * len(source.spans))]
        _, start, stop = source.spans[int(chance.random() * len(source.spans))]
        return [*choices[:begin], *choices[start:stop], *choices[end:]]
    begin = int(chance.random() * len(choices))
    length = 1 + int(chance.random() * _MOST_SIMPLE)
    return [*choices[:begin], *[0] * len(choices[begin : begin + length]), *choices[begin + length :]]


def shrink(draw: Draw[_Option], source: Kept, fails: Callable[[_Option], bool]) -> None:
    """Calls ``fails`` with ever smaller inputs until none of them fails.

    An exception from ``fails`` ends it.
    """
    best = source
    tried: set[tuple[int, ...]] = set()

    def fails_with(choices: Sequence[int]) -> bool:
        nonlocal best
        if tuple(choices) in tried:
            return False
        tried.add(tuple(choices))
        candidate = Kept(_from(choices))
        input_ = draw(candidate)
        if (len(candidate.made), candidate.made) >= (len(best.made), best.made) or not fails(input_):
            return False
        best = candidate
        return True

    while True:
        before = best
        for passes in (_without_the_end, _without_items, _with_zeros, _with_less):
            passes(lambda: best, fails_with)
        if best is before:
            return


_Best = Callable[[], Kept]
_Try = Callable[[Sequence[int]], bool]


def _without_the_end(best: _Best, smaller: _Try) -> None:
    """Try setting all choices from some index on to the simplest."""
    length = 0
    while length < len(best().made) and not smaller(best().made[:length]):
        length = 2 * length + 1


def _without_items(best: _Best, smaller: _Try) -> None:
    """Try removing items of lists, the last ones first."""
    index = len(best().spans) - 1
    while index >= 0:
        counted, begin, end = best().spans[index]
        picks = best().made
        fewer = [*picks[:counted], picks[counted] - 1, *picks[counted + 1 : begin], *picks[end:]]
        if picks[counted] == 0 or not smaller(fewer):
            index -= 1
        index = min(index, len(best().spans) - 1)


def _with_zeros(best: _Best, smaller: _Try) -> None:
    """Try setting runs of choices to the simplest."""
    for size in _RUNS:
        index = 0
        while index < len(best().made):
            picks = best().made
            if any(picks[index : index + size]):
                smaller([*picks[:index], *[0] * len(picks[index : index + size]), *picks[index + size :]])
            index += size


def _with_less(best: _Best, smaller: _Try) -> None:
    """Try lowering single choices by bisection."""
    index = 0
    while index < len(best().made):
        low = 0
        while index < len(best().made) and low < best().made[index] - 1:
            picks = best().made
            middle = (low + picks[index]) // 2
            if not smaller([*picks[:index], middle, *picks[index + 1 :]]):
                low = middle
        index += 1
