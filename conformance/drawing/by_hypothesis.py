"""Drives a generator of inputs with hypothesis, which can shrink failing inputs.

hypothesis draws blocks of bytes, one for each item of a list, and the choices are read from them, because one
hypothesis draw takes as long as fifty choices. Inputs depend only on the seed: into shorter texts, and into
ints that are not small, hypothesis would mix constants from the loaded modules.

A block is long enough for most items, and may shrink to nothing: beyond its end every choice is the simplest.
Its first byte decides whether the list ends there, so removing a block removes its item.
"""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, configuration
from hypothesis import strategies as st

from conformance.drawing.source import Draw, Source

__all__ = ["search", "strategy"]

_Option = TypeVar("_Option")
_BLOCK = 52
"""Long enough that hypothesis mixes in no constants (see the module's docstring)."""
_long = st.binary(min_size=_BLOCK, max_size=_BLOCK)
_short = st.binary(max_size=_BLOCK)
_whole = st.text("01", min_size=24, max_size=24)


class _Blocks(Source):
    """Choices read from blocks of bytes."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw
        # All zeros never occur by chance, but shrinking tries them first: then blocks may be shorter.
        self._strategy = _long if "1" in draw(_whole) else _short
        self._block = draw(self._strategy)
        self._place = 0

    def below(self, limit: int) -> int:
        """See ``Source``."""
        if limit <= 256:
            index = self._place
            self._place = index + 1
            if index >= len(self._block):
                return self._more(1) * limit >> 8
            return int(self._block[index]) * limit >> 8
        value = 0
        for index in range((limit.bit_length() + 14) // 8):  # lowest byte first: a short block is a small int
            value |= self.below(256) << 8 * index
        return value % limit

    def _more(self, size: int) -> int:
        """The first byte of a further block; 0 after the end."""
        if len(self._block) < _BLOCK:
            return 0
        self._block = self._draw(self._strategy)
        self._place = 1
        return int(self._block[0]) if self._block else 0

    def items(self, item: Draw[_Option], sizes: Sequence[int]) -> list[_Option]:
        """See ``Source``; the list is less likely to end early, so that all lengths occur."""
        size = self.pick(sizes)
        outer = self._block, self._place
        drawn: list[_Option] = []
        while True:
            self._block, self._place = self._draw(self._strategy), 0
            if self.below(256) * (size + 1 - len(drawn)) < 256:
                break
            drawn.append(item(self))
        self._block, self._place = outer
        return drawn


@st.composite
def strategy(draw: Any, function: Draw[_Option]) -> _Option:
    """A hypothesis strategy for the generator's values."""
    return function(_Blocks(draw))


def search(
    draw: Draw[_Option], attempt: Callable[[_Option], bool], *, seed: int, examples: int, shrinking: bool
) -> None:
    """Calls ``attempt`` with inputs drawn from the seed until it raises, then with ever smaller ones.

    The search ends once enough inputs were new, or after twice as many calls. The exception for the smallest
    input is raised here. Nothing is stored.
    """
    repeated = 0

    def attempt_or_reject(input_: _Option) -> None:
        nonlocal repeated
        if not attempt(input_) and repeated < examples:
            repeated += 1
            hypothesis.reject()

    settings = hypothesis.settings(
        max_examples=examples,
        derandomize=False,  # the seed is given
        database=None,
        deadline=None,
        phases=[Phase.generate, Phase.shrink] if shrinking else [Phase.generate],
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),  # these checks measure time, or are for authors of tests
    )
    with _temporary_caches():
        settings(hypothesis.seed(seed)(hypothesis.given(strategy(draw))(attempt_or_reject)))()


@contextlib.contextmanager
def _temporary_caches() -> Iterator[None]:
    """Gives hypothesis a temporary folder for its caches."""
    before = getattr(configuration, "__hypothesis_home_directory", None)
    with tempfile.TemporaryDirectory(prefix="harbor-conformance-") as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)
