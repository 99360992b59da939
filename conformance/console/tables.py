"""Tables of text."""

import io
from collections.abc import Iterable

from rich.console import Console
from rich.table import Table

from conformance.console.output import on_terminal

__all__ = ["plain_table", "print_table", "table_lines"]

_NARROWEST = 100
"""The minimum width of a text table, however narrow the terminal."""


def plain_table(header_style: str = "", *, show_header: bool = True) -> Table:
    """A table without borders."""
    return Table(box=None, pad_edge=False, header_style=header_style, show_header=show_header)


def table_lines(tables: Iterable[Table], width: int) -> list[str]:
    """Tables as plain text, separated by empty lines."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=max(width, _NARROWEST), color_system=None)
    for number, table in enumerate(tables):
        if number:
            console.print()
        console.print(table)
    return [line.rstrip() for line in buffer.getvalue().splitlines()]


def print_table(table: Table, width: int) -> None:
    """Prints a table to standard output: as wide as the terminal, or of this width if there is none."""
    console = Console(highlight=False)
    if not on_terminal(console):
        console = Console(highlight=False, width=width)
    console.print(table)
