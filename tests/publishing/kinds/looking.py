"""Looking at pages: all their lines, where links lead, and that every format takes them."""

from collections.abc import Iterator
from xml.etree import ElementTree

from conformance.publishing.blocks import (
    Bars,
    Block,
    Failures,
    Inline,
    Line,
    Lines,
    Link,
    Paragraph,
    Table,
    plain,
)
from conformance.publishing.formats import rendered
from conformance.publishing.model import Page, Section


def lines_of(block: Block) -> Iterator[Line]:
    """The lines of a block."""
    match block:
        case Table():
            for row in block.rows:
                assert len(row.cells) == len(block.head), block.caption
                yield from row.cells
        case Bars():
            yield from (bar.label for bar in block.bars)
        case Failures():
            for failure in block.failures:
                yield failure.summary
                yield from (value for _, value in failure.fields)
        case Lines():
            yield from block.lines
        case Paragraph():
            yield block.line
        case _:
            return


def lines(page: Page) -> Iterator[Line]:
    """All lines of a page."""
    yield page.title
    yield from page.warnings
    yield from (fact.value for fact in page.facts)
    for section in page.sections:
        for block in section.blocks:
            yield from lines_of(block)


def links(found: Iterator[Line]) -> set[str]:
    """Where lines lead."""
    pieces: list[Inline] = [piece for line in found for piece in line]
    return {piece.anchor for piece in pieces if isinstance(piece, Link)}


def anchors(page: Page) -> list[str]:
    """The places of a page that a link may lead to."""
    found = [section.anchor for section in page.sections]
    for section in page.sections:
        for block in section.blocks:
            if isinstance(block, Table):
                found += [row.anchor for row in block.rows if row.anchor is not None]
            elif isinstance(block, Failures):
                found += [failure.anchor for failure in block.failures]
    return found


def section(page: Page, anchor: str) -> Section:
    """A section by its anchor."""
    return next(one for one in page.sections if one.anchor == anchor)


def failures(page: Page) -> Failures:
    """The failures of a page, of which it has one list."""
    (found,) = (block for one in page.sections for block in one.blocks if isinstance(block, Failures))
    return found


def said(page: Page) -> str:
    """All lines of a page as text."""
    return "\n".join(map(plain, lines(page)))


def sound(page: Page) -> Page:
    """The page, whose links all lead somewhere and which every format takes."""
    there = anchors(page)
    assert len(set(there)) == len(there)
    assert links(lines(page)) <= set(there)
    assert all(count.number >= 0 for count in page.counts)
    assert page.counts
    for name in ("text", "markdown"):
        text = rendered(page, name)
        assert not any(one.startswith("::") for one in text.splitlines())
        assert "##[" not in text
        assert "\x1b" not in text
    assert "<b>" not in rendered(page, "html")
    ElementTree.fromstring(rendered(page, "junit"))
    if page.badge is not None:
        rendered(page, "badge-json")
        ElementTree.fromstring(rendered(page, "badge-svg"))
    return page
