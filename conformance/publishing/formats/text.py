"""A page as text for a terminal or a file: complete enough to work from, nothing that a terminal acts on."""

import io
from collections.abc import Iterator

from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from conformance.publishing.blocks import (
    Bars,
    Block,
    Failure,
    Failures,
    Heat,
    Line,
    Lines,
    Mark,
    Paragraph,
    Pre,
    Ranges,
    Table,
    Tone,
)
from conformance.publishing.formats.strokes import (
    HEAT_KEY,
    SIGNS,
    amount,
    bar_line,
    heat_letters,
    range_line,
    said_once,
    scale_of,
)
from conformance.publishing.model import Page
from conformance.console.tables import plain_table
from conformance.wire.text import encodable, harmless, printable

__all__ = ["NARROWEST", "as_text", "print_page"]

NARROWEST = 80
"""Columns that a page takes, however narrow the terminal."""
_WIDTH = 100
"""Columns of a page that is no terminal's: the same everywhere, so that its hash is too."""
_FAILURES = 50
_STYLES = {
    Tone.GOOD: "green",
    Tone.BAD: "bold red",
    Tone.KNOWN: "yellow",
    Tone.WARN: "magenta",
    Tone.QUIET: "dim",
    Tone.PLAIN: "",
}
_ROWS = 200
_CELL, _LINE = 200, 2000
_TEXT_LINES, _TEXT = 40, 4000
"""The most lines and characters of a long text."""
_BAR = 30


