"""A ``metric`` report as text: each broken rule with its first case, and a table."""

import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from conformance.console.tables import plain_table, table_lines
from conformance.wire.text import printable

__all__ = ["finding_text", "findings_text", "summary"]

_SHOWN = 12
Document = Mapping[str, Any]


def finding_text(finding: Document, also: Sequence[str] = ()) -> str:
    """A finding in full; ``also`` lists further cases that show it."""
    first, *others = (finding["input"] or "").splitlines() or [""]
    fields = [
        ("clause", f"{finding['clause']}: {finding['clause_statement'] or ''}"),
        ("case", finding["case"]),
        ("found", finding["found"]),
        ("input", first),
        *(("", line) for line in others),
        ("kept", finding["file"]),
        ("repeat", finding["repeat"]),
        ("also in", _names(also)),
    ]
    head = f"{finding['level']} {finding['rule']}: {finding['statement']}"
    return "\n".join([head, *(f"    {name:8}{printable(value)}" for name, value in fields if value)])


def _names(cases: Sequence[str]) -> str:
    more = f" and {len(cases) - _SHOWN} more" if len(cases) > _SHOWN else ""
    return f"{', '.join(cases[:_SHOWN])}{more}"


def _by_rule(document: Document) -> list[list[Document]]:
    """Groups findings by rule."""
    return [list(same) for _, same in itertools.groupby(document["findings"], lambda one: one["rule"])]


def findings_text(document: Document) -> list[str]:
    """Each broken rule with its first case in full, and the notes."""
    lines = []
    for first, *others in _by_rule(document):
        lines += [finding_text(first, [finding["case"] for finding in others]), ""]
    return [*lines, *(f"note: {printable(note)}" for note in document["notes"])]


def summary(document: Document, width: int) -> list[str]:
    """The table of broken rules; the last line has the number of findings, and the verdict."""
    table = plain_table()
    for name in ("level", "rule", "clause"):
        table.add_column(name, no_wrap=True)
    table.add_column("cases", justify="right", no_wrap=True)
    for first, *others in _by_rule(document):
        words = (Text(first[name]) for name in ("level", "rule", "clause"))
        table.add_row(*words, str(1 + len(others)))
    lines = table_lines([table], width) if document["findings"] else []
    not_run: dict[str, list[str]] = {}
    for case in document["cases"]:
        if case["not_run"] is not None:
            not_run.setdefault(case["not_run"], []).append(case["name"])
    skipped = sum(map(len, not_run.values()))
    tried, known = len(document["cases"]) - skipped, document["all_cases"]
    of = "" if len(document["cases"]) == known else f" of {known}"
    parts = [
        f"{printable(document['target'])}: {document['contract']}",
        f"{tried}{of} case{'' if tried == 1 and not of else 's'}",
        *([f"{skipped} not run"] if skipped else []),
        *(f"{count} {level}" for level, count in document["counts"].items()),
    ]
    verdicts = {0: "conforms", 1: "does not conform", 2: "could not be tried"}
    verdict = verdicts.get(document["exit_code"], f"{document['problem']}: no verdict")
    return [
        *lines,
        *(f"not run: {_names(names)}: {reason}" for reason, names in not_run.items()),
        f"{', '.join(parts)}: {verdict}",
    ]
