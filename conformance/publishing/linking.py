"""Links that lead somewhere: what leads to no place of a page is its text alone."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from conformance.publishing.blocks import (
    Bar,
    Bars,
    Block,
    Failure,
    Failures,
    Inline,
    Line,
    Lines,
    Link,
    Paragraph,
    Row,
    Table,
)
from conformance.publishing.model import Section

__all__ = ["anchors", "linked"]


def anchors(sections: Iterable[Section]) -> Iterator[str]:
    """All places that links may lead to."""
    for section in sections:
        yield section.anchor
        for block in section.blocks:
            if isinstance(block, Table):
                yield from (row.anchor for row in block.rows if row.anchor is not None)
            elif isinstance(block, Failures):
                yield from (one.anchor for one in block.failures)


def linked(sections: Iterable[Section]) -> tuple[Section, ...]:
    """The sections, without links to what none of them has."""
    sections = tuple(sections)
    there = frozenset(anchors(sections))
    return tuple(
        replace(section, blocks=tuple(_block(block, there) for block in section.blocks))
        for section in sections
    )


def _block(block: Block, there: frozenset[str]) -> Block:
    match block:
        case Table():
            return replace(block, rows=tuple(_row(row, there) for row in block.rows))
        case Failures():
            return replace(block, failures=tuple(_failure(one, there) for one in block.failures))
        case Paragraph():
            return replace(block, line=_line(block.line, there))
        case Lines():
            return replace(block, lines=tuple(_line(line, there) for line in block.lines))
        case Bars():
            return replace(block, bars=tuple(_bar(bar, there) for bar in block.bars))
    return block


def _row(row: Row, there: frozenset[str]) -> Row:
    return replace(row, cells=tuple(_line(cell, there) for cell in row.cells))


def _failure(one: Failure, there: frozenset[str]) -> Failure:
    fields = tuple((name, _line(line, there)) for name, line in one.fields)
    return replace(one, summary=_line(one.summary, there), fields=fields)


def _bar(bar: Bar, there: frozenset[str]) -> Bar:
    return replace(bar, label=_line(bar.label, there))


def _line(line: Line, there: frozenset[str]) -> Line:
    return tuple(_piece(piece, there) for piece in line)


def _piece(piece: Inline, there: frozenset[str]) -> Inline:
    return piece.text if isinstance(piece, Link) and piece.anchor not in there else piece