def as_text(page: Page, width: int = _WIDTH, failures: int = _FAILURES, whole: bool = False) -> str:
    """The page; ``failures`` are the most in full. ``whole`` asks for its long sections too."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=max(width, NARROWEST), color_system=None, force_terminal=False)
    print_page(page, console, failures, whole)
    lines = [line.rstrip() for line in buffer.getvalue().split("\n")]
    return harmless(encodable("\n".join(lines).strip("\n") + "\n"))


def print_page(page: Page, console: Console, failures: int = _FAILURES, whole: bool = False) -> None:
    """Prints the page, with colours where the console has them."""
    for renderable in _page(page, failures, whole):
        on_one_line = isinstance(renderable, Text) and renderable.no_wrap is True
        console.print(renderable, highlight=False, markup=False, emoji=False, soft_wrap=on_one_line)


def _page(page: Page, failures: int, whole: bool) -> Iterator[RenderableType]:
    yield Text(_cut_line(page.title).plain, style="bold")
    yield _verdict(page)
    yield Text("")
    if page.warnings:
        yield from (_labelled("note:", _cut_line(line), "magenta") for line in page.warnings[:_ROWS])
        yield from _more(len(page.warnings) - _ROWS, "notes")
        yield Text("")
    grid = plain_table(show_header=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for fact in page.facts[:_ROWS]:
        grid.add_row(Text(f"{_flat(fact.name, 40)}:"), _cut_line(fact.value))
    yield grid
    if page.counts:
        yield Text("")
        yield _counts(page)
    for section in page.sections:
        if not (whole or section.brief):
            continue
        yield Text("")
        title = _flat(section.title, 200)
        yield Text(title, style="bold")
        yield Text("-" * min(len(title), NARROWEST), style="bold")
        for block in said_once(section):
            if isinstance(block, Failures):
                yield from _failures(block, failures)
            else:
                yield from _block(block)
    left_out = [_flat(section.title, 80) for section in page.sections if not section.brief]
    if left_out and not whole:
        yield Text("")
        yield Text(f"left out here, and in the HTML page: {', '.join(left_out[:_ROWS])} (--all shows them)")
    yield Text("")
    yield _verdict(page)


def _verdict(page: Page) -> Text:
    word = Text().append(_flat(page.verdict.word, 200), style=_STYLES[page.verdict.tone])
    return word.append(f": {_flat(page.verdict.sentence, _LINE)}")


def _counts(page: Page) -> Grid:
    grid = plain_table(show_header=False)
    grid.add_column(no_wrap=True)
    grid.add_column(justify="right", no_wrap=True)
    grid.add_column(overflow="fold")
    for count in page.counts[:_ROWS]:
        name = Text(_flat(count.name, 40), style=_STYLES[count.tone] if count.number else "dim")
        grid.add_row(name, Text(str(count.number)), Text(_flat(count.means, _CELL)))
    whole = sum(count.number for count in page.counts)
    grid.add_row(Text("in all"), Text(str(whole)), Text(_flat(page.unit, 60)))
    return grid


def _block(block: Block) -> Iterator[RenderableType]:
    match block:
        case Table():
            yield from _table(block)
        case Bars():
            yield from _bars(block)
        case Ranges():
            yield from _ranges(block)
        case Heat():
            yield from _heat(block)
        case Lines():
            for number, line in enumerate(block.lines[:_ROWS], start=1):
                yield _labelled(f"{number}." if block.numbered else "-", _cut_line(line))
            yield from _more(len(block.lines) - _ROWS, "of these")
        case Paragraph():
            yield _styled(_cut_line(block.line), block.tone)
        case Pre():
            yield from _caption(block.caption)
            yield Padding(Text("\n".join(_text_lines(block.text))), (0, 0, 0, 2))
        case Failures():
            raise AssertionError("failures are counted")


def _table(block: Table) -> Iterator[RenderableType]:
    yield from _caption(block.caption)
    if block.long:
        yield Text(f"  ({len(block.listed)} rows: in the HTML page and the JSON report)")
        return
    if not block.rows:
        yield Text("  none")
        return
    grid = plain_table("bold")
    for column, name in enumerate(block.head):
        justify = "right" if column in block.numbers else "left"
        grid.add_column(Text(_flat(name, 60)), justify=justify, overflow="fold")  # type: ignore[arg-type]
    for row in block.rows[:_ROWS]:
        grid.add_row(*(_cut_line(cell, _CELL) for cell in row.cells[: len(block.head)]))
    yield grid
    yield from _more(len(block.rows) - _ROWS, "rows")


def _bars(block: Bars) -> Iterator[RenderableType]:
    yield from _caption(block.caption)
    grid = plain_table(show_header=False)
    grid.add_column(overflow="fold")
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for bar in block.bars[:_ROWS]:
        parts = [part for part in bar.parts if part.number]
        said = Text(", ").join(
            Text(f"{part.number} {_flat(part.name, 40)} ({SIGNS[part.tone]})", _STYLES[part.tone])
            for part in parts
        )
        if bar.note:
            said.append(f"; {_flat(bar.note, _CELL)}")
        grid.add_row(_cut_line(bar.label, 60), Text(bar_line(parts, _BAR, SIGNS)), said)
    yield grid
    yield from _more(len(block.bars) - _ROWS, "bars")


def _ranges(block: Ranges) -> Iterator[RenderableType]:
    yield from _caption(block.caption)
    scale = scale_of(block)
    grid = plain_table(show_header=False)
    for justify in ("left", "right", "left", "left", "left"):
        grid.add_column(justify=justify, overflow="fold")
    for one in block.ranges[:_ROWS]:
        spread = "" if one.low is None or one.high is None else f"{amount(one.low)} to {amount(one.high)}"
        label = _flat(one.label, 80) + (" (as stated)" if one.marked else "")
        drawn = range_line(one, scale, block.stated, _BAR)
        grid.add_row(*map(Text, (label, amount(one.value), drawn, spread, _flat(one.note, _CELL))))
    yield grid
    stated = "" if block.stated is None else f", | the stated {amount(block.stated)}"
    yield Text(f"  from {amount(scale[0])} to {amount(scale[1])}: o the value, --- its spread{stated}")
    yield from _more(len(block.ranges) - _ROWS, "numbers")


def _heat(block: Heat) -> Iterator[RenderableType]:
    yield from _caption(block.caption)
    grid = plain_table(show_header=False)
    grid.add_column(overflow="fold")
    grid.add_column(overflow="fold")
    for row in block.rows[:_ROWS]:
        grid.add_row(Text(_flat(row.label, 80)), Text(heat_letters(block, row.cells[:_CELL])))
    yield grid
    yield Text(f"  {HEAT_KEY} ({amount(block.low)} to {amount(block.high)})")
    yield from _more(len(block.rows) - _ROWS, "tasks")


def _failures(block: Failures, most: int) -> Iterator[RenderableType]:
    """Failures in full, the new ones first; then how many more there are."""
    ordered = sorted(block.failures, key=lambda one: one.expectation.tone is Tone.KNOWN)
    for failure in ordered[:most]:
        yield from _failure(failure)
    more = len(ordered) - min(most, len(ordered)) + block.left_out
    if more:
        kept = f", of which the report has no account of {block.left_out}" if block.left_out else ""
        shown = f" (--failures {len(ordered)} shows them)" if len(ordered) > most else ""
        yield Text(f"and {more} more{kept}{shown}")


def _failure(failure: Failure) -> Iterator[RenderableType]:
    result, expectation = failure.result, failure.expectation
    head = Text().append(_flat(result.text, 60), style=_STYLES[result.tone])
    head.append(f": {_flat(failure.title, _CELL)} ")
    yield head.append(f"({_flat(expectation.text, 80)})", style=_STYLES[expectation.tone])
    grid = plain_table(show_header=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text("  rule:"), _cut_line(failure.summary))
    for name, value in failure.fields[:_ROWS]:
        grid.add_row(Text(f"  {_flat(name, 30)}:"), _cut_line(value))
    for name, text in failure.texts[:_ROWS]:
        grid.add_row(Text(f"  {_flat(name, 30)}:"), Text("\n".join(_text_lines(text))))
    yield grid
    if failure.repeat is not None:  # on a line of its own, to be copied
        yield Text(f"  repeat: {_flat(failure.repeat, _TEXT)}", no_wrap=True)
    yield Text("")


def _cut_line(line: Line, most: int = _LINE) -> Text:
    shown = Text()
    for piece in line:
        text = _flat(piece if isinstance(piece, str) else piece.text, most)
        shown.append(text, style=_STYLES[piece.tone] if isinstance(piece, Mark) else None)
    if len(shown) > most:
        shown = shown[:most].append("…")
    return shown


def _styled(text: Text, tone: Tone) -> Text:
    text.style = _STYLES[tone]
    return text


def _labelled(label: str, text: Text, style: str = "") -> Grid:
    grid = plain_table(show_header=False)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(label, style=style), text)
    return grid


def _caption(text: str) -> Iterator[RenderableType]:
    if text:
        yield Text(f"{_flat(text, _LINE)}:")


def _more(number: int, what: str) -> Iterator[RenderableType]:
    if number > 0:
        yield Text(f"and {number} more {what}")


def _flat(text: str, most: int) -> str:
    return printable(text if len(text) <= most else f"{text[:most]}…")


def _text_lines(text: str) -> list[str]:
    lines = text.splitlines()
    shown = [printable(line) for line in "\n".join(lines[:_TEXT_LINES])[:_TEXT].splitlines()]
    if len(lines) > _TEXT_LINES or len(text) > _TEXT:
        shown.append(f"… (cut: {len(lines)} lines, {len(text)} characters in all)")
    return shown
