"""The page of harbor's releases: what changed for scores, in people's words, beside what a kept matrix shows.

``docs/harbor-releases-rules.json`` has a sentence or two for each rule; the kept matrix, what was executed.
A rule that names clauses is shown by the vectors of these that fail; one that names none was only read.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from conformance.matrix.markdown import as_text, escaped, made, spec_lines, table
from conformance.matrix.report import rows_of

__all__ = ["changelog", "contradictions", "shown"]

_SAME = "·"


def changelog(document: Mapping[str, Any], rules: Mapping[str, Any]) -> str:
    """The page, as Markdown."""
    spec = document["specs"][0]
    rows = [row for row in rows_of(document, spec) if row["result"] is not None]
    names = [row["subject"] for row in rows]
    lines = [f"# {rules['title']}", "", *rules["intro"], "", made(document), ""]
    lines += ["## What changed, by release", ""]
    cells = [
        [
            rule["since"],
            escaped(rule["rule"]),
            escaped(rule["scores"]),
            _shown_by(rule, rows, spec),
        ]
        for rule in rules["rules"]
    ]
    lines += table(["first in", "what changed", "what it does to a score", "shown by"], cells)
    marked = [rule for rule in rules["rules"] if rule["clauses"]]
    if marked:
        lines += [
            "## Release by rule, executed",
            "",
            f"Vectors of `{spec}` that a release answers otherwise, by the rules above; `{_SAME}`: none.",
        ]
        grid = [[escaped(rule["rule"]), *(_mark(shown(rule, row)) for row in rows)] for rule in marked]
        lines += table(["rule", *map(escaped, names)], grid, numbers=True)
    lines += ["## What did not change", "", *(f"- {escaped(one)}" for one in rules["unchanged"]), ""]
    for each in document["specs"]:
        lines += spec_lines(document, each)
    lines += ["## How this page is made", "", *rules["making"], ""]
    return as_text(lines)


def shown(rule: Mapping[str, Any], row: Mapping[str, Any]) -> int | None:
    """How many vectors of the rule's clauses a release answers otherwise; None where the row does not say."""
    if row["result"] is None:
        return None
    wanted, ops = set(rule["clauses"]), set(rule["ops"])
    counted = [
        one["count"]
        for one in row["result"]["failures"]
        if one["clause"] in wanted and (not ops or one["op"] in ops)
    ]
    return int(sum(counted))


def contradictions(document: Mapping[str, Any], rules: Mapping[str, Any]) -> list[str]:
    """Where the rules say otherwise than what was executed, a sentence each."""
    spec = document["specs"][0]
    rows = [
        row
        for row in rows_of(document, spec)
        if row["result"] is not None and _version(row["result"]["runner"]["version"])
    ]
    said: list[str] = []
    for rule in rules["rules"]:
        if not rule["clauses"]:
            continue
        since = _version(rule["since"])
        for row in rows:
            version, count = _version(row["result"]["runner"]["version"]), shown(rule, row)
            if (version >= since) != bool(count):
                said.append(f"{rule['rule']!r}, since {rule['since']}: {row['subject']} shows {count}")
    explained = {clause for rule in rules["rules"] for clause in rule["clauses"]}
    for row in rows:
        said += [
            f"{row['subject']} answers {one['clause']} otherwise, which no rule explains"
            for one in row["result"]["failures"]
            if one["clause"] not in explained
        ]
    return said


def _version(text: str | None) -> tuple[int, ...]:
    """A release as numbers, for their order; empty where it is none."""
    parts = (text or "").split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() and part.isascii() for part in parts) else ()


def _shown_by(rule: Mapping[str, Any], rows: Sequence[Mapping[str, Any]], spec: str) -> str:
    files = ", ".join(f"`{name}`" for name in rule["files"])
    if not rule["clauses"]:
        return f"read: {files}"
    counted = [count for row in rows if (count := shown(rule, row))]
    vectors = f"{counted[0]} vectors of `{spec}`" if counted else f"vectors of `{spec}`"
    return f"executed, {vectors}; {files}"


def _mark(count: int | None) -> str:
    return str(count) if count else _SAME
