"""A matrix in Markdown: the same tables as on a terminal, with all that the JSON has."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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
from conformance.formats.markdown_text import escaped
from conformance.wire.text import harmless

__all__ = ["markdown", "spec_lines", "table"]


def markdown(document: Mapping[str, Any]) -> str:
    """The whole matrix."""
    lines = ["# Conformance matrix", "", made(document), ""]
    for spec in document["specs"]:
        lines += spec_lines(document, spec)
    return as_text(lines)


def as_text(lines: Iterable[str]) -> str:
    """Lines as a file: no blanks at their ends, no two empty ones together, no command to a CI system."""
    text = "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"
    return harmless(re.sub(r"\n{3,}", "\n\n", text))


def made(document: Mapping[str, Any]) -> str:
    """When it was made, with what."""
    again = f", `--again-seed {document['again_seed']}`" if document["again_seed"] is not None else ""
    return (
        f"Made on {document['made_at'][:10]} with kit {document['kit_version']}, at level "
        f"`{document['level']}`{again}."
    )


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, numbers: bool = False) -> list[str]:
    """A table of cells that are Markdown already; ``numbers`` stand at the right."""
    rule = ["---", *(("---:" if numbers else "---") for _ in head[1:])]
    return ["", *(f"| {' | '.join(cells)} |" for cells in (head, rule, *rows)), ""]


def spec_lines(document: Mapping[str, Any], spec: str, *, heading: str = "##") -> list[str]:
    """All of one spec."""
    rows = rows_of(document, spec)
    if not rows:
        return []
    classes = class_names(document, rows, spec)
    lines = [f"{heading} Spec `{spec}`", "", *_totals(rows), *_classes(rows, classes)]
    lines += _why(rows, classes)
    lines += [f"{heading}# What fails, by rule", *_failures(rows)] if _failures(rows) else []
    found = [change for change in document["changes"] if change["spec"] == spec]
    if found:
        lines += [f"{heading}# Changes between neighbours", "", *_changes(found)]
    return lines


def _totals(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    head, *cells = account(rows, escaped)
    return table(head, cells, numbers=True)


def _classes(rows: Sequence[Mapping[str, Any]], classes: Sequence[str]) -> list[str]:
    told = [row for row in rows if row["result"] is not None]
    if not told or not classes:
        return []
    cells = (
        [escaped(row["subject"]), *(one_class(row["result"]["classes"].get(name)) for name in classes)]
        for row in told
    )
    said = "By class: the level that may be claimed, or what hinders (`-`: all vectors are unsupported)."
    return [said, *table(["subject", *map(escaped, classes)], cells)]


def _why(rows: Sequence[Mapping[str, Any]], classes: Sequence[str]) -> list[str]:
    lines = [
        f"- {escaped(row['subject'])} could not be tried: {escaped(row['why_not'])}"
        for row in rows
        if row["why_not"]
    ]
    lines += [f"- {escaped(row['subject'])}: {escaped(note)}" for row in rows for note in row["notes"]]
    lines += [
        f"- {escaped(row['subject'])}: problem: {escaped(problem)}"
        for row in rows
        if row["result"] and not row["why_not"]
        for problem in row["result"]["problems"]
    ]
    lines += [
        f"- no claim for {escaped(names)}: {escaped(why)} ({escaped(who)})"
        for names, why, who in no_claims(rows, classes)
    ]
    lines += [
        f"- unsupported, `{op}` ({count}): {escaped(why)} ({escaped(who)})"
        for op, count, why, who in reasons_of(rows)
    ]
    return [*lines, ""]


def _failures(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    cells = [
        [f"`{clause}`", f"`{op}`", span, escaped(who), f"`{example}`"]
        for clause, op, span, who, example in failing_rules(rows)
    ]
    return table(["rule", "op", "vectors", "subjects", "such as"], cells) if cells else []


def _changes(found: Iterable[Mapping[str, Any]]) -> list[str]:
    lines = []
    for change in found:
        where = f"**{escaped(change['from'])} → {escaped(change['to'])}**"
        said = [f"op `{one['op']}` went ({plural(one['vectors'], 'vector')})" for one in change["ops_gone"]]
        said += [f"op `{one['op']}` is new ({plural(one['vectors'], 'vector')})" for one in change["ops_new"]]
        for one in change["rules"]:
            moved = f"{one['count']} {MOVES[one['from'], one['to']]}, such as `{one['example']}`"
            statement = f" ({escaped(one['statement'])})" if one["statement"] else ""
            said.append(f"`{one['clause']}`: {moved}{statement}")
        compared = plural(change["compared"], "vector")
        if said:
            lines += [f"- {where}, {compared} compared:", *(f"  - {one}" for one in said)]
        else:
            lines.append(f"- {where}: nothing, in {compared}")
    return [*lines, ""]
