"""Writes the page of harbor's releases, ``docs/harbor-releases.md``: ``python -m tools.releases_page``.

``docs/harbor-releases-rules.json`` describes each rule in a sentence or two; ``docs/harbor-releases.json``, a
matrix, has the executed results. The results show a rule in one of four ways. It names

- clauses: the first spec's vectors for them fail since the rule;
- new clauses: the last spec's vectors for them fail before the rule;
- operations, if it is newer than the last spec: the last spec's vectors for them fail since the rule;
- a program, whose output shows it.

Any other rule comes from reading the source.
"""

import argparse
import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from conformance.extensions.releases.matrix.page import page, rows_of
from conformance.extensions.releases.matrix.subjects import NEWEST
from conformance.formats.markdown import table_lines
from conformance.formats.markdown_text import escaped
from conformance.outcomes.reading import read
from conformance.outcomes.words import counted
from conformance.wire.text import harmless

__all__ = ["PAGE", "contradictions", "matrix_and_rules", "newest_executed", "releases_page"]

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "harbor-releases.md"

_SAME = "·"

Rule = Mapping[str, Any]
Row = Mapping[str, Any]
Document = Mapping[str, Any]


def matrix_and_rules() -> tuple[Document, dict[str, Any]]:
    """The executed results and the sentences that make up the page."""
    rules = json.loads((DOCS / "harbor-releases-rules.json").read_text(encoding="utf-8"))
    return read(DOCS / "harbor-releases.json").content, rules


def newest_executed(document: Document) -> str:
    """The newest release that was executed."""
    newest = max(_released(row) for row in _releases(document, document["specs"][0]))
    return ".".join(map(str, newest))


def releases_page(document: Document, rules: Mapping[str, Any]) -> str:
    again = f", `--again-seed {document['again_seed']}`" if document["again_seed"] is not None else ""
    origin = f"Made on {document['made_at'][:10]} with kit {document['kit_version']}"
    lines = [
        f"# {rules['title']}",
        "",
        *rules["intro"],
        "",
        f"{origin}, at level `{document['level']}`{again}.",
        "",
    ]
    lines += ["## What changed, by release", ""]
    lines += _table(
        ["first in", "what changed", "what it does to a score", "shown by"],
        [
            [rule["since"], escaped(rule["rule"]), escaped(rule["scores"]), _shown_by(rule, document)]
            for rule in rules["rules"]
        ],
    )
    first, last = document["specs"][0], document["specs"][-1]
    lines += ["## Release by rule, executed", ""]
    lines += [
        f"Vectors of `{first}` that a release answers differently, by the rules above; `{_SAME}`: none."
    ]
    described = [row for row in rows_of(document, first) if row["result"] and not _is_later(row, document)]
    lines += _grid(described, rules, lambda rule, row: _failing(rule, row, "clauses"))
    if last != first:
        lines += [f"Vectors of `{last}` that a release fails because it lacks the rule."]
        rows = [row for row in rows_of(document, last) if row["result"] and not _is_later(row, document)]
        lines += _grid(rows, rules, lambda rule, row: _failing(rule, row, "new_clauses"))
    if later := _later(document):
        lines += [f"Vectors of `{last}` that a release after it answers differently, by operation."]
        lines += _grid(later, rules, _failing_later)
    lines += ["## What did not change", "", *_items(rules["unchanged"]), ""]
    lines += ["## What each release reaches", ""]
    lines += [line for table in page(document).tables if not table.long for line in table_lines(table)]
    lines += ["## How this page is made", "", *rules["making"], ""]
    text = "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"
    return harmless(re.sub(r"\n{3,}", "\n\n", text))


def _items(sentences: Iterable[str]) -> Iterator[str]:
    for sentence in sentences:
        yield from textwrap.wrap(escaped(sentence), 100, initial_indent="- ", subsequent_indent="  ")


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return ["", *(f"| {' | '.join(cells)} |" for cells in (header, ["---"] * len(header), *rows)), ""]


def _grid(rows: Sequence[Row], rules: Mapping[str, Any], failing: Callable[[Rule, Row], int]) -> list[str]:
    """A table of rules and releases, with the number of failing vectors of each rule."""
    counts = {rule["rule"]: [failing(rule, row) for row in rows] for rule in rules["rules"]}
    grid = [
        [escaped(rule), *(str(count or _SAME) for count in of_releases)]
        for rule, of_releases in counts.items()
        if any(of_releases)
    ]
    names = (
        row["subject"] if row["subject"] != NEWEST else row["result"]["runner"]["version"] for row in rows
    )
    return _table(["rule", *map(escaped, names)], grid)


