"""A matrix for a terminal: plain text in 80 columns, everything in it escaped."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from rich.cells import cell_len, chop_cells

from conformance.extensions.releases.matrix.words import (
    MOVES,
    account,
    class_names,
    failing_rules,
    no_claims,
    one_class,
    plural,
    rows_of,
)
from conformance.extensions.releases.matrix.words import unsupported_reasons as reasons_of
from conformance.wire.text import harmless, printable

__all__ = ["WIDTH", "text_lines"]

WIDTH = 80
_NAME = 24
"""Cells that a subject's name may take."""
_WRAPPED = WIDTH - len("\\u003a")
"""Cells of a line of words, which may have to be made harmless yet."""
_GAP = "  "
_MOST = 8
"""Rules that are shown of a spec, or of a change; the JSON has them all."""


def text_lines(document: Mapping[str, Any]) -> list[str]:
    """The whole matrix as lines."""
    lines: list[str] = []
    for spec in document["specs"]:
        rows = rows_of(document, spec)
        if rows:
            lines += _of_spec(document, spec, rows)
    return [harmless(line) for line in lines]


def _of_spec(document: Mapping[str, Any], spec: str, rows: list[dict[str, Any]]) -> list[str]:
    classes = class_names(document, rows, spec)
    lines = [f"{spec}, level {document['level']}", ""]
    lines += _columns(*account(rows, _name))
    if any(row["result"] for row in rows) and classes:
        cells = [
            [
                _name(row["subject"]),
                *(one_class(row["result"]["classes"].get(name), short=True) for name in classes),
            ]
            for row in rows
            if row["result"]
        ]
        lines += ["", *_columns(["class", *classes], *cells)]
        lines += ["(a level: claimed; f: failed, u: unsupported, n: not run, -: all unsupported)"]
    said = [f"{row['subject']} could not be tried: {row['why_not']}" for row in rows if row["why_not"]]
    said += [f"{row['subject']}: {note}" for row in rows for note in row["notes"]]
    said += [
        f"{row['subject']}: problem: {problem}"
        for row in rows
        if row["result"] and not row["why_not"]
        for problem in row["result"]["problems"]
    ]
    said += [f"no claim for {names}: {why} ({who})" for names, why, who in no_claims(rows, classes)]
    said += [f"unsupported, {op} ({count}): {why} ({who})" for op, count, why, who in reasons_of(rows)]
    said += _failures(rows)
    lines += ["", *(line for sentence in said for line in _wrapped(sentence))] if said else []
    for change in document["changes"]:
        if change["spec"] == spec:
            lines += ["", *(line for sentence in _change(change) for line in _wrapped(sentence))]
    return [*lines, ""]


def _failures(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    found = failing_rules(rows)
    lines = [
        f"{clause} ({op}): {count} failed ({who}), such as {example}"
        for clause, op, count, who, example in found[:_MOST]
    ]
    return [*lines, *([f"and {plural(len(found) - _MOST, 'more rule')} (--json)"] if found[_MOST:] else [])]


def _change(change: Mapping[str, Any]) -> list[str]:
    where = f"{change['from']} -> {change['to']}"
    ops = [f"op {one['op']} went ({plural(one['vectors'], 'vector')})" for one in change["ops_gone"]]
    ops += [f"op {one['op']} is new ({plural(one['vectors'], 'vector')})" for one in change["ops_new"]]
    found = sorted(change["rules"], key=lambda one: -int(one["count"]))
    rules = [
        f"{one['clause']}: {one['count']} {MOVES[one['from'], one['to']]}, such as {one['example']}"
        for one in found[:_MOST]
    ]
    if found[_MOST:]:
        rules.append(f"and {plural(len(found) - _MOST, 'more change')} (--json)")
    nothing = [f"nothing changed in {plural(change['compared'], 'vector')}"]
    return [f"{where}: {line}" for line in [*ops, *rules] or nothing]


def _name(subject: str) -> str:
    name = printable(subject)
    return name if cell_len(name) <= _NAME else chop_cells(name, _NAME - 1)[0] + "…"


def _wrapped(sentence: str) -> list[str]:
    text = harmless(printable(sentence))
    lines: list[str] = []
    for line in textwrap.wrap(text, _WRAPPED, subsequent_indent="  ", break_on_hyphens=False):
        lines += chop_cells(line, _WRAPPED) if cell_len(line) > _WRAPPED else [line]
    return lines


def _columns(head: Sequence[str], *rows: Sequence[str]) -> list[str]:
    """A table; what does not fit beside the first column stands in another one below."""
    widths = [max(cell_len(row[at]) for row in [head, *rows]) for at in range(len(head))]
    groups: list[list[int]] = [[]]
    for at in range(1, len(head)):
        taken = widths[0] + sum(len(_GAP) + widths[each] for each in [*groups[-1], at])
        if groups[-1] and taken > WIDTH:
            groups.append([])
        groups[-1].append(at)
    lines: list[str] = []
    for number, group in enumerate(groups):
        if number:
            lines.append("")
        for row in [head, *rows]:
            parts = [_left(row[0], widths[0])] + [_right(row[at], widths[at]) for at in group]
            lines.append(_GAP.join(parts).rstrip())
    return lines


def _left(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _right(text: str, width: int) -> str:
    return " " * (width - cell_len(text)) + text
