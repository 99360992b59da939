"""How much of each text a page shows, so that the whole page stays small enough to be opened by anyone."""

from collections.abc import Iterable
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
    Table,
)
from conformance.publishing.model import Page

__all__ = ["LADDER", "MOST_BYTES", "Budget", "first_rung"]

MOST_BYTES = 1_900_000
"""What a page may take, in bytes."""
_ALL = 1 << 40


@dataclass(frozen=True, slots=True)
class Budget:
    """What of a page is shown."""

    text: int
    """Characters of a long text: an input, an answer."""
    inline: int
    """Characters of a piece in a line."""
    whole: int = _ALL
    """How many failures have their texts and fields; those after them a line."""
    rows: int = _ALL
    """How many rows a table, a list or a picture has."""
    notes: int = 1500
    """How many trials of a picture say more when they are pointed at."""


LADDER = (
    Budget(20_000, 4_000),
    Budget(12_000, 3_000),
    Budget(8_000, 2_000),
    Budget(5_000, 1_500),
    Budget(3_000, 1_000),
    Budget(2_000, 800),
    Budget(1_200, 600, notes=500),
    Budget(800, 500, notes=300),
    Budget(500, 400, notes=200),
    Budget(300, 300, notes=100),
    Budget(200, 250, notes=0),
    Budget(120, 200, notes=0),
    *(Budget(200, 200, whole, notes=0) for whole in (2_000, 1_500, 1_000, 700, 400, 200, 100)),
    Budget(200, 160, 50, 5_000, 0),
    Budget(200, 160, 50, 3_000, 0),
    Budget(150, 120, 50, 1_500, 0),
    Budget(150, 100, 30, 700, 0),
    Budget(100, 80, 20, 200, 0),
    Budget(80, 60, 10, 50, 0),
    Budget(40, 40, 5, 10, 0),
    Budget(20, 20, 3, 4, 0),
)
"""From the most to the least that a page may show; the first one is taken with which it is small enough."""


def first_rung(page: Page) -> int:
    """Where on the ladder to begin: what is above it can't be small enough. Cheap, as nothing is written."""
    low, high = 0, len(LADDER) - 1
    while low < high:
        middle = (low + high) // 2
        if _room(page, LADDER[middle]) > MOST_BYTES:
            low = middle + 1
        else:
            high = middle
    return low


def _room(page: Page, budget: Budget) -> int:
    """About as many bytes as the page takes, a little less."""
    return sum(
        _block_room(block, budget)
        for section in page.sections[: budget.rows]
        for block in section.blocks[: budget.rows]
    )


def _block_room(block: Block, budget: Budget) -> int:
    if isinstance(block, Table):
        return sum(20 + 9 * len(row.cells) + _lines(row.cells, budget) for row in block.rows[: budget.rows])
    if isinstance(block, Failures):
        each = block.failures[: budget.rows]
        return sum(_failure_room(one, budget, at < budget.whole) for at, one in enumerate(each))
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


def _failure_room(failure: Failure, budget: Budget, whole: bool) -> int:
    """A failure's bytes."""
    room = 420 + 2 * len(failure.anchor) + min(len(failure.title), budget.inline)
    room += _line(failure.summary, budget) + min(len(failure.repeat or ""), budget.inline)
    if whole:
        room += sum(35 + len(name) + _line(line, budget) for name, line in failure.fields)
        room += sum(60 + len(name) + min(len(text), budget.text) for name, text in failure.texts)
    return room


def _lines(lines: Iterable[Line], budget: Budget) -> int:
    return sum(_line(line, budget) for line in lines)


_MORE = {Code: 28, Link: 16, Mark: 18}
"""What a piece of a line takes besides its text."""


def _line(line: Line, budget: Budget) -> int:
    room = 0
    for piece in line:
        if isinstance(piece, str):
            room += min(len(piece), budget.inline)
        else:
            room += _MORE[type(piece)] + min(len(piece.text), budget.inline)
            if isinstance(piece, Link):
                room += len(piece.anchor)
    return room
