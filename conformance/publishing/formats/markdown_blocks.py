"""Blocks of a page as lines of Markdown: tables, lists, failures that open at a click."""

import html
from collections.abc import Iterable, Sequence

from conformance.publishing.blocks import (
    Bars,
    Block,
    Code,
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
    SQUARES,
    amount,
    bar_line,
    heat_letters,
    part_names,
    range_line,
    scale_of,
)
from conformance.report.markdown import at_start, code, escaped, fenced, inline, is_inert
from conformance.wire.text import printable

__all__ = ["block_lines", "cut_line", "failure_lines", "signed", "table"]

_SIGNS = {
    Tone.GOOD: "✅ ",
    Tone.BAD: "❌ ",
    Tone.KNOWN: "📌 ",
    Tone.WARN: "⚠️ ",
    Tone.QUIET: "▫️ ",
    Tone.PLAIN: "",
}
_ROWS = 40
"""The most rows of a table, and the most lines of a list."""
_COLUMNS = 12
_CELL = 240
"""The most characters of a cell."""
_LINE = 600
_TEXT_LINES, _TEXT = 24, 1600
"""The most lines and characters of a long text."""
_SQUARES = 10


def signed(text: str, tone: Tone) -> str:
    """A word with the sign of its tone."""
    return f"{_SIGNS[tone]}{escaped(text)}"


def cut_line(line: Line, most: int = _LINE) -> str:
    """A line in Markdown, of at most so many characters of text."""
    pieces: list[tuple[bool, str]] = []
    left = most
    for piece in line:
        text = piece if isinstance(piece, str) else piece.text
        if left <= 0 and text:
            pieces.append((False, " …"))
            break
        shown = text[:left] + ("…" if len(text) > left else "")
        if isinstance(piece, Mark):
            shown = _SIGNS[piece.tone] + shown
        pieces.append((isinstance(piece, Code), shown))
        left -= len(text)
    return inline(pieces)


def table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: frozenset[int]) -> list[str]:
    """A table of cells that are Markdown already; the head is text."""
    rule = ["---:" if column in numbers else "---" for column in range(len(head))]
    shown = [[escaped(name[:_CELL]) for name in head], rule, *rows]
    return ["", *(f"| {' | '.join(cells)} |" for cells in shown), ""]


def block_lines(block: Block) -> list[str]:
    """A block, failures apart."""
    match block:
        case Table():
            return _table(block)
        case Bars():
            return _bars(block)
        case Ranges():
            return _ranges(block)
        case Heat():
            return _heat(block)
        case Lines():
            return _list(block)
        case Paragraph():
            return ["", at_start(_SIGNS[block.tone] + cut_line(block.line)), ""]
        case Pre():
            return [*_caption(block.caption), *fenced(_cut_text(block.text)), ""]
        case Failures():
            return [line for failure in block.failures for line in failure_lines(failure)]


def failure_lines(failure: Failure) -> list[str]:
    """One failure: its name in sight, the rest at a click."""
    result, expectation = failure.result, failure.expectation
    seen = f"{_in_html(result)} <code>{_plain_html(failure.title)}</code> ({_in_html(expectation)})"
    lines = ["", "<details>", f"<summary>{seen}</summary>", "", at_start(cut_line(failure.summary))]
    fields = [f"- {escaped(name[:100] + ':')} {cut_line(value)}" for name, value in failure.fields[:_ROWS]]
    lines += ["", *fields] if fields else []
    for name, text in failure.texts[:_ROWS]:
        lines += ["", f"{at_start(escaped(name[:100] + ':'))}", "", *fenced(_cut_text(text))]
    if failure.repeat is not None:
        lines += ["", "Repeat it:", "", *fenced(failure.repeat, "sh")]
    return [*lines, "", "</details>"]


def _in_html(mark: Mark) -> str:
    """A mark where Markdown is not read."""
    return f"{_SIGNS[mark.tone]}{_plain_html(mark.text) if is_inert(mark.text) else _code_html(mark.text)}"


def _code_html(text: str) -> str:
    return f"<code>{_plain_html(text)}</code>"


