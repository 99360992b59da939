"""A matrix as plain text in 80 columns, and one spec of it as Markdown, with everything in it escaped."""

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.cells import cell_len, chop_cells

from conformance.extensions.releases.matrix.words import rows_of, sections
from conformance.formats.markdown_text import escaped
from conformance.outcomes.words import counted
from conformance.wire.text import harmless, printable

__all__ = ["markdown_lines", "markdown_table", "text_lines"]

_WIDTH = 80
_NAME = 24
"""Cells that a subject's name may take."""
_WRAPPED = _WIDTH - len("\\u003a")
"""Cells of a line of words, which may have to be made harmless yet."""
_GAP = "  "
_LEGEND = "(a level: claimed; f: failed, u: unsupported, n: not run, -: all unsupported)"
_MOST = 8
"""The most rules that are shown of a spec, or of a change; the JSON has them all."""


def text_lines(document: Mapping[str, Any]) -> list[str]:
    """The whole matrix as lines."""
    lines: list[str] = []
    for spec in document["specs"]:
        if not rows_of(document, spec):
            continue
        lines += [f"{spec}, level {document['level']}", ""]
        for section in sections(document, spec, short=True):
            if section.head:
                lines += _columns(section.head, [[_name(name), *cells] for name, *cells in section.rows])
                if section.title.startswith("By class"):
                    lines.append(_LEGEND)
            most = len(section.sentences) if section.title == "Notes" else _MOST
            shown = [f"{section.prefix}{sentence}" for sentence in section.sentences[:most]]
            if rest := section.sentences[most:]:
                shown.append(f"{section.prefix}and {counted(len(rest), 'more rule')} (--json)")
            lines += [line for sentence in shown for line in _wrapped(sentence)]
            lines += [""] if section.head or shown else []
    return [harmless(line) for line in lines]


def _name(subject: str) -> str:
    name = printable(subject)
    return name if cell_len(name) <= _NAME else chop_cells(name, _NAME - 1)[0] + "…"


def _wrapped(sentence: str) -> list[str]:
    text = harmless(printable(sentence))
    lines: list[str] = []
    for line in textwrap.wrap(text, _WRAPPED, subsequent_indent="  ", break_on_hyphens=False):
        lines += chop_cells(line, _WRAPPED) if cell_len(line) > _WRAPPED else [line]
    return lines


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table; columns that do not fit next to the first continue in a second table below."""
    widths = [max(cell_len(row[at]) for row in [head, *rows]) for at in range(len(head))]
    groups: list[list[int]] = [[]]
    for at in range(1, len(head)):
        taken = widths[0] + sum(len(_GAP) + widths[each] for each in [*groups[-1], at])
        if groups[-1] and taken > _WIDTH:
            groups.append([])
        groups[-1].append(at)
    lines: list[str] = []
    for group in groups:
        lines += [""] if lines else []
        for row in [head, *rows]:
            parts = [row[0] + " " * (widths[0] - cell_len(row[0]))]
            parts += [" " * (widths[at] - cell_len(row[at])) + row[at] for at in group]
            lines.append(_GAP.join(parts).rstrip())
    return lines


def markdown_lines(document: Mapping[str, Any], spec: str) -> list[str]:
    """All of one spec."""
    lines, title = [f"## Spec `{spec}`"], ""
    for section in sections(document, spec):
        if (section.rows or section.sentences) and section.title != title:
            title = section.title
            lines += ["", f"### {escaped(title)}", ""]
        if section.rows:
            lines += markdown_table(section.head, [list(map(escaped, row)) for row in section.rows])
        lines += [f"- {escaped(section.prefix + sentence)}" for sentence in section.sentences]
    return [*lines, ""]


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table of cells that are Markdown already."""
    return ["", *(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)), ""]
