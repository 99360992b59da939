"""Renders a page as text for a terminal or a file, without control characters."""

import io
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import click
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.table import Table as Grid
from rich.text import Text

from conformance.console.output import on_terminal
from conformance.outcomes.words import counted
from conformance.pages.model import Bar, Cell, Item, Mark, Page, Spread, Table, Tone
from conformance.wire.text import cut, encodable, harmless, printable

__all__ = ["NARROWEST", "as_text", "echo_page"]

NARROWEST = 80
"""The minimum width of a page, even if the terminal is narrower."""
_WIDTH = 100
"""The width of a page without a terminal, which is fixed so that its hash is too."""
_FAILURES = 50
_STYLES = {
    Tone.GOOD: "green",
    Tone.BAD: "bold red",
    Tone.KNOWN: "yellow",
    Tone.WARN: "magenta",
    Tone.QUIET: "dim",
}
_ROWS = 200
_UNBROKEN = 16
"""A cell of at most this length stays on one line."""
_CELL, _LINE = 200, 2_000
_COPIED = 300
"""An item's key of at most this length stays on one line, for copying."""
_TEXT_LINES, _TEXT = 40, 4_000
"""The most lines and characters of a long text."""


def echo_page(page: Page, **options: Any) -> None:
    """Print the page, on a terminal with its width and with colours; the options are those of `as_text`."""
    console = Console(highlight=False)
    if on_terminal(console):
        _print(page, console, **options)
    else:
        click.echo(as_text(page, **options), nl=False)


def as_text(
    page: Page,
    width: int = _WIDTH,
    failures: int = _FAILURES,
    whole: bool = False,
    option: str = "--failures",
) -> str:
    """Return the page as text.

    ``failures`` is the most items shown in full, and ``option`` the command line option for it; ``whole``
    adds long tables and all items.
    """
    buffer = io.StringIO()
    console = Console(file=buffer, width=max(width, NARROWEST), color_system=None, force_terminal=False)
    _print(page, console, failures, whole, option)
    lines = [line.rstrip() for line in buffer.getvalue().split("\n")]
    return harmless(encodable("\n".join(lines).strip("\n") + "\n"))


def _print(
    page: Page, console: Console, failures: int = _FAILURES, whole: bool = False, option: str = "--failures"
) -> None:
    """Print the page, with colours if the console has them."""
    for part in _page(page, failures, whole, max(console.width, NARROWEST), option):
        on_one_line = isinstance(part, Text) and part.no_wrap is True
        console.print(part, highlight=False, markup=False, emoji=False, soft_wrap=on_one_line)


def _page(page: Page, failures: int, whole: bool, width: int, option: str) -> Iterator[RenderableType]:
    yield Text(_flat(page.title), style="bold")
    yield _verdict(page)
    yield Text("")
    if page.problems:
        yield _pairs((("problem:", problem) for problem in page.problems[:_ROWS]), "magenta")
        yield from _more(len(page.problems) - _ROWS, "problem")
    for table in page.first_tables:
        yield from (*_title(table.title), *_table(table, whole, width))
    if page.problems or page.first_tables:
        yield Text("")
    yield _pairs((f"{name}:", value) for name, value in page.facts.items())
    yield Text("")
    counts = _grid("left", "right", "left")
    for mark, count, means in page.counts:
        counts.add_row(_cell(mark), Text(f"{count:,}"), Text(_flat(means)))
    if page.counts:
        counts.add_row(Text("total"), Text(f"{sum(row[1] for row in page.counts):,}"), Text(page.unit))
    yield counts
    more_sections = ((Tone.WARN, "Other findings"),) if page.kind == "check" else ()
    for tone, title in (*page.sections(), *more_sections):
        if groups := page.groups(tone):
            yield from _title(f"{title} ({sum(len(items) for _, items in groups):,})")
            yield from _groups(page, groups, failures, option)
            failures = max(0, failures - sum(len(items) for _, items in groups))
    left_out = [table.title for table in page.tables if table.long and not whole]
    for table in page.tables:
        if whole or not table.long:
            yield from (*_title(table.title), *_table(table, whole, width))
    if whole and page.items:
        yield from _title("All")
        rows = [(item.key, item.group, Mark(item.outcome, item.look)) for item in page.items]
        yield from _table(Table("All", ("item", "group", "outcome"), rows), whole, width)
    left_out += ["all items"] * bool(page.items)
    if left_out and not whole:
        names = ", ".join(map(_flat, left_out))
        yield from (Text(""), Text(f"not shown here, but in the HTML page: {names} (--all shows them)"))
    yield Text("")
    yield _verdict(page)


def _verdict(page: Page) -> Text:
    word = Text().append(_flat(page.verdict.text), style=_STYLES[page.verdict.tone])
    return word.append(f": {_flat(page.sentence)}")


def _title(title: str) -> Iterator[Text]:
    yield Text("")
    yield Text(_flat(title), style="bold")
    yield Text("-" * min(len(title), NARROWEST), style="bold")


def _groups(
    page: Page, groups: list[tuple[str, list[Item]]], most: int, option: str
) -> Iterator[RenderableType]:
    """Yield failures by cause, at most ``most`` in full; the others are counted."""
    total = sum(len(items) for _, items in groups)
    left = most
    advice: dict[str, int] = {}
    for number, (cause, items) in enumerate(groups, start=1):
        yield _pairs([(f"{number}.", f"{counted(len(items), page.wrong)}: {cut(cause, _LINE)}")])
        if cause in page.causes:
            do = page.causes[cause]
            first = advice.setdefault(do, number)
            yield _pairs([("   advice:", do if first == number else f"as for {first}.")])
        yield Text("")
        room = max(left - (len(groups) - number), min(left, 1))  # one of every cause first
        for item in items[:room]:
            yield from _item(item)
        left -= min(room, len(items))
        if not left and number < len(groups):
            yield Text(f"and {counted(len(groups) - number, 'more cause')}")
            break
    if total > most:
        yield Text(f"{total - most:,} of these {total:,} are not shown in full ({option} {total} shows them)")


