"""Lets hypothesis drive a generator of inputs, so that an input that fails is made smaller.

hypothesis draws blocks of bytes, one for each item of a list, and the choices are read off them: a draw of
hypothesis takes as long as fifty choices. What is drawn depends on the seed alone: into shorter texts, and
into ints that are not small, hypothesis mixes constants that it finds in the modules loaded.

A block is drawn long enough for most items, and may shrink to nothing: beyond its end every choice is the
simplest. Its first byte decides whether its item is the end of the list, so an item goes with its block.
"""

import contextlib
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import hypothesis
from hypothesis import HealthCheck, Phase, Verbosity, configuration
from hypothesis import strategies as st
from hypothesis.database import ExampleDatabase

from conformance.drawing.source import Draw, Source

__all__ = ["search", "strategy"]

_Option = TypeVar("_Option")
_BLOCK = 52
"""Long enough that hypothesis mixes in nothing, as the text below."""
_long = st.binary(min_size=_BLOCK, max_size=_BLOCK)
_short = st.binary(max_size=_BLOCK)
_whole = st.text("01", min_size=24, max_size=24)


class _Blocks(Source):
    """Choices read off blocks of bytes."""

    def __init__(self, draw: Any) -> None:
        self._draw = draw
        # Zeros alone never come by chance, but shrinking tries them first: blocks may be shorter then.
        self._strategy = _long if "1" in draw(_whole) else _short
        self._block = draw(self._strategy)
        self._place = 0

    def below(self, limit: int) -> int:
        """As every source."""
        if limit <= 256:
            place = self._place
            self._place = place + 1
            if place >= len(self._block):
                return self._more(1) * limit >> 8
            return int(self._block[place]) * limit >> 8
        value = 0
        for place in range(
            (limit.bit_length() + 14) // 8
        ):  # the lowest byte first: a short block is a small int
            value |= self.below(256) << 8 * place
        return value % limit

    def _more(self, size: int) -> int:
        """A byte where the block has ended."""
        if len(self._block) < _BLOCK:
            return 0
        self._block = self._draw(self._strategy)
        self._place = 1
        return int(self._block[0]) if self._block else 0

    def items(self, item: Draw[_Option], sizes: Sequence[int]) -> list[_Option]:
        """As every source; the earlier an item, the less likely it is the end, so that all lengths come."""
        size = self.pick(sizes)
        outer = self._block, self._place
        found: list[_Option] = []
        while True:
            self._block, self._place = self._draw(self._strategy), 0
            if self.below(256) * (size + 1 - len(found)) < 256:
                break
            found.append(item(self))
        self._block, self._place = outer
        return found


@st.composite
def strategy(draw: Any, function: Draw[_Option]) -> _Option:
    """What the generator makes of the choices that hypothesis draws."""
    return function(_Blocks(draw))


def search(
    draw: Draw[_Option],
    attempt: Callable[[_Option], bool],
    *,
    seed: int,
    examples: int,
    shrinking: bool,
    database: ExampleDatabase | None = None,
) -> None:
    """Calls ``attempt`` with inputs that the seed decides, until it raises; then with ever smaller ones.

    It is called so often as it says that an input was new, or twice as often. What it raises for the smallest
    input is raised here. It begins with what the database has, and keeps there what fails; without one
    nothing is kept from one search to the next. What the seed decides is the same with and without.
    """
    repeated = 0

    def tried(given: _Option) -> None:
        nonlocal repeated
        if not attempt(given) and repeated < examples:
            repeated += 1
            hypothesis.reject()

    settings = hypothesis.settings(
        max_examples=examples,
        derandomize=False,  # the seed is given
        database=database,
        deadline=None,
        phases=[
            *([Phase.reuse] if database is not None else []),
            *([Phase.generate, Phase.shrink] if shrinking else [Phase.generate]),
        ],
        report_multiple_bugs=False,
        print_blob=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),  # they time this machine, or are for those who write tests
    )
    with _nothing_left_behind():
        # the settings last: a seed takes the database away
        settings(hypothesis.seed(seed)(hypothesis.given(strategy(draw))(tried)))()


@contextlib.contextmanager
def _nothing_left_behind() -> Iterator[None]:
    """Gives hypothesis a folder of its own for what it caches, and takes it away again."""
    before = getattr(configuration, "__hypothesis_home_directory", None)
    with tempfile.TemporaryDirectory(prefix="harbor-conformance-") as folder:
        configuration.set_hypothesis_home_dir(folder)
        try:
            yield
        finally:
            configuration.set_hypothesis_home_dir(before)