def _described(document: Document, spec: str) -> list[Row]:
    """The rows of a spec whose releases are not newer than the last spec."""
    return [row for row in _releases(document, spec) if not _is_later(row, document)]


def _later(document: Document) -> list[Row]:
    """The rows of the last spec whose releases are newer than it."""
    return [row for row in _releases(document, document["specs"][-1]) if _is_later(row, document)]


def _is_later(row: Row, document: Document) -> bool:
    """Whether the release is newer than the last spec of the matrix."""
    return _released(row) > _version(document["specs"][-1].rpartition("-")[2])


def _failing_later(rule: Rule, row: Row) -> int:
    """The number of vectors of the rule's operations that a later release answers differently."""
    if not _version(row["spec"].rpartition("-")[2]) < _version(rule["since"]) <= _released(row):
        return 0
    return sum(failure["count"] for failure in row["result"]["failures"] if failure["op"] in rule["ops"])


def _failing(rule: Rule, row: Row, clauses: str = "clauses") -> int:
    """The number of vectors of the rule's clauses, or of its new ones, that a release answers differently."""
    ids, ops = set(rule[clauses]), set(rule["ops"])
    failures = row["result"]["failures"] if row["result"] is not None else []
    return sum(item["count"] for item in failures if item["clause"] in ids and (not ops or item["op"] in ops))


def contradictions(document: Document, rules: Mapping[str, Any]) -> list[str]:
    """A sentence for each contradiction between the rules and the executed results."""
    rows, last_rows = (_described(document, document["specs"][position]) for position in (0, -1))
    sentences: list[str] = []
    for rule in rules["rules"]:
        since, label = _version(rule["since"]), f"{rule['rule']!r}, since {rule['since']}"
        for row in rows:
            count = _failing(rule, row)
            if rule["clauses"] and (_released(row) >= since) != bool(count):
                sentences.append(f"{label}: {row['subject']} shows {count}")
        counts = {row["subject"]: _failing(rule, row, "new_clauses") for row in last_rows}
        early = [counts[row["subject"]] for row in last_rows if _released(row) < since]
        for row in last_rows:  # some vectors of a clause may need a later rule too
            count = counts[row["subject"]]
            if _released(row) >= since and count >= max(1, min(early, default=1)):
                sentences.append(f"{label}: {row['subject']} fails {count}")
    unexplained = []
    for row in rows:
        for item in row["result"]["failures"]:
            named = (
                rule["ops"] or [item["op"]] for rule in rules["rules"] if item["clause"] in rule["clauses"]
            )
            if not any(item["op"] in ops for ops in named):
                unexplained.append((row, f"{item['clause']} ({item['op']})"))
    for row in _later(document):
        explained = {op for rule in rules["rules"] if _failing_later(rule, row) for op in rule["ops"]}
        failing = {entry["op"] for entry in row["result"]["failures"]}
        unexplained += [(row, op) for op in sorted(failing - explained)]
    sentence = "{} answers {} differently, which no rule explains"
    return sentences + [sentence.format(row["subject"], name) for row, name in unexplained]


def _releases(document: Document, spec: str) -> list[dict[str, Any]]:
    """The rows of one spec that have results and belong to a release."""
    return [row for row in rows_of(document, spec) if row["result"] is not None and _released(row)]


def _released(row: Mapping[str, Any]) -> tuple[int, ...]:
    return _version(row["result"]["runner"]["version"])


def _version(text: str | None) -> tuple[int, ...]:
    parts = (text or "").split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() and part.isascii() for part in parts) else ()


def _shown_by(rule: Rule, document: Document) -> str:
    files = ", ".join(f"`{name}`" for name in rule["files"])
    first, last = document["specs"][0], document["specs"][-1]
    sources = []
    if count := max((_failing(rule, row) for row in _described(document, first)), default=0):
        sources.append(f"{counted(count, 'vector')} of `{first}` answered differently")
    if count := max((_failing(rule, row, "new_clauses") for row in _releases(document, last)), default=0):
        sources.append(f"{counted(count, 'vector')} of `{last}` failed by earlier releases")
    if count := max((_failing_later(rule, row) for row in _later(document)), default=0):
        sources.append(f"{counted(count, 'vector')} of `{last}` answered differently")
    sources += [f"`{rule['program']}`"] if "program" in rule else []
    return f"executed: {'; '.join(sources)} ({files})" if sources else f"read: {files}"


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__.partition("\n")[0]).parse_args()
    PAGE.write_text(releases_page(*matrix_and_rules()), encoding="utf-8")