def _item(item: Item) -> Iterator[RenderableType]:
    heading = Text().append(_flat(item.outcome, 60), style=_STYLES[item.look])
    group = "" if item.key.startswith(f"{item.group}: ") else f" ({_flat(item.group, 80)})"
    heading.append(f": {_flat(item.key)}{group}").no_wrap = len(item.key) < _COPIED
    yield heading
    details: dict[str, Cell] = {"rule": item.summary, "why": item.detail, **item.fields}
    yield _pairs((f"  {name}:", value) for name, value in details.items() if value)
    if item.texts:
        grid = _grid("left", "left")
        for name, text in item.texts.items():
            grid.add_row(Text(f"  {_flat(name, 30)}:"), Text("\n".join(_text_lines(text))))
        yield grid
    if item.repeat:  # on its own line, for copying
        yield Text(f"  repeat: {_flat(item.repeat, _TEXT)}", no_wrap=True)
    yield Text("")


def _table(table: Table, whole: bool, width: int) -> Iterator[RenderableType]:
    """Yield a table; columns that do not fit follow each row, or precede it if they include the first."""
    most = len(table.rows) if whole else _ROWS
    rows = [[Text(_flat(name, 60), style="bold") for name in table.head]] if any(table.head) else []
    rows += [[_cell(cell) for cell in row] for row in table.rows[:most]]
    widths = _widths(rows, width)
    below = [index for index in range(len(table.head)) if index not in widths]
    grids: list[Grid] = []
    for row in rows:
        if below or not grids:
            grids.append(_grid())
            for index, wide in widths.items():
                numbers = bool(table.rows) and all(isinstance(cells[index], int) for cells in table.rows)
                grids[-1].add_column(justify="right" if numbers else "left", width=wide, overflow="fold")
        grids[-1].add_row(*(row[index] for index in widths))
    for row, grid in zip(rows, grids, strict=False):
        remaining = Text("; ").join(row[index] for index in below if row[index])
        parts: list[RenderableType] = [remaining, grid] if 0 in below else [grid, remaining]
        yield from (parts[0], Padding(parts[1], (0, 0, 0, 4))) if remaining else [grid]
    yield from _more(len(table.rows) - most, "row")


def _widths(rows: Sequence[Sequence[Text]], width: int) -> dict[int, int]:
    """Return the columns that fit next to each other without breaking a word, with their widths."""
    columns = dict(enumerate(zip(*rows, strict=True)))
    wide = {index: max(cell.cell_len for cell in column) for index, column in columns.items()}
    least = {index: max(map(_longest_word, column)) for index, column in columns.items()}
    while len(least) > 1 and sum(least.values()) + 2 * (len(least) - 1) > width:
        del least[max(least, key=lambda index: (max(least[index], _UNBROKEN), wide[index]))]
    room = width - 2 * (len(least) - 1)
    while sum(wide[index] for index in least) > room:
        index = max(least, key=lambda index: (wide[index] > least[index], wide[index]))
        wide[index] = wide[index] - 1 if len(least) > 1 else room
    return {index: wide[index] for index in least}


def _longest_word(cell: Text) -> int:
    """Return the least width of a cell; short ones are not broken."""
    words = [cell] if cell.cell_len <= _UNBROKEN else cell.split(" ")
    return max((word.cell_len for word in words), default=0)


def _cell(cell: Cell) -> Text:
    match cell:
        case Mark(text, tone):
            return Text(_flat(text, _CELL), style=_STYLES[tone])
        case Bar(parts):
            return Text(", ").join(
                Text(f"{count:,} {_flat(name, 40)}", _STYLES[tone]) for name, count, tone in parts
            )
        case Spread(text=text):
            return Text(_flat(text, _CELL))
        case int():
            return Text(f"{cell:,}")
    return Text(_flat(cell))


def _grid(*justify: str) -> Grid:
    grid = Grid(box=None, pad_edge=False, show_header=False)
    for index, alignment in enumerate(justify):
        last = index == len(justify) - 1
        grid.add_column(justify=alignment, no_wrap=not last, overflow="fold")  # type: ignore[arg-type]
    return grid


def _pairs(rows: Iterable[tuple[str, Cell]], style: str = "") -> Grid:
    grid = _grid("left", "left")
    for name, value in rows:
        grid.add_row(Text(_flat(name, 40), style=style), _cell(value))
    return grid


def _more(number: int, noun: str) -> Iterator[Text]:
    if number > 0:
        yield Text(f"and {counted(number, f'more {noun}')}")


def _flat(text: str, most: int = _LINE) -> str:
    return printable(cut(text, most))


def _text_lines(text: str) -> list[str]:
    lines = text.splitlines()
    safe_lines = [printable(line) for line in "\n".join(lines[:_TEXT_LINES])[:_TEXT].splitlines()]
    if len(lines) > _TEXT_LINES or len(text) > _TEXT:
        safe_lines.append(f"… (cut: {len(lines):,} lines, {len(text):,} characters in all)")
    return safe_lines
