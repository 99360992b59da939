"""Builds Markdown: text without accidental markup, code spans, tables."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

__all__ = ["Cell", "Code", "code", "plain", "table"]

_MARKED = re.compile(r"[\\|`*<>\[\]~$&]|(?<![^\W_])_|_(?![^\W_])")


@dataclass(frozen=True, slots=True)
class Code:
    """A cell shown as a code span."""

    text: str


Cell = str | Code | int | float | None
"""A table cell: text, code, a count, a share (a float from 0 to 1), or None, shown as a dash."""


def plain(text: str) -> str:
    """The text on one line, with all Markdown escaped."""
    return _MARKED.sub(lambda found: f"\\{found[0]}", _line(text))


def code(text: str) -> str:
    """The text as a code span on one line."""
    line = _line(text)
    fence = "`" * (max(map(len, re.findall("`+", line)), default=0) + 1)
    padded = f" {line} " if "`" in (line[:1], line[-1:]) else line
    return f"{fence}{padded}{fence}"


def table(head: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """A table; columns of numbers are aligned to the right. Empty if there are no rows."""
    listed = [list(row) for row in rows]
    if not listed:
        return ""
    columns = zip(*listed, strict=True)
    rules = ("---:" if all(_is_number(cell) for cell in column) else "---" for column in columns)
    lines = [
        f"| {' | '.join(map(plain, head))} |",
        f"|{'|'.join(rules)}|",
        *(f"| {' | '.join(map(_shown, row))} |" for row in listed),
    ]
    return "\n".join(lines)


def _line(text: str) -> str:
    return " ".join(text.split())


def _is_number(cell: Cell) -> bool:
    return cell is None or isinstance(cell, int | float)


def _shown(cell: Cell) -> str:
    match cell:
        case None:
            return "-"
        case int():
            return f"{cell:,}"
        case float():
            return f"{cell:.0%}"
        case Code(text):
            return code(text).replace("|", "\\|")  # a | ends a table cell, even in code
        case str():
            return plain(cell)