def _plain_html(text: str) -> str:
    return html.escape(printable(text[:_CELL]) + ("…" if len(text) > _CELL else ""))


def _cut_text(text: str) -> str:
    """The beginning of a long text, and how long it is."""
    lines = text.splitlines()
    shown = "\n".join(lines[:_TEXT_LINES])[:_TEXT]
    if len(lines) <= _TEXT_LINES and len(text) <= _TEXT:
        return text
    return f"{shown}\n… (cut: {len(lines):,} lines, {len(text):,} characters in all)"


def _caption(text: str) -> list[str]:
    return ["", f"{at_start(escaped(text[:_LINE] + ':'))}", ""] if text else [""]


def _more(number: int, what: str) -> list[str]:
    return [f"And {number:,} more {what}.", ""] if number > 0 else []


def _table(block: Table) -> list[str]:
    if block.long:
        many = f"{len(block.listed):,} row{'' if len(block.listed) == 1 else 's'}"
        return ["", f"The table with {many} is in the HTML page and the JSON report.", ""]
    if not block.rows:
        return [*_caption(block.caption), "None.", ""]
    width = min(len(block.head), _COLUMNS)
    rows = [[cut_line(cell, _CELL) for cell in row.cells[:width]] for row in block.rows[:_ROWS]]
    return [
        *_caption(block.caption),
        *table(block.head[:width], rows, block.numbers),
        *_more(len(block.rows) - _ROWS, "rows"),
    ]


def _bars(block: Bars) -> list[str]:
    names = part_names(block.bars)[: _COLUMNS - 3]
    noted = any(bar.note for bar in block.bars)
    rows = []
    for bar in block.bars[:_ROWS]:
        parts = {part.name: part.number for part in bar.parts}
        numbers = [f"{parts[name]:,}" if parts.get(name) else "" for name in names]
        note = [escaped(bar.note[:_CELL])] if noted else []
        rows.append([cut_line(bar.label, _CELL), bar_line(bar.parts, _SQUARES, SQUARES), *numbers, *note])
    head = ["", "", *names, *([""] if noted else [])]
    return [
        *_caption(block.caption),
        *table(head, rows, frozenset(range(2, 2 + len(names)))),
        *_more(len(block.bars) - _ROWS, "bars"),
    ]


def _ranges(block: Ranges) -> list[str]:
    scale = scale_of(block)
    rows = []
    for one in block.ranges[:_ROWS]:
        spread = "" if one.low is None or one.high is None else f"{amount(one.low)} to {amount(one.high)}"
        line = range_line(one, scale, block.stated, 24).replace(" ", "·")
        label = escaped(one.label[:_CELL])
        name = f"**{label}** (as stated)" if one.marked else label
        rows.append([name, amount(one.value), spread, code(line), escaped(one.note[:_CELL])])
    stated = "" if block.stated is None else f"\\| is the stated {amount(block.stated)}. "
    ends = f"{stated}From {amount(scale[0])} to {amount(scale[1])}; `o` is the value, `---` its spread."
    return [
        *_caption(block.caption),
        *table(["", "value", "spread", "", ""], rows, frozenset({1})),
        ends,
        *_more(len(block.ranges) - _ROWS, "numbers"),
    ]


def _heat(block: Heat) -> list[str]:
    rows = [
        [code(row.label[:_CELL]), code(heat_letters(block, row.cells[: _CELL // 2]))]
        for row in block.rows[:_ROWS]
    ]
    key = f"A letter for each attempt: {HEAT_KEY} ({amount(block.low)} to {amount(block.high)})."
    return [
        *_caption(block.caption),
        *table(["task", f"{len(block.columns):,} attempts"], rows, frozenset()),
        key,
        *_more(len(block.rows) - _ROWS, "tasks"),
    ]


def _list(block: Lines) -> list[str]:
    lines = [
        f"{f'{number}.' if block.numbered else '-'} {at_start(cut_line(line))}"
        for number, line in enumerate(block.lines[:_ROWS], start=1)
    ]
    return ["", *lines, "", *_more(len(block.lines) - _ROWS, "of these")]
