"""How much of each text a page shows, so that the whole page stays small enough to be opened by anyone."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from conformance.publishing.blocks import (
    Bars,
    Block,
    Code,
    Failure,
    Failures,
    Heat,
    Line,
    Lines,
    Link,
    Mark,
    Paragraph,
    Pre,
    Ranges,
    Row,
    Table,
    plain,
)
from conformance.publishing.model import Page

__all__ = ["LADDER", "MOST_BYTES", "Budget", "Rungs", "brief_of"]

MOST_BYTES = 1_960_000
"""What a page may take, in bytes."""
_ALL = 1 << 40
_OWN = 20_000
"""What the page takes of itself: style, script, head and foot."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What of a page is shown."""

    text: int
    """Characters of a long text: an input, an answer."""
    inline: int
    """Characters of a piece in a line."""
    failures: int = _ALL
    """How many failures are shown with all that is known of them; the others are shown in brief."""
    brief: int = 60
    """Characters of an answer of a failure in brief."""
    pieces: int = _ALL
    """How many pieces a line has, such as links."""
    rows: int = _ALL
    """How many rows a table, a list or a picture has."""
    notes: int = 1500
    """How many trials of a picture say more when they are pointed at."""


_LEAST = 300
"""A text that is cut shorter says little: before that, fewer failures are shown."""
LADDER = (
    *(Budget(text, max(600, text // 5)) for text in (20_000, 12_000, 8_000, 5_000, 3_000, 2_000)),
    Budget(1_200, 600, notes=500),
    Budget(800, 600, notes=200),
    Budget(600, 600, notes=100),
    Budget(_LEAST, 600, notes=0),
    Budget(_LEAST, 600, pieces=40, notes=0),
    Budget(_LEAST, 600, pieces=16, notes=0),
    *(Budget(_LEAST, 600, n, pieces=16, notes=0) for n in (2_000, 1_500, 1_200, 1_000, 850, 700, 600, 500)),
    *(Budget(_LEAST, 400, n, pieces=8, notes=0) for n in (500, 400, 300, 250, 200, 150, 100)),
    *(Budget(_LEAST, 160, n, 40, pieces=8, notes=0) for n in (100, 50, 25)),
    *(Budget(_LEAST, 160, 25, n, pieces=6, notes=0) for n in (32, 24, 12, 0)),
    Budget(300, 160, 25, 0, 6, 5_000, 0),
    Budget(300, 160, 25, 0, 6, 3_000, 0),
    Budget(200, 120, 25, 0, 6, 1_500, 0),
    Budget(150, 100, 25, 0, 6, 700, 0),
    Budget(100, 80, 20, 0, 6, 200, 0),
    Budget(80, 60, 20, 0, 6, 50, 0),
    Budget(40, 40, 10, 0, 6, 10, 0),
    Budget(20, 20, 4, 0, 6, 4, 0),
)
"""From the most to the least that a page may show; the first one is taken with which it is small enough."""


class Rungs:
    """Which budgets to try for a page.

    What a page takes is estimated, as to write one takes a while; each try says how far the estimate is off.
    """

    def __init__(self, page: Page) -> None:
        """Nothing was tried yet."""
        self._page = page
        self._rooms: dict[int, int] = {}
        self._at = -1
        self._factor = 1.0

    def next(self, taken: int | None = None) -> Budget | None:
        """The greatest budget that may be small enough; ``taken`` says what the last took. None after all."""
        if taken is not None:
            self._factor = max(self._factor, taken / self._room(self._at))
        low, high = self._at + 1, len(LADDER) - 1
        if low > high:
            return None
        while low < high:
            middle = (low + high) // 2
            if self._room(middle) * self._factor > MOST_BYTES:
                low = middle + 1
            else:
                high = middle
        self._at = low
        return LADDER[low]

    def _room(self, at: int) -> int:
        """About as many bytes as the page takes, a little less."""
        if at not in self._rooms:
            budget = LADDER[at]
            self._rooms[at] = _OWN + sum(
                _block_room(block, budget)
                for section in self._page.sections[: budget.rows]
                for block in section.blocks[: budget.rows]
            )
        return self._rooms[at]


def _block_room(block: Block, budget: Budget) -> int:
    if isinstance(block, Table):
        return sum(_row_room(row, budget) for row in block.rows[: budget.rows])
    if isinstance(block, Failures):
        shown = block.failures[: budget.rows]
        return sum(_failure_room(one, budget) for one in shown[: budget.failures]) + sum(
            _brief_room(one, budget) for one in shown[budget.failures :]
        )
    if isinstance(block, Lines):
        return _lines(block.lines[: budget.rows], budget)
    if isinstance(block, Paragraph):
        return _line(block.line, budget)
    if isinstance(block, Pre):
        return min(len(block.text), budget.text)
    if isinstance(block, Heat):
        return sum(60 + 5 * len(row.cells) for row in block.rows[: budget.rows])
    if isinstance(block, Bars):
        return sum(100 + 130 * len(bar.parts) + _line(bar.label, budget) for bar in block.bars[: budget.rows])
    assert isinstance(block, Ranges)
    return 500 * len(block.ranges[: budget.rows])


def _row_room(row: Row, budget: Budget) -> int:
    """A row's bytes."""
    anchor = 0 if row.anchor is None else 6 + len(row.anchor)
    return 10 + 3 * len(row.facets) + 5 * len(row.cells) + anchor + _lines(row.cells, budget)


def _failure_room(failure: Failure, budget: Budget) -> int:
    """A failure's bytes."""
    room = 330 + len(failure.anchor) + min(len(failure.title), budget.inline)
    room += _line(failure.summary, budget) + min(len(failure.repeat or ""), budget.inline)
    room += sum(25 + len(name) + _line(line, budget) for name, line in failure.fields)
    return room + sum(45 + len(name) + min(len(text), budget.text) for name, text in failure.texts)


def _brief_room(failure: Failure, budget: Budget) -> int:
    """The bytes of a failure in brief; its anchor takes the room of the link that is not needed then."""
    return sum(21 + len(name) + min(len(text), budget.brief) for name, text in brief_of(failure))


_IN_BRIEF = frozenset({"expected", "actual"})
_CAUSES = frozenset({"likely"})


def brief_of(failure: Failure) -> Iterator[tuple[str, str]]:
    """What is shown of a failure in brief: both answers, and what is behind it."""
    for name, text in failure.texts:
        if name in _IN_BRIEF:
            yield name, text
    for name, line in failure.fields:
        if name in _CAUSES:
            yield name, plain(line)


def _lines(lines: Iterable[Line], budget: Budget) -> int:
    return sum(_line(line, budget) for line in lines)


_MORE = {Code: 13, Link: 16, Mark: 20}
"""What a piece of a line takes besides its text."""


def _line(line: Line, budget: Budget) -> int:
    room = 0
    for piece in line[: budget.pieces]:
        if isinstance(piece, str):
            room += min(len(piece), budget.inline)
        else:
            room += _MORE[type(piece)] + min(len(piece.text), budget.inline)
            if isinstance(piece, Link):
                room += len(piece.anchor)
    return room
